"""What a comparison collects while it walks: findings, subjects to compare on their own, and places to read first.

A `Hidden` place ends only the part that needed it, so that one look names all that is to be read.
"""

from dataclasses import dataclass, field
from types import TracebackType

from api.compat_report.model import Cite, Examination, Finding, Need
from api.compat_report.pointers import find_target
from api.compat_report.rules import require_rule
from api.compat_report.subjects import PairKind, format_pair
from api.compat_report.view import Hidden, Missing, Node, View

SHARED = ("/components/responses", "/components/requestBodies", "/responses")
"""Containers of what many operations refer to: their names show at once which reference leads to nothing."""


@dataclass(frozen=True, slots=True)
class Part:
    """Takes up what was hidden, so that the rest of the walk goes on."""

    needs: dict[Need, None]

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        if not isinstance(error, Hidden):
            return False
        self.needs.update(dict.fromkeys(error.needs))
        return True


@dataclass(slots=True)
class Comparison:
    """The two versions and all that is found about one subject."""

    old: View
    new: View
    tried: int = 0
    """Steps already spent on this subject without an end."""
    findings: list[Finding] = field(default_factory=list)
    uses: dict[str, None] = field(default_factory=dict)
    subjects: dict[str, None] = field(default_factory=dict)
    needs: dict[Need, None] = field(default_factory=dict)
    excluded: bool = False

    def part(self) -> "Part":
        """A part of the walk that may be cut short by a hidden place."""
        return Part(self.needs)

    def add(self, rule: str, text: str, *cites: Cite) -> None:
        """A breaking change."""
        self._append(Finding(require_rule(rule).id, text, cites))

    def ask(self, rule: str, text: str, reason: str, *cites: Cite) -> None:
        """Something that the rules cannot decide: it stays open, and is never passed over."""
        self._append(Finding(require_rule(rule).id, text, cites, "open", reason))

    def exclude(self, rule: str, text: str, cite: Cite) -> None:
        """The subject is outside the scope of the task."""
        self.excluded = True
        self._append(Finding("scope", text, (cite,), "excluded", rule))

    def use(self, kind: PairKind, old: Node, new: Node) -> None:
        """The pair is compared on its own, once for all that rest on it."""
        self.uses.setdefault(format_pair(kind, old.pointer, new.pointer))

    def result(self) -> Examination:
        return Examination(tuple(self.findings), tuple(self.uses), tuple(self.needs), tuple(self.subjects), self.excluded)

    def _append(self, finding: Finding) -> None:
        if finding not in self.findings:
            self.findings.append(finding)


def old_cite(node: Node) -> Cite:
    return Cite("old", node.pointer, "old")


def new_cite(node: Node) -> Cite:
    return Cite("new", node.pointer, "new")


def lacking(node: Node) -> Cite:
    """The names of a container, which show what it does not hold."""
    return Cite(node.view.side, node.pointer, "absent", "keys")


def side_of(parent: Node, token: str) -> Cite:
    """The member where it exists, else the names of the container that lacks it."""
    member = parent.get(token)
    if member is None:
        return lacking(parent)
    return Cite(member.view.side, member.pointer, member.view.side)


def is_there(node: Node) -> bool:
    """Whether the target of a reference exists; where it is not shown it is to be read itself, not its container."""
    if node.is_in_absent_file:
        return False
    node.names()
    try:
        return not isinstance(node.find(), Missing)
    except Hidden:
        return True


class Fault(Exception):
    """A place of one version that cannot be compared; it ends as an open question of `rule`."""

    rule: str

    def __init__(self, node: Node, reason: str) -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason


class Unresolved(Fault):
    """A `$ref` that leads out of the store, to nothing, or in a circle."""

    rule = "reference-not-followed"

    def __init__(self, node: Node, reason: str) -> None:
        super().__init__(node, f"{reason}: {quote(node.pointer)} says {quote(node.text() or '')}")


