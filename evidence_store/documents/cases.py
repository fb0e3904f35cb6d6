"""A test case by its name, in whatever form a report has: JUnit XML, or the events of `go test -json`.

Of a Go test the place is the event that ends it (`pass`, `fail` or `skip`); its output stands in the events before.
"""

import re
from typing import Final

from evidence_store.documents.junit import JunitDocument
from evidence_store.documents.junit import find_case as find_junit_case
from evidence_store.documents.model import MAX_SHOWN_PLACES, Document, Node
from evidence_store.errors import Ambiguous, EvidenceStoreError, NotFound
from evidence_store.model import Format, Pointer
from evidence_store.pointers import SHOWN_CHARS, format_pointer

_ENDS: Final = ("pass", "fail", "skip")
_OCCURRENCE: Final = re.compile(r"(.+)#([1-9][0-9]{0,8})", re.DOTALL)


def find_case(document: Document, wanted: str) -> Pointer:
    """The pointer of a case named `SUITE/NAME` (of a Go test `PACKAGE/TEST`), or by its name alone; `#2` is the second of equal ones.

    Raises NotFound (`known`), Ambiguous (`known` as they can be named), NotFound (`no_structure`) for what is no report.
    """
    if isinstance(document, JunitDocument):
        return find_junit_case(document, wanted)
    if document.format is not Format.JSONL:
        raise NotFound(f"a {document.format.value} resource has no test cases", code="no_structure")
    ends = _go_ends(document)
    occurrence = _OCCURRENCE.fullmatch(wanted)
    found, at = _named(ends, wanted), None
    if not found and occurrence:
        found, at = _named(ends, occurrence[1]), int(occurrence[2])
    if not found or (at is not None and at > len(found)):
        known = [_told_apart(ends, token, name) for token, name in ends[:MAX_SHOWN_PLACES]]
        raise NotFound(f"there is no test case {wanted[:SHOWN_CHARS]!r}", {"known": known, "n_cases": len(ends)}, code="not_found")
    if at is None and len(found) > 1:
        known = [f"{wanted[:SHOWN_CHARS]}#{n}" for n in range(1, min(len(found), MAX_SHOWN_PLACES) + 1)]
        text = f"{len(found)} test cases are named {wanted[:SHOWN_CHARS]!r}; add their place among them, such as #1"
        raise Ambiguous(text, {"known": known})
    return format_pointer((found[(at or 1) - 1],))


def _go_ends(document: Document) -> list[tuple[str, str]]:
    """Token of the record that ends a test, and the test's name; those that failed first."""
    found: list[tuple[bool, str, str]] = []
    for child in document.children(document.root):
        action, test = _member(document, child.node, "Action"), _member(document, child.node, "Test")
        if action in _ENDS and test:
            package = _member(document, child.node, "Package")
            found.append((action != "fail", child.token, f"{package}/{test}"))
    return [(token, name) for _, token, name in sorted(found, key=lambda one: one[0])]


def _told_apart(ends: list[tuple[str, str]], token: str, name: str) -> str:
    """The name as it can be asked for."""
    equal = _named(ends, name)
    return name[:SHOWN_CHARS] + (f"#{equal.index(token) + 1}" if len(equal) > 1 else "")


def _named(ends: list[tuple[str, str]], wanted: str) -> list[str]:
    whole = [token for token, name in ends if name == wanted]
    return sorted(whole or [token for token, name in ends if name.endswith(f"/{wanted}")], key=int)


def _member(document: Document, node: Node, name: str) -> str:
    """The text of a member; empty where there is none."""
    try:
        found = document.child(node, name)
        value = None if found.is_container else document.scalar(found)
    except EvidenceStoreError:
        return ""
    return value if type(value) is str else ""
