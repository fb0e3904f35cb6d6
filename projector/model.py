"""Values of the projector: what a step brings, what a projection is, and what can come instead of one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias

from evidence_store.errors import JsonValue
from evidence_store.model import ClaimView, EvidenceId, LineRange, Packet, ProgressItem, TaskRevision
from projector.budget import Budget, Profile
from projector.strategy import Strategy, StrategyName

JsonObject: TypeAlias = Mapping[str, JsonValue]

Section = Literal[
    "system",
    "tools",
    "dialogue",
    "open_exchange",
    "progress",
    "facts",
    "open",
    "excluded",
    "needs",
    "evidence",
    "background",
    "request",
    "framing",
]
NeedKind = Literal["resource", "pointer", "claim"]


@dataclass(frozen=True, slots=True)
class Principal:
    """On whose behalf an input is made."""

    clearances: tuple[str, ...] = ()
    audience: str = ""


@dataclass(frozen=True, slots=True)
class Need:
    """What this step cannot do without."""

    kind: NeedKind
    name: str


@dataclass(frozen=True, slots=True)
class NeedLine:
    """A need that is not met."""

    kind: NeedKind
    name: str
    unmet: str
    """Why."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A piece of background that some scorer found; scores of two scorers are never compared."""

    text: str
    source: str = ""
    scorer: str = ""
    score: str = "0"
    """A decimal number as written."""
    at: str = ""
    """When it was observed, as the caller writes times."""
    about: str = ""
    """What it speaks of: pieces about the same in different words contradict each other."""
    lines: LineRange | None = None
    """Where it stands in its source, so that neighbours are joined."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the history that another provider or model was at work on."""

    provider: str
    messages: tuple[JsonObject, ...]
    model: str = ""
    """Empty where it is not known to be another one."""


