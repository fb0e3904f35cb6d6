"""What a schema amounts to: wrappers taken off, the parts of `allOf` side by side, null told apart from the rest.

Nothing is merged into a copy: each keyword is answered with the place where it stands.
"""

from dataclasses import dataclass

from api.compat_report.comparison import Malformed, Unresolved, follow, is_there, ref_of, require_array
from api.compat_report.dialect import has_draft_references, null_mark
from api.compat_report.model import Need, Value
from api.compat_report.numbers import read_number
from api.compat_report.view import Hidden, Node

ANNOTATIONS = {
    "title", "description", "default", "example", "examples", "deprecated", "externalDocs", "xml", "readOnly", "writeOnly",
    "$comment", "$schema", "$id", "$defs", "$anchor", "discriminator", "contentEncoding", "contentMediaType", "contentSchema",
}  # fmt: skip
COMBINATORS = ("allOf", "anyOf", "oneOf")


@dataclass(frozen=True, slots=True)
class Core:
    """A schema without wrappers that say nothing."""

    node: Node
    null: Node | None
    """Where a wrapper says that null is taken too."""

    @property
    def is_reference(self) -> bool:
        return ref_of(self.node) is not None


@dataclass(frozen=True, slots=True)
class Null:
    """Whether a schema takes null, as far as its own words say; None when any value is taken."""

    taken: bool | None
    place: Node
    meaningless: Node | None = None
    """A `nullable: true` that the version of the document gives no meaning."""


def is_annotation(name: str) -> bool:
    return name in ANNOTATIONS or name.startswith("x-")


def find_core(node: Node) -> Core:
    """Takes off `allOf`, `anyOf` and `oneOf` around one schema, and alternatives that are null."""
    null: Node | None = None
    while True:
        names = set(node.names())
        if "$ref" in names:
            return Core(node, null)
        wrappers = [name for name in COMBINATORS if name in names]
        rest = {name for name in names if not is_annotation(name)} - set(wrappers) - {"nullable"}
        if len(wrappers) != 1 or rest:
            return Core(node, null)
        branches = node.child(wrappers[0]).items()
        others = tuple(branch for branch in branches if wrappers[0] == "allOf" or not (is_null(branch) or is_closed(branch)))
        if len(others) != 1:
            return Core(node, null)
        nulls = [branch for branch in branches if branch not in others and is_null(branch)]
        null = null or (nulls[0] if nulls else None) or _nullable(node)
        node = others[0]


def is_null(node: Node) -> bool:
    """Whether the schema takes null and nothing else."""
    value = node.value()
    return isinstance(value, dict) and (
        value.get("type") in ("null", ["null"]) or value.get("enum") == [None] or ("const" in value and value["const"] is None)
    )


def is_closed(node: Node) -> bool:
    """Whether the schema is `false`, so that it takes nothing."""
    return not node.names() and node.value() is False


def require_schema(node: Node) -> Node:
    """The place, which must hold an object or a boolean. Raises Hidden or Malformed."""
    if not node.names() and not isinstance(node.value(), dict | bool):
        raise Malformed(node, "a schema")
    return node


def require_end(node: Node) -> None:
    """Follows a chain of references to the schema at its end. Raises Hidden, or Unresolved for a circle with no schema in it."""
    seen = {node.pointer}
    while ref_of(node) is not None:
        target = find_core(follow(node)).node
        if target.pointer in seen:
            raise Unresolved(node.child("$ref"), "the reference closes a circle")
        seen.add(target.pointer)
        node = target


def _nullable(node: Node) -> Node | None:
    mark = null_mark(node.view)
    found = node.get(mark) if mark else None
    return found if found is not None and found.value() is True else None


def find_parts(node: Node) -> tuple[Node, ...]:
    """The schemas that all apply: the schema itself and, through `$ref`, each part of its `allOf`. Loop-safe.

    Raises Unresolved, or Hidden with all parts that are not shown, so that one step reads them together.
    """
    parts: dict[str, Node] = {}
    needs: dict[Need, None] = {}
    _collect(node, parts, set(), needs, ())
    if needs:
        raise Hidden(*needs)
    return tuple(parts.values())


