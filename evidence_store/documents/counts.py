"""What a test report counts: the cases in it, by how they ended. Kept as the text of a note."""

import re
from dataclasses import dataclass
from typing import Final

COUNTS: Final = "counts"
"""Code of the note."""
_COUNTS: Final = re.compile(r"tests=([0-9]+) failures=([0-9]+) errors=([0-9]+) skipped=([0-9]+)")


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of cases; `tests` is all of them."""

    tests: int
    failures: int
    errors: int
    skipped: int


def format_counts(counts: Counts) -> str:
    return f"tests={counts.tests} failures={counts.failures} errors={counts.errors} skipped={counts.skipped}"


def parse_counts(text: str) -> Counts | None:
    """The inverse of `format_counts`; None for another text."""
    found = _COUNTS.fullmatch(text)
    return Counts(*map(int, found.groups())) if found else None
