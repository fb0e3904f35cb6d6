"""Whether bytes are JSON that can be kept as a document, in one pass over them at the speed of the C parsers.

Order: size, encoding, depth and number of values, grammar, repeated members. The exact scanner runs only on the part in which a fast reader
found a fault, so a sound document never meets it. Numbers of any size and spelling are JSON (RFC 8259 section 6).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NoReturn

import msgspec
import orjson

from evidence_store.documents.depth import Structure, count_members, require_bounds
from evidence_store.documents.encoding import UTF8_MARK, require_utf8
from evidence_store.documents.json import JsonDocument
from evidence_store.documents.json_faults import Repeat, refuse, scan
from evidence_store.documents.model import DEFAULT_LIMITS, Child, Limits, Node, Note, repeat_note
from evidence_store.documents.text import LineStarts
from evidence_store.errors import LimitExceeded, RefusedDocument

LARGE_BYTES = 64 * 1024
"""Containers over this size are indexed child by child (docs/formats/spans.md) and read one level at a time."""
_SPACE = b" \t\r\n"
_GRAMMAR: Final = msgspec.json.Decoder(msgspec.Raw)


class _RepeatedMember(Exception):
    """Some object in the part just read repeats a member."""


def _require_unique(pairs: list[tuple[str, object]]) -> None:
    if len(dict(pairs)) != len(pairs):
        raise _RepeatedMember


# Nothing of the parts is kept: objects become None, numbers stay text and so cost no conversion.
_UNIQUE = json.JSONDecoder(object_pairs_hook=_require_unique, parse_float=str, parse_int=str)


@dataclass(frozen=True, slots=True)
class LargeContainer:
    """A container over the size asked for, with its place."""

    tokens: tuple[str, ...]
    node: Node
    document: JsonDocument

    def children(self) -> Iterator[Child]:
        return iter(self.document.children(self.node))


def iter_large(document: JsonDocument, min_bytes: int = LARGE_BYTES) -> Iterator[LargeContainer]:
    """Every container of more than `min_bytes`, the outer before the inner; inside an object that repeats members, none."""
    yield from _iter_large(document, (), document.root, min_bytes)


def _iter_large(document: JsonDocument, tokens: tuple[str, ...], node: Node, min_bytes: int) -> Iterator[LargeContainer]:
    pending = [LargeContainer(tokens, node, document)] if _is_large(node, min_bytes) else []
    while pending:
        container = pending.pop()
        yield container
        if document.repeated(container.node):
            continue
        pending += [
            LargeContainer((*container.tokens, child.token), child.node, document)
            for child in document.iter_containers(container.node)
            if _is_large(child.node, min_bytes)
        ]


@dataclass(frozen=True, slots=True)
class JsonText:
    """Bytes that are JSON, and what was found in them."""

    document: JsonDocument
    notes: tuple[Note, ...]


def check_json(raw: bytes, limits: Limits = DEFAULT_LIMITS) -> tuple[Note, ...]:
    """What was found in bytes that are JSON. Raises as `read_json`."""
    return read_json(raw, limits).notes


def read_json(raw: bytes, limits: Limits = DEFAULT_LIMITS) -> JsonText:
    """The document of bytes that are JSON.

    Raises RefusedDocument (`line`, `column`, `byte` in the details) for what is not JSON, LimitExceeded past a limit.
    """
    if len(raw) > limits.max_bytes:
        raise LimitExceeded(f"{len(raw)} bytes are over the limit of {limits.max_bytes}", {"limit": limits.max_bytes})
    notes = require_utf8(raw, "JSON")
    start = len(UTF8_MARK) if raw.startswith(UTF8_MARK) else 0
    read = _large_container(raw, start, limits)
    if read is None:
        read = _Read(require_value(raw, start, len(raw), limits), JsonDocument(raw))
    document, structure = read.document, read.structure
    repeats = () if has_unique_members(document, structure) else list(iter_repeats(document, (), document.root))
    return JsonText(document, notes + repeat_notes(raw, repeats, limits))


@dataclass(frozen=True, slots=True)
class _Read:
    structure: Structure
    document: JsonDocument


def _large_container(raw: bytes, start: int, limits: Limits) -> _Read | None:
    """A large text whose root is a container: reading its children passes over all of it, and needs no other pass for the grammar."""
    if len(raw) <= LARGE_BYTES or raw[start:].lstrip(_SPACE)[:1] not in (b"{", b"["):
        return None
    structure = require_bounds(raw[start:], limits.max_depth, limits.max_nodes)
    document = JsonDocument(raw)
    try:
        document.children(document.root)
    except (msgspec.DecodeError, RecursionError) as exc:
        _refuse(raw, start, len(raw), exc, limits)
    return _Read(structure, document)


def require_value(raw: bytes, start: int, end: int, limits: Limits) -> Structure:
    """The structure of the one JSON value in this range of a UTF-8 text. Raises RefusedDocument, or LimitExceeded past a limit."""
    structure = require_bounds(raw[start:end], limits.max_depth, limits.max_nodes)
    try:
        _GRAMMAR.decode(memoryview(raw)[start:end])
    except (msgspec.DecodeError, RecursionError) as exc:
        _refuse(raw, start, end, exc, limits)
    return structure


def has_unique_members(document: JsonDocument, structure: Structure) -> bool:
    """Whether as many members are left when a reader that keeps the last of a name has read the text; False is not certain."""
    try:
        return sum(_iter_kept(document)) == structure.n_members
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return False  # half a surrogate pair, or a number that this reader does not take


def _iter_kept(document: JsonDocument) -> Iterator[int]:
    """Members that a reader keeps: of each large container, and of what lies below, part by part."""
    if not _is_large(document.root, LARGE_BYTES):
        yield count_members(orjson.dumps(orjson.loads(document.source(document.root))))
    for container in iter_large(document):
        if container.node.type == "object":
            if document.repeated(container.node):
                return  # fewer than are written
            yield len(document.children(container.node))
        small = (child.node for child in document.iter_containers(container.node) if not _is_large(child.node, LARGE_BYTES))
        yield from map(count_members, _joined(orjson.dumps(orjson.loads(document.source(node))) for node in small))


def _joined(texts: Iterator[bytes]) -> Iterator[bytes]:
    """The texts in parts of about 64 KiB, each to be looked at once."""
    part = bytearray()
    for text in texts:
        part += text
        if len(part) > LARGE_BYTES:
            yield bytes(part)
            part.clear()
    yield bytes(part)


def _refuse(raw: bytes, start: int, end: int, cause: Exception, limits: Limits) -> NoReturn:
    if isinstance(cause, RecursionError):
        # Only where `max_depth` was raised over what the interpreter's stack takes.
        raise LimitExceeded("the depth of the document is over what this process can read", {"limit": limits.max_depth}) from cause
    if not raw[start:end].strip(_SPACE):
        refuse(raw, end, "empty", "the text is empty")
    scan(raw, start, end)
    raise RefusedDocument("not JSON", code="syntax") from cause


def iter_repeats(document: JsonDocument, tokens: tuple[str, ...], node: Node) -> Iterator[Repeat]:
    """Repeated members at or below a node, whose own place is `tokens`.

    Large containers are read one level at a time, so that no more than a small part is ever held as text.
    """
    if not _is_large(node, LARGE_BYTES):
        yield from _repeats_of_part(document, tokens, node)
    for container in _iter_large(document, tokens, node, LARGE_BYTES):
        if document.repeated(container.node):
            for repeat in document.repeats(container.node):
                yield replace(repeat, container=(*container.tokens, *repeat.container))
            continue
        for child in container.children():
            if not _is_large(child.node, LARGE_BYTES):
                yield from _repeats_of_part(document, (*container.tokens, child.token), child.node)


def _repeats_of_part(document: JsonDocument, tokens: tuple[str, ...], node: Node) -> Sequence[Repeat]:
    if not node.is_container:
        return ()
    try:
        _UNIQUE.decode(document.source(node).decode("utf-8"))
    except _RepeatedMember:
        return _scan_part(document, tokens, node)
    return ()


def _scan_part(document: JsonDocument, tokens: tuple[str, ...], node: Node) -> Sequence[Repeat]:
    return scan(document.raw, node.span.start, node.span.end, tokens).repeats


def _is_large(node: Node, min_bytes: int) -> bool:
    return node.is_container and node.span.length > min_bytes


def repeat_notes(raw: bytes, repeats: Sequence[Repeat], limits: Limits) -> tuple[Note, ...]:
    if len(repeats) > limits.max_repeats:
        text = f"{len(repeats)} members are repeated, over the limit of {limits.max_repeats}"
        raise RefusedDocument(text, {"limit": limits.max_repeats}, code="duplicate_key")
    lines = LineStarts(raw) if repeats else None
    return tuple(repeat_note(repeat.container, repeat.name, [lines.line(at) for at in repeat.offsets]) for repeat in repeats if lines)
