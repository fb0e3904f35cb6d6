"""Blots: secrets in a source replaced at their length, for who reads the source and gives out what it makes of it.

Lines, offsets and the structure of a document stay what they are. A blot is the kind and the number of the mark between signs that
are plain in every format, at the beginning of a scalar of YAML as well, and stars behind it; where the secret is shorter, stars
behind a letter. What is made of the source is shown with marks.
"""

import re
from typing import Final

from evidence_store.documents.encoding import unit_width
from evidence_store.model import Span
from evidence_store.secrets import Masks, Numbering, Secret

_BLOT: Final = re.compile(r"x\.masked\.([a-z0-9-]+)(?:\.([1-9][0-9]{0,8}))?\.\*+")


def blot(raw: bytes, start: int, masks: Masks, encoding: str, numbering: Numbering) -> bytes:
    """The bytes that stand at `start` with their secrets blotted out; numbers tell values apart over all calls with one numbering."""
    width, pieces, at = unit_width(encoding), [], start
    for mark in masks.marks:
        first, last = max(start, mark.span.start), min(start + len(raw), mark.span.end)
        n_chars = (last - first) // width
        made = numbering.mark(Secret(mark.kind, Span(first, last), mark.value)).text
        text = f"x.{made[1:-1].replace(' ', '.')}.*"
        text = text.ljust(n_chars, "*") if len(text) <= n_chars else "x".ljust(n_chars, "*")[:n_chars]
        pieces += [raw[at - start : first - start], text.encode(encoding)]
        at = last
    return b"".join((*pieces, raw[at - start :]))


def without_blots(text: str) -> str:
    """A text that was made of a blotted source, with plain marks."""
    return _BLOT.sub(lambda found: f"[masked {found[1]} {found[2]}]" if found[2] else f"[masked {found[1]}]", text)
