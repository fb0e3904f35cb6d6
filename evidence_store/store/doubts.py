"""Why a search without a hit proves nothing of a revision (docs/formats/search-receipt.md).

What is told from the notes was seen when the revision came; all else is told from its bytes, so that it holds of revisions that
came before there was a note for it.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from evidence_store.documents.charset import UTF8, encoding_of, find_marked, first_unfit, has_ascii
from evidence_store.documents.encoding import first_bad_byte, unit_width
from evidence_store.model import Format, ResourceName
from evidence_store.records.sources import Revision

_WIDE_STRETCH: Final = re.compile(rb"[^\0]\0{1,3}[^\0]\0|\0[^\0]\0{1,3}[^\0]")
"""Two characters of ASCII in UTF-16 or UTF-32, as they stand in a text that is read one byte at a time."""


class Doubt(StrEnum):
    INCOMPLETE = "incomplete"
    CHARSET_MISMATCH = "charset_mismatch"
    NOT_ENCODED = "not_encoded"
    NARROW = "narrow"
    WIDE = "wide"
    NOT_UTF8 = "not_utf8"
    ENTITIES = "entities"

    @property
    def words(self) -> str:
        match self:
            case Doubt.INCOMPLETE:
                return "the revision is not complete"
            case Doubt.CHARSET_MISMATCH:
                return "not all bytes fit the encoding that was declared"
            case Doubt.NOT_ENCODED:
                return "not all bytes fit the encoding of the text"
            case Doubt.NARROW:
                return "parts of it look like text in one byte a character and are not read so"
            case Doubt.WIDE:
                return "parts of it look like UTF-16 or UTF-32 and are not read so"
            case Doubt.NOT_UTF8:
                return "not all bytes are UTF-8, and the pattern is not ASCII"
            case Doubt.ENTITIES:
                return "the pattern holds what JUnit XML may write as an entity"


@dataclass(frozen=True, slots=True)
class Unproven:
    """A revision without a hit that proves nothing by that."""

    resource: ResourceName
    revision: int
    doubt: Doubt


def find_doubt(revision: Revision, raw: bytes, pattern: str) -> Doubt | None:
    """None where no hit means that the text is not there: all of it came, and is read in the way in which it is written."""
    if not revision.complete:
        return Doubt.INCOMPLETE
    if any(note.code == "charset_mismatch" for note in revision.notes):
        return Doubt.CHARSET_MISMATCH
    encoding = encoding_of(revision.notes)
    if unit_width(encoding) > 1:
        return Doubt.NOT_ENCODED if first_unfit(raw, encoding) is not None else Doubt.NARROW if has_ascii(raw) else None
    if find_marked(raw) is not None or _WIDE_STRETCH.search(raw):
        return Doubt.WIDE
    if encoding == UTF8 and not pattern.isascii() and first_bad_byte(raw) is not None:
        return Doubt.NOT_UTF8
    # Entities of XML are not undone: what is looked for may stand there as `&lt;` or `&#233;`.
    if revision.format is Format.JUNIT and (not pattern.isascii() or set(pattern) & set("<>&\"'")):
        return Doubt.ENTITIES
    return None
