"""JSON Pointers (RFC 6901): text to tokens and back.

What holds: a plain pointer is never percent-decoded; a text that starts with `#` is percent-decoded once, strictly as
UTF-8, before it is split; `~1` and `~0` are undone after splitting, each token once. Whether a token is an index or a
member name is decided by the value it is applied to, so nothing here turns a token into a number but `array_index`.
"""

import re
from typing import NoReturn
from urllib.parse import unquote_to_bytes

from jsonpointer import JsonPointer, escape

from evidence_store.errors import BadIndex, MalformedPointer, NotFound
from evidence_store.model import Pointer

ROOT = Pointer("")
SHOWN_CHARS = 200
"""Characters of a caller's text that a message may repeat."""

_BAD_ESCAPE = re.compile(r"~(?![01])")
_BAD_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SURROGATE = re.compile("[\ud800-\udfff]")
_INDEX = re.compile(r"0|[1-9][0-9]*", re.ASCII)
_MAX_INDEX_DIGITS = 18
"""No container in memory has an index of more digits; converting longer ones would cost time for nothing."""


def parse_pointer(text: str) -> tuple[str, ...]:
    """The tokens of a pointer in plain or fragment form. Raises MalformedPointer, naming the token."""
    plain = _fragment_text(text) if text.startswith("#") else text
    if plain and not plain.startswith("/"):
        _refuse(plain, "a pointer is empty or starts with '/'")
    if _SURROGATE.search(plain):
        _refuse(plain, "half of a surrogate pair is no character")
    if _BAD_ESCAPE.search(plain):
        token = next(token for token in plain.split("/")[1:] if _BAD_ESCAPE.search(token))
        _refuse(token, "'~' is followed by 0 or 1 only: '~0' stands for '~' and '~1' for '/'")
    return tuple(JsonPointer(plain).parts)


def format_pointer(tokens: tuple[str, ...]) -> Pointer:
    """The plain form of these tokens."""
    return Pointer("".join(f"/{escape(token)}" for token in tokens))


def plain_form(text: str) -> Pointer:
    """The same pointer in plain form. Raises MalformedPointer."""
    return format_pointer(parse_pointer(text))


def join(pointer: Pointer, *tokens: str) -> Pointer:
    """The pointer of a place below."""
    return Pointer(pointer + format_pointer(tokens))


def parent(pointer: Pointer) -> Pointer:
    """The pointer of the container that holds this place; the root is its own parent."""
    return Pointer(pointer.rpartition("/")[0])


def last_token(pointer: Pointer) -> str | None:
    """Member name or index of this place in its container; None for the root."""
    tokens = parse_pointer(pointer)
    return tokens[-1] if tokens else None


def is_prefix(prefix: Pointer, pointer: Pointer) -> bool:
    """Whether `pointer` is the place of `prefix` or a place inside it."""
    return pointer == prefix or pointer.startswith(f"{prefix}/")


def array_index(token: str, n_items: int) -> int:
    """The index that a token names in an array of `n_items`.

    Raises BadIndex for what is no index (RFC 6901 section 4: 0, or digits without a leading zero), and NotFound for a
    well-formed one past the end and for `-`, which names the item after the last one.
    """
    if token == "-":
        raise NotFound("'-' names the item after the last one, so there is nothing to read")
    if not _INDEX.fullmatch(token):
        raise BadIndex(f"{token[:SHOWN_CHARS]!r} is no array index: 0, or digits without a leading zero")
    if len(token) > _MAX_INDEX_DIGITS or int(token) >= n_items:
        raise NotFound(f"index {token[:SHOWN_CHARS]} is past the end of an array of {n_items} items")
    return int(token)


def _fragment_text(text: str) -> str:
    bad = _BAD_PERCENT.search(text)
    if bad:
        _refuse(text[bad.start() : bad.start() + 3], "'%' is followed by two hexadecimal digits in the fragment form")
    try:
        return unquote_to_bytes(text[1:]).decode("utf-8")
    except UnicodeError as exc:
        raise MalformedPointer(f"the fragment {text[:SHOWN_CHARS]!r} is not percent-encoded UTF-8") from exc


def _refuse(token: str, why: str) -> NoReturn:
    raise MalformedPointer(f"malformed pointer at {token[:SHOWN_CHARS]!r}: {why}")
