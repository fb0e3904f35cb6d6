"""The one JSON text of a value that is counted, digested and kept (docs/formats/token-count.md)."""

import json

import orjson

from evidence_store.errors import JsonValue
from projector.render.scalars import repair_surrogates


def minified(value: JsonValue) -> str:
    """Minified JSON as UTF-8 would carry it: members in their order, non-ASCII kept, halves of surrogate pairs replaced."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        # half a surrogate pair, or a number beyond 64 bits
        return repair_surrogates(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain))


def _plain(value: object) -> object:
    if hasattr(value, "items"):
        return dict(value.items())
    raise TypeError(f"no JSON: {type(value).__name__}")
