"""Runs of text that a tokenizer must not be asked about.

tiktoken 0.14.0 panics at a million white space characters in a row (a BaseException that cannot be imported), and takes about a
hundred bytes of memory for each character of a piece that its pattern does not divide. Both are found here without looking at each
character: a run that is long enough covers one of a few places.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_SPACES = 100_000
"""A tenth of what makes tiktoken 0.14.0 give up; more of them in a row are no text, and each count of them takes 20 ms and more."""
MAX_UNBROKEN_CHARS = 2_000_000
"""Without white space and without digits. A piece of so many takes a second and 200 MB (measured: letters, dashes, CJK, emoji, marks)."""


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of one kind, 0-based and half-open."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Kind:
    pattern: re.Pattern[str]
    max_chars: int


# A little wider than the tokenizer's own classes (Python counts four control characters as white space): a run more is no harm.
_KINDS = (_Kind(re.compile(r"\s+"), MAX_SPACES), _Kind(re.compile(r"[^\s\d]+"), MAX_UNBROKEN_CHARS))


def long_runs(text: str) -> tuple[Run, ...]:
    """Runs of one kind, of its bound or more, in their order. Looks at a few places only, so a text of megabytes costs next to nothing."""
    if len(text) < MAX_SPACES:
        return ()
    return tuple(sorted((run for kind in _KINDS for run in _runs_of(kind, text)), key=lambda run: run.start))


def _runs_of(kind: _Kind, text: str) -> Iterator[Run]:
    # A run of the bound covers one of these places with at least half of it to come; its start lies after the place before.
    stride = kind.max_chars // 2
    end = 0
    for place in range(0, len(text), stride):
        found = kind.pattern.match(text, place) if place >= end else None
        if found is None or found.end() - place < stride:
            continue
        before = kind.pattern.match(text[max(end, place - stride) : place][::-1])
        start = place - (before.end() if before else 0)
        end = found.end()
        if end - start >= kind.max_chars:
            yield Run(start, end)
