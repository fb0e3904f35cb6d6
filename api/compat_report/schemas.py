"""Compares two schemas in one direction: members, alternatives, types, null; single keywords are in `keywords.py`.

A place behind `$ref`, or too large to be shown, becomes a pair of its own: a passage is reported once, however many
operations use it.
"""

from collections.abc import Callable
from typing import TypeAlias

from api.compat_report.branches import compare_branches, says_only_alternatives
from api.compat_report.comparison import Comparison, Fault, ask_fault, follow_if_ref, lacking, new_cite, old_cite, require_object, side_of
from api.compat_report.dialect import version_node
from api.compat_report.keywords import compare_keywords
from api.compat_report.model import Cite, Direction
from api.compat_report.numbers import is_same
from api.compat_report.pairs import Schemas
from api.compat_report.phrases import Phrase, describe_change, spell
from api.compat_report.shapes import (
    COMBINATORS,
    Core,
    Types,
    covers,
    find_all,
    find_branches,
    find_core,
    find_first,
    find_null,
    find_parts,
    find_taken_types,
    find_types,
    find_value_types,
    is_closed,
    names_beside,
    require_end,
    require_keywords,
)
from api.compat_report.subjects import PairKind
from api.compat_report.unions import Union, find_union
from api.compat_report.view import Hidden, Node


def compare_schemas(c: Comparison, old: Node, new: Node, direction: Direction, *, at_root: bool = False, with_null: bool = True) -> None:
    """Compares in place what is shown; what stands behind `$ref` or is not shown becomes a pair of its own."""
    with c.part():
        if not at_root and not (old.is_shown() and new.is_shown()):
            c.use(direction, old, new)
            return
        cores = find_core(old), find_core(new)
        if at_root and not _guarded(c, direction, *cores, _require_ends):
            return
        with c.part():
            if with_null:
                _guarded(c, direction, *cores, compare_null)
        _guarded(c, direction, *cores, _compare_cores)


_VALUES: dict[Direction, PairKind] = {"request": "request-value", "response": "response-value"}
_Compare: TypeAlias = Callable[[Comparison, Direction, Core, Core], None]


def _require_ends(c: Comparison, direction: Direction, old: Core, new: Core) -> None:
    """Where the place of a pair is a reference itself, the chain must come to a schema."""
    for core in (old, new):
        require_end(core.node)


def _guarded(c: Comparison, direction: Direction, old: Core, new: Core, compare: _Compare) -> bool:
    """A reference that cannot be followed is an open question, whatever rests on it; False where one was asked."""
    try:
        compare(c, direction, old, new)
    except Fault as fault:
        other = new.node if fault.node.view.side == "old" else old.node
        cite = Cite(other.view.side, other.pointer, other.view.side)
        ask_fault(c, fault, "a `$ref` is not followed, so that what stands behind it is not compared", cite)
        return False
    return True


def _compare_cores(c: Comparison, direction: Direction, old: Core, new: Core) -> None:
    if old.is_reference or new.is_reference:
        with c.part():
            _ask_beside(c, direction, old.node, new.node)
        told_here = (old.null is None) != (new.null is None)
        c.use(_VALUES[direction] if told_here else direction, follow_if_ref(old.node), follow_if_ref(new.node))
        return
    pair = _pair_parts(c, direction, old.node, new.node)
    if pair is None or is_told_by_emptiness(c, pair):
        return
    branches = find_branches(pair.old_parts), find_branches(pair.new_parts)
    union = find_union(pair, *branches)
    if union is not None:
        _compare_union(c, pair, union)
        return
    if any(branches) and not _binds_alone(pair, *branches):
        with c.part():
            compare_branches(c, pair, *branches, compare_schemas)
        if not all(branches) and says_only_alternatives(pair.old if branches[0] else pair.new):
            return
    elif not _compare_types(c, pair):
        return
    _compare_rest(c, pair)


def _ask_beside(c: Comparison, direction: Direction, old: Node, new: Node) -> None:
    """From 3.1 on what stands beside `$ref` binds as well; it is not judged together with what stands behind."""
    beside = [names_beside(node) for node in (old, new)]
    for keyword in dict.fromkeys((*beside[0], *beside[1])):
        before, after = (node.get(keyword) if keyword in names else None for node, names in zip((old, new), beside, strict=True))
        if before is None or after is None or not is_same(before.value(), after.value()):
            phrase = describe_change(old, Schemas(old, new, (), (), direction))
            sides = (lacking(old) if before is None else old_cite(before), lacking(new) if after is None else new_cite(after))
            reason = "what it leaves of the schema behind the reference is not judged"
            c.ask(f"{direction}-keyword-not-compared", f"`{keyword}` beside `$ref` of {phrase.text} changed", reason, *sides, *phrase.cites)


def _compare_rest(c: Comparison, pair: Schemas) -> None:
    """Members and keywords, as far as they bind values of the types that are compared."""
    if pair.types is None or "object" in pair.types:
        with c.part():
            compare_members(c, pair)
    compare_keywords(c, pair, compare_schemas)


def _compare_union(c: Comparison, pair: Schemas, union: Union) -> None:
    """Alternatives of types of their own beside a list of types: the types as a whole, then each alternative for its own."""
    _report_types(c, pair, union.before, union.after)
    for one in union.pairs:
        with c.part():
            _compare_rest(c, one)


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


