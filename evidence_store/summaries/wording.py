"""The words of a summary: bounded lists, names and texts of the source on one line each, pointers that can be read on."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Final

from evidence_store.documents.shown import shown_text
from evidence_store.pointers import format_pointer

MAX_NAME_CHARS: Final = 60
MAX_VALUE_CHARS: Final = 60
MAX_TEXT_CHARS: Final = 200
_PLAIN: Final = re.compile(r"[\w.$@/:+~-]+")
_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
"""What does not show, or ends a line somewhere; tab is left."""


def name(text: str) -> str:
    """A name of the source: as it is where it is one plain word, else a JSON string; cut where it is long."""
    shown = cut(text, MAX_NAME_CHARS)
    return shown if _PLAIN.fullmatch(shown) and not _HIDDEN.search(shown) else quoted(shown, MAX_NAME_CHARS + 1)


def quoted(text: str, max_chars: int = MAX_VALUE_CHARS) -> str:
    """A text of the source as a JSON string on one line; `…` stands for what is cut."""
    return _escaped(json.dumps(cut(text, max_chars), ensure_ascii=False))


def line_text(text: str, max_chars: int = MAX_TEXT_CHARS) -> str:
    """A line of the source for the end of a line of ours: escape sequences left out, what does not show as `\\u` escapes."""
    # Surrogates do not come out of a decoder; bytes are what `shown_text` takes.
    shown = shown_text(text[: 8 * max_chars].encode("utf-8", "replace")).text
    return _escaped(cut(shown.strip(), max_chars))


def pointer(tokens: Sequence[str]) -> str:
    """A JSON Pointer as it can be read; a JSON string where it is empty or would not stand as one word."""
    text = format_pointer(tuple(tokens))
    return (
        text
        if text and " " not in text and not _HIDDEN.search(text) and "\t" not in text
        else _escaped(json.dumps(text, ensure_ascii=False))
    )


def cut(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else text[:max_chars] + "…"


def counted(n: int, one: str, many: str | None = None) -> str:
    """`1 line`, `2 lines`."""
    return f"{n} {one if n == 1 else many or one + 's'}"


def listed(items: Sequence[str], most: int, n_all: int | None = None) -> str:
    """Items on one line, those past `most` counted; `n_all` where more exist than are given."""
    n_left = (len(items) if n_all is None else n_all) - min(len(items), most)
    return ", ".join(items[:most]) + (f" and {n_left} more" if n_left > 0 else "")


def section(title: str, lines: Iterable[str], most: int, n_all: int | None = None) -> str:
    """A title with its lines, each after `- `, those past `most` counted; nothing where there is no line.

    `n_all` is the number of lines where only the first were made.
    """
    found = list(lines)
    if not found:
        return ""
    n_left = (len(found) if n_all is None else n_all) - min(len(found), most)
    shown = [f"- {line}\n" for line in found[:most]]
    return f"{title}\n" + "".join(shown) + (f"- and {n_left} more\n" if n_left > 0 else "")


def _escaped(text: str) -> str:
    return _HIDDEN.sub(lambda found: "".join(f"\\u{unit:04x}" for unit in _units(found[0])), text)


def _units(char: str) -> tuple[int, ...]:
    """UTF-16 code units, as JSON escapes spell them."""
    raw = char.encode("utf-16-be", "surrogatepass")
    return tuple(int.from_bytes(raw[at : at + 2], "big") for at in range(0, len(raw), 2))
