"""The arguments of a call as JSON values, and the name that they give its resource: other arguments, another name.

A text stands as it is, anything else as JSON. What would then read the same is told apart: a text that could be taken for JSON stands
between quotation marks, and `%`, `&` and `=` are escaped as in an address. Secrets are masked before anything is hashed: two calls
that differ in a secret alone have one name.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from api.wrap.forms import json_text
from evidence_store.errors import JsonValue
from evidence_store.model import ResourceName
from evidence_store.secrets import mask_text

MAX_ARGUMENT_CHARS = 160
"""Of arguments that are spelled out."""
MAX_TOOL_CHARS = 200
ERROR_SUFFIX = "#error"
"""Of the resource of what failing calls say: the words of an error are no observation of what was asked for."""
_DIGEST_CHARS = 16
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_REVISION = re.compile(r"@[0-9]+\Z")
"""At the end of a name it would be read as the number of a revision."""
_ESCAPED = str.maketrans({"%": "%25", "&": "%26", "=": "%3D"})
_LIKE_JSON = re.compile(r'(?:["\[{].*|true|false|null|-?(?:Infinity|[0-9].*)|NaN|)', re.DOTALL)
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def resource_name(tool: str, arguments: Mapping[str, JsonValue]) -> ResourceName:
    """`TOOL`, or `TOOL?name=value&…` with the names in order; `TOOL?~DIGEST` where that is long, or holds what is not for a name."""
    plain = _REVISION.sub("", _UNPRINTABLE.sub("�", tool))[:MAX_TOOL_CHARS] or "tool"
    if not arguments:
        return ResourceName(plain)
    spelled = [(key, _spelled(value)) for key, value in sorted(arguments.items())]
    open_text = "&".join(f"{key}={text}" for key, text in spelled)
    if (masked := mask_text(open_text)) != open_text:
        return ResourceName(f"{plain}?~{_digest(json.dumps([*sorted(arguments), masked]))}")
    said = "&".join(f"{key.translate(_ESCAPED)}={text.translate(_ESCAPED)}" for key, text in spelled)
    plain_enough = not (_UNPRINTABLE.search(said) or _REVISION.search(said) or said.endswith(ERROR_SUFFIX))
    name = f"{plain}?{said}"
    if len(said) <= MAX_ARGUMENT_CHARS and plain_enough and mask_text(name) == name:
        return ResourceName(name)
    return ResourceName(f"{plain}?~{_digest(said)}")


def _spelled(value: JsonValue) -> str:
    if isinstance(value, str) and _LIKE_JSON.fullmatch(value) is None:
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def plain_arguments(arguments: Mapping[str, object]) -> dict[str, JsonValue]:
    """Arguments as JSON values; what has no form in JSON is its type and a digest of what it holds."""
    return {str(name): _plain(value) for name, value in arguments.items()}


def _plain(value: object) -> JsonValue:
    try:
        return _plainly(value)
    except RecursionError:
        return _typed(value, json_text(value))


def _plainly(value: object) -> JsonValue:
    if value is None or type(value) in (str, int, float, bool):
        return value  # type: ignore[return-value]
    if isinstance(value, Mapping):
        return {_key(name): _plainly(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plainly(one) for one in value]
    if isinstance(value, bytes | bytearray | memoryview):
        return _typed(value, bytes(value).hex())
    if hasattr(value, "model_dump") or hasattr(value, "__dataclass_fields__"):
        return json_text(value)
    if isinstance(value, str | int | float):
        return value
    text = json_text(value)
    return _typed(value, _held(value) if _ADDRESS.search(text) else text)


def _key(name: object) -> str:
    return name if isinstance(name, str) else f"~{type(name).__name__} {name}"


def _typed(value: object, said: str) -> JsonValue:
    return {f"~{type(value).__name__}": _digest(said)}


def _held(value: Any) -> str:
    """What an object holds that says of itself only where it is in memory, which tells nothing of the call."""
    return _ADDRESS.sub("", json_text(getattr(value, "__dict__", None) or str(value)))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_CHARS]
