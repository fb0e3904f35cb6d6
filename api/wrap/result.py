"""What becomes of one call of a wrapped tool: values in, values out. Adapters and proxies stand on these."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from api.wrap.spool import Spool
from evidence_store.errors import JsonValue
from evidence_store.model import Outcome, Packet
from evidence_store.records.sources import Revision
from evidence_store.store.runs import ClosedCall, shown_of


class Treatment(StrEnum):
    """What was done with an output on its way to the model."""

    UNCHANGED = "unchanged"
    EMPTY = "empty"
    """There was nothing; it passes unchanged, and the text says so."""
    OFFLOADED = "offloaded"
    FILTERED = "filtered"
    WITHHELD = "withheld"
    FAILED = "failed"
    """There is no output: the tool, its arguments or the store failed; the text is an error."""
    OWN = "own"
    """The answer of a reading tool: bounded, never stored again."""


@dataclass(frozen=True, slots=True)
class Output:
    """What a tool gave, before anybody decides what the model gets."""

    tool: str
    received: Spool
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    """Of the call, filters taken out."""
    value: object = None
    """What is passed on where the output stays as it is."""
    media_type: str | None = None
    outcome: Outcome = Outcome.OK
    complete: bool = True
    """False: the tool broke off; what came proves no absence."""
    call: str | None = None
    """The call's id within the run."""
    beside: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class WrappedResult:
    """What a model gets for a call."""

    text: str
    """What it reads."""
    value: object
    """The tool's own result where that passes unchanged, else the text."""
    treatment: Treatment
    outcome: Outcome = Outcome.OK
    packets: tuple[Packet, ...] = ()
    """Those that the text shows, to travel beside it."""
    revision: Revision | None = None
    """Where the whole output is stored; None where it is not."""
    failure: BaseException | None = None
    """What was raised, for a caller that raises it again."""
    beside: tuple[object, ...] = ()
    """Content that is no text, as it came."""

    def closed(self, call: str) -> ClosedCall:
        """How the call of a run ends with this result: what the model reads, and the evidence that it shows."""
        broke_off = self.outcome is not Outcome.OK and self.treatment is Treatment.FAILED
        return ClosedCall(call, self.outcome, self.text, not broke_off, tuple(map(shown_of, self.packets)))
