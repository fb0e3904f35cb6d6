"""The words of a sentence about a place: each word in backticks is a token of the place's own pointer, or is cited beside it."""

from dataclasses import dataclass

from api.compat_report.comparison import Fault, resolve
from api.compat_report.model import Cite, Direction
from api.compat_report.pairs import Schemas
from api.compat_report.pointers import ancestor_of, locate, split_pointer
from api.compat_report.subjects import MORE
from api.compat_report.view import Node

_UNSPOKEN = {"allOf", "anyOf", "oneOf"}
_PLACES = {"formData": "form"}
_STRUCTURE = {"properties", "patternProperties", "items", "additionalProperties", "content", "schema", "headers", "responses", *_UNSPOKEN}


@dataclass(frozen=True, slots=True)
class Phrase:
    """What a place is called, and the passages that its name stands in."""

    text: str
    cites: tuple[Cite, ...] = ()


def describe_schema(node: Node, direction: Direction) -> Phrase:
    """`response property `name` of schema `Order`` and the like; raises Hidden when a parameter's name is not shown."""
    tokens = split_pointer(node.pointer)
    parameter = _parameter_depth(tokens)
    if parameter is not None:
        owner = describe_parameter(node.view.node(ancestor_of(node.pointer, parameter)))
        steps = _steps(tokens[parameter:])
        return Phrase(" of ".join([*steps, owner.text]), owner.cites)
    root = _named_root(node)
    return Phrase(f"{direction} {' of '.join([*_steps(tokens[root.depth :]), root.text])}")


def describe_change(node: Node, pair: Schemas) -> Phrase:
    """As `describe_schema` for a place of either side; where the two sides are schemas of two names, both are said."""
    phrase = describe_schema(node, pair.direction)
    before, after = _find_root(pair.old), _find_root(pair.new)
    named = any(root is not None and root.text.startswith("schema `") for root in (before, after))
    if before is None or after is None or before.text == after.text or "`" not in after.text or not named:
        return phrase
    place = Cite(pair.new.view.side, ancestor_of(pair.new.pointer, after.depth), "context", "keys")
    return Phrase(f"{phrase.text} ({after.text} in the new version)", (*phrase.cites, place))


def describe_parameter(node: Node) -> Phrase:
    """`query parameter `limit``, with the passages that say so."""
    try:
        target = resolve(node)
    except Fault:
        return Phrase("parameter")
    name, place = target.child("name"), target.child("in").text() or ""
    return Phrase(f"{_PLACES.get(place, place)} parameter `{name.text()}`", (Cite(node.view.side, name.pointer, "context"),))


def describe_operation(method: str, path: str) -> str:
    return f"`{method} {path}`"


def depth_of_method(tokens: tuple[str, ...]) -> int:
    """How many tokens lead to an operation under `paths`."""
    return 4 if tokens[2:3] == (MORE,) and len(tokens) > 3 else 3


def spell(node: Node) -> str | None:
    """A scalar as it may stand in a sentence: only where the source spells it in these very characters, on one line."""
    if node.value() is None:
        return "`null`" if node.view.says(node.pointer, "null") else None
    text = node.text()
    if text is None or not text.isprintable() or "`" in text or not 0 < len(text) <= 80 or not node.view.says(node.pointer, text):
        return None
    return f"`{text}`"


@dataclass(frozen=True, slots=True)
class _Root:
    depth: int
    text: str


def _find_root(node: Node) -> _Root | None:
    """The named place that a schema stands under; None in a parameter, which is called by its own name."""
    return _named_root(node) if _parameter_depth(split_pointer(node.pointer)) is None else None


def _named_root(node: Node) -> _Root:
    tokens = split_pointer(node.pointer)
    return _root(tokens) if not locate(node.pointer).resource else _root_of_part(tokens)


def _root(tokens: tuple[str, ...]) -> _Root:
    """The named place under which a schema stands."""
    if tokens[:2] == ("components", "schemas") and len(tokens) > 2:
        return _Root(3, f"schema `{tokens[2]}`")
    if tokens[:1] == ("definitions",) and len(tokens) > 1:
        return _Root(2, f"schema `{tokens[1]}`")
    if tokens[:1] == ("responses",) and len(tokens) > 1:
        return _Root(2, f"`{tokens[1]}` in `responses`")
    if tokens[:1] == ("components",) and len(tokens) > 2:
        return _Root(3, f"`{tokens[2]}` in `{tokens[1]}`")
    if tokens[:1] == ("paths",) and len(tokens) > 2:
        depth = depth_of_method(tokens)
        operation = describe_operation(tokens[depth - 1], tokens[1])
        if "responses" in tokens[depth : depth + 1] and len(tokens) > depth + 1:
            return _Root(depth + 2, f"body `{tokens[depth + 1]}` of {operation}")
        return _Root(depth, f"body of {operation}")
    return _Root(0, "schema")


def _root_of_part(tokens: tuple[str, ...]) -> _Root:
    """In another file a first token that is no keyword names one of several schemas."""
    named = tokens[:1] and tokens[0] not in _STRUCTURE
    return _Root(1, f"schema `{tokens[0]}`") if named else _Root(0, "schema")


def _steps(tokens: tuple[str, ...]) -> list[str]:
    """What leads from the root to the place, innermost first."""
    steps: list[str] = []
    at = 0
    while at < len(tokens):
        token, following = tokens[at], tokens[at + 1 : at + 2]
        if token in ("properties", "patternProperties", "headers") and following:
            steps.append(f"{'header' if token == 'headers' else 'property'} `{following[0]}`")
            at += 1
        elif token == "content" and following:
            at += 1
        elif token == "items":
            steps.append("items")
        elif token == "additionalProperties":
            steps.append("further properties")
        elif token in _UNSPOKEN:
            at += 1
        at += 1
    return steps[::-1]


def _parameter_depth(tokens: tuple[str, ...]) -> int | None:
    """How many tokens lead to the parameter that this place is in, None where it is in none."""
    for depth in range(1, len(tokens)):
        if tokens[depth - 1] == "parameters" and (tokens[:2] == ("components", "parameters") or depth == 1 or tokens[0] == "paths"):
            return depth + 1
        if tokens[depth - 1] in ("requestBody", "responses", "schemas", "callbacks"):
            return None
    return None