class Malformed(Fault):
    """A place that holds something else than the format asks for there."""

    rule = "malformed"

    def __init__(self, node: Node, expected: str) -> None:
        super().__init__(node, f"{quote(node.pointer)} holds {_kind_of(node)} where the format asks for {expected}")


def quote(text: str) -> str:
    """Words of a document as a reason may hold them: on one line, and not too many."""
    plain = text if text.isprintable() and "`" not in text else ascii(text)[1:-1].replace("`", "'")
    return f"`{plain[:200]}`" if plain else "nothing"


def _kind_of(node: Node) -> str:
    value = node.find()
    if isinstance(value, Missing):
        return "nothing"
    if value is None:
        return "null"
    return {bool: "a boolean", dict: "an object", list: "an array", str: "a string"}.get(type(value), "a number")


def require_object(node: Node) -> Node:
    """The place, which must hold an object. Raises Hidden or Malformed."""
    if not node.names() and not isinstance(node.value(), dict):
        raise Malformed(node, "an object")
    return node


def require_array(node: Node) -> Node:
    """The place, which must hold an array. Raises Hidden or Malformed."""
    if not isinstance(node.value(), list):
        raise Malformed(node, "an array")
    return node


def ref_of(node: Node) -> str | None:
    """The text of `$ref`, None where there is none."""
    found = node.get("$ref") if "$ref" in node.names() else None
    return None if found is None else found.text()


def ask_fault(c: Comparison, fault: Fault, text: str, other: Cite | None = None) -> None:
    """An open question about a place that cannot be compared; `text` is for a reference. `other` cites the other side."""
    side = fault.node.view.side
    said = text if isinstance(fault, Unresolved) else "a part of a document is not what the format asks for, so that it is not compared"
    facing = c.new if side == "old" else c.old
    c.ask(fault.rule, said, fault.reason, _place_of(fault), other or Cite(facing.side, "", "absent", "keys"))


def _place_of(fault: Fault) -> Cite:
    """The passage at fault. A null may be spelled by no character at all: then it is the names of what holds it."""
    node, side = fault.node, fault.node.view.side
    if isinstance(fault, Malformed) and node.value() is None:
        return Cite(side, node.parent().pointer, side, "keys")
    return Cite(side, node.pointer, side)


def follow(node: Node) -> Node:
    """The target of one `$ref`; raises Unresolved."""
    address = find_target(ref_of(node) or "", node.pointer, node.view.root)
    if address is None:
        raise Unresolved(node.child("$ref"), "the reference leads out of what is stored")
    target = node.view.node(address)
    if target.is_in_absent_file:
        raise Unresolved(node.child("$ref"), "the reference leads to a document that is not stored")
    return target


def follow_if_ref(node: Node) -> Node:
    """The target where the place is a `$ref`, else the place; what stands there need not be shown. Raises Unresolved."""
    return node if ref_of(node) is None else follow(node)


def follow_listed(node: Node) -> Node:
    """As `follow_if_ref`, where the names of the container must list the target. Raises Hidden for these, or Unresolved."""
    target = follow_if_ref(node)
    shared = target.parent().pointer in SHARED
    if target.pointer == node.pointer or not shared or target.is_shown() or target.view.is_cut(target.parent().pointer):
        return target
    try:
        names = target.parent().names()
    except Hidden as hidden:
        raise Hidden(Need(target.view.side, target.parent().pointer, "keys")) from hidden
    if target.token not in names:
        raise Unresolved(node.child("$ref"), "the reference leads to nothing")
    return target


def resolve(node: Node) -> Node:
    """The place at the end of a chain of `$ref`; raises Unresolved when the chain does not end."""
    seen = {node.pointer}
    while ref_of(node) is not None:
        ref = node.child("$ref")
        node = follow(node)
        if node.pointer in seen:
            raise Unresolved(ref, "the reference closes a circle")
        seen.add(node.pointer)
        if not is_there(node):
            raise Unresolved(ref, "the reference leads to nothing")
    return node
