"""Evidence ids: derived from content alone (docs/formats/evidence-id.md).

`ev_` and the first 60 bits, as 12 lower-case Crockford base32 characters, of the SHA-256 over the canonical form of what
the evidence is. The full digest is the identity; where two digests share their beginning the later one gets two more
characters. An id is a name, never a permission.
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from evidence_store.canonical import canonical_digest
from evidence_store.errors import InvalidInput
from evidence_store.model import Digest, EvidenceId, ResourceName, Span, WorkspaceName

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base32, lower case: no i, l, o, u."""
FORMAT_VERSION = 1
SHORT_LENGTH = 12
MAX_LENGTH = 52
_FOLDS = str.maketrans({"o": "0", "i": "1", "l": "1"})
_ID = re.compile(rf"ev_[{ALPHABET}]{{1,{MAX_LENGTH}}}\Z")


@dataclass(frozen=True, slots=True)
class Identity:
    """What an evidence is. Time, step and the way it was found are not in it."""

    workspace: WorkspaceName
    resource: ResourceName
    revision: int
    blob: Digest
    parts: tuple[Span, ...]
    transform: str | None

    def digest(self) -> Digest:
        return canonical_digest(
            {
                "v": FORMAT_VERSION,
                "workspace": self.workspace,
                "resource": self.resource,
                "revision": self.revision,
                "blob": self.blob,
                "parts": [[part.start, part.end] for part in self.parts],
                "transform": self.transform,
            }
        )


@dataclass(frozen=True, slots=True)
class ReadId:
    """An id as it was written, in its one spelling."""

    id: EvidenceId
    folded: bool
    """True when letters had to be folded: say so to whoever wrote it."""


def short_id(digest: Digest, length: int = SHORT_LENGTH) -> EvidenceId:
    """The first `length` base32 characters of a digest, 5 bits each."""
    bits = int(digest.removeprefix("sha256:"), 16)
    return EvidenceId("ev_" + "".join(ALPHABET[(bits >> (256 - 5 * (n + 1))) & 31] for n in range(min(length, 51))))


def read_id(text: str) -> ReadId:
    """An evidence id as people and models write it: case folded, o→0, i and l→1.

    Raises InvalidInput (`malformed_id`) for anything else. One that is too short is an id all the same: of nothing.
    """
    lowered = text.strip().lower()
    head, rest = lowered[:3], lowered[3:].translate(_FOLDS)
    folded = EvidenceId(head + rest)
    if not _ID.match(folded):
        raise InvalidInput(f"not an evidence id: {text[:80]!r}; one looks like ev_tpvnrht0mge4", code="malformed_id")
    return ReadId(folded, folded != text)


def read_ids(texts: Iterable[str]) -> tuple[EvidenceId, ...]:
    """Those of the texts that are ids, once each."""
    found: dict[EvidenceId, None] = {}
    for text in texts:
        with suppress(InvalidInput):
            found[read_id(text).id] = None
    return tuple(found)
