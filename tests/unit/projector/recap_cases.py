"""Three lists of claims as the cases of compaction write them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evidence_store.model import EvidenceId
from projector.recap import LineKind, RecapDraft, RecapLine

CASES = Path(__file__).parents[2] / "fixtures" / "cases"
KINDS: tuple[tuple[LineKind, str], ...] = (("fact", "verified_facts"), ("open", "open_questions"), ("excluded", "excluded"))


def load(case: str, name: str) -> Any:
    """An input of the case whose name begins so."""
    (folder,) = CASES.glob(f"{case}-*")
    return json.loads((folder / name).read_bytes())


def draft(lists: Mapping[str, Any]) -> RecapDraft:
    return RecapDraft(tuple(_line(kind, one) for kind, name in KINDS for one in lists[name]))


def _line(kind: LineKind, told: Any) -> RecapLine:
    if isinstance(told, str):
        return RecapLine(told, kind, told)
    return RecapLine(told.get("id", ""), kind, told["text"], tuple(map(EvidenceId, told.get("cites", ()))))


class Answering:
    """A summariser with its answers written down, that counts how often it was asked; the last one stands for all that follow."""

    def __init__(self, *answers: RecapDraft | None) -> None:
        self.answers = answers
        self.n_asked = 0

    def summarise(self, given: RecapDraft) -> RecapDraft | None:
        self.n_asked += 1
        return self.answers[min(self.n_asked, len(self.answers)) - 1]
