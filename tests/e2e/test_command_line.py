"""The command line: words in, one JSON value or one error object out, and an exit code for each kind of end."""

import json
import os
from pathlib import Path

import pytest

from evidence_store.canonical import digest_of
from evidence_store.store import DATABASE_NAME
from tests.e2e.command import Evidence
from tests.factories import API, API_BYTES, TASK, make_store, tampering, verified_change

PACKET = {
    "id", "resource", "revision", "pointer", "format", "excerpt", "scope", "status", "digest", "bytes", "lines", "column", "size",
    "cut", "outline", "transforms", "next", "value",
}  # fmt: skip


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "openapi.json"
    path.write_bytes(API_BYTES)
    return path


@pytest.fixture
def stored(evidence: Evidence, spec: Path) -> Evidence:
    """A store that holds the golden document, with a scope."""
    evidence("put", spec, "--resource", API, "--scope", "stable API").answer()
    return evidence


# -- answers


def test_init_may_be_run_again(evidence: Evidence, tmp_path: Path) -> None:
    for _ in range(2):
        assert evidence.bare("init", "--store", tmp_path / "a" / "b", "--json").answer() == {"store": str(tmp_path / "a" / "b")}
    assert (tmp_path / "a" / "b" / DATABASE_NAME).is_file()


def test_put_answers_with_the_revision(evidence: Evidence, spec: Path) -> None:
    first = evidence("put", spec, "--resource", API, "--version-label", "v2").answer()
    assert first == {
        "resource": API,
        "revision": 1,
        "digest": digest_of(API_BYTES),
        "size": len(API_BYTES),
        "media_type": "application/json",
        "format": "json",
        "complete": True,
        "notes": [],
        "version_label": "v2",
        "created": True,
    }
    assert evidence("put", spec, "--resource", API).answer() == first | {"created": False}


def test_options_of_put_reach_the_store(evidence: Evidence, spec: Path) -> None:
    words = ("--kind", "reference", "--label", "a", "--label", "b", "--format", "text", "--idempotency-key", "k", "--if-newest", "0")
    assert evidence("put", spec, "--resource", API, *words).answer()["format"] == "text"
    (listed,) = evidence("resources").answer()["resources"]
    assert (listed["kind"], listed["labels"], listed["newest"]) == ("reference", ["a", "b"], 1)
    spec.write_bytes(b"[1]")
    assert evidence("put", spec, "--resource", API, "--idempotency-key", "k").answer()["revision"] == 1
    assert evidence("put", spec, "--resource", API, "--if-newest", "0").error(2)["code"] == "not_newest"


def test_a_live_resource_is_listed_with_its_greatest_age(evidence: Evidence, spec: Path) -> None:
    evidence("put", spec, "--resource", "live", "--max-age", "60").answer()
    (listed,) = evidence("resources").answer()["resources"]
    assert listed["max_age_s"] == 60
    packet = evidence("read", "live", "--pointer", "/limit").answer()
    assert packet["max_age_s"] == 60
    assert packet["observed_at"] > 0
    assert evidence("put", spec, "--resource", "live", "--max-age", "61").error(2)["code"] == "resource_differs"


def test_resources_are_listed_with_their_newest_revision(stored: Evidence, spec: Path) -> None:
    assert stored("resources").answer() == {
        "resources": [
            {"resource": API, "kind": "observation", "scope": "stable API", "labels": [], "newest": 1, "digest": digest_of(API_BYTES)}
        ],
        "more": False,
    }
    spec.write_bytes(b"[]")
    stored("put", spec, "--resource", API)
    revisions = stored("resources", API).answer()
    assert [one["revision"] for one in revisions["revisions"]] == [1, 2]


def test_cat_gives_the_stored_bytes_and_nothing_else(evidence: Evidence, tmp_path: Path) -> None:
    raw = bytes(range(256)) + "日志\r\n".encode()
    (tmp_path / "a.bin").write_bytes(raw)
    evidence("put", tmp_path / "a.bin", "--resource", "a.bin", "--format", "bytes")
    for words in (("cat", "a.bin"), ("cat", "a.bin@1")):
        done = evidence(*words)
        assert (done.code, done.out, done.err) == (0, raw, b"")


