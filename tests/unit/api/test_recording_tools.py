"""Tools that record progress and claims: what they refuse, and that no argument makes a claim verified."""

import pytest

from api.tools import ToolContext, call_tool
from evidence_store.errors import JsonValue
from evidence_store.model import Standing, TaskRevision
from evidence_store.store import EvidenceStore
from projector import GivenEvidence, Profile, Projected, Step, counter_for, parse_sections, project
from tests.factories import API, BETA_RULE, TASK, deliver, read
from tests.unit.api.tool_calls import call, details, error, json_lines, limit_of


def test_progress_and_claims_belong_to_a_run(store: EvidenceStore) -> None:
    outside = ToolContext(store, limit_of)
    for name in ("get_progress", "list_claims"):
        assert error(call(outside, name)) == ("no_run", False)
    assert error(call(outside, "record_progress", items=[{"subject": "a", "state": "todo"}])) == ("no_run", False)


def test_progress_is_recorded_and_listed_by_state_and_in_pages(context: ToolContext) -> None:
    items: list[JsonValue] = [{"subject": f"s{n}", "state": "done" if n % 2 else "todo", "next": "", "uses": []} for n in range(5)]
    assert call(context, "record_progress", items=items).text == "recorded: 5 of 5\n"
    assert call(context, "record_progress", items=[{"subject": "s1", "state": "todo"}]).text == "recorded: 0 of 1\n"
    assert [one["subject"] for one in json_lines(call(context, "get_progress", state="done"))] == ["s1", "s3"]
    page = call(context, "get_progress", limit=2)
    assert [one["subject"] for one in json_lines(page)] == ["s0", "s1"]
    assert 'next: {"after":"s1"}' in page.text
    assert [one["subject"] for one in json_lines(call(context, "get_progress", after="s1", limit=2))] == ["s2", "s3"]


@pytest.mark.parametrize(
    ("item", "code"),
    [
        ({"subject": "a", "state": "finished"}, "bad_argument"),
        ({"subject": "a"}, "bad_argument"),
        ({"state": "todo"}, "bad_argument"),
        ({"subject": "a", "state": "done", "evidence": ["ev_000000000000"]}, "unknown_id"),
        ({"subject": "a", "state": "done", "evidence": ["nonsense"]}, "malformed_id"),
        ({"subject": "a", "state": "done", "extra": 1}, "bad_argument"),
        ({"subject": "", "state": "done"}, "bad_subject"),
    ],
)
def test_a_faulty_item_is_refused(context: ToolContext, item: JsonValue, code: str) -> None:
    assert error(call(context, "record_progress", items=[{"subject": "first", "state": "todo"}, item])) == (code, True)
    assert json_lines(call(context, "get_progress")) == []


def test_a_claim_is_answered_with_its_standing_and_the_reason(context: ToolContext, store: EvidenceStore) -> None:
    packet = read(store, "/components/schemas/Order/type")
    about: JsonValue = {"resource": API, "pointer": "/components/schemas/Order", "aspect": "type"}
    cited: JsonValue = [{"evidence": packet.id, "role": "support"}]
    unseen = call(context, "record_claim", about=about, text="`Order` is an `object`.", citations=cited)
    assert unseen.text == f'claim: C1\nstanding: open\nreason: "not_exposed:{packet.id}"\n'
    assert context.step is not None
    deliver(store, context.step, packet)
    assert (
        call(context, "record_claim", about=about, text="`Order` is an `object`.", citations=cited).text
        == "claim: C2\nstanding: verified\n"
    )


def test_an_exclusion_is_recorded_with_its_rule(context: ToolContext, store: EvidenceStore) -> None:
    packet = read(store, "/paths/~1orders~1{id}/get/x-stability-level")
    assert context.step is not None
    deliver(store, context.step, packet)
    answer = call(
        context,
        "record_claim",
        about={"resource": API},
        text="It is beta.",
        citations=[{"evidence": packet.id, "role": "scope"}],
        standing="excluded",
        scope_rule=BETA_RULE,
    )
    assert "standing: excluded" in answer.text


def test_a_citation_names_its_role(context: ToolContext) -> None:
    (packet,) = call(context, "read_spec", resource=API, schema="Order").packets
    answer = call(context, "record_claim", about={"resource": API}, text="It is so.", citations=[{"evidence": packet.id}])
    assert error(answer) == ("bad_argument", True)
    assert details(answer)["argument"] == "role"


