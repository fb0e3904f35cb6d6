"""What the projector asks of the world: stored evidence, token counts, permission. Protocols only."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from evidence_store.errors import JsonValue
from evidence_store.model import EvidenceId, Packet

if TYPE_CHECKING:
    # counting alone must not cost the import of everything that a step is made of
    from projector.model import Principal

Exactness = Literal["exact", "upper_bound", "estimate"]


@dataclass(frozen=True, slots=True)
class Figure:
    """How many tokens, who counted them, and how far that can be trusted."""

    tokens: int
    counter: str
    """Names engine and encoding, or family, or provider and model."""
    exactness: Exactness
    note: str = ""
    """Why it is not what this counter mostly gives; empty when it is."""


class TokenCounter(Protocol):
    """Counts tokens of text as a model would read it, special-token spellings taken as ordinary text.

    The same text always gives the same figure. Never fails on a text: halves of surrogate pairs count as U+FFFD.
    """

    @property
    def id(self) -> str:
        """Names the counter in every figure; a budget never mixes two."""

    @property
    def exactness(self) -> Exactness:
        """How far the figures can be trusted; a counter whose figures differ in that is a `FigureCounter` too."""

    def count(self, text: str) -> int:
        """Tokens of the text; 0 for the empty text only."""


@runtime_checkable
class FigureCounter(Protocol):
    """A counter that knows of each single figure who counted it and how exactly. `figure(text).tokens` equals `count(text)`."""

    def figure(self, text: str) -> Figure:
        """Tokens of the text. Never fails on a text."""


@runtime_checkable
class PartsCounter(Protocol):
    """A counter that knows where its tokens end, so that a long text need not be counted anew where some of it was counted before."""

    def figure_of_parts(self, parts: Sequence[str]) -> Figure:
        """Tokens of the one text that the parts make in a row: what its figure would be. Parts may be cut anywhere."""


class RequestCounter(Protocol):
    """Counts whole requests, in the shape in which the provider takes them: framing and tool definitions are in the figure."""

    def count_request(self, body: Mapping[str, JsonValue]) -> Figure:
        """Tokens of the input that this request would be read as. Never fails: what nobody counts is bounded, and the figure says so."""


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


@runtime_checkable
class MaskingGate(Protocol):
    """A gate that lets a principal know where a passage stands whose excerpt it may not see. A reader beside it answers with masks."""

    def masked(self, ids: Iterable[EvidenceId], principal: "Principal") -> frozenset[EvidenceId]:
        """Those of the ids that may be shown as a mask only. None of them is `permitted`."""
