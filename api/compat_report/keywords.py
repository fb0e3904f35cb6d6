"""Compares the single keywords of two schemas in one direction: enumerations, formats, patterns, items and what rests on them."""

from collections.abc import Iterator
from decimal import Decimal

from api.compat_report.bounds import compare_bounds
from api.compat_report.branches import CompareSchemas
from api.compat_report.comparison import Comparison, lacking, new_cite, old_cite
from api.compat_report.model import Cite, Value
from api.compat_report.numbers import is_same, read_number
from api.compat_report.pairs import Schemas
from api.compat_report.phrases import describe_change, spell
from api.compat_report.shapes import covers, find_branches, find_first, find_values, list_values, type_of
from api.compat_report.view import Node

NOT_JUDGED = (
    "not", "if", "then", "else", "contains", "prefixItems", "propertyNames", "patternProperties", "dependentRequired", "dependentSchemas",
    "unevaluatedItems", "unevaluatedProperties", "minContains", "maxContains", "contentEncoding", "contentMediaType", "contentSchema",
    "$dynamicRef",
)  # fmt: skip
_WIDER_FORMATS = {("int32", "int64"), ("float", "double")}
_NUMBERS = frozenset({"integer", "number"})
_OF_TYPES = {
    "pattern": frozenset({"string"}),
    "multipleOf": _NUMBERS,
    "uniqueItems": frozenset({"array"}),
    "items": frozenset({"array"}),
    "additionalProperties": frozenset({"object"}),
}
"""The types whose values a keyword binds; any other value it lets pass."""


def compare_keywords(c: Comparison, pair: Schemas, compare_schemas: CompareSchemas) -> None:
    """All keywords that stand for themselves; each is cut short alone where it is hidden."""
    for compare in (_compare_values, _compare_format, _compare_pattern, _compare_multiple, _compare_unique, _compare_discriminator):
        with c.part():
            compare(c, pair)
    compare_bounds(c, pair)
    for keyword, unbound in (("items", "items"), ("additionalProperties", "further-properties")):
        with c.part():
            _compare_nested(c, pair, keyword, unbound, compare_schemas)
    for keyword in NOT_JUDGED:
        with c.part():
            _ask_when_changed(c, pair, keyword)


def _both(pair: Schemas, keyword: str) -> tuple[Node | None, Node | None]:
    bound = _OF_TYPES.get(keyword)
    if pair.types is not None and bound is not None and not pair.types & bound:
        return None, None
    return find_first(pair.old_parts, keyword), find_first(pair.new_parts, keyword)


def _cites(pair: Schemas, old: Node | None, new: Node | None) -> tuple[Cite, Cite]:
    """Both sides; the names of the schema where the keyword is not there."""
    return (lacking(pair.old) if old is None else old_cite(old), lacking(pair.new) if new is None else new_cite(new))


def _compare_values(c: Comparison, pair: Schemas) -> None:
    """`enum` and `const`; null is told by its own rule."""
    old, new = find_values(pair.old_parts), find_values(pair.new_parts)
    if pair.direction == "request":
        if new is not None and old is None and not find_branches(pair.old_parts):
            _add(c, pair, "request-enum-set", f"`{new.token}` of {{}} set", None, new)
        elif old is not None and new is not None:
            _report_values(c, pair, old, new)
    elif old is not None and new is None and not find_branches(pair.new_parts):
        _add(c, pair, "response-enum-removed", f"`{old.token}` of {{}} lifted", old, None)
    elif old is not None and new is not None:
        _report_values(c, pair, old, new)


def _report_values(c: Comparison, pair: Schemas, old: Node, new: Node) -> None:
    request = pair.direction == "request"
    gone = tuple(item for item in (_lost(old, new) if request else _lost(new, old)) if _concerns(pair, item))
    if not gone:
        return
    if request and new.token == "const":
        said = spell(new)
        _add(c, pair, "request-const-set", "{} takes " + (f"{said} only" if said else "one value only"), old, new)
        return
    phrase = describe_change(pair.old, pair)
    for node in gone:
        said = spell(node) or "one of its values"
        if request:
            c.add("request-enum-value-removed", f"{phrase.text} no longer takes {said}", old_cite(node), new_cite(new), *phrase.cites)
        else:
            c.add("response-enum-value-added", f"{phrase.text} may now be {said}", old_cite(old), new_cite(node), *phrase.cites)


def _lost(old: Node, new: Node) -> Iterator[Node]:
    """The values of the first that the second lacks."""
    kept = [item.value() for item in list_values(new)]
    for item in list_values(old):
        if item.value() is not None and not any(is_same(item.value(), value) for value in kept):
            yield item


def _concerns(pair: Schemas, item: Node) -> bool:
    return pair.types is None or covers(pair.types, frozenset({type_of(item.value())}))


def _add(c: Comparison, pair: Schemas, rule: str, text: str, old: Node | None, new: Node | None) -> None:
    phrase = describe_change(pair.old, pair)
    c.add(rule, text.replace("{}", phrase.text), *_cites(pair, old, new), *phrase.cites)