def test_read_answers_with_a_packet(stored: Evidence) -> None:
    packet = stored("read", API, "--pointer", "/limit/maximum").answer()
    assert packet.keys() == PACKET
    assert (packet["id"], packet["excerpt"], packet["value"], packet["scope"]) == ("ev_tpvnrht0mge4", "50", 50, "stable API")
    assert (packet["bytes"], packet["lines"], packet["digest"], packet["size"]) == ([22, 24], [1, 1], digest_of(API_BYTES), 27)


@pytest.mark.parametrize(
    ("words", "excerpt"),
    [
        (("--pointer", "/limit/maximum"), "50"),
        (("--pointer", "#/limit"), '{"maximum": 50}'),
        (("--pointer", "", "--keys"), '["limit"]'),
        (("--lines", "1-1"), API_BYTES.decode()),
        (("--tail", "1"), API_BYTES.decode()),
        (("--head", "5"), API_BYTES.decode()),
        (("--around", "1"), API_BYTES.decode()),
        (("--around", "1:0"), API_BYTES.decode()),
        (("--bytes", "22-24"), "50"),
        (("--quote", "maximum", "--prefix", ': {"', "--suffix", '": 50'), "maximum"),
        (("--quote", '"maximum": 50'), '"maximum": 50'),
        (("--quote", "maximum", "--pointer", "/limit"), "maximum"),
    ],
)
def test_a_place_is_read_in_several_ways(stored: Evidence, words: tuple[str, ...], excerpt: str) -> None:
    assert stored("read", API, *words).answer()["excerpt"] == excerpt


def test_the_children_of_a_container_are_an_outline(stored: Evidence) -> None:
    assert stored("read", API, "--pointer", "", "--children", "0-9").answer()["outline"]["children"][0]["token"] == "limit"


def test_get_answers_the_questions_about_an_evidence(stored: Evidence, spec: Path) -> None:
    id_ = stored("read", API, "--pointer", "/limit/maximum").answer()["id"]
    spec.write_bytes(API_BYTES.replace(b"50", b"20"))
    stored("put", spec, "--resource", API)
    packet = stored("get", id_).answer()
    assert packet.keys() == PACKET | {"integrity", "lifecycle", "basis", "currency"}
    assert [packet[name] for name in ("integrity", "lifecycle", "basis", "currency")] == ["ok", "active", "observed", "changed"]
    assert stored("get", id_.upper()).answer()["folded_from"] == id_.upper()
    assert stored("get", id_, "--expand", "parent").answer()["pointer"] == "/limit"


def test_get_with_a_task_says_how_it_was_judged(evidence: Evidence) -> None:
    with make_store(evidence.folder) as store:
        id_ = verified_change(store).citations[0].evidence
    assert evidence("get", id_, "--task", TASK).answer()["judgement"] == "applies"
    assert "judgement" not in evidence("get", id_).answer()
    evidence("get", id_, "--task", "other").error(3)


def test_search_diff_and_locate_answer_with_packets(stored: Evidence, spec: Path) -> None:
    found = stored("search", API, "maximum").answer()
    assert (len(found["packets"]), found["more"], found["packets"][0]["match"]) == (1, False, [12, 19])
    assert stored("search", API, "minimum").answer()["receipt"]["status"] == "derived"
    spec.write_bytes(b'{"limit": {}}')
    stored("put", spec, "--resource", API)
    (pair,) = stored("diff", f"{API}@1", f"{API}@2").answer()["pairs"]
    assert (pair["change"], pair["old"]["pointer"], pair["new"], pair["absent"]["pointer"]) == ("removed", "/limit/maximum", None, "/limit")
    assert stored("locate", pair["old"]["id"], "--in", f"{API}@2").answer() == {"verdict": "gone", "packet": None}
    assert stored("locate", pair["old"]["id"], "--in", f"{API}@1").answer()["packet"]["id"] == pair["old"]["id"]


