"""A stored input given out again: the same bytes, or with marks in place of evidence that may not be shown any more."""

from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from evidence_store.errors import IntegrityMismatch, JsonValue
from evidence_store.model import EvidenceId, Lifecycle
from evidence_store.records.runs import StepInput, step_name
from evidence_store.store import EvidenceStore
from evidence_store.store.checks import Access
from evidence_store.store.runs import input_bytes
from projector import Mark, Principal, input_digest, mark_messages, mark_object, named_evidence_of
from projector.model import JsonObject

DEFAULT_PROVIDER = "openai"


@dataclass(frozen=True, slots=True)
class Replayed:
    """An input as it may be seen now."""

    raw: bytes
    """JSON; the stored bytes to the letter where nothing is marked."""
    messages: tuple[JsonObject, ...]
    tools: tuple[JsonObject, ...]
    outside: JsonObject
    receipt: JsonObject
    marks: Mapping[EvidenceId, Mark]
    """What is marked, and how; empty when it is the same input."""


def replay(store: EvidenceStore, stored: StepInput, principal: Principal | None) -> Replayed:
    """The input of a step for a principal; for None, who owns the store, only what was erased is marked.

    Raises IntegrityMismatch unless the bytes are those that were stored and that the receipt names.
    """
    raw = input_bytes(stored.row)
    found = orjson.loads(raw)
    messages, tools, outside = tuple(found["messages"]), tuple(found["tools"]), found.get("outside", {})
    receipt = orjson.loads(stored.row.receipt)
    digest = input_digest(messages, tools, outside)
    if receipt.get("input_digest") != digest:
        raise IntegrityMismatch(f"the stored input of {step_name(stored.step)} is {digest}, its receipt names another")
    marks = _marks(store, (messages, outside), principal)
    if not marks:
        return Replayed(raw, messages, tools, outside, receipt, marks)
    provider = orjson.loads(stored.row.profile).get("provider", DEFAULT_PROVIDER)
    messages, outside = mark_messages(messages, provider, marks), mark_object(outside, marks)
    shown = {"messages": messages, "tools": tools} | ({"outside": outside} if outside else {})
    return Replayed(orjson.dumps(shown), messages, tools, outside, receipt, marks)


def principal_of(store: EvidenceStore) -> Principal | None:
    """On whose behalf a store is seen; None for its owner."""
    cleared = store.core.clearances
    return None if cleared is None else Principal(tuple(sorted(cleared)))


def marked(store: EvidenceStore, value: JsonObject) -> JsonObject:
    """Any JSON object as the caller of the store may see it."""
    marks = _marks(store, value, principal_of(store))
    return mark_object(value, marks) if marks else value


def _marks(store: EvidenceStore, value: JsonValue, principal: Principal | None) -> dict[EvidenceId, Mark]:
    named = named_evidence_of(value)
    access = store.checks.access(named)
    marks = {id_: _mark(access[id_], principal) for id_ in named if id_ in access}
    return {id_: mark for id_, mark in marks.items() if mark is not None}


def _mark(access: Access, principal: Principal | None) -> Mark | None:
    """Whoever may not see an evidence is not told that it was erased, either."""
    if principal is not None and not frozenset(principal.clearances).issuperset(access.labels):
        return "withheld"
    return "erased" if access.lifecycle is Lifecycle.ERASED else None
