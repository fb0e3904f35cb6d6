"""Compares two schemas in one direction: members, alternatives, types, null; single keywords are in `keywords.py`.

A place behind `$ref`, or too large to be shown, becomes a pair of its own: a passage is reported once, however many
operations use it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from api.compat_report.branches import compare_branches, says_only_alternatives
from api.compat_report.comparison import Comparison, Unresolved, follow_if_ref, lacking, new_cite, old_cite, side_of
from api.compat_report.dialect import version_node
from api.compat_report.keywords import compare_keywords
from api.compat_report.model import Cite, Direction
from api.compat_report.phrases import Phrase, describe_schema, spell
from api.compat_report.shapes import (
    Core,
    Types,
    covers,
    find_all,
    find_branches,
    find_core,
    find_first,
    find_null,
    find_parts,
    find_types,
    require_keywords,
)
from api.compat_report.subjects import PairKind
from api.compat_report.view import Hidden, Node


@dataclass(frozen=True, slots=True)
class Schemas:
    """Two schemas in one direction, with the parts that all apply on each side."""

    old: Node
    new: Node
    old_parts: tuple[Node, ...]
    new_parts: tuple[Node, ...]
    direction: Direction


def compare_schemas(c: Comparison, old: Node, new: Node, direction: Direction, *, at_root: bool = False, with_null: bool = True) -> None:
    """Compares in place what is shown; what stands behind `$ref` or is not shown becomes a pair of its own."""
    with c.part():
        if not at_root and not (old.is_shown() and new.is_shown()):
            c.use(direction, old, new)
            return
        cores = find_core(old), find_core(new)
        with c.part():
            if with_null:
                _guarded(c, direction, *cores, compare_null)
        _guarded(c, direction, *cores, _compare_cores)


_VALUES: dict[Direction, PairKind] = {"request": "request-value", "response": "response-value"}
_Compare: TypeAlias = Callable[[Comparison, Direction, Core, Core], None]


def _guarded(c: Comparison, direction: Direction, old: Core, new: Core, compare: _Compare) -> None:
    """A reference that cannot be followed is an open question, whatever rests on it."""
    try:
        compare(c, direction, old, new)
    except Unresolved as fault:
        _ask_reference(c, fault, old.node, new.node)


def _ask_reference(c: Comparison, fault: Unresolved, old: Node, new: Node) -> None:
    reference = fault.node
    other = new if reference.view.side == "old" else old
    cites = (Cite(reference.view.side, reference.pointer, reference.view.side), Cite(other.view.side, other.pointer, other.view.side))
    c.ask("reference-not-followed", "a `$ref` is not followed, so that what stands behind it is not compared", fault.reason, *cites)


def _compare_cores(c: Comparison, direction: Direction, old: Core, new: Core) -> None:
    if old.is_reference or new.is_reference:
        told_here = (old.null is None) != (new.null is None)
        c.use(_VALUES[direction] if told_here else direction, follow_if_ref(old.node), follow_if_ref(new.node))
        return
    if any(not node.names() for node in (old.node, new.node)):
        compare_emptiness(c, direction, old.node, new.node)
        return
    pair = _pair_parts(c, direction, old.node, new.node)
    if pair is None:
        return
    branches = find_branches(pair.old_parts), find_branches(pair.new_parts)
    if any(branches) and not _binds_alone(pair, *branches):
        with c.part():
            compare_branches(c, pair.old, pair.new, *branches, direction, compare_schemas)
        if not all(branches) and says_only_alternatives(pair.old if branches[0] else pair.new):
            return
    elif not _compare_types(c, pair):
        return
    with c.part():
        compare_members(c, pair)
    compare_keywords(c, pair, compare_schemas)


def _binds_alone(pair: Schemas, old_branches: tuple[Node, ...], new_branches: tuple[Node, ...]) -> bool:
    """Whether alternatives only came beside what binds a response already, or only went from beside what a request keeps to."""
    if (new_branches if pair.direction == "request" else old_branches) or not find_all(pair.old_parts, "type"):
        return False
    before, after = find_types(pair.old_parts, pair.old), find_types(pair.new_parts, pair.new)
    wide, narrow = (after, before) if pair.direction == "request" else (before, after)
    return after.stated and covers(wide.names, narrow.names)


def _pair_parts(c: Comparison, direction: Direction, old: Node, new: Node) -> Schemas | None:
    """None where parts of one side or the other are still to be read; both sides ask in the same step."""
    before = after = None
    with c.part():
        before = find_parts(old)
        require_keywords(before)
    with c.part():
        after = find_parts(new)
        require_keywords(after)
    if c.needs:
        return None
    return None if before is None or after is None else Schemas(old, new, before, after, direction)


def compare_emptiness(c: Comparison, direction: Direction, old: Node, new: Node) -> None:
    """One side is `{}`, a boolean or absent: it takes anything, or nothing."""
    narrowed = direction == "request" and not old.names() and new.names() and _constrains(new)
    widened = direction == "response" and old.names() and not new.names() and _constrains(old)
    if narrowed or widened:
        rule = "request-type-narrowed" if narrowed else "response-type-widened"
        stated = (new if narrowed else old).child("type")
        kind = spell(stated) if stated.exists() else None
        place = stated if kind else (new if narrowed else old)
        phrase = describe_schema(old, direction)
        said = "from any type" + (f" to {kind}" if kind else "") if narrowed else (f"from {kind} " if kind else "") + "to any type"
        cites = (old_cite(old), new_cite(place)) if narrowed else (old_cite(place), new_cite(new))
        c.add(rule, f"{phrase.text} changed {said}", *cites, *phrase.cites)


def _constrains(node: Node) -> bool:
    parts = find_parts(node)
    return find_types(parts, node).names is not None or bool(find_branches(parts)) or bool(find_all(parts, "enum"))


def compare_null(c: Comparison, direction: Direction, old: Core, new: Core) -> None:
    """Null lost in a request, or gained in a response; behind a `$ref` the pair tells, unless only one place of use takes null."""
    if (old.is_reference or new.is_reference) and (old.null is None) == (new.null is None):
        return
    before, after = find_null(old), find_null(new)
    lost = direction == "request" and before.taken is True and after.taken is False
    gained = direction == "response" and before.taken is False and after.taken is True
    if not lost and not gained:
        return
    phrase = describe_schema(old.node, direction)
    if gained:
        c.add("response-null-added", f"{phrase.text} may now be null", old_cite(before.place), new_cite(after.place), *phrase.cites)
        return
    note, cites, place = "", phrase.cites, after.place
    if after.meaningless is not None:
        version = version_node(new.node.view)
        note = f" (`nullable` has no meaning in OpenAPI `{version.text()}`)"
        cites, place = (*cites, Cite("new", version.pointer, "context")), after.meaningless.parent()
    c.add("request-null-removed", f"{phrase.text} no longer takes null{note}", old_cite(before.place), new_cite(place), *cites)


def _compare_types(c: Comparison, pair: Schemas) -> bool:
    """Whether the types have something in common, so that the rest can be compared."""
    before, after = find_types(pair.old_parts, pair.old), find_types(pair.new_parts, pair.new)
    request = pair.direction == "request"
    broken = not covers(after.names, before.names) if request else not covers(before.names, after.names)
    if broken:
        phrase = describe_schema(pair.old, pair.direction)
        said = [_spell_types(before), _spell_types(after)]
        rule = "request-type-narrowed" if request else "response-type-widened"
        text = f"type of {phrase.text} changed" + (f" from {said[0]} to {said[1]}" if all(said) else "")
        c.add(rule, text, old_cite(before.place), new_cite(after.place), *phrase.cites)
    if before.names is None or after.names is None:
        return not broken
    return bool(before.names & after.names) or covers(after.names, before.names) or covers(before.names, after.names)


def _spell_types(types: Types) -> str | None:
    """The types as a sentence says them, None where the source does not spell them out."""
    if not types.stated:
        return "any type" if types.names is None else None
    if not isinstance(types.place.value(), list):
        return spell(types.place)
    said = [spell(item) for item in types.place.items()]
    return " or ".join(word for word in said if word) if all(said) else None


def compare_members(c: Comparison, pair: Schemas) -> None:
    """Properties that are gone, new or changed, and what is required."""
    olds, news = _members(pair.old_parts), _members(pair.new_parts)
    unwritten = "readOnly" if pair.direction == "request" else "writeOnly"
    for name, nodes in olds.items():
        with c.part():
            if _is_marked(nodes, unwritten):
                continue
            if name in news and _is_marked(news[name], unwritten):
                _report_marked(c, pair, nodes[0], news[name], unwritten)
            elif name not in news:
                _report_removed(c, pair, nodes[0])
            elif len(nodes) == len(news[name]):
                for old, new in zip(nodes, news[name], strict=True):
                    compare_schemas(c, old, new, pair.direction)
            else:
                compare_schemas(c, nodes[0], news[name][0], pair.direction)
    with c.part():
        _compare_required(c, pair, olds, news, unwritten)


def _members(parts: tuple[Node, ...]) -> dict[str, tuple[Node, ...]]:
    """Each property with the places that describe it."""
    members: dict[str, tuple[Node, ...]] = {}
    for properties in find_all(parts, "properties"):
        for name, node in properties.members().items():
            members[name] = (*members.get(name, ()), node)
    return members


def _is_marked(nodes: tuple[Node, ...], mark: str) -> bool:
    """Whether one of the places says `readOnly` or `writeOnly`, as far as it is shown."""
    for node in nodes:
        try:
            found = node.get(mark) if mark in node.names() else None
        except Hidden:
            continue
        if found is not None and found.value() is True:
            return True
    return False


def _report_marked(c: Comparison, pair: Schemas, old: Node, news: tuple[Node, ...], mark: str) -> None:
    """From now on the property is for the other direction only."""
    place = next(node for node in news if _is_marked((node,), mark))
    phrase = describe_schema(old, pair.direction)
    text, cites = f"{phrase.text} is now `{mark}`", (old_cite(old), new_cite(place.child(mark)), *phrase.cites)
    if pair.direction == "response":
        c.add("response-property-removed", text, *cites)
    else:
        c.ask("request-property-undescribed", text, "whether a server still takes what is read only cannot be seen", *cites)


def _report_removed(c: Comparison, pair: Schemas, node: Node) -> None:
    if pair.direction == "request" and node.token in _required(pair.new_parts):
        return  # it has to be sent, so it is still taken
    phrase = describe_schema(node, pair.direction)
    absent = tuple(lacking(_container(part)) for part in pair.new_parts)
    if pair.direction == "response":
        c.add("response-property-removed", f"{phrase.text} removed", old_cite(node), *absent, *phrase.cites)
        return
    closed = find_first(pair.new_parts, "additionalProperties")
    if closed is not None and closed.value() is False:
        c.add("request-property-removed", f"{phrase.text} removed", old_cite(node), new_cite(closed), *absent, *phrase.cites)
        return
    reason = "the schema takes further properties: whether this one still has an effect cannot be seen"
    c.ask("request-property-undescribed", f"{phrase.text} is no longer described", reason, old_cite(node), *absent, *phrase.cites)


def _container(part: Node) -> Node:
    return part.child("properties") if "properties" in part.names() else part


def _compare_required(
    c: Comparison, pair: Schemas, olds: dict[str, tuple[Node, ...]], news: dict[str, tuple[Node, ...]], unwritten: str
) -> None:
    before, after = _required(pair.old_parts), _required(pair.new_parts)
    if pair.direction == "request":
        for name, node in after.items():
            if name not in before and not _is_marked(news.get(name, ()), unwritten):
                phrase = _describe_member(name, pair)
                new = "" if name in olds else "new "
                absent = () if name in olds else tuple(lacking(_container(part)) for part in pair.old_parts)
                sides = (_required_side(pair.old_parts), new_cite(node), *absent)
                c.add("request-property-required", f"{new}{phrase.text} is required", *sides, *phrase.cites)
        return
    for name, node in before.items():
        if name not in after and name in news and not _is_marked(olds.get(name, ()), unwritten):
            phrase = _describe_member(name, pair)
            sides = (old_cite(node), _required_side(pair.new_parts))
            c.add("response-property-optional", f"{phrase.text} is no longer required", *sides, *phrase.cites)


def _required(parts: tuple[Node, ...]) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for required in find_all(parts, "required"):
        for item in required.items():
            found.setdefault(item.text() or "", item)
    return found


def _required_side(parts: tuple[Node, ...]) -> Cite:
    found = find_first(parts, "required")
    return side_of(parts[0], "required") if found is None else Cite(found.view.side, found.pointer, found.view.side)


def _describe_member(name: str, pair: Schemas) -> Phrase:
    """Named after the schema of the old version; the name itself stands in `required`."""
    owner = describe_schema(pair.old, pair.direction)
    word = f"property `{name}` of "
    text = owner.text
    for direction in ("request ", "response "):
        if text.startswith(direction):
            return Phrase(f"{direction}{word}{text.removeprefix(direction)}", owner.cites)
    return Phrase(word + text, owner.cites)
