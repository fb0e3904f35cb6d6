"""Invariants of the agent: it knows only the text, cites only what stands there in full, ends, and refuses what is no API document."""

import re

import pytest

from api.compat_report import NoComparison, decide, read_pair
from api.compat_report.model import Turn
from projector.render.packets import parse_packets
from projector.render.sections import parse_sections
from tests.unit.api.compat_report.harness import Run, breaking, places, read_value, run

OLD, NEW = read_pair("old").decode(), read_pair("new").decode()
PACKET = re.compile(r"\[evidence (ev_\w+)\]\n.*?\[end \1\]\n", re.DOTALL)


@pytest.fixture(scope="module")
def pair() -> Run:
    return run(OLD, NEW)


def test_the_shipped_pair_gives_its_breaking_changes(pair: Run) -> None:
    assert sorted(claim["about"]["aspect"] for claim in breaking(pair)) == [
        "operation-removed",
        "request-bound-narrowed",
        "request-enum-value-removed",
        "request-parameter-required-added",
        "request-property-required",
        "response-enum-value-added",
        "response-media-type-removed",
        "response-null-added",
        "response-property-removed",
        "response-removed",
        "response-type-widened",
        "security-added",
    ]


def test_from_100_to_50_has_both_numbers(pair: Run) -> None:
    (claim,) = [claim for claim in pair.claims if claim["about"]["aspect"] == "request-bound-narrowed"]
    assert claim["text"] == "`maximum` of query parameter `limit` lowered from 100 to 50"
    cited = {one["role"]: parse_packets(pair.packets[one["evidence"]])[0].excerpt for one in claim["citations"]}
    assert cited == {"old": "100", "new": "50", "context": "limit"}


def test_the_beta_operation_is_left_out_and_not_compared(pair: Run) -> None:
    assert pair.progress["get /routes/preview"].state == "excluded"
    assert [claim for claim in breaking(pair) if "routes" in claim["about"]["pointer"]] == []


def test_every_citation_stood_in_full_in_the_input_of_its_step(pair: Run) -> None:
    for text, turn in zip(pair.inputs, pair.turns, strict=True):
        shown = {packet.id for packet in parse_packets(text) if packet.excerpt is not None and packet.cut is None}
        for call in turn.calls:
            if call.name == "record_claim":
                assert {one["evidence"] for one in call.arguments["citations"]} <= shown  # type: ignore[union-attr,index,call-overload]


def test_the_turn_is_a_function_of_the_text_alone(pair: Run) -> None:
    assert [decide(text, read_value) for text in reversed(pair.inputs)] == list(reversed(pair.turns))


def test_without_one_packet_nothing_is_concluded_from_it(pair: Run) -> None:
    """For each step that records claims, and for each evidence that one of them cites: taken out of the text, the claim is gone."""
    tried = 0
    for text, turn in zip(pair.inputs, pair.turns, strict=True):
        for evidence in sorted(cited_in(turn)):
            without = PACKET.sub(lambda found, gone=evidence: "" if found[1] == gone else found[0], text)  # type: ignore[misc]
            assert evidence not in cited_in(decide(without, read_value))
            tried += 1
    assert tried > 20


def test_a_packet_that_never_arrives_ends_in_an_open_question_and_not_in_silence() -> None:
    """The passage that would show the new maximum is dropped from every input."""

    def drop(text: str) -> str:
        return PACKET.sub(lambda found: "" if "pointer: /paths/~1orders/get/parameters/0/schema/maximum\n" in found[0] else found[0], text)

    done = run(OLD, NEW, change=drop)
    assert [claim for claim in breaking(done) if "maximum" in claim["text"]] == []
    assert done.progress["get /orders"].state == "blocked"
    (question,) = [claim for claim in done.claims if claim["about"]["aspect"] == "not-compared"]
    assert (question["standing"], question["about"]["pointer"]) == ("open", "/paths/~1orders/get")


def test_the_json_spelling_gives_the_same_conclusions(pair: Run) -> None:
    done = run(as_json(OLD), as_json(NEW))
    assert told(done) == told(pair)


def test_two_runs_are_the_same(pair: Run) -> None:
    again = run(OLD, NEW)
    assert (again.claims, again.inputs) == (pair.claims, pair.inputs)


def test_a_document_compared_with_itself_has_no_findings() -> None:
    assert breaking(run(OLD, OLD)) == []


def test_the_last_turn_calls_nothing(pair: Run) -> None:
    assert pair.turns[-1].calls == ()
    progress = parse_sections(pair.inputs[-1]).progress
    assert progress is not None
    assert dict(progress.counts).keys() == {"done", "excluded"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("hello: world\n", "not_openapi"),
        ("swagger: '2.0'\npaths: {}\n", "unsupported_openapi"),
        ("openapi: 3.3.0\npaths: {}\n", "unsupported_openapi"),
        ("openapi: 4.0.0\npaths: {}\n", "unsupported_openapi"),
        ("openapi: 3.1.0\ninfo: {}\n", "not_openapi"),
        ("- a\n- b\n", "not_openapi"),
    ],
)
@pytest.mark.parametrize("side", ["old", "new"])
def test_what_is_no_api_document_is_refused(text: str, code: str, side: str) -> None:
    done = run(text if side == "old" else OLD, text if side == "new" else NEW)
    assert done.refusal is not None
    assert done.refusal.code == code
    assert side in done.refusal.message
    assert done.claims == []


def test_a_refusal_names_the_version_that_was_found() -> None:
    done = run("openapi: 3.3.0\npaths: {}\n", NEW)
    assert done.refusal is not None
    assert done.refusal.message == "'old' is OpenAPI '3.3.0'; Swagger 2.0, OpenAPI 3.0, 3.1 and 3.2 are compared"


@pytest.mark.parametrize(
    ("paths", "held"), [("[]", "an array"), ("[a, b]", "an array"), ("null", "null"), ("", "null"), ("words", "a plain value")]
)
@pytest.mark.parametrize("side", ["old", "new"])
def test_paths_that_are_no_object_are_refused_with_the_place_and_what_is_expected(paths: str, held: str, side: str) -> None:
    text = f"openapi: 3.1.0\npaths: {paths}\n"
    done = run(text if side == "old" else OLD, text if side == "new" else NEW)
    assert done.refusal is not None
    assert done.refusal.code == "not_openapi"
    assert done.refusal.message == f"'{side}' describes no paths: '/paths' holds {held} where an object is expected"
    assert done.claims == []


def test_a_version_that_is_no_text_is_refused() -> None:
    done = run("openapi: [3]\npaths: {}\n", NEW)
    assert done.refusal is not None
    assert done.refusal.message == "'old' is not an API document: its member 'openapi' says no version"


def test_a_task_without_two_revisions_is_refused() -> None:
    with pytest.raises(NoComparison):
        decide("[task t revision 1]\ngoal: x\n[end task]\n", read_value)


def cited_in(turn: Turn) -> set[str]:
    return {
        str(one["evidence"])  # type: ignore[index,call-overload]
        for call in turn.calls
        if call.name == "record_claim"
        for one in call.arguments["citations"]  # type: ignore[union-attr]
    }


def told(done: Run) -> list[tuple[str, str]]:
    return sorted((str(claim["text"]), str(places(done, claim))) for claim in done.claims)


def as_json(text: str) -> str:
    import json

    import yaml

    return json.dumps(yaml.safe_load(text), indent=2)
