"""How deep a JSON text nests and how many members and values it has, without recursion and without a parser, so that no parser meets
a text that is too deep or has too many.

Strings are cut out first, with their escapes, so that what stands inside them does not count. Texts that are no JSON may be
counted too deep, never too shallow: whatever is left open counts as open.
"""

import re
from array import array
from dataclasses import dataclass
from itertools import accumulate

from evidence_store.errors import LimitExceeded

_OPEN, _CLOSE = b"[]"
_BOTH_KINDS = bytes.maketrans(b"{}", b"[]")
_NOT_COUNTED = bytes(n for n in range(256) if n not in b'"[]{}:')
_NOT_SIGNS = bytes(n for n in range(256) if n not in b'"[]{}:,')
_STRING = re.compile(rb'"[^"]*+"?')
_ESCAPE = re.compile(rb"\\.?", re.DOTALL)
_STEPS = bytes(1 if n == _OPEN else 0xFF if n == _CLOSE else 0 for n in range(256))
_QUICK_LAYERS = 32
"""Real documents are flatter than this, and are counted by taking away one layer of brackets at a time."""


@dataclass(frozen=True, slots=True)
class Structure:
    """What is counted of a JSON text."""

    depth: int
    """Containers inside one another, the outermost counted; 0 for a scalar."""
    n_members: int
    """Members of all objects, repeated ones each time they stand."""
    n_nodes: int
    """At most so many values, by commas and opening brackets: an empty container counts twice."""


def require_depth(raw: bytes, limit: int) -> Structure:
    """The structure of a JSON text. Raises LimitExceeded when its containers stand more than `limit` deep."""
    found = measure(raw)
    if found.depth > limit:
        raise LimitExceeded(f"the depth of the document is over the limit of {limit} containers inside one another", {"limit": limit})
    return found


def require_bounds(raw: bytes, max_depth: int, max_nodes: int) -> Structure:
    """The same, and LimitExceeded (`too_many_nodes`) when the text may have more than `max_nodes` values."""
    found = require_depth(raw, max_depth)
    require_nodes(found.n_nodes, max_nodes)
    return found


def require_nodes(n_nodes: int, limit: int) -> None:
    if n_nodes > limit:
        raise LimitExceeded(f"the document has more than the limit of {limit} values", {"limit": limit}, code="too_many_nodes")


def measure(raw: bytes) -> Structure:
    signs = _without_strings(_without_escapes(raw), _NOT_SIGNS)
    return Structure(_depth(signs.translate(None, b":,")), signs.count(b":"), 1 + signs.count(b",") + signs.count(b"["))


def count_members(raw: bytes) -> int:
    """Members of all objects of a JSON text."""
    return _without_strings(_without_escapes(raw)).count(b":")


def _depth(brackets: bytes) -> int:
    n_layers = 0
    while brackets and n_layers < _QUICK_LAYERS:
        fewer = brackets.replace(b"[]", b"")
        if len(fewer) == len(brackets):
            break
        brackets = fewer
        n_layers += 1
    if not brackets:
        return n_layers
    steps = array("b", brackets.translate(_STEPS))
    return n_layers + max(0, max(accumulate(steps)))


def _without_strings(text: bytes, not_counted: bytes = _NOT_COUNTED) -> bytes:
    # Two quotes in a row are an empty string, or the end of one and the start of the next: both may go.
    counted = text.translate(_BOTH_KINDS, not_counted).replace(b'""', b"")
    return _STRING.sub(b"", counted) if b'"' in counted else counted


def _without_escapes(raw: bytes) -> bytes:
    """The text without backslashes and the character after each, so that every quote left begins or ends a string."""
    return _ESCAPE.sub(b"", raw) if b"\\" in raw else raw
