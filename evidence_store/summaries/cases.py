"""`tests`: a test report, what failed first: JUnit XML, or the events of `go test -json`, which `go_events` reads."""

from collections import Counter
from typing import Final

from evidence_store.documents.junit import JunitDocument, require_report
from evidence_store.documents.junit_read import Case
from evidence_store.documents.model import Child, Node
from evidence_store.model import Format
from evidence_store.summaries.go_events import EVENTS_HEAD, summarize_events
from evidence_store.summaries.go_text import MAX_FAILED, MAX_SKIPPED, MAX_SUITES, first_line
from evidence_store.summaries.model import Material, Subject, Summarizer, not_of_kind
from evidence_store.summaries.wording import counted, pointer, section

KIND: Final = "tests"


def summarize(material: Material) -> str:
    """Raises InvalidInput (`no_summary`) for what is neither JUnit XML nor a list of test events."""
    match material.format:
        case Format.JUNIT:
            return _junit(require_report(material.document))
        case Format.JSONL | Format.TEXT:
            return summarize_events(material, KIND)
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
        return first_line(str(document.scalar(node)))
    inside = {part.token: part.node for part in document.children(node)}
    for member in ("message", "text", "type"):
        if member in inside and not inside[member].is_container:
            text = first_line(str(document.scalar(inside[member])))
            if text:
                return text
    return ""


def applies(subject: Subject) -> bool:
    """JUnit XML, or a text with a test event in its beginning: whether most of it are events is seen when it is read."""
    if subject.format in (Format.JSONL, Format.TEXT):
        return EVENTS_HEAD.search(subject.head) is not None
    return subject.format is Format.JUNIT


TESTS: Final = Summarizer(KIND, summarize, applies, streamed=frozenset((Format.JSONL, Format.TEXT)))