def test_a_trace_leads_to_the_bytes(evidence: Evidence) -> None:
    with make_store(evidence.folder) as store:
        verified_change(store)
    found = evidence("trace", f"{TASK}/C1").answer()
    assert (found["ok"], found["subject"]) == (True, f"{TASK}/C1")
    assert [hop["kind"] for hop in found["hops"]][:2] == ["claim", "citation"]
    assert all(hop.keys() == {"kind", "id", "check", "text"} for hop in found["hops"])


def test_verify_counts_what_there_is(stored: Evidence) -> None:
    stored("read", API, "--pointer", "/limit")
    expected = {"ok": True, "faults": [], "counts": {"resources": 1, "revisions": 1, "blobs": 1, "evidence": 1, "events": 3}}
    assert stored("verify").answer() == expected | {"deep": False}
    assert stored("verify", "--deep").answer() == expected | {"deep": True}


def test_verify_says_no_and_names_the_fault(stored: Evidence) -> None:
    with tampering(stored.folder) as database:
        database.execute("UPDATE blobs SET inline = zeroblob(length(inline))")
    found = stored("verify", "--deep").answer(1)
    assert (found["ok"], found["faults"][0]["subject"]) == (False, digest_of(API_BYTES))
    assert stored("cat", API).error(4)["code"] == "integrity_mismatch"
    assert stored("read", API, "--pointer", "/limit").error(4)["blob"] == digest_of(API_BYTES)


@pytest.mark.parametrize(("quote", "code"), [("50", 0), ("51", 1)])
def test_check_says_yes_or_no(stored: Evidence, tmp_path: Path, quote: str, code: int) -> None:
    id_ = stored("read", API, "--pointer", "/limit/maximum").answer()["id"]
    (tmp_path / "report.md").write_text(f'It is "{quote}" [{id_}]. \nAnd this is not cited.\n')
    found = stored("check", tmp_path / "report.md").answer(code)
    assert found["ok"] is (code == 0)
    assert [(one["id"], one["verdict"], one["where"]) for one in found["citations"]] == [(id_, "ok", "line 1")]
    assert [one["line"] for one in found["uncited"]] == [2]


# -- words


def test_common_options_stand_before_or_after_the_command(stored: Evidence) -> None:
    expected = stored("resources").answer()
    store = str(stored.folder)
    assert stored.bare("--json", "--store", store, "resources").answer() == expected
    assert stored.bare("--store", store, "resources", "--json").answer() == expected
    assert stored.bare("resources", f"--store={store}", "--json").answer() == expected


def test_an_option_after_the_command_wins(stored: Evidence, tmp_path: Path) -> None:
    assert stored.bare("--store", tmp_path / "none", "resources", "--json", "--store", stored.folder).code == 0


