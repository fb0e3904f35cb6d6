"""What is masked of one source: secrets in a slice are told with what stands round it, so that no slice shows a part of one."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Final

from evidence_store.documents.charset import UTF8
from evidence_store.documents.encoding import Transcoded, unit_width
from evidence_store.documents.escapes import ESCAPED_FORMATS
from evidence_store.model import Format, Span
from evidence_store.secrets import KEY_BEGIN, NO_MASKS, Masks, Secret, find_secrets, mask_text, masks_of

BEFORE_BYTES: Final = 8 * 1024
"""Read before a slice: what names a secret, and the first line of a private key of 8 192 bits."""
AFTER_BYTES: Final = 4 * 1024
"""Read behind a slice that ends within a line, or in YAML, where a line may go on."""
NAMED_LINES: Final = 3
"""Before the line of a slice, in which what names a secret may stand: a member `name` before a member `value`, the head of a block."""


@dataclass(frozen=True, slots=True)
class SourceMasking:
    """Masks the secrets of a source."""

    read: Callable[[Span], bytes]
    size: int
    encoding: str = UTF8
    """One that all of the source fits."""
    escaped: bool = False
    """Whether it is JSON, whose escapes are undone where it is shown."""
    folded: bool = False
    """Whether it is YAML, which has escapes of its own, and texts that go on in the next line."""

    def masks(self, span: Span) -> Masks:
        """See `secrets.Masking`."""
        if not span.length:
            return NO_MASKS
        found = self._in_utf8(span) if self.encoding == UTF8 else self._in_encoded(span)
        return masks_of(one for one in found if one.span.end > span.start and one.span.start < span.end) if found else NO_MASKS

    def text(self, text: str, known: Masks = NO_MASKS) -> str:
        """See `secrets.Masking`."""
        return mask_text(text, known)

    def _in_utf8(self, span: Span) -> list[Secret]:
        start = max(0, span.start - BEFORE_BYTES)
        window = self.read(Span(start, span.end))
        first = span.start - start
        # A key may have begun lines before; everything else begins on the line of the slice, or is named shortly before it.
        low = first
        for _ in range(NAMED_LINES + 1):
            low = window.rfind(b"\n", 0, low)
            if low < 0:
                break
        low += 1
        key = window.rfind(KEY_BEGIN, 0, first)
        window, low = (window[key:], key) if 0 <= key < low else (window[low:], low)
        if span.end < self.size and (self.folded or window[-1:] != b"\n"):
            rest = self.read(Span(span.end, min(self.size, span.end + AFTER_BYTES)))
            window += rest if self.folded else rest[: rest.find(b"\n") + 1 or None]
        return [_moved(one, start + low) for one in find_secrets(window, escaped=self.escaped, folded=self.folded)]

    def _in_encoded(self, span: Span) -> list[Secret]:
        """Told in the decoded text: what looks like letters in the bytes may be half of a character."""
        width = unit_width(self.encoding)
        start, end = max(0, span.start - BEFORE_BYTES) // width * width, min(self.size, span.end + AFTER_BYTES)
        raw = self.read(Span(start, end))
        if start and width == 1:
            low = raw.find(b"\n", 0, span.start - start) + 1
            start, raw = start + low, raw[low:]
        for n_first, n_last in product(range(0, 4, width), range(4)):
            whole = raw[n_first : len(raw) - n_last]
            try:
                found = find_secrets(whole.decode(self.encoding).encode("utf-8"), folded=self.folded)
            except UnicodeDecodeError:
                continue
            text = Transcoded(whole, self.encoding) if found else None
            return [_moved(_encoded(one, text), start + n_first) for one in found if text is not None]
        return [_moved(one, start) for one in find_secrets(raw, folded=self.folded)]


def source_masking(read: Callable[[Span], bytes], size: int, encoding: str, format: Format) -> SourceMasking:
    """For a source that is read in parts."""
    return SourceMasking(read, size, encoding, escaped=format in ESCAPED_FORMATS, folded=format is Format.YAML)


def mask_source(raw: bytes, encoding: str = UTF8, format: Format = Format.TEXT) -> SourceMasking:
    """For a source whose bytes are at hand."""
    return source_masking(lambda span: raw[span.start : span.end], len(raw), encoding, format)


def _moved(secret: Secret, by: int) -> Secret:
    return Secret(secret.kind, Span(secret.span.start + by, secret.span.end + by), secret.value)


def _encoded(secret: Secret, text: Transcoded) -> Secret:
    span = Span(text.source_of(secret.span.start), text.source_of(secret.span.end))
    return Secret(secret.kind, span, secret.value)
