"""Conclusions of a closing step, which can call no tool: lines of its text that name evidence become claims, checked like any other.

A line without evidence stays words of the turn. Nothing is added to a claim but what stands in its line.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from api.tools import Tools, call_tool
from evidence_store.errors import InvalidInput, JsonValue
from evidence_store.ids import read_id
from evidence_store.model import EvidenceId, Outcome, Packet

MAX_CONCLUSIONS = 200
PACKET_TOKENS = 50
"""Of a packet of which only the place is asked."""
_ID = re.compile(r"ev_[0-9a-z]{12}(?:[0-9a-z]{2})?\b", re.IGNORECASE)
_CITED = re.compile(
    r"\s*[\[(]?(?:evidence:?\s*)?`?ev_[0-9a-z]{12}(?:[0-9a-z]{2})?`?(?:\s*[,;]\s*`?ev_[0-9a-z]{12,14}`?)*[\])]?", re.IGNORECASE
)
_MARK = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)]|#{1,6})\s+")


@dataclass(frozen=True, slots=True)
class Conclusion:
    text: str
    """The line without its mark and its ids."""
    evidence: tuple[EvidenceId, ...]


def iter_conclusions(text: str) -> Iterator[Conclusion]:
    """Lines that name evidence, in order. Ids are read as models copy them, with their letters folded."""
    for line in text.split("\n"):
        ids = tuple(dict.fromkeys(_folded(one) for one in _ID.findall(line)))
        words = _CITED.sub("", _MARK.sub("", line)).strip(" :–—-\r\t")
        if ids and words:
            yield Conclusion(words, ids)


def _folded(text: str) -> EvidenceId:
    try:
        return read_id(text).id
    except InvalidInput:  # a letter that no id has: there is no such evidence, and it is named as it was written
        return EvidenceId(text)


def record_conclusions(context: Tools, text: str, known: frozenset[EvidenceId]) -> tuple[str, ...]:
    """Records the conclusions of a closing turn, at most 200; gives what was refused, one line each, with its ids and none of its words.

    `known` is the evidence that claims of the run cite already: a conclusion that rests on that alone repeats one of them.
    """
    refused: list[str] = []
    for number, one in enumerate(iter_conclusions(text)):
        if number == MAX_CONCLUSIONS:
            return (*refused, f"only the first {MAX_CONCLUSIONS} conclusions were recorded")
        if known.issuperset(one.evidence):
            continue
        packets = context.store.passages.find_packets(one.evidence, context.limit(PACKET_TOKENS))
        if not packets:
            refused.append(f"no such evidence: {', '.join(one.evidence)}")
            continue
        answer = call_tool(context, "record_claim", _claim(one, packets), recording=True)
        if answer.outcome is not Outcome.OK:
            refused.append(f"{answer.text.partition(chr(10))[0]}: {', '.join(one.evidence)}")
    return tuple(refused)


def _claim(one: Conclusion, packets: Sequence[Packet]) -> dict[str, JsonValue]:
    first = packets[0]
    about: dict[str, JsonValue] = {"resource": first.resource} | ({} if first.pointer is None else {"pointer": first.pointer})
    return {"about": about, "text": one.text, "citations": [{"evidence": packet.id, "role": "support"} for packet in packets]}
