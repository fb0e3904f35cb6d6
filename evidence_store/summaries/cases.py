"""`tests`: a test report, what failed first: JUnit XML, or the events of `go test -json`."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import orjson

from evidence_store.documents.junit import JunitDocument, require_report
from evidence_store.documents.junit_read import Case
from evidence_store.documents.model import Child, Node
from evidence_store.model import Format
from evidence_store.summaries.model import Material, Subject, Summarizer, not_of_kind
from evidence_store.summaries.walk import MAX_NODES
from evidence_store.summaries.wording import counted, line_text, name, pointer, section

KIND: Final = "tests"
MAX_FAILED: Final = 20
MAX_SKIPPED: Final = 5
MAX_SUITES: Final = 10
MESSAGE_CHARS: Final = 160
_ENDS: Final = ("pass", "fail", "skip")
_FRAME: Final = ("=== ", "--- ", "PASS", "FAIL", "ok ", "coverage: ")
"""What `go test` itself writes around the output of tests."""
_PLACE: Final = re.compile(r"\b\w+\.go:[0-9]+|^panic: |^fatal error: ", re.ASCII)


def summarize(material: Material) -> str:
    """Raises InvalidInput (`no_summary`) for what is neither JUnit XML nor a list of test events."""
    match material.format:
        case Format.JUNIT:
            return _junit(require_report(material.document))
        case Format.JSONL | Format.TEXT:
            return _go_events(material)
        case Format.JSON | Format.YAML | Format.CSV | Format.BYTES:
            raise not_of_kind(KIND, "it is neither JUnit XML nor the output of go test -json")


def _junit(document: JunitDocument) -> str:
    states: Counter[str] = Counter()
    failed: list[str] = []
    skipped: list[str] = []
    suites: list[tuple[str, Counter[str]]] = []
    for token, suite, node in document.suites():
        by_place = {case.span.start: case for case in suite.cases}
        counts: Counter[str] = Counter(case.state for case in suite.cases)
        states.update(counts)
        if suite.cases:
            suites.append((token, counts))
        for child in sorted(document.children(node), key=lambda one: one.node.span.start):
            case = by_place[child.node.span.start]
            if case.is_broken:
                failed.append(f"{case.state} {pointer((token, child.token))}{_message(document, child, case, len(failed))}")
            elif case.state == "skipped":
                skipped.append(f"{pointer((token, child.token))}{_message(document, child, case, len(skipped))}")
    lines = [f"{pointer((token,))} {counted(counts.total(), 'test')}, {_bad(counts)}" for token, counts in suites]
    head = f"{KIND}: {counted(states.total(), 'test')}, {_bad(states)} in {counted(len(suites), 'suite')}\n"
    return head + section("failed:", failed, MAX_FAILED) + section("skipped:", skipped, MAX_SKIPPED) + section("suites:", lines, MAX_SUITES)


def _bad(counts: Counter[str]) -> str:
    return f"{counts['failure']} failed, {counts['error']} in error, {counts['skipped']} skipped, {counts['passed']} passed"


def _message(document: JunitDocument, child: Child, case: Case, n_before: int) -> str:
    """The first line of what the case says of its end; the inside of a case is read for those that are shown only."""
    if n_before >= MAX_FAILED:
        return ""
    for part in document.children(child.node):
        if part.token.partition("#")[0] == case.state:
            text = _first_line(document, part.node)
            return f": {text}" if text else ""
    return ""


def _first_line(document: JunitDocument, node: Node) -> str:
    if not node.is_container:
        return _one_line(str(document.scalar(node)))
    inside = {part.token: part.node for part in document.children(node)}
    for member in ("message", "text", "type"):
        if member in inside and not inside[member].is_container:
            text = _one_line(str(document.scalar(inside[member])))
            if text:
                return text
    return ""


def _one_line(text: str) -> str:
    return line_text(next((line for line in text.split("\n") if line.strip()), ""), MESSAGE_CHARS)


@dataclass(slots=True)
class _Test:
    """A test, or a package as a whole (`name` empty), of `go test -json`."""

    package: str
    name: str
    started: str
    """Place of its first event."""
    ended: str = ""
    end: str = ""
    said_at: str = ""
    """Place of the line that tells most of what it wrote: the first that names a place in the code or a panic, else the first."""
    said: str = ""
    names_place: bool = False

    def say(self, at: str, text: str) -> None:
        if self.names_place or not text.strip() or text.lstrip().startswith(_FRAME):
            return
        names_place = _PLACE.search(text) is not None
        if not self.said_at or names_place:
            self.said_at, self.said, self.names_place = at, text, names_place


def _go_events(material: Material) -> str:
    tests: dict[tuple[str, str], _Test] = {}
    n_events = n_others = 0
    events = _Events(material)
    for place, event in events:
        if event is None:
            n_others += 1
            continue
        n_events += 1
        package, test = str(event.get("Package", "")), str(event.get("Test", ""))
        one = tests.setdefault((package, test), _Test(package, test, place))
        if event["Action"] in _ENDS:
            one.end, one.ended = str(event["Action"]), place
        elif event["Action"] == "output":
            one.say(place, str(event.get("Output", "")))
    if n_events <= n_others:
        raise not_of_kind(KIND, "most of it is no test event")
    looked = f"; the first {MAX_NODES} records looked at" if events.is_cut else ""
    others = f"; {counted(n_others, 'other line')} passed over" if n_others else ""
    return _go_text(list(tests.values()), n_events, others + looked)


class _Events:
    """Test events with the places at which they stand: pointers of records, or lines of a text that was stored as such."""

    def __init__(self, material: Material) -> None:
        self._material = material
        self.is_cut = False

    def __iter__(self) -> Iterator[tuple[str, dict[str, object] | None]]:
        for number, (place, source) in enumerate(self._sources()):
            if number >= MAX_NODES:
                self.is_cut = True
                return
            yield place, _event(source)

    def _sources(self) -> Iterator[tuple[str, bytes]]:
        if self._material.format is Format.TEXT:
            for number, line in enumerate(self._material.lines, 1):
                if line.strip():
                    yield f"line {number}", line.encode("utf-8", "replace")
            return
        document = self._material.document
        for child in document.children(document.root):
            yield pointer((child.token,)), document.source(child.node)


def _event(source: bytes) -> dict[str, object] | None:
    """None for what is no test event."""
    try:
        found = orjson.loads(source)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) and isinstance(found.get("Action"), str) else None


def _go_text(found: list[_Test], n_events: int, looked: str) -> str:
    tests = [one for one in found if one.name]
    ends = Counter(one.end for one in tests)
    packages = [one for one in found if not one.name and one.package]
    failed = [_go_line(one) for one in tests if one.end == "fail"]
    broken = [_go_line(one) for one in packages if one.end == "fail"]
    unfinished = [f"{_go_name(one)} began at {one.started}{_said(one)}" for one in tests if not one.end]
    skipped = [_go_line(one) for one in tests if one.end == "skip"]
    said = f"{ends['fail']} failed, {ends['skip']} skipped, {ends['pass']} passed, {ends['']} unfinished"
    where = f"in {counted(len(packages), 'package')}, {len(broken)} of them failed ({counted(n_events, 'event')}{looked})"
    head = f"{KIND}: {counted(len(tests), 'test')}, {said}, {where}\n"
    return (
        head
        + section("failed:", failed, MAX_FAILED)
        + section("unfinished:", unfinished, MAX_FAILED)
        + section("failed packages:", broken, MAX_SUITES)
        + section("skipped:", skipped, MAX_SKIPPED)
    )


def _go_name(one: _Test) -> str:
    return f"{name(one.package)} {name(one.name)}" if one.name else name(one.package)


def _go_line(one: _Test) -> str:
    return f"{_go_name(one)} ended at {one.ended}{_said(one)}"


def _said(one: _Test) -> str:
    return "" if not one.said_at else f", wrote at {one.said_at}: {_one_line(one.said)}"


def applies(subject: Subject) -> bool:
    if subject.format in (Format.JSONL, Format.TEXT):
        first = subject.head.lstrip().partition(b"\n")[0]
        return first.startswith(b"{") and b'"Action"' in first and b'"Package"' in first
    return subject.format is Format.JUNIT


TESTS: Final = Summarizer(KIND, summarize, applies)