def is_told_by_emptiness(c: Comparison, pair: Schemas) -> bool:
    """Whether all is said because a side takes nothing (`false`), or anything (`{}`, `true`, absent)."""
    closed = [next(filter(is_closed, parts), None) for parts in (pair.old_parts, pair.new_parts)]
    if any(closed):
        if not all(closed):
            _report_closed(c, pair, *closed)
        return True
    if pair.old.names() and pair.new.names():
        return False
    narrowed = pair.direction == "request" and not pair.old.names()
    widened = pair.direction == "response" and not pair.new.names()
    if not (narrowed or widened):
        return True
    bound, parts = (pair.new, pair.new_parts) if narrowed else (pair.old, pair.old_parts)
    if find_types(parts, bound).names is None and not find_branches(parts):
        return False
    stated = bound.child("type")
    kind = spell(stated) if stated.exists() else None
    place = stated if kind else bound
    phrase = describe_change(pair.old, pair)
    said = "from any type" + (f" to {kind}" if kind else "") if narrowed else (f"from {kind} " if kind else "") + "to any type"
    cites = (old_cite(pair.old), new_cite(place)) if narrowed else (old_cite(place), new_cite(pair.new))
    rule = "request-type-narrowed" if narrowed else "response-type-widened"
    c.add(rule, f"{phrase.text} changed {said}", *cites, *phrase.cites)
    return True


def _report_closed(c: Comparison, pair: Schemas, old: Node | None, new: Node | None) -> None:
    """One side is `false`. A property that is `false` is one that must not be there."""
    phrase, request, is_property = describe_change(pair.old, pair), pair.direction == "request", _is_property(pair.old)
    cites = (old_cite(old or pair.old), new_cite(new or pair.new), *phrase.cites)
    if old is not None:
        if not request and not is_property:
            c.add("response-type-widened", f"{phrase.text} may now hold a value", *cites)
    elif is_property:
        c.add(f"{pair.direction}-property-removed", f"{phrase.text} must not be there any more", *cites)
    elif request:
        c.add("request-type-narrowed", f"{phrase.text} takes no value any more", *cites)
    else:
        c.ask("response-closed", f"{phrase.text} holds no value any more", "no value fits: whether something comes cannot be seen", *cites)


def _is_property(node: Node) -> bool:
    """Whether a schema stands under the name of a property, wrappers left out."""
    owner = node.parent()
    while owner.parent().token in COMBINATORS:
        owner = owner.parent().parent()
    return owner.token == "properties"


def compare_null(c: Comparison, direction: Direction, old: Core, new: Core) -> None:
    """Null lost in a request, or gained in a response; behind a `$ref` the pair tells, unless only one place of use takes null."""
    if (old.is_reference or new.is_reference) and (old.null is None) == (new.null is None):
        return
    before, after = find_null(old), find_null(new)
    if before.taken and after.taken is None:
        after = find_null(new, through=True)
    elif after.taken and before.taken is None:
        before = find_null(old, through=True)
    lost = direction == "request" and before.taken is True and after.taken is False
    gained = direction == "response" and before.taken is False and after.taken is True
    if not lost and not gained:
        return
    phrase = describe_change(old.node, Schemas(old.node, new.node, (), (), direction))
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
    request = pair.direction == "request"
    find_old, find_new = (find_value_types, find_taken_types) if request else (find_taken_types, find_value_types)
    before, after = find_old(pair.old_parts, pair.old), find_new(pair.new_parts, pair.new)
    if before.by_values and after.by_values:
        return True
    if (after if request else before).by_values and _overlap(before, after):
        return True  # what goes or comes is told as values
    told = _report_types(c, pair, before, after)
    return not told if before.names is None or after.names is None else _overlap(before, after)


def _overlap(before: Types, after: Types) -> bool:
    if before.names is None or after.names is None:
        return True
    return bool(before.names & after.names) or covers(after.names, before.names) or covers(before.names, after.names)


def _report_types(c: Comparison, pair: Schemas, before: Types, after: Types) -> bool:
    """Whether a type was lost in a request, or gained in a response."""
    request = pair.direction == "request"
    if covers(after.names, before.names) if request else covers(before.names, after.names):
        return False
    phrase = describe_change(pair.old, pair)
    said = [_spell_types(before), _spell_types(after)]
    rule = "request-type-narrowed" if request else "response-type-widened"
    text = f"type of {phrase.text} changed" + (f" from {said[0]} to {said[1]}" if all(said) else "")
    c.add(rule, text, old_cite(before.place), new_cite(after.place), *phrase.cites)
    return True


def _spell_types(types: Types) -> str | None:
    """The types as a sentence says them, None where the source does not spell them out."""
    if not types.stated:
        return "any type" if types.names is None else None
    if types.place.token in COMBINATORS:
        words = [spell(node) for branch in types.place.items() if (node := branch.get("type")) is not None]
        return " or ".join(word for word in words if word) if len(words) == len(types.place.items()) and all(words) else None
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
        for name, node in require_object(properties).members().items():
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
    phrase = describe_change(old, pair)
    text, cites = f"{phrase.text} is now `{mark}`", (old_cite(old), new_cite(place.child(mark)), *phrase.cites)
    if pair.direction == "response":
        c.add("response-property-removed", text, *cites)
    else:
        c.ask("request-property-undescribed", text, "whether a server still takes what is read only cannot be seen", *cites)


def _report_removed(c: Comparison, pair: Schemas, node: Node) -> None:
    if _is_shown_closed(node):
        return  # it was not allowed before
    if pair.direction == "request" and node.token in _required(pair.new_parts):
        return  # it has to be sent, so it is still taken
    phrase = describe_change(node, pair)
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


def _is_shown_closed(node: Node) -> bool:
    return node.is_shown() and is_closed(node)


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
    owner = describe_change(pair.old, pair)
    word = f"property `{name}` of "
    text = owner.text
    for direction in ("request ", "response "):
        if text.startswith(direction):
            return Phrase(f"{direction}{word}{text.removeprefix(direction)}", owner.cites)
    return Phrase(word + text, owner.cites)
