"""Grounding: whether the numbers, quoted words and identifiers of a sentence stand in what it cites.

Mechanical, and apart from support: a grounded sentence can still say something wrong about its words. What is looked for:
text in backticks or quotation marks, numbers, paths, and words spelled like identifiers (`snake_case`, `camelCase`). Where
it may stand: the cited bytes, the values of cited scalars, and the tokens of the pointers by which these were found, since
a pointer that resolves is part of the source.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

NeedleKind = Literal["quoted", "code", "number", "identifier"]

_NEEDLES = re.compile(
    r"""`(?P<code>[^`]+)`
      | "(?P<straight>[^"]+)" | “(?P<curly>[^”]+)” | «(?P<angle>[^»]+)» | 「(?P<corner>[^」]+)」
      | (?P<identifier>(?<![\w/])/[\w{](?:[\w{}/.\-]*[\w}/])? | \b[A-Za-z]+_\w+\b | \b[a-z]+[A-Z]\w*\b)
      | (?P<number>(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w]))""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


@dataclass(frozen=True, slots=True)
class Needle:
    """Something in a sentence that must stand in its sources."""

    kind: NeedleKind
    text: str


def find_needles(sentence: str) -> tuple[Needle, ...]:
    """What of a sentence must be grounded, in order, each once."""
    found = dict.fromkeys(_needle(match) for match in _NEEDLES.finditer(sentence))
    return tuple(found)


def _needle(match: re.Match[str]) -> Needle:
    group = match.lastgroup or ""
    text = match.group(group)
    if group in ("code", "identifier", "number"):
        kind: NeedleKind = "code" if group == "code" else "identifier" if group == "identifier" else "number"
        return Needle(kind, text)
    return Needle("quoted", text)


def find_ungrounded(sentence: str, sources: Sequence[str]) -> tuple[Needle, ...]:
    """The needles of a sentence that stand in none of the source texts."""
    return tuple(needle for needle in find_needles(sentence) if not _stands(needle, sources))


def _stands(needle: Needle, sources: Sequence[str]) -> bool:
    if needle.kind == "quoted":
        return any(needle.text in source for source in sources)
    if _any_has(needle.text, sources):
        return True
    words = needle.text.split()
    return needle.kind == "code" and len(words) > 1 and all(_any_has(word, sources) for word in words)


def stands_quoted(quote: str, sources: Sequence[str]) -> bool:
    """Whether a quote stands in a source to the letter; one that is a number, as that number and not within another."""
    if _NUMBER.fullmatch(quote):
        return _any_has(quote, sources)
    return bool(quote) and any(quote in source for source in sources)


def _any_has(text: str, sources: Iterable[str]) -> bool:
    """As a whole: `5` does not stand in `50`, nor `limit` in `limits`, nor `5` in `-5`."""
    before = r"(?<![\w.])" if text[:1].isalnum() or text[:1] in "_-" else ""
    before += r"(?<!(?<!\w)-)" if text[:1].isdigit() else ""
    after = r"(?![\w]|\.\d)" if text[-1:].isalnum() or text[-1:] == "_" else ""
    pattern = re.compile(before + re.escape(text) + after)
    return any(pattern.search(source) for source in sources)
