"""Faults that people met with places: cuts within a character, places that move between revisions, references out of a document.

A reference is followed inside the store only: the process that follows it opens no other file and no socket.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evidence_store.excerpts import NoLimit
from projector import TokenLimit, counter_for
from tests.conftest import ROOT
from tests.e2e.cases import Check, expected, list_cases, list_checks, put, read_input, verbs
from tests.e2e.command import Evidence, run_program
from tests.factories import make_store, read
from tests.factories import put as put_into

# -- cuts


@pytest.mark.parametrize("check", list_checks("cut", "k"))
def test_cut(evidence: Evidence, check: Check) -> None:
    """A limit in bytes: a counter that takes each byte for a token."""
    raw, expect = read_input(check.case, check.told["file"]), check.expect
    put(evidence, check).answer()
    with make_store(evidence.folder) as store:
        limit = TokenLimit(lambda: counter_for("bytes"), check.told["max_bytes"])
        packet = read(store, "1-1", check.told["file"], kind="lines", limit=limit)
    shown = packet.excerpt.encode()
    assert expect["valid_utf8"] is expect["prefix_of_source"] is True
    assert len(shown) <= expect["max_bytes"]
    assert raw.startswith(shown)
    assert packet.excerpt.count("\ufffd") - raw.decode().count("\ufffd") == expect["new_replacement_characters"]
    assert packet.cut is not None
    assert (packet.cut.shown.start, packet.cut.shown.end, packet.span.length) == (0, len(shown), len(raw))
    assert packet.next == f"--bytes {len(shown)}-{len(raw)}"


# -- revisions


@pytest.mark.parametrize("check", list_checks("resolve", "c03 o01"))
def test_resolve(evidence: Evidence, check: Check) -> None:
    put(evidence, check).answer()
    packet = evidence("read", check.told["file"], "--pointer", check.told["pointer"]).answer()
    assert check.expect["outcome"] == "value"
    assert packet["excerpt"] == check.expect.get("text", packet["excerpt"])
    assert packet["value"] == check.expect.get("value", packet["value"])


@pytest.mark.parametrize("check", list_checks("source_lines", "c03"))
def test_source_lines(evidence: Evidence, check: Check) -> None:
    put(evidence, check).answer()
    assert evidence("read", check.told["file"], "--pointer", check.told["pointer"]).answer()["lines"] == check.expect["lines"]


@pytest.mark.parametrize("check", list_checks("recheck", "c03"))
def test_recheck(evidence: Evidence, check: Check) -> None:
    put(evidence, check, check.told["from"], resource="api").answer()
    cited = evidence("read", "api", "--pointer", check.told["pointer"]).answer()
    put(evidence, check, check.told["against"], resource="api").answer()
    found = evidence("locate", cited["id"], "--in", "api@2").answer()
    assert (found["verdict"], found["packet"]["pointer"]) == (check.expect["verdict"], check.expect["pointer"])
    assert found["packet"]["lines"] == [check.expect["line"]] * 2
    assert found["packet"]["excerpt"] == cited["excerpt"]
    again = evidence("get", cited["id"]).answer()
    assert (again["revision"], again["excerpt"], again["currency"]) == (1, cited["excerpt"], check.expect["verdict"])


@pytest.mark.parametrize(("after", "verdict"), [("- {name: sort}", "gone"), ("- {at: 1}\n- {name: limit}\n- {name: limit}", "gone")])
def test_a_place_that_is_gone_or_could_be_several_is_no_place(evidence: Evidence, after: str, verdict: str) -> None:
    path = evidence.folder.parent / "a.yaml"
    for text in ("- {name: limit}", after):
        path.write_text(text)
        evidence("put", path, "--resource", "a.yaml").answer()
    cited = evidence("read", "a.yaml@1", "--pointer", "/0").answer()
    found = evidence("locate", cited["id"], "--in", "a.yaml@2").answer()
    assert (found["verdict"], found["packet"]) == (verdict, None)


# -- references


def put_documents(evidence: Evidence, check: Check) -> None:
    for name in expected(check.case)["inputs"]:
        put(evidence, check, name).answer()


def expand(evidence: Evidence, check: Check) -> dict[str, Any]:
    """The place of a check with its references followed."""
    put_documents(evidence, check)
    id_ = evidence("read", check.told["file"], "--pointer", check.told["pointer"]).answer()["id"]
    done = evidence("get", id_, "--expand", "refs")
    assert len(done.out.decode()) <= check.expect.get("max_chars", 20_000)
    packet = done.answer()
    # What was followed within the document is a further part, and so the evidence is another one.
    assert (packet["id"] == id_) is not any(hop["kind"] == "ref" for hop in packet.get("hops", ()))
    assert evidence("get", packet["id"]).answer()["integrity"] == "ok"
    return packet


def marks_of(packet: Mapping[str, Any], name: str) -> list[str]:
    return [one.removeprefix(f"{name}/1 ") for one in packet["transforms"] if one.startswith(f"{name}/1 ")]


@pytest.mark.parametrize("check", [one for one in list_checks("expand", "o") if one.values[0].expect["outcome"] == "value"])
def test_a_reference_that_leads_into_the_store_is_followed(evidence: Evidence, check: Check) -> None:
    packet = expand(evidence, check)
    assert packet["value"] == check.expect["value"]
    resource = check.expect.get("resource", check.told["file"])
    assert marks_of(packet, "ref_followed") == [f"{resource}@1 {check.expect['pointer']}"]
    assert marks_of(packet, "ref_unresolved") == []


@pytest.mark.parametrize("check", [one for one in list_checks("expand", "o") if one.values[0].expect["outcome"] == "unresolved"])
def test_a_reference_that_leads_elsewhere_is_named_with_the_reason(evidence: Evidence, check: Check) -> None:
    packet = expand(evidence, check)
    (mark,) = marks_of(packet, "ref_unresolved")
    ref = packet["value"]["$ref"]
    assert mark.startswith(f"{ref}: ")
    assert len(mark) > len(f"{ref}: ")
    assert all(name in mark for name in check.expect["names"])
    assert marks_of(packet, "ref_followed") == []


@pytest.mark.parametrize(
    "check", [one for one in list_checks("expand", "o") if one.values[0].expect["outcome"] in ("bounded", "refused_or_marked")]
)
def test_a_reference_that_closes_a_circle_stays_and_is_marked(evidence: Evidence, check: Check) -> None:
    packet = expand(evidence, check)
    circular = marks_of(packet, "ref_circular")
    assert circular
    assert all(name in one for one in circular for name in check.expect.get("names", ()))
    assert f'"$ref":"{circular[0]}"' in json.dumps(packet["value"], separators=(",", ":"))


def test_members_beside_a_reference_are_ignored_in_3_0_and_that_is_said(evidence: Evidence) -> None:
    (case,) = list_checks("expand", "o17")
    assert marks_of(expand(evidence, case.values[0]), "ref_siblings_ignored") == ["description"]


def test_a_reference_is_followed_at_one_revision_and_says_which(evidence: Evidence) -> None:
    check = list_checks("expand", "o02")[0].values[0]
    put_documents(evidence, check)
    newer = evidence.folder.parent / "newer.yaml"
    newer.write_text("responses:\n  Orders: {description: other}\n")
    evidence("put", newer, "--resource", "common.yaml").answer()
    id_ = evidence("read", "main.yaml", "--pointer", check.told["pointer"]).answer()["id"]
    packet = evidence("get", id_, "--expand", "refs").answer()
    assert (packet["value"], marks_of(packet, "ref_followed")) == ({"description": "other"}, ["common.yaml@2 /responses/Orders"])


def test_a_document_of_another_workspace_is_not_used(tmp_path: Path) -> None:
    case = list_cases("o02")[0]
    with make_store(tmp_path, workspace="other") as other:
        put_into(other, read_input(case, "common.yaml"), "common.yaml")
    with make_store(tmp_path, workspace="mine") as store:
        put_into(store, read_input(case, "main.yaml"), "main.yaml")
        id_ = read(store, "/paths/~1orders/get/responses/200", "main.yaml").id
        (mark,) = store.references.expand(id_, NoLimit()).transforms
    assert mark.startswith("ref_unresolved/1 common.yaml#/responses/Orders: ")


def test_lines_have_no_references(evidence: Evidence) -> None:
    put_documents(evidence, list_checks("expand", "o02")[0].values[0])
    id_ = evidence("read", "main.yaml", "--lines", "7-7").answer()["id"]
    assert evidence("get", id_, "--expand", "refs").error(2)["code"] == "no_structure"


# -- references that are too many, or lead too far


def expand_document(evidence: Evidence, document: object, pointer: str) -> dict[str, Any]:
    path = evidence.folder.parent / "refs.json"
    path.write_text(json.dumps(document))
    evidence("put", path, "--resource", "refs.json").answer()
    id_ = evidence("read", "refs.json", "--pointer", pointer).answer()["id"]
    packet = evidence("get", id_, "--expand", "refs").answer()
    assert evidence("get", packet["id"]).answer()["integrity"] == "ok"
    return packet


def n_left(packet: Mapping[str, Any]) -> int:
    return sum(int(one.removeprefix("refs_not_followed/1=")) for one in packet["transforms"] if one.startswith("refs_not_followed/1="))


def nested(n: int, leaf: object) -> object:
    for _ in range(n):
        leaf = {"x": leaf}
    return leaf


def test_as_many_references_are_followed_as_the_bound_allows(evidence: Evidence) -> None:
    many = [{"$ref": f"#/leaves/{n}", "beside": n} for n in range(230)]
    packet = expand_document(evidence, {"many": many, "leaves": list(range(230))}, "/many")
    assert packet["value"] == [*range(200), *many[200:]]
    assert (len(marks_of(packet, "ref_followed")), n_left(packet)) == (200, 30)
    assert marks_of(packet, "ref_not_followed") == [f"#/leaves/{n}" for n in range(200, 220)]


def test_what_would_make_the_value_too_large_is_not_followed_and_what_fits_behind_it_is(evidence: Evidence) -> None:
    document = {"a": [{"$ref": "#/large"}, {"$ref": "#/larger"}, {"$ref": "#/small"}], "large": "y" * 200_000, "larger": "y" * 100_000}
    packet = expand_document(evidence, document | {"small": 1}, "/a")
    assert packet["value"] == ["y" * 200_000, {"$ref": "#/larger"}, 1]
    assert (marks_of(packet, "ref_not_followed"), n_left(packet)) == (["#/larger"], 1)


def test_a_chain_of_references_ends_where_the_value_would_be_too_deep(evidence: Evidence) -> None:
    chain = [nested(10, {"$ref": f"#/chain/{n + 1}"}) for n in range(100)]
    packet = expand_document(evidence, {"a": {"$ref": "#/chain/0"}, "chain": [*chain, 1]}, "/a")
    assert (marks_of(packet, "ref_not_followed"), n_left(packet)) == (["#/chain/49"], 1)
    assert json.dumps(packet["value"]).count("{") == 491


def test_a_deep_value_without_references_is_itself(evidence: Evidence) -> None:
    deep = nested(480, 1)
    packet = expand_document(evidence, {"a": deep}, "/a")
    assert (packet["value"], packet["transforms"]) == (deep, [])


def test_circles_that_branch_end_at_the_bound(evidence: Evidence) -> None:
    """Each names all others, so that the ways through them are more than can be walked; none goes round."""
    names = [f"s{n}" for n in range(12)]
    schemas = {one: {other: {"$ref": f"#/schemas/{other}"} for other in names} for one in names}
    packet = expand_document(evidence, {"a": {"$ref": "#/schemas/s0"}, "schemas": schemas}, "/a")
    assert (len(marks_of(packet, "ref_circular")) > 0, n_left(packet) > 0) == (True, True)


def test_a_value_that_is_itself_too_large_is_refused(evidence: Evidence) -> None:
    path = evidence.folder.parent / "refs.json"
    path.write_text(json.dumps(["y" * 300_000]))
    evidence("put", path, "--resource", "refs.json").answer()
    id_ = evidence("read", "refs.json", "--pointer", "").answer()["id"]
    assert evidence("get", id_, "--expand", "refs").error(2)["code"] == "too_large"


REF = {"$ref": "#/b"}


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ({"responses": {"default": REF}}, {"responses": {"default": 1}}),
        ({"properties": {"example": REF, "x": {"example": REF}}}, {"properties": {"example": 1, "x": {"example": REF}}}),
        ({"properties": {"properties": {"default": REF}}}, {"properties": {"properties": {"default": REF}}}),
    ],
)
def test_a_name_that_somebody_chose_is_no_word_of_a_schema(evidence: Evidence, document: object, value: object) -> None:
    assert expand_document(evidence, {"a": document, "b": 1}, "/a")["value"] == value


# -- what a process touches

WATCH = """
import json, os, sys
touched = []
def watch(event, given):
    if event == "open" and isinstance(given[0], (str, bytes)):
        touched.append(os.path.abspath(os.fsdecode(given[0])))
    elif event.startswith(("socket.", "urllib.", "http.", "subprocess.", "os.exec", "os.posix_spawn")):
        touched.append(event)
