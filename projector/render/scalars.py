"""Single-line values inside our text forms (docs/formats/packet-text.md): a field value and a line of JSON; and texts of several
lines, whatever their readers take for a line end.

Whatever a value holds, what comes out stands on one line, so nothing quoted can begin a line of the grammar.
"""

import json
import re
from typing import Final

from evidence_store.errors import JsonValue
from projector.errors import MalformedText

# Control characters (C0, DEL, C1), line and paragraph separators, halves of surrogate pairs, and the invisible tag block: a reader
# would not see them, or would see a line end where the grammar has none.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\U000e0000-\U000e007f]")

BREAKS: Final = "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""What a reader may take for a line end beside LF, for the inside of a class: all that `str.splitlines` does, and with it JavaScript."""
# Where nothing follows on the line, what the reader sees as a line of its own is empty.
_INNER_BREAK = re.compile(f"([{BREAKS}])(?!\n|\\Z)")
_FENCED_BREAK = re.compile(f"([{BREAKS}])\\| ")

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def repair_surrogates(text: str) -> str:
    """The text as UTF-8 can hold it: a pair of surrogates joined, a lone one replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def format_json(value: JsonValue) -> str:
    """Minified JSON on one line; non-ASCII kept, what a reader would not see escaped. Members keep their order."""
    return escape_unseen(_ENCODER.encode(value))


def escape_unseen(text: str) -> str:
    """JSON text with escapes in place of what a reader would not see; all of that is unprintable, which is quicker to ask."""
    return text if text.isprintable() else _UNSAFE.sub(lambda found: json.dumps(found[0])[1:-1], text)


def fence_breaks(text: str) -> str:
    """The text with `| ` behind each break within a line, so that what follows is marked like a line for who sees it as one."""
    return _INNER_BREAK.sub(r"\1| ", text)


def unfence_breaks(text: str) -> str:
    """Inverse of `fence_breaks`; a break without a mark stays."""
    return _FENCED_BREAK.sub(r"\1", text)


def parse_json(text: str) -> JsonValue:
    """Inverse of `format_json`; raises MalformedText."""
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise MalformedText(f"no JSON: {text[:80]!r}") from exc
    return value


def format_value(text: str) -> str:
    """A field value: the text itself where that is unmistakable, else a JSON string."""
    plain = bool(text) and text[0] != '"' and text == text.strip() and _UNSAFE.search(text) is None
    return text if plain else format_json(text)


def parse_value(text: str) -> str:
    """Inverse of `format_value`; raises MalformedText."""
    if not text.startswith('"'):
        return text
    value = parse_json(text)
    if not isinstance(value, str):
        raise MalformedText(f"no JSON string: {text[:80]!r}")
    return value


_ITEM = re.compile(r'"(?:[^"\\]|\\.)*"|[^,"][^,]*')


def format_list(items: tuple[str, ...]) -> str:
    """Values joined by comma and space; an item that holds a comma or a quotation mark is a JSON string."""
    return ", ".join(format_json(item) if "," in item or '"' in item else format_value(item) for item in items)


def parse_list(text: str) -> tuple[str, ...]:
    """Inverse of `format_list`, for one item or more; raises MalformedText."""
    items: list[str] = []
    at = 0
    while True:
        found = _ITEM.match(text, at)
        if found is None:
            raise MalformedText(f"no list of values: {text[:80]!r}")
        items.append(parse_value(found[0]))
        at = found.end()
        if at == len(text):
            return tuple(items)
        if not text.startswith(", ", at):
            raise MalformedText(f"no list of values: {text[:80]!r}")
        at += 2
