"""The bytes that stand for a result, whatever it is: what is counted, stored and shown of it (docs/wrapping.md, "Forms").

A value that is passed on unchanged is passed on itself, and never made anew from its bytes.
"""

import base64
import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, time
from enum import Enum
from typing import Any

from api.wrap.nesting import nested_json

JSON = "application/json"
TEXT = "text/plain; charset=utf-8"
"""Of what was text in Python: its encoding is known, its format is told by the content."""
JSON_LINES = "application/jsonl"
_BLOCKS = frozenset(("text", "image", "audio", "resource", "resource_link"))
"""Kinds of content of the Model Context Protocol, revision 2025-11-25."""
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Encoded:
    """A result as bytes."""

    raw: bytes
    media_type: str | None = None
    """`TEXT`, `JSON`, or None for bytes: told by the content."""
    beside: tuple[object, ...] = ()
    """Content that is no text, such as images: it passes as it is and is not counted."""
    is_error: bool = False
    """The tool says of itself that it failed."""


def encode(value: object) -> Encoded:
    """Text and bytes as they are; content blocks by their texts; anything else as minified JSON."""
    if value is None:
        return Encoded(b"")
    if isinstance(value, str):
        return Encoded(value.encode("utf-8", "surrogatepass"), TEXT)
    if isinstance(value, bytes | bytearray | memoryview):
        return Encoded(bytes(value))
    if isinstance(value, list | tuple) and value and all(map(_is_block, value)):
        return _encode_blocks(value)
    content = _member(value, "content")
    if isinstance(content, list) and (_has(value, "isError") or _has(value, "is_error")) and all(map(_is_block, content)):
        return _encode_answer(value, content)
    return Encoded(json_text(value).encode("utf-8", "surrogatepass"), JSON)


def json_text(value: object) -> str:
    """Minified JSON. What has no form in it is spelled as text: times in ISO 8601, bytes in base64, numbers that are none by name.

    A value that cannot be looked at, or cannot say what it is, is named by its type; one that holds itself says so at that place.
    """
    try:
        return _dumped(value)
    except RecursionError:
        return nested_json(value, _opened)
    except MemoryError:
        raise
    except Exception:  # of the value's own code, whatever it raises
        return json.dumps(_said(value), ensure_ascii=False)


def _dumped(value: object) -> str:
    plain = _plain(value)
    try:
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps(_named_numbers(plain), ensure_ascii=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    """As JSON values."""
    opened = _opened(value)
    if isinstance(opened, dict):
        return {name: _plain(one) for name, one in opened.items()}
    return [_plain(one) for one in opened] if isinstance(opened, list) else opened


def _opened(value: Any) -> Any:
    """One level of a value: a dict or list of what it holds, or what stands for it. Models (pydantic) and dataclasses are their fields."""
    if isinstance(value, Enum):
        return _opened(value.value)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Mapping):
        return {str(name.value if isinstance(name, Enum) else name): one for name, one in value.items()}
    if callable(dump := getattr(value, "model_dump", None)) and not isinstance(value, type):
        return dump(mode="json", by_alias=True)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
    return _opened_other(value)


def _opened_other(value: Any) -> Any:
    if isinstance(value, Set):
        return sorted(value, key=json_text)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return list(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(value).decode()
    if isinstance(value, date | time):
        return value.isoformat()
    return _said(value)


def _said(value: object) -> str:
    """What a value says that it is; its type where it cannot."""
    try:
        return str(value)
    except MemoryError:
        raise
    except Exception:  # of the value's own code, whatever it raises
        return f"<{type(value).__name__}>"


def _named_numbers(value: Any) -> Any:
    """Numbers that JSON cannot spell as their names."""
    if isinstance(value, Mapping):
        return {name: _named_numbers(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_named_numbers(one) for one in value]
    return str(value) if isinstance(value, float) and not (abs(value) < float("inf")) else value


# -- content of the Model Context Protocol


def _has(value: object, name: str) -> bool:
    return _member(value, name, _ABSENT) is not _ABSENT


def _member(value: object, name: str, absent: object = None) -> Any:
    if type(value) is dict:
        return value.get(name, absent)
    try:
        return value.get(name, absent) if isinstance(value, Mapping) else getattr(value, name, absent)
    except Exception:  # of the value's own code: then it is no content
        return absent


def _is_block(value: object) -> bool:
    kind = _member(value, "type")
    return isinstance(kind, str) and kind in _BLOCKS and (kind != "text" or isinstance(_member(value, "text"), str))


def _text_of(block: object) -> str | None:
    """The text of a block; None where it is none."""
    kind = _member(block, "type")
    found = _member(block if kind == "text" else _member(block, "resource"), "text") if kind in ("text", "resource") else None
    return found if isinstance(found, str) else None


def _encode_blocks(blocks: Iterable[object], *, is_error: bool = False) -> Encoded:
    """The texts, joined by line ends where there are several; all else beside."""
    texts: list[str] = []
    beside: list[object] = []
    for block in blocks:
        text = _text_of(block)
        if text is None:
            beside.append(block)
        else:
            texts.append(text)
    return Encoded("\n".join(texts).encode("utf-8", "surrogatepass"), TEXT, tuple(beside), is_error)


def _encode_answer(value: object, blocks: Sequence[object]) -> Encoded:
    """A tool answer: its content, or its structured content where it has no text."""
    is_error = bool(_member(value, "isError") if _has(value, "isError") else _member(value, "is_error"))
    made = _encode_blocks(blocks, is_error=is_error)
    structured = _member(value, "structuredContent") or _member(value, "structured_content")
    if made.raw or structured is None:
        return made
    return dataclasses.replace(made, raw=json_text(structured).encode("utf-8", "surrogatepass"), media_type=JSON)
