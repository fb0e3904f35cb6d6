"""What stands right before and right after a quote, so that one of several places is meant (W3C Web Annotation, TextQuoteSelector)."""

from dataclasses import dataclass
from typing import Final

from evidence_store.documents.encoding import unit_width
from evidence_store.errors import InvalidInput
from evidence_store.folding import folded_text
from evidence_store.model import Span

MAX_CONTEXT_CHARS: Final = 1000
NEAR_BYTES: Final = 4
"""Enough for one character of any encoding."""
_MORE_CHARS: Final = 100
"""White space that a source may have more of than the context that was given."""


def require_characters(text: str) -> None:
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise InvalidInput("the quote holds half of a surrogate pair, which is no character", code="bad_quote")


@dataclass(frozen=True, slots=True)
class QuoteContext:
    """Compared with its typography folded; it only tells places apart, and is no part of the passage.

    Raises InvalidInput for more than 1 000 characters on one side, or half of a surrogate pair.
    """

    prefix: str = ""
    suffix: str = ""

    def __post_init__(self) -> None:
        for name, text in (("prefix", self.prefix), ("suffix", self.suffix)):
            if len(text) > MAX_CONTEXT_CHARS:
                said = f"the {name} of a quote has at most {MAX_CONTEXT_CHARS} characters, this one has {len(text)}"
                raise InvalidInput(said, {"limit": MAX_CONTEXT_CHARS}, code="quote_too_long")
            require_characters(text)

    def fits(self, raw: bytes, place: Span, encoding: str) -> bool:
        """Whether it stands round this place of the source."""
        before, after = _near_bytes(self.prefix, encoding), _near_bytes(self.suffix, encoding)
        return _folded(raw[max(0, place.start - before) : place.start], encoding).endswith(folded_text(self.prefix)) and _folded(
            raw[place.end : place.end + after], encoding
        ).startswith(folded_text(self.suffix))


NO_CONTEXT: Final = QuoteContext()


def _folded(raw: bytes, encoding: str) -> str:
    return folded_text(raw.decode(encoding, "replace"))


def _near_bytes(text: str, encoding: str) -> int:
    """Bytes that hold so many characters, also where the source has more white space between them; whole units of the encoding."""
    width = unit_width(encoding)
    return (len(text) + _MORE_CHARS) * NEAR_BYTES // width * width if text else 0
