"""Citations in the text of a report: where they stand and what they quote. Knows no store.

A citation is `[ev_…]`; its quote is the last text in quotation marks (straight, curly, 「」, «») before it on its line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_CITATION = re.compile(r"\[(ev_[0-9A-Za-z]+)\]")
_CLOSING = {'"': '"', "“": "”", "「": "」", "«": "»"}
_OPENING = re.compile('["“「«]')
_TASK = re.compile(r"^- Task: `([^`]+)`", re.MULTILINE)
_SENTENCE = re.compile(r"[.!?](?:\s|$)")


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """One citation in a report."""

    id: str
    """As it was written."""
    quote: str | None
    line: int
    """1-based."""
    column: int
    """1-based, in characters, of the opening bracket."""


@dataclass(frozen=True, slots=True)
class Uncited:
    """A sentence without a citation."""

    line: int
    text: str


def find_citations(text: str) -> tuple[CitedPlace, ...]:
    """All citations in order. Each takes the quote that stands between it and the citation before."""
    return tuple(place for number, line in enumerate(text.split("\n"), 1) for place in _in_line(number, line))


def _in_line(number: int, line: str) -> Iterator[CitedPlace]:
    start = 0
    for match in _CITATION.finditer(line):
        quotes = list(_iter_quotes(line, start, match.start()))
        yield CitedPlace(match[1], quotes[-1] if quotes else None, number, match.start() + 1)
        start = match.end()


def _iter_quotes(line: str, start: int, end: int) -> Iterator[str]:
    """Texts in quotation marks; a mark that nothing closes is an ordinary character."""
    never_closed: set[str] = set()
    while (opening := _OPENING.search(line, start, end)) is not None:
        mark, start = _CLOSING[opening[0]], opening.end()
        # What does not stand behind one opening mark stands behind none of the later ones: a line is read a few times at most.
        closing = -1 if mark in never_closed else line.find(mark, start, end)
        if closing < 0:
            never_closed.add(mark)
            continue
        yield line[start:closing]
        start = closing + 1


def find_uncited(text: str) -> tuple[Uncited, ...]:
    """Lines of running text that end a sentence and hold no citation; headings, tables, quotes and code are none."""
    found, fenced = [], False
    for number, line in enumerate(text.split("\n"), 1):
        fenced ^= line.startswith("```")
        words = line.strip()
        if fenced or not words or words[0] in "#|>`<" or _CITATION.search(line) or not _SENTENCE.search(words):
            continue
        found.append(Uncited(number, words[:200]))
    return tuple(found)


def find_task(text: str) -> str | None:
    """The task that a report of ours names."""
    match = _TASK.search(text)
    return match[1] if match else None