def _compare_format(c: Comparison, pair: Schemas) -> None:
    old, new = _both(pair, "format")
    before, after = (_format_of(node, pair.types) for node in (old, new))
    narrowed = after is not None and before != after and (before, after) not in _WIDER_FORMATS
    widened = before is not None and before != after and (after, before) not in _WIDER_FORMATS
    if pair.direction == "request" and narrowed:
        _add(c, pair, "request-format-narrowed", _changed("format", old, new), old, new)
    elif pair.direction == "response" and widened:
        _add(c, pair, "response-format-widened", _changed("format", old, new), old, new)


def _format_of(node: Node | None, types: frozenset[str] | None) -> str | None:
    """A format, where it binds values of these types: those of numbers bind numbers, all others strings."""
    said = node.text() if node is not None else None
    if types is None or said is None:
        return said
    numeric = any(said in pair for pair in _WIDER_FORMATS)
    return said if types & (_NUMBERS if numeric else {"string"}) else None


def _compare_pattern(c: Comparison, pair: Schemas) -> None:
    old, new = _both(pair, "pattern")
    if (old.text() if old else None) == (new.text() if new else None):
        return
    if pair.direction == "request" and new is not None:
        _add(c, pair, "request-pattern-changed", "`pattern` of {} " + ("changed" if old else "set"), old, new)
    elif pair.direction == "response" and old is not None:
        _add(c, pair, "response-pattern-changed", "`pattern` of {} " + ("changed" if new else "lifted"), old, new)


def _changed(keyword: str, old: Node | None, new: Node | None) -> str:
    before, after = spell(old) if old else None, spell(new) if new else None
    if old is None:
        return f"`{keyword}` of {{}} set" + (f" to {after}" if after else "")
    if new is None:
        return f"`{keyword}` of {{}} lifted" + (f" from {before}" if before else "")
    return f"`{keyword}` of {{}} changed" + (f" from {before} to {after}" if before and after else "")


def _compare_multiple(c: Comparison, pair: Schemas) -> None:
    old, new = _both(pair, "multipleOf")
    before, after = (read_number(node.value()) if node else None for node in (old, new))
    if pair.direction == "request" and after is not None and not _divides(after, before):
        _add(c, pair, "request-multiple-narrowed", _changed("multipleOf", old, new), old, new)
    elif pair.direction == "response" and before is not None and not _divides(before, after):
        _add(c, pair, "response-multiple-widened", _changed("multipleOf", old, new), old, new)


def _divides(step: Decimal, other: Decimal | None) -> bool:
    return other is not None and step != 0 and other % step == 0


def _compare_unique(c: Comparison, pair: Schemas) -> None:
    old, new = _both(pair, "uniqueItems")
    before, after = (node is not None and node.value() is True for node in (old, new))
    if pair.direction == "request" and after and not before:
        _add(c, pair, "request-unique-items-set", "items of {} must be unique", old, new)
    elif pair.direction == "response" and before and not after:
        _add(c, pair, "response-unique-items-lifted", "items of {} need not be unique any more", old, new)


def _compare_discriminator(c: Comparison, pair: Schemas) -> None:
    old, new = _both(pair, "discriminator")
    if old is None or new is None:
        return
    before, after = (node if node.text() is not None else node.get("propertyName") for node in (old, new))
    if before is not None and after is not None and before.text() != after.text():
        text = _changed(before.token, before, after)
        if before.token == "propertyName":
            text = text.replace("{}", "the discriminator of {}")
        _add(c, pair, f"{pair.direction}-discriminator-changed", text, before, after)


def _compare_nested(c: Comparison, pair: Schemas, keyword: str, unbound: str, compare_schemas: CompareSchemas) -> None:
    """`items` and `additionalProperties`: absent, true and `{}` take anything, false takes nothing."""
    old, new = _both(pair, keyword)
    before, after = _openness(old), _openness(new)
    if before == after == "bound" and old is not None and new is not None:
        compare_schemas(c, old, new, pair.direction)
        return
    order = ("closed", "bound", "open")
    if order.index(after) < order.index(before) and pair.direction == "request":
        verb = "set" if keyword == "items" else "narrowed"
        _add(c, pair, f"request-{unbound}-{verb}", f"`{keyword}` of {{}} " + ("set" if old is None else "narrowed"), old, new)
    elif order.index(after) > order.index(before) and pair.direction == "response":
        verb = "lifted" if keyword == "items" else "widened"
        _add(c, pair, f"response-{unbound}-{verb}", f"`{keyword}` of {{}} " + ("lifted" if new is None else "widened"), old, new)


def _openness(node: Node | None) -> str:
    if node is None:
        return "open"
    if node.is_shown() and not node.names():
        return "closed" if node.value() is False else "open"
    return "bound"


def _ask_when_changed(c: Comparison, pair: Schemas, keyword: str) -> None:
    old, new = _both(pair, keyword)
    before: Value = old.value() if old else None
    after: Value = new.value() if new else None
    if (old is None) != (new is None) or not is_same(before, after):
        phrase = describe_change(pair.old, pair)
        reason = f"the rules do not judge {keyword}"
        cites = (*_cites(pair, old, new), *phrase.cites)
        c.ask(f"{pair.direction}-keyword-not-compared", f"`{keyword}` of {phrase.text} changed", reason, *cites)
