"""The turns of a run as somebody may see them, in pages that are not too large."""

from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from api.replay import marked
from api.work_json import turn_json
from evidence_store.errors import JsonValue
from evidence_store.records.runs import RunKey
from evidence_store.store import EvidenceStore

PAGE_BYTES = 4 * 1024 * 1024
"""A page ends behind the turn with which its JSON passes this."""
BATCH = 50


@dataclass(frozen=True, slots=True)
class SeenTurn:
    ordinal: int
    shown: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class TurnsPage:
    turns: tuple[SeenTurn, ...]
    """One more than the limit where more follow."""
    limit: int


def list_seen_turns(store: EvidenceStore, run: RunKey, after: int, limit: int) -> TurnsPage:
    """Turns behind a place, with marks for evidence that the store's caller is not cleared for. Raises NotFound."""
    found: list[SeenTurn] = []
    n_bytes = 0
    while len(found) <= limit:
        batch = store.histories.list_turns(run, after, min(BATCH, limit + 1 - len(found)))
        for turn in batch:
            if n_bytes > PAGE_BYTES:
                return TurnsPage((*found, SeenTurn(turn.message.ordinal, {})), len(found))
            shown = marked(store, orjson.loads(orjson.dumps(turn_json(turn))))
            n_bytes += len(orjson.dumps(shown))
            found.append(SeenTurn(turn.message.ordinal, shown))
        if not batch:
            break
        after = batch[-1].message.ordinal
    return TurnsPage(tuple(found), limit)
