"""What continues a packet, as arguments of the tool that gave it: models know no options (docs/formats/packet-text.md)."""

import re
from collections.abc import Mapping

from evidence_store.errors import JsonValue
from projector.render.scalars import format_json

_OPTION = re.compile(r"(--keys )?--(lines|bytes|children) ([0-9]+-[0-9]+)|--max-tokens ([0-9]{1,15})")


def continuing(option: str) -> Mapping[str, JsonValue] | None:
    """The arguments that an option of `evidence read` or `evidence summary` stands for; None for what is no such option."""
    found = _OPTION.fullmatch(option)
    if found is None:
        return None
    if found[4] is not None:
        return {"max_tokens": int(found[4])}
    view: dict[str, JsonValue] = {"view": "keys"} if found[1] else {}
    return view | {found[2]: found[3]}


def continuing_text(option: str | None) -> str | None:
    """The same as minified JSON; anything else as it is."""
    arguments = None if option is None else continuing(option)
    return option if arguments is None else format_json(dict(arguments))