sys.addaudithook(watch)
import atexit
atexit.register(lambda: os.write(2, json.dumps(sorted(set(touched))).encode() + b"\\n"))
"""


def touched_by(folder: Path, *words: str) -> list[str]:
    """Files outside the store, the sources and Python itself that a command opened, and sockets and programs."""
    done = run_program([*words, "--json", "--store", folder], before=WATCH)
    assert done.code in (0, 3)
    paths = [folder, ROOT, Path(sys.prefix), Path(sys.base_prefix), *(Path(one) for one in sys.path if one)]
    homes = [path.resolve() for path in paths]
    found: list[str] = json.loads(done.err.splitlines()[-1])
    return [one for one in found if not any(Path(one).resolve().is_relative_to(home) for home in homes)]


def test_following_references_opens_no_file_outside_the_store_and_no_socket(evidence: Evidence) -> None:
    put_documents(evidence, list_checks("expand", "o02")[0].values[0])
    (evidence.folder.parent / "missing.yaml").write_text("responses: {Bad: {description: not stored}}\n")
    id_ = evidence("read", "main.yaml", "--pointer", "/paths/~1orders/get/responses").answer()["id"]
    assert touched_by(evidence.folder, "get", id_, "--expand", "refs") == []


@pytest.mark.parametrize("words", [("cat",), ("resources",), ("read", "--lines", "1-1"), ("search", "secret"), ("summary",)])
def test_a_name_reads_nothing_outside_the_store(evidence: Evidence, words: tuple[str, ...]) -> None:
    outside = evidence.folder.parent / "outside.txt"
    outside.write_text("secret\n")
    for name in ("../outside.txt", str(outside), outside.as_uri()):
        assert evidence(words[0], name, *words[1:]).error(3)["code"] == "not_found"
    assert touched_by(evidence.folder, words[0], str(outside), *words[1:]) == []


def test_the_watch_sees_what_it_is_for(evidence: Evidence) -> None:
    path = evidence.folder.parent / "a.txt"
    path.write_text("one\n")
    assert touched_by(evidence.folder, "put", str(path), "--resource", "a") == [str(path)]


def test_every_verb_is_bound() -> None:
    """Breaking changes are bound in `test_cases_openapi`, `effective_parameters` and `where_is` beside the comparison's own tests."""
    here = {"cut", "resolve", "source_lines", "recheck", "expand"}
    logs = {"ingest", "roundtrip", "store_in_turn", "count_lines", "find", "excerpt", "quote", "quotes", "packet", "compare_runs"}
    claims = {"check_fact", "count_tokens", "project"}
    assert verbs("g k i05 c03 c04 c05") - here - logs - claims == set()
    assert verbs("o") - here == {"find_breaking_changes", "effective_parameters", "where_is"}
