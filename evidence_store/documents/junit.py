"""A test report as a tree: suites, their cases, and the inside of each case; and a case found by its name.

The root is an object of suites, a suite an object of the cases directly in it, those that failed first. Below a case each
element is an object of its attributes, its `text` and its elements; one that is text alone is that string. Names that stand
several times carry their place among the equal ones, `#1`, `#2`, so that a pointer leads to each. Spans are exact.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from evidence_store.documents.junit_read import Case, Suite, read_report
from evidence_store.documents.model import DEFAULT_LIMITS, MAX_SHOWN_PLACES, Child, Document, Limits, Node, Scalar
from evidence_store.documents.xml_parts import XmlPart, read_parts
from evidence_store.errors import Ambiguous, NotContainer, NotFound
from evidence_store.model import Format, Pointer, Span
from evidence_store.pointers import SHOWN_CHARS, format_pointer

_ROOT: Final = 0
_OCCURRENCE: Final = re.compile(r"(.+)#([1-9][0-9]{0,8})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Inside:
    """The children of a node by token, and how often each name stands."""

    children: tuple[Child, ...]
    by_token: dict[str, Node]
    names: Counter[str]


class JunitDocument:
    """A report that passed `junit_check.check_junit`. The inside of a case is read when it is asked for."""

    format = Format.JUNIT
    base = 0
    may_repeat = False

    def __init__(self, raw: bytes, limits: Limits = DEFAULT_LIMITS) -> None:
        self.raw = raw
        report = read_report(raw, limits)
        self._suites: dict[int, Suite] = {}
        self._texts: dict[int, str] = {}
        self._insides: dict[int, _Inside] = {}
        self._n_nodes = 0
        self.root = self._node(report.span)
        suites = [(suite.name, self._suite_node(suite)) for suite in report.suites]
        self._insides[_ROOT] = _inside(suites, [suite.is_broken for suite in report.suites])

    def child(self, node: Node, token: str) -> Node:
        if not node.is_container:
            raise NotContainer(f"{token[:SHOWN_CHARS]!r} leads into a {node.type}, which has no inside")
        inside = self._inside(node)
        found = inside.by_token.get(token)
        if found is not None:
            return found
        if inside.names[token] > 1:
            n = inside.names[token]
            text = f"{token[:SHOWN_CHARS]!r} stands {n} times here; add its place among them, #1 to #{n}"
            raise Ambiguous(text, {"lines": self._lines(inside, token)})
        raise NotFound(f"there is no member {token[:SHOWN_CHARS]!r}")

    def children(self, node: Node) -> Sequence[Child]:
        return self._inside(node).children if node.is_container else ()

    def repeated(self, node: Node) -> frozenset[str]:
        return frozenset()

    def scalar(self, node: Node) -> Scalar:
        if node.is_container:
            raise TypeError(f"an {node.type} is no scalar")
        return self._texts[node.handle]

    def source(self, node: Node) -> bytes:
        return self.raw[node.span.start : node.span.end]

    def has_aliases(self, node: Node) -> bool:
        return False

    def suites(self) -> Iterable[tuple[str, Suite, Node]]:
        """Token, suite and node of each, in source order."""
        pairs = [(child.token, child.node) for child in self._inside(self.root).children]
        return sorted(((token, self._suites[node.handle], node) for token, node in pairs), key=lambda found: found[1].span.start)

    def _inside(self, node: Node) -> _Inside:
        known = self._insides.get(node.handle)
        if known is None:
            suite = self._suites.get(node.handle)
            known = self._insides[node.handle] = self._cases(suite) if suite else self._parts(node)
        return known

    def _cases(self, suite: Suite) -> _Inside:
        cases = [(case.name, self._node(case.span)) for case in suite.cases]
        return _inside(cases, [case.is_broken for case in suite.cases])

    def _parts(self, node: Node) -> _Inside:
        parts = read_parts(self.raw, node.span)
        return _inside([(part.name, self._part_node(part)) for part in parts], [False] * len(parts))

    def _part_node(self, part: XmlPart) -> Node:
        if part.kind == "element" and part.inner is None:
            return self._node(part.span)
        node = self._node(part.inner or part.span, is_text=True)
        self._texts[node.handle] = part.text
        return node

    def _suite_node(self, suite: Suite) -> Node:
        node = self._node(suite.span)
        self._suites[node.handle] = suite
        return node

    def _node(self, span: Span, *, is_text: bool = False) -> Node:
        handle = self._n_nodes
        self._n_nodes += 1
        return Node("string" if is_text else "object", span, (), handle)

    def _lines(self, inside: _Inside, name: str) -> list[int]:
        nodes = [inside.by_token[token] for token in _numbered(name, inside.names[name]) if token in inside.by_token]
        return [self.raw.count(b"\n", 0, node.span.start) + 1 for node in nodes[:MAX_SHOWN_PLACES]]


def require_report(document: Document) -> JunitDocument:
    """Raises NotFound (`no_structure`) for a document of another format."""
    if not isinstance(document, JunitDocument):
        raise NotFound(f"a {document.format.value} resource has no test cases", code="no_structure")
    return document


def find_case(document: JunitDocument, wanted: str) -> Pointer:
    """The pointer of a case named `SUITE/NAME` or `CLASS/NAME`, or by its name alone; `#2` is the second of equal ones.

    Raises NotFound (`known`: the cases that failed first), Ambiguous (`places` as byte ranges, `known` as they can be named).
    """
    named = [_Named(token, child, suite, case) for token, suite, node in document.suites() for child, case in _pairs(document, node, suite)]
    found, at = _matching(named, wanted), None
    occurrence = _OCCURRENCE.fullmatch(wanted)
    if not found and occurrence:
        found, at = _matching(named, occurrence[1]), int(occurrence[2])
    if not found or (at is not None and at > len(found)):
        known = sorted(named, key=lambda one: not one.case.is_broken)[:MAX_SHOWN_PLACES]
        text = f"there is no test case {wanted[:SHOWN_CHARS]!r}"
        shown_as = [one.address if len(_matching(named, one.address)) == 1 else one.exact for one in known]
        raise NotFound(text, {"known": [name[:SHOWN_CHARS] for name in shown_as], "n_cases": len(named)}, code="not_found")
    if at is None and len(found) > 1:
        shown = found[:MAX_SHOWN_PLACES]
        places = [[one.case.span.start, one.case.span.end] for one in shown]
        known_as = [f"{wanted[:SHOWN_CHARS]}#{n}" for n in range(1, len(shown) + 1)]
        text = f"{len(found)} test cases are named {wanted[:SHOWN_CHARS]!r}; add their place among them, such as #1"
        raise Ambiguous(text, {"places": places, "known": known_as})
    one = found[(at or 1) - 1]
    return format_pointer((one.suite_token, one.case_token))


@dataclass(frozen=True, slots=True)
class _Named:
    """A case with the ways in which it may be named."""

    suite_token: str
    case_token: str
    suite: Suite
    case: Case

    @property
    def address(self) -> str:
        return f"{self.suite.name}/{self.case.name}"

    @property
    def exact(self) -> str:
        """Told apart from cases of the same address."""
        return f"{self.suite_token}/{self.case_token}"

    def ways(self) -> tuple[str, ...]:
        """The more exact first."""
        last_suite = self.suite.name.rpartition("/")[2]
        owners = (f"{self.suite_token}/", f"{self.suite.name}/", f"{last_suite}/", f"{self.case.class_name}/", "")
        return (self.exact, *(owner + self.case.name for owner in owners))


def _pairs(document: JunitDocument, node: Node, suite: Suite) -> list[tuple[str, Case]]:
    """Tokens of the cases of a suite with the cases."""
    by_place = {case.span.start: case for case in suite.cases}
    children = sorted(document.children(node), key=lambda child: child.node.span.start)
    return [(child.token, by_place[child.node.span.start]) for child in children]


def _matching(named: Sequence[_Named], wanted: str) -> Sequence[_Named]:
    """The cases that are named so in the most exact way that any is."""
    by_way: dict[int, list[_Named]] = {}
    for one in named:
        ways = one.ways()
        if wanted in ways:
            by_way.setdefault(ways.index(wanted), []).append(one)
    return by_way[min(by_way)] if by_way else ()


def _inside(named: Sequence[tuple[str, Node]], broken: Sequence[bool]) -> _Inside:
    """Children of these names; those that are broken come first, and keep their order among themselves."""
    names = Counter(name for name, _ in named)
    numbers: Counter[str] = Counter()
    by_token: dict[str, Node] = {name: node for name, node in named if names[name] == 1}
    tokens = []
    for name, node in named:
        token = name
        if names[name] > 1:
            numbers[name] += 1
            token = f"{name}#{numbers[name]}"
            while token in by_token:
                token += "#"
            by_token[token] = node
        tokens.append(token)
    children = [Child(token, node) for token, (_, node) in zip(tokens, named, strict=True)]
    order = sorted(range(len(children)), key=lambda n: not broken[n])
    return _Inside(tuple(children[n] for n in order), by_token, names)


def _numbered(name: str, n: int) -> Iterable[str]:
    return (f"{name}#{number}" for number in range(1, n + 1))
