"""What the assistant said about evidence that a principal may not see stands in no input of his, and what the step uses does."""

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

import orjson
import pytest

from evidence_store.errors import JsonValue
from evidence_store.model import EvidenceId, Packet, ProgressItem, ProgressState
from projector import GivenEvidence, Paused, Projected, Projection, counter_for, project
from projector.compact import is_reference
from projector.model import Candidate, JsonObject, Principal, Step
from projector.render.packets import format_packet
from tests.unit.projector.steps import calling, claim, exchange, item, outcome, packet, projection, result, step, tiny, user

SECRET = packet(7, "hunter2", labels=("secret",))


def told(made: Projection) -> str:
    return orjson.dumps(made.messages).decode()


def said(text: str, arguments: str = "{}") -> tuple[JsonObject, ...]:
    asked: JsonValue = {"id": "c1", "type": "function", "function": {"name": "record_claim", "arguments": arguments}}
    return ({"role": "assistant", "content": text, "tool_calls": [asked]}, result("c1", "recorded"))


def with_history(*history: JsonObject) -> Step:
    return step(messages=(user("go on"), *history), principal=Principal())


def test_a_note_that_names_withheld_evidence_is_left_out() -> None:
    note: JsonObject = {"role": "assistant", "content": f"it is hunter2, see {SECRET.id}"}
    made = projection(with_history(note, *exchange("c2")), SECRET)
    assert "hunter2" not in told(made)
    assert any(line.reason == "names evidence that is not available" for line in made.omitted)


def test_a_result_of_any_form_that_names_withheld_evidence_is_withheld() -> None:
    listed = f'- {{"claim":"C1","text":"it is hunter2","citations":[{{"evidence":"{SECRET.id}","role":"support"}}]}}'
    made = projection(with_history(*exchange("c2", text=listed)), SECRET)
    assert "hunter2" not in told(made)
    assert SECRET.id not in told(made)
    assert made.receipt.withheld.results == 1
    cleared = replace(with_history(*exchange("c2", text=listed)), principal=Principal(("secret",)))
    assert "hunter2" in told(projection(cleared, SECRET))


def test_an_id_in_a_passage_that_may_be_seen_is_the_sources_own_word() -> None:
    quoting = packet(3, f"as [{SECRET.id}] shows")
    assert SECRET.id in told(projection(with_history(*exchange("c2", text=format_packet(quoting))), SECRET, quoting))


@pytest.mark.parametrize(
    "parts",
    [
        {"claims": (claim(1, packet(3).id, text=f"hunter2 as {SECRET.id}"),)},
        {"claims": (replace(claim(1, packet(3).id, text="hunter2"), reason=f"not as {SECRET.id}"),)},
        {"progress": (ProgressItem(f"hunter2 of {SECRET.id}", ProgressState.DOING),)},
        {"progress": (ProgressItem("hunter2", ProgressState.TODO, next=f"read {SECRET.id}"),)},
        {"progress": (ProgressItem("hunter2", ProgressState.TODO, uses=(SECRET.id,)),)},
        {"candidates": (Candidate("hunter2", source=SECRET.id),)},
        {"candidates": (Candidate(f"hunter2, {SECRET.id}"),)},
    ],
)
def test_words_that_name_withheld_evidence_are_left_out_and_counted(parts: dict[str, Any]) -> None:
    made = projection(replace(with_history(), **parts), SECRET, packet(3))
    assert "hunter2" not in told(made)
    assert SECRET.id not in told(made)
    assert sum(asdict(made.receipt.withheld).values()) == 1
    cleared = projection(replace(with_history(), **parts, principal=Principal(("secret",))), SECRET, packet(3))
    assert "hunter2" in told(cleared)


def test_an_id_is_seen_also_where_a_word_follows_at_once() -> None:
    note: JsonObject = {"role": "assistant", "content": f"it is hunter2, see {SECRET.id}done"}
    assert "hunter2" not in told(projection(with_history(note, *exchange("c2")), SECRET))


def test_arguments_that_name_withheld_evidence_are_left_out_with_their_exchange() -> None:
    recorded = said("noted", orjson.dumps({"text": "hunter2", "evidence": SECRET.id}).decode())
    made = projection(with_history(*recorded, *exchange("c2")), SECRET)
    assert "hunter2" not in told(made)
    assert "c1" not in told(made)
    cleared = replace(with_history(*recorded), principal=Principal(("secret",)))
    assert "hunter2" in told(projection(cleared, SECRET))


def test_an_open_exchange_that_may_not_be_shown_pauses_the_step() -> None:
    found = outcome(with_history(calling("c1", text=f"reading {SECRET.id}")), SECRET)
    assert isinstance(found, Paused)
    assert "not available" in found.text


def test_what_facts_rest_on_stands_there_where_the_subject_at_hand_uses_them() -> None:
    fact = packet(3, "maximum 50")
    made = step(
        progress=(replace(item("get /orders", ProgressState.DOING), uses=("schema Limit",)),),
        claims=(claim(1, fact.id, text="schema Limit allows 50"), claim(2, packet(4).id, text="something else")),
    )
    assert projection(made, fact, packet(4)).evidence == (fact.id,)


def many_results() -> tuple[tuple[JsonObject, ...], dict[str, tuple[Packet, ...]]]:
    packets: dict[str, tuple[Packet, ...]] = {f"c{n}": (packet(n, "x " * 150),) for n in range(1, 9)}
    history = tuple(one for call, found in packets.items() for one in exchange(call, text=format_packet(found[0])))
    return history, packets


def test_results_by_reference_are_whole_again_where_there_is_room() -> None:
    history, packets = many_results()
    made = projection(step(messages=(user("go on"), *history), results=packets, profile=tiny(4_000)))
    bodies = [str(one["content"]) for one in made.messages if one["role"] == "tool"]
    assert sum(not is_reference(body) for body in bodies) >= 4
    assert sum(line.tokens for line in made.receipt.kept) == made.tokens


class AskedGate:
    """Permits everything, and keeps what it was asked about."""

    def __init__(self) -> None:
        self.asked: set[str] = set()

    def permitted(self, ids: Iterable[EvidenceId], principal: Principal) -> frozenset[EvidenceId]:
        found = frozenset(ids)
        self.asked |= found
        return found


def test_what_is_not_reached_of_a_history_is_not_asked_about() -> None:
    packets: dict[str, tuple[Packet, ...]] = {f"c{n}": (packet(n, "x " * 150),) for n in range(1_000)}
    history = tuple(one for call, found in packets.items() for one in exchange(call, text=format_packet(found[0])))
    gate, made = AskedGate(), step(messages=(user("go on"), *history), results=packets, profile=tiny(4_000))
    found = project(made, GivenEvidence(()), counter_for(made.profile.counter), gate)
    assert isinstance(found, Projected)
    assert gate.asked.issuperset(found.projection.cited)
    assert len(gate.asked) < 200
