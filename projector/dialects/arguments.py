"""Arguments of calls and ids of calls, where they move from one provider's form into another's."""

import hashlib
import re
from collections.abc import Mapping

import orjson

from evidence_store.errors import JsonValue
from projector.render.scalars import format_json, repair_surrogates

_SAFE_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
_SAFE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


def parse_arguments(text: JsonValue) -> Mapping[str, JsonValue]:
    """Arguments that are an object, or the text of one; any other text is kept under `input`."""
    if isinstance(text, Mapping):
        return text
    if not isinstance(text, str) or not text.strip():
        return {}
    try:
        value: JsonValue = orjson.loads(repair_surrogates(text))
    except orjson.JSONDecodeError:
        return {"input": text}
    return value if isinstance(value, Mapping) else {"input": value}


def format_arguments(arguments: JsonValue) -> str:
    """Arguments as the text of a JSON object."""
    return format_json(dict(parse_arguments(arguments)))


def portable_id(call: str) -> str:
    """The id itself where every provider takes it (letters, digits, `_`, `-`, at most 40), else one made from it."""
    if _SAFE_ID.fullmatch(call):
        return call
    return f"call_{hashlib.sha256(repair_surrogates(call).encode()).hexdigest()[:24]}"


def portable_name(name: str) -> str:
    """The name of a tool as every provider takes it."""
    if _SAFE_NAME.fullmatch(name):
        return name
    return re.sub(r"[^A-Za-z0-9_-]", "_", f"_{name}" if not name[:1].isalpha() else name)[:64]
