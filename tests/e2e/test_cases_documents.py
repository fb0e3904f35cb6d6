"""What the cases of pointers, JSON and YAML ask beside what `test_cases` binds: cost, the next request, names with NUL, `also`."""

import json
import time
import tracemalloc
from typing import Any

import pytest

from api import presenters
from evidence_store.errors import EvidenceStoreError, NotFound
from evidence_store.excerpts import NoLimit
from evidence_store.model import Currency, ResourceName, TaskName
from evidence_store.store import EvidenceStore
from projector import format_packet, parse_packets
from tests.e2e.cases import Check, exact, expected, list_cases, list_checks, read_input
from tests.e2e.command import Evidence
from tests.factories import API, make_store, open_step, put, read

NUL_NAMES = b'{"a\\u0000b": {"\\u0000": 1}, "list": [1], "ab": 2}'


def put_file(evidence: Evidence, name: str, raw: bytes, *options: str) -> Any:
    path = evidence.folder.parent / name.replace("/", "-")
    path.write_bytes(raw)
    return evidence("put", path, "--resource", name, *options)


def case_input(case: str, name: str) -> bytes:
    return read_input(list_cases(case)[0], name)


@pytest.fixture
def store(evidence: Evidence) -> Any:
    with make_store(evidence.folder) as made:
        yield made


# -- put


@pytest.mark.parametrize("check", list_checks("ingest", "j01 j03 j04 j05 j07 y"))
def test_the_next_request_works_whatever_became_of_this_one(evidence: Evidence, check: Check) -> None:
    name = check.told["file"]
    done = put_file(evidence, name, read_input(check.case, name))
    if done.code == 0:
        assert done.answer()["format"] == ("yaml" if name.endswith(".yaml") else "json")
    put_file(evidence, "next.json", b'{"next": 1}').answer()
    assert evidence("read", "next.json", "--pointer", "/next").answer()["value"] == 1
    assert len(evidence("resources").answer()["resources"]) == 1 + (done.code == 0)


@pytest.mark.parametrize("check", [one for one in list_checks("ingest", "j y") if "max_seconds" in one.values[0].expect])
def test_what_would_grow_without_bound_is_refused_at_little_cost(evidence: Evidence, check: Check) -> None:
    raw = read_input(check.case, check.told["file"])
    start = time.process_time()
    put_file(evidence, check.told["file"], raw).error(2)
    assert time.process_time() - start < check.expect["max_seconds"]
    tracemalloc.start()
    try:
        put_file(evidence, check.told["file"], raw).error(2)
        assert tracemalloc.get_traced_memory()[1] < check.expect["max_extra_megabytes"] * 2**20
    finally:
        tracemalloc.stop()


def test_a_byte_order_mark_stays_in_the_stored_bytes_and_in_no_name(evidence: Evidence) -> None:
    raw = case_input("j05", "bom.json")
    put_file(evidence, "bom.json", raw).answer()
    assert raw.startswith(b"\xef\xbb\xbf")
    assert evidence("cat", "bom.json").out == raw
    root = evidence("read", "bom.json", "--pointer", "").answer()
    assert "\ufeff" not in json.dumps(root, ensure_ascii=False)
    start, end = root["bytes"]
    assert raw[start:end] == root["excerpt"].encode()


# -- also


@pytest.mark.parametrize("pointer", ["/paths2/same", "/paths/~1orders/get", "/paths/~1orders/get/responses"])
def test_members_repeated_with_equal_values_are_treated_alike(evidence: Evidence, pointer: str) -> None:
    put_file(evidence, "doc.json", case_input("j01", "doc.json")).answer()
    assert evidence("read", "doc.json", "--pointer", pointer).error(2)["code"] == "ambiguous"
    assert evidence("read", "doc.json", "--pointer", "/info/title").answer()["value"] == "Depot"


def test_a_pointer_of_thousands_of_tokens_ends_in_a_bounded_error(evidence: Evidence) -> None:
    put_file(evidence, "a.json", b'{"inner": {"inner": 1}}').answer()
    for pointer in ("/inner" * 20_000, "/" * 50_000, "/x" * 20_000):
        done = evidence("read", "a.json", f"--pointer={pointer}")
        done.error(3)
        assert len(done.err) < 2_000


@pytest.mark.parametrize("name", ["pair.json", "lone.json", "reversed.json"])
def test_after_half_a_surrogate_pair_the_input_of_a_step_is_utf_8_and_json(evidence: Evidence, name: str) -> None:
    raw = case_input("j07", name)
    put_file(evidence, name, raw)
    put_file(evidence, "kept", raw, "--format", "text").answer()
    packet = evidence("read", "kept", "--lines", "1-1").answer()
    assert packet["excerpt"].encode() == raw
    step = evidence.folder.parent / "step.json"
    step.write_text(json.dumps({"messages": [{"role": "user", "content": "read it"}], "evidence": [packet]}))
    messages = evidence("project", step).answer()["messages"]
    assert json.dumps(messages, ensure_ascii=False).encode()
    assert raw.decode().rstrip("\n") in "".join(str(one["content"]) for one in messages)


@pytest.mark.parametrize(("key", "pointer"), [("null", "/null"), ("~", "/~0"), ("0o17", "/0o17"), ("0x1F", "/0x1F"), ("1.50", "/1.50")])
def test_a_key_that_is_no_text_is_named_by_its_spelling(evidence: Evidence, key: str, pointer: str) -> None:
    put_file(evidence, "a.yaml", f"{key}: found\nother: 1\n".encode()).answer()
    assert evidence("read", "a.yaml", "--pointer", pointer).answer()["value"] == "found"
    assert evidence("read", "a.yaml", "--pointer", "", "--keys").answer()["value"] == [key, "other"]


