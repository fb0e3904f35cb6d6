"""What the projector asks of the world: stored evidence, token counts, permission. Protocols only."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from evidence_store.model import EvidenceId, Packet

if TYPE_CHECKING:
    # counting alone must not cost the import of everything that a step is made of
    from projector.model import Principal

Exactness = Literal["exact", "upper_bound", "estimate"]


class TokenCounter(Protocol):
    """Counts tokens of text as a model would read it, special-token spellings taken as ordinary text.

    The same text always gives the same figure. Never fails on a text: halves of surrogate pairs count as U+FFFD.
    """

    @property
    def id(self) -> str:
        """Names the counter in every figure; a budget never mixes two."""

    @property
    def exactness(self) -> Exactness:
        """How far the figures can be trusted."""

    def count(self, text: str) -> int:
        """Tokens of the text; 0 for the empty text only."""


class EvidenceReader(Protocol):
    """Reads stored evidence on behalf of a principal."""

    def find_evidence(self, ids: Sequence[EvidenceId], principal: "Principal") -> Sequence[Packet]:
        """The packets of these ids, in the order asked. What is absent, erased or not permitted is left out: the cases look alike.

        Integrity is the reader's to check; an id given twice answers once. May be called several times in a step.
        """


class Gate(Protocol):
    """Decides what a principal may be shown, at the moment of asking. Holds no state between calls and never adds anything."""

    def permitted(self, ids: Iterable[EvidenceId], principal: "Principal") -> frozenset[EvidenceId]:
        """Those of the ids whose excerpt and wording this principal may see."""
