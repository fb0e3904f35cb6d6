"""The docstring of a tool with its filters described, in the style in which it describes its own arguments.

Frameworks read descriptions of arguments from docstrings, in the style of Google, of Sphinx or of NumPy.
"""

import inspect
import re
from collections.abc import Callable, Sequence

from api.wrap.filters import SCHEMAS
from api.wrap.rules import FilterName

_GOOGLE = re.compile(r"^(?:Args|Arguments|Parameters|Params):[ \t]*\n((?:[ \t]+.*(?:\n|\Z)|[ \t]*\n)*)", re.MULTILINE)
_NUMPY = re.compile(r"^Parameters\n-{3,}\n((?:.+(?:\n|\Z))*)", re.MULTILINE)


def described(function: Callable[..., object], filters: Sequence[FilterName]) -> str | None:
    """The docstring with the filters at the end of its list of arguments; a list in the style of Google where it has none."""
    text = inspect.getdoc(function)
    if not filters:
        return text
    text = text or ""
    if re.search(r"^:param\b", text, re.MULTILINE):
        return text + "".join(f"\n:param {name}: {SCHEMAS[name]['description']}" for name in filters)
    if found := _NUMPY.search(text):
        return _behind(text, found, "".join(f"{name}\n    {SCHEMAS[name]['description']}\n" for name in filters))
    lines = "".join(f"    {name}: {SCHEMAS[name]['description']}\n" for name in filters)
    if found := _GOOGLE.search(text):
        return _behind(text, found, lines)
    return f"{text}\n\nArgs:\n{lines}".strip()


def _behind(text: str, section: "re.Match[str]", lines: str) -> str:
    """The text with lines behind those of a section, before the blank ones that end it."""
    end = section.start(1) + len(section[1].rstrip())
    rest = text[end:]
    return f"{text[:end]}\n{lines}{rest.removeprefix(chr(10))}".rstrip()
