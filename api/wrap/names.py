"""The name of the resource that a tool's outputs are revisions of: the tool, and the arguments that it was called with.

A name is listed and shown, so it holds no secret: arguments in which one stands, and long ones, are named by a digest.
"""

import hashlib
import json
import re
from collections.abc import Mapping

from evidence_store.errors import JsonValue
from evidence_store.model import ResourceName
from evidence_store.secrets import mask_text

MAX_ARGUMENT_CHARS = 160
"""Of arguments that are spelled out."""
MAX_TOOL_CHARS = 200
_DIGEST_CHARS = 16
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_REVISION = re.compile(r"@[0-9]+\Z")
"""At the end of a name it would be read as the number of a revision."""


def resource_name(tool: str, arguments: Mapping[str, JsonValue]) -> ResourceName:
    """`TOOL`, or `TOOL?name=value&…` with the names in order; `TOOL?~DIGEST` where that is long, or holds what is not for a name."""
    plain = _REVISION.sub("", _UNPRINTABLE.sub("�", tool))[:MAX_TOOL_CHARS] or "tool"
    if not arguments:
        return ResourceName(plain)
    said = "&".join(f"{key}={_spelled(value)}" for key, value in sorted(arguments.items()))
    plain_enough = not _UNPRINTABLE.search(said) and not _REVISION.search(said)
    name = f"{plain}?{said}"
    if len(said) <= MAX_ARGUMENT_CHARS and plain_enough and mask_text(name) == name:
        return ResourceName(name)
    digest = hashlib.sha256(mask_text(said).encode("utf-8", "surrogatepass")).hexdigest()
    return ResourceName(f"{plain}?~{digest[:_DIGEST_CHARS]}")


def _spelled(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