def _collect(node: Node, parts: dict[str, Node], seen: set[str], needs: dict[Need, None], chain: tuple[str, ...]) -> None:
    """`chain` holds the places that led here with no schema between."""
    if node.pointer in chain:
        raise Unresolved(find_core(node).node.child("$ref"), "the reference closes a circle")
    if node.pointer in seen:
        return
    seen.add(node.pointer)
    try:
        names = node.names()
        if "$ref" in names:
            if names_beside(node):
                parts[node.pointer] = node
            following: tuple[Node, ...] = (_target(node),)
            chain = (*chain, node.pointer)
        elif (core := find_core(node).node).pointer != node.pointer:
            following = (core,)
            chain = (*chain, node.pointer)
        else:
            parts[node.pointer] = require_schema(node)
            following = require_array(node.child("allOf")).items() if "allOf" in names else ()
            chain = ()
    except Hidden as hidden:
        needs.update(dict.fromkeys(hidden.needs))
        return
    for one in following:
        _collect(one, parts, seen, needs, chain)


def _target(node: Node) -> Node:
    target = follow(node)
    if not is_there(target):
        raise Unresolved(node.child("$ref"), "the reference leads to nothing")
    return target


def names_beside(node: Node) -> tuple[str, ...]:
    """The keywords that bind beside a `$ref`; none before 3.1, and none where there is no reference."""
    names = node.names()
    if "$ref" not in names or has_draft_references(node.view):
        return ()
    return tuple(name for name in names if name not in ("$ref", "nullable") and not is_annotation(name))


def require_keywords(parts: tuple[Node, ...]) -> None:
    """Raises Hidden with all that is not shown of large schemas, so that one step reads it together; properties are wanted by name."""
    needs: dict[Need, None] = {}
    for part in parts:
        for name in part.names():
            if is_annotation(name) and name != "discriminator":
                continue
            child = part.child(name)
            try:
                if name == "properties":
                    child.names()
                elif name not in ("items", "additionalProperties"):
                    child.find()
            except Hidden as hidden:
                needs.update(dict.fromkeys(hidden.needs))
    if needs:
        raise Hidden(*needs)


def find_branches(parts: tuple[Node, ...]) -> tuple[Node, ...]:
    """The alternatives of the one `oneOf` or `anyOf` among the parts, null left out; empty when there is none."""
    for part in parts:
        for name in ("oneOf", "anyOf"):
            if name in part.names():
                listed = require_array(part.child(name)).items()
                branches = tuple(branch for branch in listed if not (is_null(branch) or is_closed(branch)))
                if len(branches) > 1:
                    return branches
    return ()


def find_all(parts: tuple[Node, ...], keyword: str) -> tuple[Node, ...]:
    """Where the keyword stands, in each part that has it."""
    return tuple(part.child(keyword) for part in parts if keyword in part.names())


def find_first(parts: tuple[Node, ...], keyword: str) -> Node | None:
    found = find_all(parts, keyword)
    return found[0] if found else None


@dataclass(frozen=True, slots=True)
class Types:
    """The types that a schema takes, without null."""

    names: frozenset[str] | None
    """None when any type is taken."""
    place: Node
    stated: bool = True
    by_values: bool = False
    """Whether only the values of an enumeration say so."""


def find_types(parts: tuple[Node, ...], root: Node) -> Types:
    """The types that all parts take; where none is stated, those that the other keywords imply."""
    stated = find_all(parts, "type")
    if not stated:
        return Types(_implied(parts), root, stated=False)
    names = frozenset.intersection(*(frozenset(type_names(_stated_type(node))) for node in stated)) - {"null"}
    return Types(names, stated[0])


def _stated_type(node: Node) -> Value:
    value = node.value()
    if not (isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))):
        raise Malformed(node, "a type or a list of types")
    return value


def find_taken_types(parts: tuple[Node, ...], root: Node) -> Types:
    """As `find_types`; where no type is stated, those of the values in an enumeration or a constant."""
    found = find_types(parts, root)
    return found if found.stated else _find_value_types(parts) or found


def find_value_types(parts: tuple[Node, ...], root: Node) -> Types:
    """The types that values really have: of an enumeration beside a type only those that its values have."""
    found, values = find_taken_types(parts, root), _find_value_types(parts)
    if not found.stated or values is None or found.names is None:
        return found
    names = frozenset(name for name in values.names or () if covers(found.names, frozenset({name})))
    return Types(names, found.place) if names else found


