"""Citations in the text of a report: where they stand and what they quote. Knows no store.

A citation is `[ev_…]`; its quote is the last text in quotation marks (straight, curly, 「」, «») before it on its line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_CITATION = re.compile(r"\[(ev_[0-9A-Za-z]+)\]")
_QUOTE = re.compile(r'"([^"]*)"|“([^”]*)”|「([^」]*)」|«([^»]*)»')
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
        quotes = [next(filter(None, quote.groups()), "") for quote in _QUOTE.finditer(line, start, match.start())]
        yield CitedPlace(match[1], quotes[-1] if quotes else None, number, match.start() + 1)
        start = match.end()


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