def test_yaml_and_json_of_one_document_do_not_differ(evidence: Evidence) -> None:
    """Above all not by `NO` that became false."""
    put_file(evidence, "spec.yaml", case_input("y01", "spec.yaml")).answer()
    root = evidence("read", "spec.yaml", "--pointer", "", "--max-tokens", "100000").answer()["value"]
    put_file(evidence, "spec.json", json.dumps(root).encode()).answer()
    assert evidence("diff", "spec.yaml", "spec.json").answer()["pairs"] == []


# -- answers hold no number that JSON has not


@pytest.mark.parametrize("text", ["1e400", "-1e400", "1e-400", "123456789012345678901234567890"])
def test_a_number_past_every_float_is_answered_as_it_was_written(evidence: Evidence, text: str) -> None:
    put_file(evidence, "a.json", f'{{"x": {text}, "y": 1}}'.encode()).answer()
    put_file(evidence, "b.json", b'{"x": 0, "y": 1}').answer()
    for words in (("read", "a.json", "--pointer", ""), ("read", "a.json", "--pointer", "/x"), ("search", "a.json", "x")):
        said = evidence(*words).out.decode()
        assert text in said
        exact_value = exact(said)
        assert exact_value.get("value", True) is not None
    (pair,) = exact(evidence("diff", "a.json", "b.json").out)["pairs"]
    assert pair["old"]["value"].text == text


def test_a_table_of_numbers_that_are_none_has_a_summary_in_strict_json(evidence: Evidence) -> None:
    rows = "\n".join(f"{n},{value}" for n, value in enumerate(["NaN", "Infinity", "-inf", "1e308", "1e308", "1e400", "2"] * 5))
    put_file(evidence, "rows.csv", f"n,ratio\n{rows}\n".encode()).answer()

    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is no JSON")

    assert json.loads(evidence("summary", "rows.csv").out, parse_constant=refuse)["status"] == "derived"


def test_the_encoder_of_answers_takes_no_float() -> None:
    """It would write one that is not finite as null, without a mark. mypy holds the callers to the alias; this holds the alias."""
    assert "float" not in str(presenters.Json)


# -- NUL, which no argument can hold


@pytest.mark.parametrize(("pointer", "excerpt"), [("/a\0b", '{"\\u0000": 1}'), ("/a\0b/\0", "1"), ("#/a%00b/%00", "1"), ("/ab", "2")])
def test_a_member_with_nul_in_its_name_is_a_place_like_any_other(store: EvidenceStore, pointer: str, excerpt: str) -> None:
    put(store, NUL_NAMES)
    packet = read(store, pointer)
    assert packet.excerpt == excerpt
    assert store.passages.get(packet.id, NoLimit()) == packet
    put(store, NUL_NAMES.replace(b'"list"', b'"more": 0, "list"'))
    assert store.locations.locate(packet.id, API, 2, NoLimit()).verdict is Currency.SAME
    assert store.checks.verify(deep=True).faults == ()


@pytest.mark.parametrize(
    ("pointer", "code"),
    [("/a\0c", "not_found"), ("/a", "not_found"), ("/list/\0", "bad_index"), ("/list/0\0", "bad_index"), ("~\0", "malformed_pointer")],
)
def test_a_pointer_with_nul_that_leads_nowhere_is_told_like_any_other(store: EvidenceStore, pointer: str, code: str) -> None:
    put(store, NUL_NAMES)
    with pytest.raises(EvidenceStoreError) as caught:
        read(store, pointer)
    assert caught.value.error_code == code


def test_a_pointer_with_nul_is_written_so_that_it_can_be_read_back(evidence: Evidence) -> None:
    put_file(evidence, "a.json", NUL_NAMES).answer()
    done = evidence("read", "a.json", "--pointer", "#/a%00b/%00")
    assert done.answer()["pointer"] == "/a\0b/\0"
    assert b"\0" not in done.out
    with make_store(evidence.folder) as store:
        text = format_packet(read(store, "/a\0b/\0", "a.json"))
    assert "\0" not in text
    (packet,) = parse_packets(text)
    assert packet.selector.text == "/a\0b/\0"


def test_a_name_with_nul_is_refused_or_not_found_at_every_door_of_the_store(store: EvidenceStore) -> None:
    put(store)
    with pytest.raises(EvidenceStoreError) as caught:
        put(store, name="stable-v2\0/openapi.json")
    assert caught.value.error_code == "bad_name"
    name = ResourceName(f"{API}\0")
    with pytest.raises(NotFound):
        read(store, "", name)
    with pytest.raises(NotFound):
        store.sources.get_bytes(name, None)
    with pytest.raises(NotFound):
        store.comparisons.diff((API, 1), (name, 1), None, 10, NoLimit())
    with pytest.raises(NotFound):
        store.runs.pinned(open_step(store).run, name, None)
    with pytest.raises(NotFound):
        store.tasks.get_revision(TaskName("compare\0"))
    assert [resource.name for resource, _ in store.sources.list_resources("", 10)] == [API]
    assert store.checks.verify(deep=True).faults == ()


def test_every_case_is_bound_somewhere() -> None:
    """A folder that no module takes would be a case that nobody judges."""
    bound = list_cases("p j y g k o i05 c03 c04 c05")
    assert [case.name for case in list_cases("") if case not in bound] == []
    assert all(expected(case)["checks"] for case in bound)