def _find_value_types(parts: tuple[Node, ...]) -> Types | None:
    place = find_values(parts)
    if place is None:
        return None
    return Types(frozenset(type_of(item.value()) for item in list_values(place)) - {"null"}, place, stated=False, by_values=True)


def find_values(parts: tuple[Node, ...]) -> Node | None:
    """Where a constant or an enumeration says which values are taken."""
    return find_first(parts, "const") or find_first(parts, "enum")


def list_values(node: Node) -> tuple[Node, ...]:
    return (node,) if node.token == "const" else require_array(node).items()


def type_of(value: Value) -> str:
    """The type of a JSON value; a whole number is an integer, however it is spelled."""
    number = read_number(value)
    if number is not None:
        return "integer" if number == number.to_integral_value() else "number"
    kinds = ((bool, "boolean"), (str, "string"), (list, "array"), (dict, "object"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "null")


def type_names(value: Value) -> tuple[str, ...]:
    return tuple(str(name) for name in value) if isinstance(value, list) else (str(value),)


def _implied(parts: tuple[Node, ...]) -> frozenset[str] | None:
    if any(name in part.names() for part in parts for name in ("properties", "required", "additionalProperties")):
        return frozenset({"object"})
    return frozenset({"array"}) if any("items" in part.names() for part in parts) else None


def covers(wide: frozenset[str] | None, narrow: frozenset[str] | None) -> bool:
    """Whether every value of the narrow types is one of the wide ones."""
    if wide is None:
        return True
    return narrow is not None and all(name in wide or (name == "integer" and "number" in wide) for name in narrow)


def find_null(core: Core, seen: frozenset[str] = frozenset(), *, through: bool = False) -> Null:
    """Whether null is taken, and the place that says so; `through` asks each alternative where none is null itself."""
    if core.null is not None:
        return Null(True, core.null)
    node = core.node
    if core.is_reference:
        target = _target(node)
        if target.pointer in seen:
            return Null(None, node)
        found = find_null(find_core(target), seen | {target.pointer}, through=through)
        return Null(found.taken, found.place if found.taken else node, found.meaningless)
    return _own_null(node, seen, through=through)


def _own_null(node: Node, seen: frozenset[str], *, through: bool) -> Null:
    names, mark = node.names(), null_mark(node.view)
    nullable = node.child("nullable") if "nullable" in names else None
    meaningless = nullable if nullable is not None and mark != "nullable" and nullable.value() is True else None
    marked = node.child(mark) if mark in names else None
    if marked is not None and marked.value() is not True:
        marked = None
    if "type" in names:
        kind = node.child("type")
        if "null" in type_names(kind.value()):
            return Null(_takes_null_value(node, names), kind)
        return Null(False, kind, meaningless) if marked is None else Null(True, marked)
    if marked is not None:
        return Null(True, marked)
    for combinator in ("anyOf", "oneOf"):
        if combinator in names:
            return _null_among(node.child(combinator), seen, through=through)
    for keyword in ("const", "enum"):
        if keyword in names:
            return Null(_takes_null_value(node, names), node.child(keyword))
    if "allOf" in names:
        inner = [find_null(find_core(branch), seen, through=through) for branch in node.child("allOf").items()]
        return next((one for one in inner if one.taken is False), Null(None, node))
    return Null(None, node)


def _null_among(branches: Node, seen: frozenset[str], *, through: bool) -> Null:
    """What alternatives say of null: one that is null decides; else each has its say, where that is asked for."""
    nulls = [branch for branch in branches.items() if is_null(branch)]
    if nulls or not through:
        return Null(True, nulls[0]) if nulls else Null(None, branches.parent())
    inner = [find_null(find_core(branch), seen, through=True) for branch in branches.items()]
    taken = next((one for one in inner if one.taken), None)
    return taken or Null(False if all(one.taken is False for one in inner) else None, branches)


def _takes_null_value(node: Node, names: tuple[str, ...]) -> bool:
    """Whether an enumeration or a constant beside the type leaves null in."""
    if "const" in names:
        return node.child("const").value() is None
    values = node.child("enum").value() if "enum" in names else None
    return not isinstance(values, list) or None in values
