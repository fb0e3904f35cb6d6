"""A run opened again from the store alone: the history that its next input is made from, as the session had it.

Turns and results are read as they came, compactions are applied where they stood, and packets are read from the texts that showed them.
Calls that were never answered are closed as interrupted: what they recorded before stands, and the model is told.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import orjson

from api.stores import AgentStore
from api.tools.answers import error_answer
from evidence_store.canonical import canonical_bytes
from evidence_store.errors import Conflict, JsonValue
from evidence_store.model import EvidenceId, Outcome, Packet
from evidence_store.records.runs import MessageRow, RunKey, StepKey
from evidence_store.store.holding import Hold
from evidence_store.store.run_history import RunHistory
from evidence_store.store.runs import ClosedCall, OpenCall
from projector import MalformedText, PacketText, Recap, externalise, format_recap, packet_as_shown, parse_packets, parse_recap

Message = dict[str, JsonValue]
INTERRUPTED = "the process ended before this call was answered; what it recorded until then stands: look before you call it again"


class FindPackets(Protocol):
    """Reads evidence."""

    def find_all(self, ids: Iterable[EvidenceId]) -> Mapping[EvidenceId, Packet]:
        """The packets as they are now, as far as there are any."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of the history as it came, and the step that it belongs to."""

    message: Message
    ordinal: int
    """1-based, among the messages of the run."""
    step: int | None
    """None for a turn of the user."""


@dataclass(frozen=True, slots=True)
class Reopened:
    """Where a run stands."""

    hold: Hold
    agent: str
    turns: tuple[Turn, ...]
    """As they came."""
    messages: tuple[Message, ...]
    """What the next input is made from: the turns after the compactions of the run."""
    results: Mapping[str, tuple[Packet, ...]]
    """Call id → packets of its answer, for those that can be read again."""
    n_calls: int
    n_steps: int
    waiting: StepKey | None
    """The newest step, where the agent's turn in it is not stored: the next input is made for it once more."""
    interrupted: tuple[str, ...]
    """Calls that were closed as interrupted now."""


def reopen(store: AgentStore, run: RunKey, find: FindPackets) -> Reopened:
    """Takes the run, closes what was interrupted, and reads where the run stands.

    Raises NotFound, and Conflict for a run that has ended, or that another takes meanwhile.
    """
    hold = store.runs.take(run)
    history = store.histories.get(run)
    interrupted = history.open_calls
    if interrupted:
        body = error_answer(Conflict(INTERRUPTED, code="interrupted")).text
        step = StepKey(run, max(row.step or 0 for row in history.messages))
        store.runs.held_by(hold).close_calls(step, [ClosedCall(call, Outcome.CANCELLED, body, False) for call in interrupted])
        history = store.histories.get(run)
    store.claims.rule_unruled(run)
    bodies = {row.call: row.body for row in history.results}
    results = packets_of(bodies, find)
    turns = tuple(_iter_turns(history.messages, bodies))
    return Reopened(
        hold,
        history.agent,
        turns,
        _after_compactions(history.messages, turns, results),
        results,
        n_calls=sum(len(orjson.loads(row.body).get("calls", ())) for row in history.messages if row.role == "assistant"),
        n_steps=len(history.steps),
        waiting=_waiting(history, store.tasks.get_revision(run.task).number),
        interrupted=interrupted,
    )


def _waiting(history: RunHistory, task_revision: int) -> StepKey | None:
    """The newest step without a turn; none where the task has moved on since it was opened."""
    answered = {row.step for row in history.messages if row.role == "assistant" and not _is_compaction(row)}
    newest = history.steps[-1] if history.steps else None
    if newest is None or newest.number in answered or newest.task_revision != task_revision:
        return None
    return StepKey(history.run, newest.number)


def _is_compaction(row: MessageRow) -> bool:
    return row.role == "assistant" and "compaction" in orjson.loads(row.body)


def _iter_turns(rows: Sequence[MessageRow], bodies: Mapping[str, str]) -> Iterator[Turn]:
    for row in rows:
        if not _is_compaction(row):
            yield Turn(_message(row.role, orjson.loads(row.body), bodies), row.ordinal, row.step)


def _message(role: str, body: Mapping[str, Any], bodies: Mapping[str, str]) -> Message:
    if role == "tool":
        return result_message(body["call"], bodies[body["call"]])
    if role == "assistant":
        return assistant_message(body["content"], [OpenCall(one["call"], one["name"], one["arguments"]) for one in body["calls"]])
    return {"role": "user", "content": body["content"]}


def assistant_message(text: str, calls: Sequence[OpenCall]) -> Message:
    """The agent's turn in the form of OpenAI Chat; arguments as they are stored, so that a run opened again has the same bytes."""
    message: Message = {"role": "assistant", "content": text if text or not calls else None}
    if calls:
        message["tool_calls"] = [
            {"id": c.call, "type": "function", "function": {"name": c.name, "arguments": canonical_bytes(c.arguments).decode()}}
            for c in calls
        ]
    return message


def result_message(call: str, body: str) -> Message:
    """The answer to a call, in the form of OpenAI Chat."""
    return {"role": "tool", "tool_call_id": call, "content": body}


def _after_compactions(rows: Sequence[MessageRow], turns: Sequence[Turn], results: Mapping[str, tuple[Packet, ...]]) -> tuple[Message, ...]:
    """The history as compactions left it; whole where one of them does not say what is gone (it is then due again)."""
    compactions = [orjson.loads(row.body)["compaction"] for row in rows if _is_compaction(row)]
    if not all("gone" in one for one in compactions):
        return tuple(turn.message for turn in turns)
    messages: list[Message] = []
    recap: Recap | None = None
    coming = iter(turns)
    for row in rows:
        if not _is_compaction(row):
            messages.append(next(coming).message)
            continue
        body = orjson.loads(row.body)
        gone, calls = frozenset(body["compaction"]["gone"]), body["compaction"]["by_reference"]
        kept = [message for place, message in enumerate(messages) if place not in gone]
        recap = joined_recap(recap, parse_recap(body["content"]) if body["content"] else None)
        said: list[Message] = [] if recap is None else [{"role": "assistant", "content": format_recap(recap)}]
        messages = [*said, *map(dict, externalise(kept, results, calls))]
    return tuple(messages)


def joined_recap(before: Recap | None, added: Recap | None) -> Recap | None:
    """The whole recap after what one compaction added to it."""
    if before is None or added is None:
        return added or before
    n_turns, n_left_out = before.n_turns + added.n_turns, before.n_left_out + added.n_left_out
    return Recap(before.lines + added.lines, added.labels, n_turns, n_left_out)


def packets_of(bodies: Mapping[str, str], find: FindPackets) -> dict[str, tuple[Packet, ...]]:
    """Call → the packets that its answer showed, in its order and as it showed them; those left out that cannot be had again."""
    shown = {call: _texts_in(body) for call, body in bodies.items()}
    now = find.find_all(text.id for texts in shown.values() for text in texts)
    found = {call: tuple(packet_as_shown(text, now[text.id]) for text in texts if text.id in now) for call, texts in shown.items()}
    return {call: packets for call, packets in found.items() if packets}


def _texts_in(body: str) -> Sequence[PacketText]:
    try:
        return parse_packets(body)
    except (MalformedText, ValueError):
        return ()
