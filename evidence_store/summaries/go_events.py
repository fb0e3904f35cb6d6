"""The events of `go test -json` (https://pkg.go.dev/cmd/test2json), read one by one: how each test and each package ended.

Nothing is held but one entry for each test. Of a test that passed no word is kept.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import orjson

from evidence_store.model import Format
from evidence_store.summaries.go_text import Ended, events_text
from evidence_store.summaries.model import Material, not_of_kind
from evidence_store.summaries.wording import pointer

MAX_TESTS: Final = 100_000
"""Tests and packages that are told apart."""
_EVENT_CHARS: Final = 1 << 20
"""A line that is longer is no event."""
_SAID_CHARS: Final = 1_000
_SPACE: Final = " \t\r"
_ENDS: Final = ("pass", "fail", "skip")
_FRAME: Final = ("=== ", "--- ", "PASS", "FAIL", "ok ", "coverage: ", "exit status ")
"""What `go test` itself writes around the output of tests."""
_PLACE: Final = re.compile(r"\b\w+\.go:[0-9]+|^panic: |^fatal error: ", re.ASCII)
_CRASH: Final = re.compile(r"^(?:panic: |fatal error: |WARNING: DATA RACE|signal: )", re.ASCII)
"""What ends a package, in whichever test it was written."""
EVENTS_HEAD: Final = re.compile(
    rb"^[ \t]*\{(?=[^\n]*\"Action\"[ \t]*:[ \t]*\"[a-z-]+\")(?=[^\n]*\"(?:Package|ImportPath)\"[ \t]*:)", re.MULTILINE
)


@dataclass(slots=True)
class _Said:
    """The line that tells most of what a test wrote: the first that names a place in the code or a panic, else the first."""

    at: str = ""
    text: str = ""
    names_place: bool = False

    def say(self, at: str, text: str) -> None:
        if self.names_place or not text.strip() or text.lstrip().startswith(_FRAME):
            return
        names_place = _PLACE.search(text) is not None
        if not self.at or names_place:
            self.at, self.text, self.names_place = at, text[:_SAID_CHARS], names_place


@dataclass(slots=True)
class _Test:
    """A test, or a package as a whole (`name` empty)."""

    package: str
    name: str
    started: str
    """Place of its first event."""
    ended: str = ""
    end: str = ""
    said: _Said = field(default_factory=_Said)
    failed_at: str = ""
    """Where an earlier run of it failed."""


class Event(NamedTuple):
    place: str
    members: dict[str, object] | None
    """None for what is no test event."""

    def text(self, member: str) -> str:
        assert self.members is not None, "asked of events only"
        found = self.members.get(member)
        return found if isinstance(found, str) else ""


class _Report:
    def __init__(self) -> None:
        self.tests: dict[tuple[str, str], _Test] = {}
        self.builds: dict[str, _Said] = {}
        self.crashes: dict[str, _Said] = {}
        self.n_events = self.n_others = 0
        self.is_cut = False
        """Whether there are more tests than are told apart."""

    def add(self, event: Event) -> None:
        if event.members is None:
            self.n_others += 1
            return
        self.n_events += 1
        action = event.text("Action")
        if action == "build-output":
            self._said(self.builds, event.text("ImportPath")).say(event.place, event.text("Output"))
            return
        package, name = event.text("Package"), event.text("Test")
        one = self.tests.get((package, name))
        if one is None:
            if len(self.tests) >= MAX_TESTS:
                self.is_cut = True
                return
            one = self.tests[(package, name)] = _Test(package, name, event.place)
        if action == "output":
            one.said.say(event.place, event.text("Output"))
            if _CRASH.match(event.text("Output")):
                self._said(self.crashes, package).say(event.place, event.text("Output"))
        elif action == "run" and one.end:
            if one.end == "fail":
                one.failed_at = one.ended
            one.end, one.said = "", _Said()
        elif action in _ENDS:
            self._end(one, action, event)

    def _end(self, one: _Test, action: str, event: Event) -> None:
        one.end, one.ended = action, event.place
        if action == "pass":
            one.said = _Said()
        elif action == "fail" and not one.name and not one.said.at:
            one.said = self.crashes.get(one.package) or self.builds.get(event.text("FailedBuild")) or one.said

    def _said(self, by_name: dict[str, _Said], name: str) -> _Said:
        return by_name.setdefault(name, _Said()) if len(by_name) < MAX_TESTS else by_name.get(name, _Said())


def summarize_events(material: Material, kind: str) -> str:
    """Raises InvalidInput (`no_summary`) where most lines are no events."""
    report = _Report()
    for event in _iter_events(material):
        report.add(event)
    if report.n_events <= report.n_others:
        raise not_of_kind(kind, "most of it is no test event")
    ended = [
        Ended(one.package, one.name, one.started, one.ended, one.end, one.said.at, one.said.text, one.failed_at)
        for one in report.tests.values()
        if one.name or one.package
    ]
    return events_text(kind, ended, report.n_events, report.n_others, MAX_TESTS if report.is_cut else None)


def _iter_events(material: Material) -> Iterator[Event]:
    """Events with the places at which they stand: pointers of records, or lines of a text that was stored as such."""
    n_records = 0
    for number, line in enumerate(material.iter_lines(_EVENT_CHARS), 1):
        source = line.strip(_SPACE)
        if source:
            place = f"line {number}" if material.format is Format.TEXT else pointer((str(n_records),))
            n_records += 1
            yield Event(place, _members(source))


def _members(source: str) -> dict[str, object] | None:
    if not source.startswith("{"):
        return None
    try:
        found = orjson.loads(source.encode("utf-8", "replace"))
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) and isinstance(found.get("Action"), str) else None
