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
# What another word of the same sentence follows is an abbreviation; some have a name or a number behind them.
_STOP = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bvs)(?<!\bNo)[.!?]+[)\"'”’»*_]*(?=\s|$|\[ev_)(?!\s+[a-z0-9])|[。！？]+[」』”’]*")
_CITED_BEHIND = re.compile(r"(?:\s*\[ev_[0-9A-Za-z]+\](?:\([^()]*\))?[,;]?)+")
_LIST_MARK = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])\s+")
_NOT_OWN_WORDS = re.compile('"[^"]*"|“[^“”]*”|「[^「」]*」|«[^«»]*»|`[^`]*`')
"""Quotes and code: a full stop in them ends no sentence of the report."""


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
    """Sentences of running text without a citation, of a line without any the whole line; headings, tables, quotes and code are none.

    A citation belongs to the sentence that it stands in, or right behind.
    """
    found, fenced = [], False
    for number, line in enumerate(text.split("\n"), 1):
        fenced ^= line.startswith("```")
        words = line.strip()
        if fenced or not words or words[0] in "#|>`<":
            continue
        found += [Uncited(number, one[:200]) for one in _iter_uncited(words)]
    return tuple(found)


def _iter_uncited(words: str) -> Iterator[str]:
    if not _CITATION.search(words):
        if _SENTENCE.search(words):
            yield words
        return
    plain = _NOT_OWN_WORDS.sub(lambda found: "x" * len(found[0]), words)
    mark = _LIST_MARK.match(words)
    start = mark.end() if mark else 0
    for stop in _STOP.finditer(plain, start):
        behind = _CITED_BEHIND.match(plain, stop.end())
        end = behind.end() if behind else stop.end()
        if not _CITATION.search(words, start, end):
            yield words[start:end].strip()
        start = end


def find_task(text: str) -> str | None:
    """The task that a report of ours names."""
    match = _TASK.search(text)
    return match[1] if match else None
