"""Nodes as values: JSON text with numbers as written, and plain data without floats.

What must not stand here: an excerpt. An excerpt is a slice; a value stands beside it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn

from evidence_store.documents.depth import require_depth
from evidence_store.documents.model import DEFAULT_LIMITS, Child, Document, Node, Number, PlainValue, Scalar
from evidence_store.documents.yaml_schema import is_json_number
from evidence_store.errors import InvalidInput, LimitExceeded, RefusedDocument
from evidence_store.model import Format

__all__ = ["Number", "PlainValue", "ValueText", "parse_excerpt", "plain_value", "value_json"]

NUMBER_AS_TEXT = "number_as_text"
MAX_VALUE_BYTES = 16 * 1024 * 1024
"""Aliases may make a value larger than its source; past this it is not written."""
MAX_PLAIN_NODES = 1_000_000

_COUNTED_INDENT = re.compile(r"[|>][-+]?[1-9]")


@dataclass(frozen=True, slots=True)
class ValueText:
    """A node as JSON text."""

    json: bytes
    transforms: tuple[str, ...] = ()
    """`number_as_text` where a number that JSON cannot spell is a string here."""


def value_json(document: Document, node: Node, max_bytes: int = MAX_VALUE_BYTES) -> ValueText | None:
    """The node as JSON; of a JSON document the slice itself. None where members are repeated in it, or past `max_bytes`."""
    if has_repeats(document, node):
        return None
    if document.format is Format.JSON or (document.format is Format.JSONL and node != document.root):
        return ValueText(document.source(node)) if node.span.length <= max_bytes else None
    return _Writer(document, max_bytes).write(node)


def minified_json(document: Document, node: Node, max_bytes: int = MAX_VALUE_BYTES) -> ValueText:
    """The node as JSON without blanks, whatever it is written in.

    Raises RefusedDocument where members are repeated, LimitExceeded past `max_bytes`.
    """
    if has_repeats(document, node):
        raise RefusedDocument("a member is repeated, so the object has no one value", code="duplicate_key")
    written = _Writer(document, max_bytes).write(node)
    if written is None:
        raise LimitExceeded(f"the value has more than {max_bytes} bytes", {"limit": max_bytes}, code="too_large")
    return written


def name_json(name: str) -> bytes:
    """A member name with the colon behind it."""
    return json.dumps(name, ensure_ascii=False).encode("utf-8") + b":"


def scalar_json(value: Scalar) -> ValueText:
    """A scalar as JSON."""
    if isinstance(value, Number) and is_json_number(value):
        return ValueText(value.encode("ascii"))
    written = json.dumps(value, ensure_ascii=False).encode("utf-8")
    return ValueText(written, (NUMBER_AS_TEXT,) if isinstance(value, Number) else ())


def has_repeats(document: Document, node: Node) -> bool:
    """Whether an object at or below this node repeats a member."""
    if not document.may_repeat:
        return False
    pending = [node]
    while pending:
        current = pending.pop()
        if current.type == "object" and document.repeated(current):
            return True
        pending += [child.node for child in document.children(current) if child.node.is_container]
    return False


def plain_value(document: Document, node: Node, max_nodes: int = MAX_PLAIN_NODES) -> PlainValue:
    """The node as dict, list, str, Number, bool and None.

    Raises RefusedDocument where members are repeated, LimitExceeded past `max_nodes`.
    """
    levels: list[_Level] = []
    n_nodes = 0
    child: Child | None = Child("", node)
    while True:
        if child is None:
            done = levels.pop()
            if not levels:
                return done.value
            levels[-1].put(done.token, done.value)
        else:
            n_nodes += 1
            if n_nodes > max_nodes:
                raise LimitExceeded(f"the value has more than {max_nodes} nodes", {"limit": max_nodes})
            if child.node.is_container:
                levels.append(_Level(document, child))
            elif not levels:
                return document.scalar(child.node)
            else:
                levels[-1].put(child.token, document.scalar(child.node))
        child = next(levels[-1].children, None)


class _Level:
    """A container that is being built."""

    def __init__(self, document: Document, child: Child) -> None:
        if document.repeated(child.node):
            raise RefusedDocument("a member is repeated, so the object has no one value", code="duplicate_key")
        self.token = child.token
        self.children: Iterator[Child] = iter(document.children(child.node))
        self._members: dict[str, PlainValue] = {}
        self._items: list[PlainValue] = []
        self._is_object = child.node.type == "object"

    @property
    def value(self) -> PlainValue:
        return self._members if self._is_object else self._items

    def put(self, token: str, value: PlainValue) -> None:
        if self._is_object:
            self._members[token] = value
        else:
            self._items.append(value)


@dataclass(slots=True)
class _Writer:
    """Writes one value as JSON text, without recursion."""

    document: Document
    max_bytes: int
    pieces: list[bytes] = field(default_factory=list)
    size: int = 0
    number_as_text: bool = False

    def write(self, node: Node) -> ValueText | None:
        levels: list[tuple[bool, Iterator[Child]]] = []
        self._open(node, levels)
        while levels and self.size <= self.max_bytes:
            is_object, children = levels[-1]
            child = next(children, None)
            if child is None:
                levels.pop()
                self._put(b"}" if is_object else b"]")
                continue
            if self.pieces[-1] not in (b"{", b"["):
                self._put(b",")
            if is_object:
                self._put(name_json(child.token))
            self._open(child.node, levels)
        if self.size > self.max_bytes:
            return None
        return ValueText(b"".join(self.pieces), (NUMBER_AS_TEXT,) if self.number_as_text else ())

    def _open(self, node: Node, levels: list[tuple[bool, Iterator[Child]]]) -> None:
        if node.is_container:
            self._put(b"{" if node.type == "object" else b"[")
            levels.append((node.type == "object", iter(self.document.children(node))))
        else:
            scalar = scalar_json(self.document.scalar(node))
            self._put(scalar.json)
            self.number_as_text = self.number_as_text or bool(scalar.transforms)

    def _put(self, piece: bytes) -> None:
        self.pieces.append(piece)
        self.size += len(piece)


def parse_excerpt(text: str, format: Format, column: int = 0) -> PlainValue:
    """The value of an excerpt, for a reader who has nothing else.

    `column` is that of the excerpt's first character; it restores the indentation of the first line. Raises RefusedDocument for
    text that is no value of its own, such as one with an alias whose anchor stands elsewhere or a block scalar whose head counts the
    indentation from what stands around it (`|2`); InvalidInput for a format without values.
    """
    match format:
        case Format.JSON | Format.JSONL:
            return _parse_json(text)
        case Format.YAML:
            return _parse_yaml(text, column)
        case Format.TEXT | Format.JUNIT | Format.CSV | Format.BYTES:
            raise InvalidInput(f"an excerpt of format {format.value} has no value", code="no_structure")


def _parse_yaml(text: str, column: int) -> PlainValue:
    # Start-up cost: the YAML parser is loaded only where YAML is read.
    from evidence_store.documents.yaml import YamlDocument

    if _COUNTED_INDENT.match(text):
        raise RefusedDocument("the head of this block scalar counts from an indentation that the excerpt does not show")
    # A slice ends before its line end, which belongs to the text of a block scalar.
    document = YamlDocument((" " * column + text + "\n").encode("utf-8"))
    return plain_value(document, document.root)


def _parse_json(text: str) -> PlainValue:
    require_depth(text.encode("utf-8"), DEFAULT_LIMITS.max_depth)
    try:
        value: PlainValue = json.loads(
            text, parse_int=Number, parse_float=Number, parse_constant=_refuse_constant, object_pairs_hook=_unique_members
        )
    except json.JSONDecodeError as exc:
        raise RefusedDocument(f"not JSON: {exc.msg}", {"line": exc.lineno, "column": exc.colno}, code="syntax") from exc
    return value


def _refuse_constant(word: str) -> NoReturn:
    raise RefusedDocument(f"{word} is no JSON number (RFC 8259 section 6)", code="not_json_number")


def _unique_members(pairs: list[tuple[str, PlainValue]]) -> dict[str, PlainValue]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise RefusedDocument("a member is repeated, so the object has no one value", code="duplicate_key")
    return members
