"""Scores of one run: what it concluded against the known list, how it chose places and copied ids, what it read again, and what it cost."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from api.loop import RunReport
from benchmarks.live.tasks import Expected
from benchmarks.live.transcripts import Asked
from evidence_store.canonical import canonical_bytes, storable
from evidence_store.errors import InvalidInput, JsonValue, NotFound
from evidence_store.excerpts import NoLimit
from evidence_store.ids import read_id
from evidence_store.model import ClaimView, EvidenceId, Outcome, Packet, Standing
from evidence_store.store import EvidenceStore
from projector import Prices

_ID = re.compile(r"\bev_[0-9a-zA-Z]+\b")
_HEAD = re.compile(r"^\[evidence (ev_[0-9a-z]+)\]$", re.MULTILINE)
_PLACES = ("read_spec", "read_log")
_READING = (*_PLACES, "get_evidence", "search", "diff", "summary")


@dataclass(frozen=True, slots=True)
class Score:
    """Figures of one run. Counts, but for those whose name says otherwise."""

    how: str
    reason: str
    n_expected: int
    n_found: int
    """Of the known list, concluded by a claim that is verified."""
    n_open: int
    """Of the known list, concluded by a claim that stayed open."""
    n_beside: int
    """Verified claims that answer to nothing of the list."""
    n_place_calls: int
    n_place_misses: int
    """Calls that named a place which there is not."""
    n_ids: int
    """Evidence ids that the model wrote."""
    n_wrong_ids: int
    """Those of them that no evidence has, however they are folded."""
    n_again: int
    """Reading calls that were made before with the same arguments."""
    n_wasted: int
    """Those of them whose answer stood in the input at the time."""
    n_calls: int
    """Of the model, those without an answer included."""
    n_faults: int
    input_tokens: int
    peak_tokens: int
    billed_tokens: int
    """Input by the profile's prices, in tokens read plainly."""
    reported_tokens: int
    """Input as the provider reported it; 0 where it reported none."""
    output_tokens: int
    """As the provider reported it."""


def score(store: EvidenceStore, report: RunReport, asked: Sequence[Asked], expected: Sequence[Expected], prices: Prices) -> Score:
    """The score of a run that ended."""
    verified = [claim for claim in report.claims if claim.standing is Standing.VERIFIED]
    others = [claim for claim in report.claims if claim.standing is not Standing.VERIFIED]
    found = {one.name for one in expected if any(_answers(store, claim, one) for claim in verified)}
    beside = [claim for claim in verified if not any(_answers(store, claim, one) for one in expected)]
    bodies, outcomes = _answered(store, report)
    ids = [id_ for one in asked if one.reply for id_ in _written_ids(one)]
    again, wasted = _read_again(asked, bodies)
    usages = [one.reply.usage for one in asked if one.reply and one.reply.usage]
    return Score(
        how=report.how,
        reason=report.reason,
        n_expected=len(expected),
        n_found=len(found),
        n_open=sum(one.name not in found and any(_answers(store, claim, one) for claim in others) for one in expected),
        n_beside=len(beside),
        n_place_calls=len(outcomes),
        n_place_misses=sum(outcome is not Outcome.OK for outcome in outcomes),
        n_ids=len(ids),
        n_wrong_ids=sum(not _is_known(store, id_) for id_ in ids),
        n_again=again,
        n_wasted=wasted,
        n_calls=len(asked),
        n_faults=sum(bool(one.fault) for one in asked),
        input_tokens=sum(one.tokens for one in asked),
        peak_tokens=max((one.tokens for one in asked), default=0),
        billed_tokens=round(sum(prices.billed(one.tokens, one.shared) for one in asked)),
        reported_tokens=sum(_figure(usage.get("prompt_tokens")) for usage in usages),
        output_tokens=sum(_figure(usage.get("completion_tokens")) for usage in usages),
    )


def _figure(value: JsonValue) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _answers(store: EvidenceStore, claim: ClaimView, one: Expected) -> bool:
    packets = [packet for citation in claim.citations if (packet := _find(store, citation.evidence)) is not None]
    return one.is_cited_by(packets) and all(word in claim.text for word in one.words)


def _find(store: EvidenceStore, id_: EvidenceId) -> Packet | None:
    try:
        return store.passages.get(id_, NoLimit())
    except NotFound:
        return None


def _written_ids(one: Asked) -> list[str]:
    assert one.reply is not None, "only of answers"
    arguments = " ".join(orjson.dumps(storable(request.arguments)).decode() for request in one.reply.requests)
    return _ID.findall(f"{one.reply.text} {arguments}")


def _is_known(store: EvidenceStore, text: str) -> bool:
    try:
        return _find(store, EvidenceId(read_id(text).id)) is not None
    except InvalidInput:
        return False


def _answered(store: EvidenceStore, report: RunReport) -> tuple[dict[bytes, str], list[Outcome]]:
    """Reading calls, by name and arguments, to their last answer; and how the calls ended that name a place."""
    history = store.histories.get(report.run)
    results = {row.call: row for row in history.results}
    bodies: dict[bytes, str] = {}
    outcomes: list[Outcome] = []
    for row in history.messages:
        for call in orjson.loads(row.body).get("calls", ()) if row.role == "assistant" else ():
            result = results[call["call"]]
            bodies[_key(call["name"], call["arguments"])] = result.body
            if call["name"] in _PLACES:
                outcomes.append(result.outcome)
    return bodies, outcomes


def _key(name: str, arguments: JsonValue) -> bytes:
    return canonical_bytes(storable([name, arguments]))


def _read_again(asked: Sequence[Asked], bodies: dict[bytes, str]) -> tuple[int, int]:
    """How many reading calls were made before, and of how many of these the answer stood in the input."""
    seen: set[bytes] = set()
    again = wasted = 0
    for one in asked:
        sent = "\n".join(str(message.get("content")) for message in one.messages)
        for request in one.reply.requests if one.reply else ():
            key = _key(request.name, request.arguments)
            if request.name not in _READING:
                continue
            if key in seen:
                again += 1
                ids = _HEAD.findall(bodies.get(key, ""))
                wasted += bool(ids) and all(f"[evidence {id_}]" in sent for id_ in ids)
            seen.add(key)
    return again, wasted
