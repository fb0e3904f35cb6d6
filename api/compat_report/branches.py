"""Compares the alternatives of `oneOf` and `anyOf`: paired by what they are, never by their order.

A schema without alternatives counts as the one alternative that it is.
"""

from collections.abc import Callable
from typing import TypeAlias

from api.compat_report.comparison import Comparison, new_cite, old_cite, ref_of
from api.compat_report.model import Direction
from api.compat_report.pairs import Schemas
from api.compat_report.phrases import describe_change, spell
from api.compat_report.pointers import parent_of
from api.compat_report.shapes import covers, find_core, find_parts, find_types, is_annotation
from api.compat_report.view import Node

CompareSchemas: TypeAlias = Callable[[Comparison, Node, Node, Direction], None]


def compare_branches(
    c: Comparison,
    pair: Schemas,
    old_branches: tuple[Node, ...],
    new_branches: tuple[Node, ...],
    compare_schemas: CompareSchemas,
) -> None:
    """An alternative taken away breaks a request, one more breaks a response."""
    old, new, direction = pair.old, pair.new, pair.direction
    olds, news = list(old_branches or (old,)), list(new_branches or (new,))
    pairs = _pair(olds, news, direction)
    for before, after in pairs:
        if (old_branches and new_branches) or says_only_alternatives(old if old_branches else new):
            compare_schemas(c, before, after, direction)
    if direction == "request":
        for before in olds:
            phrase = describe_change(before, pair)
            place = c.new.node(parent_of(new_branches[0].pointer)) if new_branches else new
            c.add(
                "request-branch-removed",
                f"alternative {label(before)}of {phrase.text} removed",
                old_cite(before),
                new_cite(place),
                *phrase.cites,
            )
    else:
        for after in news:
            phrase = describe_change(after, pair)
            place = c.old.node(parent_of(old_branches[0].pointer)) if old_branches else old
            c.add(
                "response-branch-added",
                f"alternative {label(after)}of {phrase.text} added",
                old_cite(place),
                new_cite(after),
                *phrase.cites,
            )


def says_only_alternatives(node: Node) -> bool:
    """Whether nothing binds beside the alternatives, so that the one that a plain schema goes with says all that binds it."""
    return all(is_annotation(name) or name in ("oneOf", "anyOf", "nullable") for name in node.names())


def label(branch: Node) -> str:
    """What tells an alternative apart, with a space behind it: its reference, constant, title or type, as the source spells it."""
    ref = ref_of(branch)
    if ref is not None:
        name = ref.rpartition("/")[2]
        return f"`{name}` " if name and name.isprintable() and "`" not in name and branch.view.says(branch.pointer, name) else ""
    stated = next((found for found in map(branch.get, ("const", "title", "type")) if found is not None), None)
    word = spell(stated) if stated is not None else None
    return f"{word} " if word else ""


def _pair(olds: list[Node], news: list[Node], direction: Direction) -> list[tuple[Node, Node]]:
    """Takes the pairs out of both lists; what is left has no counterpart."""
    pairs: list[tuple[Node, Node]] = []
    in_place = _in_place(olds, news)
    for same in (_is_equal, _has_same_ref, _has_same_title, _has_same_types, _covering(direction), in_place):
        for before in tuple(olds):
            alike = [one for one in news if same(before, one)]
            after = next((one for one in alike if in_place(before, one)), alike[0] if alike else None)
            if after is not None:
                olds.remove(before)
                news.remove(after)
                pairs.append((before, after))
    if len(olds) == len(news) == 1 and not (_is_constant(olds[0]) and _is_constant(news[0])):
        pairs.append((olds.pop(), news.pop()))
    return pairs


def _in_place(olds: list[Node], news: list[Node]) -> Callable[[Node, Node], bool]:
    """In lists of one length two alternatives without names go together by their place, where nothing better tells them apart."""
    places = [{node.pointer: at for at, node in enumerate(nodes)} for nodes in (olds, news)]

    def is_in_place(old: Node, new: Node) -> bool:
        if len(places[0]) != len(places[1]) or (_has_name(old) and _has_name(new)) or _are_apart(old, new):
            return False
        return places[0][old.pointer] == places[1][new.pointer]

    return is_in_place


def _are_apart(old: Node, new: Node) -> bool:
    """Whether the two say types, and no value has one of each."""
    before, after = _types(old), _types(new)
    return before is not None and after is not None and not (before & after or covers(before, after) or covers(after, before))


def _has_name(node: Node) -> bool:
    core = find_core(node).node
    return ref_of(core) is not None or _is_constant(core) or "title" in node.names()


def _is_equal(old: Node, new: Node) -> bool:
    return old.value() == new.value()


def _has_same_ref(old: Node, new: Node) -> bool:
    before, after = ref_of(find_core(old).node), ref_of(find_core(new).node)
    return before is not None and before == after


def _has_same_title(old: Node, new: Node) -> bool:
    before, after = old.get("title"), new.get("title")
    return before is not None and after is not None and before.text() == after.text()


def _has_same_types(old: Node, new: Node) -> bool:
    before, after = _types(old), _types(new)
    return before is not None and before == after


def _covering(direction: Direction) -> Callable[[Node, Node], bool]:
    """An integer goes with a number in the direction in which that is no change."""

    def is_covered(old: Node, new: Node) -> bool:
        before, after = _types(old), _types(new)
        if before is None or after is None:
            return False
        return covers(after, before) if direction == "request" else covers(before, after)

    return is_covered


def _types(node: Node) -> frozenset[str] | None:
    """The types of an inline alternative that says them; None behind a `$ref`, and for a constant, which is more than its type."""
    core = find_core(node).node
    if ref_of(core) is not None or _is_constant(core):
        return None
    return find_types(find_parts(core), core).names


def _is_constant(node: Node) -> bool:
    return "const" in node.names()