@pytest.mark.parametrize(
    "change",
    [
        {"text": ""},
        {"citations": [{"evidence": "ev_000000000000", "role": "support"}]},
        {"citations": [{"evidence": "nonsense", "role": "support"}]},
        {"citations": [{"evidence": "ev_000000000000", "role": "proof"}]},
        {"citations": [{"role": "support"}]},
        {"about": {}},
        {"about": {"resource": API, "extra": 1}},
        {"standing": "verified"},
    ],
)
def test_a_faulty_claim_is_refused(context: ToolContext, change: dict[str, JsonValue]) -> None:
    """No argument makes a claim verified: only the rules do."""
    sound: dict[str, JsonValue] = {"about": {"resource": API}, "text": "It is so.", "citations": []}
    _, retry = error(call_tool(context, "record_claim", sound | change, recording=True))
    assert retry
    assert json_lines(call(context, "list_claims")) == []


def test_claims_are_listed_by_standing_and_in_pages(context: ToolContext, store: EvidenceStore) -> None:
    for n in range(3):
        call(context, "record_claim", about={"resource": API}, text=f"It is so, {'very ' * n}much.", citations=[])
    assert [one["claim"] for one in json_lines(call(context, "list_claims", after="C1"))] == ["C2", "C3"]
    assert [one["claim"] for one in json_lines(call(context, "list_claims", standing="verified"))] == []
    page = call(context, "list_claims", limit=1)
    assert ([one["claim"] for one in json_lines(page)], 'next: {"after":"C1"}' in page.text) == (["C1"], True)
    assert error(call(context, "list_claims", after="first")) == ("bad_argument", True)
    assert store.claims.get(TASK, 1).standing is Standing.OPEN


def test_claims_are_listed_by_what_they_speak_of(context: ToolContext) -> None:
    places = [("a.json", "/paths/~1a"), ("a.json", "/paths/~1a/get"), ("a.json", "/paths/~1ab"), ("b.json", "")]
    for resource, pointer in places:
        call(context, "record_claim", about={"resource": resource, "pointer": pointer}, text=f"About {pointer} It Is So.", citations=[])

    def listed(**asked: JsonValue) -> list[object]:
        return [one["claim"] for one in json_lines(call(context, "list_claims", **asked))]

    assert listed(resource="a.json") == ["C1", "C2", "C3"]
    assert listed(pointer="/paths/~1a") == ["C1", "C2"]
    assert listed(resource="b.json", pointer="") == ["C4"]
    assert listed(text="about /paths/~1ab it is") == ["C3"]
    assert listed(resource="c.json") == []


def test_a_page_that_an_input_names_is_answered_whole(context: ToolContext) -> None:
    """What the projector says is to be had by one call is what the tool answers to it."""
    for number in range(130):
        call(context, "record_claim", about={"resource": f"logs/{number % 30}.log"}, text=f"Number {number} {'is so ' * 30}", citations=[])
    claims = tuple(context.store.claims.list_claims(TASK))
    profile = Profile("openai", "gpt-4o", 4_000, 0, 0, "o200k_base")
    reader = GivenEvidence(())
    made = project(Step(TaskRevision(TASK, 1, "g", (), (), ()), profile, claims=claims), reader, counter_for("o200k_base"), reader)
    assert isinstance(made, Projected)
    section = parse_sections(str(made.projection.messages[-1]["content"])).open
    assert section is not None
    answers = {page: call(context, "list_claims", claims=page) for page, _ in section.pages}
    found = [str(one["claim"]) for answer in answers.values() for one in json_lines(answer)]
    assert {*found, *(line.id for line in section.lines)} == {one.id for one in claims}
    assert len(answers) > 2
    assert not [page for page, answer in answers.items() if "next: " in answer.text]
    assert [one["claim"] for one in json_lines(call(context, "list_claims", claims="C2-C4", standing="open", after="C2"))] == ["C3", "C4"]


@pytest.mark.parametrize("claims", ["", "2-4", "C4-C2", "C0", "all"])
def test_what_is_no_range_of_claims_is_refused(context: ToolContext, claims: str) -> None:
    assert error(call(context, "list_claims", claims=claims)) == ("bad_argument", True)