def test_the_store_comes_from_the_variable_or_from_here(stored: Evidence, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = stored("resources").answer()
    monkeypatch.setenv("EVIDENCE_STORE_URL", stored.folder.as_uri())
    assert stored.bare("resources", "--json").answer() == expected
    monkeypatch.delenv("EVIDENCE_STORE_URL")
    stored.folder.rename(stored.folder.parent / ".evidence")
    monkeypatch.chdir(stored.folder.parent)
    assert stored.bare("resources", "--json").answer() == expected


def test_two_dashes_end_the_options(evidence: Evidence, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"--json\n-x\n")
    evidence("put", "--resource=--json", tmp_path / "a.txt").answer()
    common = ("--json", "--store", evidence.folder)
    assert evidence.bare("cat", *common, "--", "--json").out == b"--json\n-x\n"
    assert len(evidence.bare("search", *common, "--", "--json", "-x").answer()["packets"]) == 1
    assert evidence.bare("resources", *common, "--", "--json").answer()["resource"] == "--json"


def test_what_follows_two_dashes_asks_for_no_json(evidence: Evidence) -> None:
    done = evidence.bare("cat", "--store", evidence.folder, "--", "--json")
    assert (done.code, done.err.decode()[:10]) == (3, "evidence: ")


@pytest.mark.parametrize("name", ["user@host", "a@7", "a@", "@", "@1", "a@b@2", "a@٧", "日志/run-1.log", " a ", "-x"])
def test_the_last_at_sign_before_digits_is_the_revision(evidence: Evidence, tmp_path: Path, name: str) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\n")
    evidence("put", tmp_path / "a.txt", f"--resource={name}").answer()
    common = ("--json", "--store", evidence.folder, "--")
    assert evidence.bare("cat", *common, f"{name}@1").out == b"one\n"
    if not name.rpartition("@")[2].isascii() or not name.rpartition("@")[2].isdigit():
        assert evidence.bare("cat", *common, name).out == b"one\n"
    assert evidence.bare("cat", *common, f"{name}@2").error(3)["known"] == [1]
    assert evidence.bare("resources", *common, name).answer()["revisions"][0]["revision"] == 1


def test_help_and_version_are_answers(evidence: Evidence) -> None:
    for words in (("--help",), ("put", "--help"), ("--version",)):
        done = evidence.bare(*words)
        assert (done.code, bool(done.out), done.err) == (0, True, b"")


def test_without_json_people_get_lines(stored: Evidence, spec: Path) -> None:
    store = ("--store", stored.folder)
    assert stored.bare("put", spec, "--resource", API, *store).out.startswith(f"unchanged {API}@1".encode())
    assert b"| 50\n" in stored.bare("read", API, "--pointer", "/limit/maximum", *store).out
    assert stored.bare("verify", *store).out.endswith(b", stored bytes not read (--deep reads them): ok\n")
    done = stored.bare("read", API, "--pointer", "/limit/minimum", *store)
    assert (done.code, done.out, done.err.count(b"\n")) == (3, b"", 1)
    assert b'nearest: "/limit"' in done.err


# -- errors


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 2),
        (("frobnicate",), 2),
        (("read", API), 2),
        (("read", API, "--pointer"), 2),
        (("read", API, "--pointer", "", "--lines", "1-1"), 2),
        (("read", API, "--point", ""), 2),
        (("read", API, "--pointer", "", "--max-tokens", "0"), 2),
        (("read", API, "--pointer", "", "--max-tokens", "x"), 2),
        (("read", API, "--pointer", "", "--max-tokens", "9" * 30), 2),
        (("read", API, "--lines", "0-1"), 2),
        (("read", API, "--quote", "x"), 2),
        (("read", API, "--operation", "get /x"), 3),
        (("put", "-"), 2),
        (("put", "-", "--resource", "a", "--kind", "rumour"), 2),
        (("put", "-", "--resource", "a", "--if-newest", "-1"), 2),
        (("put", "/", "--resource", "a"), 2),
        (("put", "/none/such", "--resource", "a"), 3),
        (("get", "C1"), 2),
        (("get", "ev_000000000000"), 3),
        (("search", API, ""), 2),
        (("search", API, "(", "--regex"), 2),
        (("search", API, "a", "--limit", "0"), 2),
        (("locate", "ev_000000000000", "--in", API), 3),
        (("diff", API, "nowhere"), 3),
        (("trace", "nonsense"), 2),
        (("trace", "rp_000000000000"), 3),
        (("check", "/none/such"), 3),
        (("resources", "nowhere"), 3),
        (("cat", f"{API}@9"), 3),
        (("validate", "/none/such", "--provider", "openai"), 3),
        (("project", "/none/such"), 3),
        (("serve", "--port", "x"), 2),
    ],
)
def test_wrong_use_and_absence_are_an_error_object_and_an_exit_code(stored: Evidence, words: tuple[str, ...], code: int) -> None:
    before = stored("verify").answer()["counts"]
    stored(*words).error(code)
    assert stored("verify", "--deep").answer() == {"ok": True, "faults": [], "counts": before, "deep": True}


def test_an_error_object_stands_also_where_the_words_cannot_be_parsed(evidence: Evidence) -> None:
    for words in (("--json",), ("--json", "frobnicate"), ("frobnicate", "--json"), ("read", "--json", "--frob"), ("--json", "--store")):
        assert evidence.bare(*words).error(2)["code"] == "wrong_use"