@dataclass(frozen=True, slots=True)
class Step:
    """Everything that one model call may be made from."""

    task: TaskRevision
    profile: Profile
    system: str = ""
    tools: tuple[JsonObject, ...] = ()
    """In the form of OpenAI Chat, or in the provider's."""
    messages: tuple[JsonObject, ...] = ()
    """In the provider's form, oldest first, never changed."""
    earlier: tuple[Segment, ...] = ()
    """What came before the messages, oldest first: it is converted. Places of messages count from its beginning."""
    results: Mapping[str, tuple[Packet, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Call id → packets from which the result can be had again."""
    progress: tuple[ProgressItem, ...] = ()
    claims: tuple[ClaimView, ...] = ()
    evidence: tuple[Packet | EvidenceId, ...] = ()
    needs: tuple[Need, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    principal: Principal = Principal()
    strategy: StrategyName | Strategy = ""
    closing: bool = False
    """The step limit is reached: no tools, and conclusions are asked for."""
    now: int | None = None
    """Microseconds since 1970 UTC, by which packets of live resources are aged; None: nothing is."""
    result_rounds: int | None = None
    """How many of the newest exchanges keep results that are past their greatest age; None: all do."""
    rebuild_at: int | None = None
    """Percent of the cap from which an input is made anew and not appended to; None: as the strategy says."""
    rebuild_to: int | None = None
    """Percent of the cap that an input made anew takes, as far as there is a choice; below 100 the next one may be appended to it.

    None: as the strategy says.
    """

    @property
    def n_messages(self) -> int:
        """Messages of the whole history."""
        return sum(len(segment.messages) for segment in self.earlier) + len(self.messages)


@dataclass(frozen=True, slots=True)
class Kept:
    """One thing that stands in the input."""

    section: Section
    name: str
    tokens: int
    note: str = ""
    """What was done to it, such as `results externalised`."""


@dataclass(frozen=True, slots=True)
class Omitted:
    """Things of one section that were left out for one reason."""

    section: Section
    names: tuple[str, ...]
    tokens: int | None
    """None where they were not counted, since nothing that late could have been reached."""
    reason: str


@dataclass(frozen=True, slots=True)
class Withheld:
    """How much of a step its principal was not shown. Counts only: names are for who may see what they name."""

    not_available: int = 0
    """Evidence that was asked for and is absent or hidden, which look alike."""
    masked: int = 0
    """Evidence that is shown as a mask."""
    claims: int = 0
    """Claims that cite such evidence, or name it."""
    results: int = 0
    """Results in kept exchanges."""
    progress: int = 0
    """Items of progress whose words name it."""
    background: int = 0
    """Candidates that name it."""


@dataclass(frozen=True, slots=True)
class StrategyUsed:
    """The strategy of an input, as its receipt names it."""

    name: str
    reason: str
    """Why it is this one."""
    changed: Mapping[str, JsonValue]
    """In what it differs from the one of its name."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an input kept and left out, with tokens and reason. The tokens of `kept` add up to `used`."""

    task: str
    task_revision: int
    profile: Profile
    counter: str
    exactness: str
    budget: Budget
    kept: tuple[Kept, ...]
    omitted: tuple[Omitted, ...]
    used: int
    input_digest: str
    """`sha256:` of the minified JSON of the messages, a line end, that of the tools; where members stand outside, the same of them."""
    withheld: Withheld = Withheld()
    appended_to: str = ""
    """Digest of the input that this one begins with; empty for one that was made anew."""
    shared: int = 0
    """Tokens at its beginning that the input before has, too: what a provider's cache can hold. By the pieces, so at least as many."""
    rebuilt: str = ""
    """Why it was made anew although there was an input before it; empty where there was none."""
    strategy: StrategyUsed | None = None
    """None in receipts from before there were several."""

    @property
    def dynamic_used(self) -> int:
        """Tokens beyond the fixed part: system message, tools and the request's own."""
        return self.used - sum(line.tokens for line in self.kept if line.section in ("system", "tools"))


@dataclass(frozen=True, slots=True)
class Told:
    """What an input says, and of which part of a step: the next one can be the same with what is new behind it."""

    n_messages: int
    """Of the whole history, that it was made from."""
    last: JsonObject | None
    """The last of them."""
    opening: tuple[JsonObject, ...]
    """What stands outside the list, the messages before the dialogue, and the tools."""
    principal: Principal
    now_old: frozenset[EvidenceId]
    """Evidence that it shows and that is past its greatest age."""
    named: frozenset[EvidenceId]
    """Evidence that stands in it in any way."""
    masks: frozenset[EvidenceId]
    """Evidence whose packets stand in it masked."""
    shown: frozenset[EvidenceId]
    """Evidence whose packets stand in it whole."""
    calls: frozenset[str]
    progress: Mapping[str, ProgressItem]
    """By subject, all items: listed there, or counted."""
    listed: frozenset[str]
    """Subjects whose items stand there."""
    claims: Mapping[str, tuple[Section, str]]
    """By id, all claims of the three lists: which list, and the line; an empty line for one that is only counted."""
    needs: tuple[NeedLine, ...]
    background: frozenset[str]


@dataclass(frozen=True, slots=True)
class Projection:
    """The input of one model call."""

    messages: tuple[JsonObject, ...]
    outside: JsonObject
    """Members that the provider takes beside its message list, by their names there: `system`, `instructions`, …"""
    tools: tuple[JsonObject, ...]
    receipt: Receipt
    omitted: tuple[Omitted, ...]
    tokens: int
    """By the count rule (docs/formats/token-count.md)."""
    evidence: tuple[EvidenceId, ...]
    """Shown as packets of this step, in the order of the text."""
    in_exchanges: tuple[EvidenceId, ...]
    """Shown as whole packets in the kept exchanges, and not again above."""
    cited: tuple[EvidenceId, ...]
    """Named in the input in any way, packets included."""
    unmet: tuple[NeedLine, ...]
    open_calls: tuple[str, ...]
    """Calls at the end whose results the caller appends before sending."""
    told: Told | None = None
    """For the projection of the next step; None where that has to be made anew."""


@dataclass(frozen=True, slots=True)
class Projected:
    """It fits."""

    projection: Projection


@dataclass(frozen=True, slots=True)
class _NotYet:
    """Why there is no input, and what to go on with: nothing was cut and nothing is lost."""

    step: Step
    """The step as it was given; change what the outcome asks for and project again."""
    must_tokens: int
    """What has to stand in the input."""
    room_tokens: int
    """The dynamic budget."""
    text: str


@dataclass(frozen=True, slots=True)
class MustExternalise(_NotYet):
    """Replace these results of the newest exchange by references to their packets (`compact.externalise`)."""

    calls: tuple[str, ...]
    to_store: tuple[str, ...]
    """Those of the calls whose results have no packets yet: store them first."""


@dataclass(frozen=True, slots=True)
class MustSplit(_NotYet):
    """Ask in two steps: what is needed does not fit together, but each part does."""

    first: tuple[EvidenceId, ...]
    rest: tuple[EvidenceId, ...]


@dataclass(frozen=True, slots=True)
class MustWait(_NotYet):
    """An open exchange does not fit beside the rest; project again when these calls are answered."""

    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Paused(_NotYet):
    """Nothing the projector knows of would make it fit."""

    reasons: tuple[str, ...]


Outcome: TypeAlias = Projected | MustExternalise | MustSplit | MustWait | Paused
