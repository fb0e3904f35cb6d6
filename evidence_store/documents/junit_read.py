"""JUnit XML to suites and cases with byte places, in one pass of expat.

A document type declaration is refused as soon as it starts, so no entity is ever declared or expanded. There is no standard
of this format: what counts is `testsuite` and `testcase`, and `failure`, `error` or `skipped` directly below a case.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NoReturn
from xml.parsers import expat

from evidence_store.documents.counts import Counts
from evidence_store.documents.model import Limits
from evidence_store.documents.xml_parts import element_end, start_tag_end
from evidence_store.errors import LimitExceeded, RefusedDocument
from evidence_store.model import Span

State = Literal["passed", "failure", "error", "skipped"]
_STATES: Final[Mapping[str, State]] = {"failure": "failure", "error": "error", "skipped": "skipped"}
_SUITES: Final = ("testsuites", "testsuite")


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    class_name: str
    state: State
    span: Span

    @property
    def is_broken(self) -> bool:
        return self.state in ("failure", "error")


@dataclass(frozen=True, slots=True)
class Suite:
    name: str
    """With the names of the suites around it, joined by `/`; `testsuite` where it has none."""
    span: Span
    cases: tuple[Case, ...]
    """Those directly in it, in source order."""

    @property
    def is_broken(self) -> bool:
        return any(case.is_broken for case in self.cases)


@dataclass(frozen=True, slots=True)
class JunitReport:
    span: Span
    """Of the root element."""
    suites: tuple[Suite, ...]
    """In the order in which they start."""

    def cases(self) -> Iterator[Case]:
        return (case for suite in self.suites for case in suite.cases)

    @property
    def counts(self) -> Counts:
        states = [case.state for case in self.cases()]
        return Counts(len(states), states.count("failure"), states.count("error"), states.count("skipped"))


@dataclass(slots=True)
class _Level:
    tag: str
    start: int
    tag_end: int
    is_empty_tag: bool
    name: str
    class_name: str
    state: State = "passed"


@dataclass(slots=True)
class _OpenSuite:
    name: str
    start: int
    cases: list[Case] = field(default_factory=list)
    end: int = 0


def read_report(raw: bytes, limits: Limits) -> JunitReport:
    """The report in bytes that are UTF-8.

    Raises RefusedDocument (`line`, `column`, `byte`) for what is no JUnit XML or has a document type declaration, LimitExceeded.
    """
    return _Reading(raw, limits).read()


class _Reading:
    """One pass. One instance reads once."""

    def __init__(self, raw: bytes, limits: Limits) -> None:
        self._raw, self._limits = raw, limits
        self._levels: list[_Level] = []
        self._suites: list[_OpenSuite] = []
        self._open_suites: list[_OpenSuite] = []
        self._root = Span(0, 0)
        # The bytes are known to be UTF-8, whatever the XML declaration says.
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end

    def read(self) -> JunitReport:
        try:
            self._parser.Parse(self._raw, True)
        except expat.ExpatError as exc:
            at = max(0, self._parser.ErrorByteIndex)
            # Out of place or in small letters it is no declaration to expat, which may stop a few bytes into it.
            if b"<!DOCTYPE" in self._raw[max(0, at - 8) : at + 9].upper():
                self._doctype()
            self._refuse(at, "syntax", expat.ErrorString(exc.code) or "not well-formed", exc)
        suites = tuple(Suite(suite.name, Span(suite.start, suite.end), tuple(suite.cases)) for suite in self._suites)
        return JunitReport(self._root, suites)

    def _doctype(self, *_: object) -> NoReturn:
        at = self._parser.CurrentByteIndex
        line = self._raw.count(b"\n", 0, at) + 1
        text = f"a DOCTYPE stands on line {line}; XML with a document type declaration is not read (it can be stored as text)"
        raise RefusedDocument(text, {"line": line, "byte": at}, code="doctype")

    def _refuse(self, at: int, code: str, why: str, cause: Exception | None = None) -> NoReturn:
        line = self._raw.count(b"\n", 0, at) + 1
        column = len(self._raw[self._raw.rfind(b"\n", 0, at) + 1 : at].decode("utf-8", "replace")) + 1
        details = {"line": line, "column": column, "byte": at}
        raise RefusedDocument(f"not JUnit XML at line {line}, column {column}: {why}", details, code=code) from cause

    def _start(self, tag: str, attributes: Mapping[str, str]) -> None:
        at = self._parser.CurrentByteIndex
        if not self._levels and tag not in _SUITES:
            self._refuse(at, "not_junit", "the root element is neither testsuites nor testsuite")
        if len(self._levels) >= self._limits.max_depth:
            limit = self._limits.max_depth
            raise LimitExceeded(f"the depth of the document is over the limit of {limit} elements inside one another", {"limit": limit})
        if self._levels and self._levels[-1].tag == "testcase" and tag in _STATES and self._levels[-1].state not in ("failure", "error"):
            self._levels[-1].state = _STATES[tag]
        tag_end = start_tag_end(self._raw, at)
        is_empty = self._raw[tag_end - 2 : tag_end] == b"/>"
        self._levels.append(_Level(tag, at, tag_end, is_empty, attributes.get("name", ""), attributes.get("classname", "")))
        if tag == "testsuite":
            self._open_suite(at, attributes.get("name") or "testsuite")

    def _open_suite(self, at: int, name: str) -> None:
        around = f"{self._open_suites[-1].name}/" if self._open_suites else ""
        suite = _OpenSuite(around + name, at)
        self._suites.append(suite)
        self._open_suites.append(suite)

    def _end(self, tag: str) -> None:
        level = self._levels.pop()
        end = level.tag_end if level.is_empty_tag else element_end(self._raw, self._parser.CurrentByteIndex)
        if tag == "testsuite":
            self._open_suites.pop().end = end
        elif tag == "testcase":
            self._suite_of(level, end).cases.append(Case(level.name, level.class_name, level.state, Span(level.start, end)))
        if not self._levels:
            self._root = Span(level.start, end)

    def _suite_of(self, level: _Level, end: int) -> _OpenSuite:
        """The suite around a case; for one that stands in none, a suite that is the case alone."""
        if self._open_suites:
            return self._open_suites[-1]
        alone = _OpenSuite(level.class_name or "testsuite", level.start, end=end)
        self._suites.append(alone)
        return alone