def test_a_missing_store_is_a_fault_that_says_how_to_make_one(evidence: Evidence, tmp_path: Path) -> None:
    for words in (("resources",), ("verify",), ("get", "ev_000000000000"), ("cat", "a"), ("read", "a", "--pointer", "")):
        error = evidence.bare(*words, "--json", "--store", tmp_path / "none").error(4)
        assert (error["code"], "evidence init" in error["message"]) == ("no_store", True)
    assert not (tmp_path / "none").exists()


def test_a_store_below_a_file_is_a_fault(evidence: Evidence, spec: Path) -> None:
    evidence.bare("init", "--json", "--store", spec / "store").error(4)
    evidence.bare("resources", "--json", "--store", spec / "store").error(4)
    assert spec.read_bytes() == API_BYTES


def test_a_store_of_another_schema_is_a_fault_that_says_what_to_do(stored: Evidence) -> None:
    with tampering(stored.folder) as database:
        database.execute("UPDATE alembic_version SET version_num = '0000'")
    error = stored("resources").error(4)
    assert (error["code"], "evidence db upgrade" in error["message"]) == ("schema_mismatch", True)


def test_a_file_that_is_no_store_is_a_fault(evidence: Evidence) -> None:
    (evidence.folder / DATABASE_NAME).write_bytes(b"nothing of the kind" * 100)
    evidence("resources").error(4)


def test_a_refused_document_names_its_line_and_stores_nothing(evidence: Evidence, tmp_path: Path) -> None:
    (tmp_path / "cut.json").write_bytes(b'{\n"a": 1,\n"b": \n')
    error = evidence("put", tmp_path / "cut.json", "--resource", "a").error(2)
    assert error["line"] == 4
    assert evidence("resources").answer()["resources"] == []


def test_no_message_holds_the_document(evidence: Evidence, tmp_path: Path) -> None:
    secret = "s3cr3t" * 2000
    (tmp_path / "a.json").write_text(json.dumps({"a": {f"key{n}": secret for n in range(3000)}}))
    evidence("put", tmp_path / "a.json", "--resource", "a").answer()
    done = evidence("read", "a", "--pointer", "/a/gone")
    assert len(done.err) < 20_000
    assert done.error(3)["nearest"] == "/a"
    assert secret[:6] not in done.err.decode()


@pytest.mark.parametrize(
    "words", [("cat", "\udcff"), ("read", "\udcff", "--pointer", ""), ("resources", "\udcff"), ("trace", "\udcff/C1"), ("get", "ev_\udcff")]
)
def test_arguments_that_are_no_text_are_an_error_like_any_other(stored: Evidence, words: tuple[str, ...]) -> None:
    """Bytes that are not UTF-8 reach Python as half surrogate pairs (PEP 383)."""
    assert os.fsencode(words[1])
    assert stored(*words).code in (2, 3)


def test_people_are_told_that_there_is_more(stored: Evidence, tmp_path: Path) -> None:
    path = tmp_path / "a.log"

    def people(*words: str) -> bytes:
        return stored.bare(*words, "--store", stored.folder).err

    path.write_bytes(b"12:00:01 a\nb\nc\n")
    stored("put", path, "--resource", "a.log")
    assert b"more:" in people("search", "a.log", ".", "--regex", "--limit", "1")
    assert people("search", "a.log", ".", "--regex", "--limit", "9") == b""
    path.write_bytes(b"12:00:02 a\nx\nc\ny\n")
    stored("put", path, "--resource", "a.log")
    told = people("diff", "a.log@1", "a.log@2", "--limit", "1")
    assert b"more:" in told
    assert b"1 by time" in told


def test_a_parameter_and_a_schema_are_read_by_name(evidence: Evidence, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'{"openapi": "3.1.0", "paths": {"/a": {"get": {"parameters": [{"name": "n", "in": "query"}]}}},'
                     b' "components": {"schemas": {"S": {"type": "string"}}}}')  # fmt: skip
    evidence("put", path, "--resource", "a.json")
    assert evidence("read", "a.json", "--schema", "S").answer()["pointer"] == "/components/schemas/S"
    found = evidence("read", "a.json", "--operation", "get /a", "--parameter", "n").answer()
    assert found["pointer"] == "/paths/~1a/get/parameters/0"
    evidence("read", "a.json", "--schema", "S", "--parameter", "n").error(2)
