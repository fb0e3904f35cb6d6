"""Values of the store: frozen, closed, the same for every layer above.

What must not stand here: rows, wire models, behaviour that reads a store. Fields say in the line below them what their
name leaves open (unit, base, inclusion). `docs/glossary.md` holds the words.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal, NewType, Protocol, TypeAlias

EvidenceId = NewType("EvidenceId", str)
"""`ev_` and at least 12 characters of lower-case Crockford base32 (docs/formats/evidence-id.md)."""
Digest = NewType("Digest", str)
"""`sha256:` and 64 lower-case hexadecimal digits."""
ResourceName = NewType("ResourceName", str)
WorkspaceName = NewType("WorkspaceName", str)
TaskName = NewType("TaskName", str)
Pointer = NewType("Pointer", str)
"""A JSON Pointer in plain form (RFC 6901 section 3)."""

MASKED = "masked/1"
"""The transform of a packet that shows where a passage stands, and not what it says."""
MASK = "[masked]"
"""What stands in place of the excerpt of such a packet."""
Clearances: TypeAlias = frozenset[str] | None
"""Labels that somebody is cleared for; None: all that there are and will be."""
DEFAULT_WORKSPACE = WorkspaceName("default")


class Format(StrEnum):
    """How the bytes of a revision are read; `bytes` has byte ranges only."""

    JSON = "json"
    JSONL = "jsonl"
    YAML = "yaml"
    TEXT = "text"
    JUNIT = "junit"
    CSV = "csv"
    BYTES = "bytes"


class Kind(StrEnum):
    """What a resource can prove: how things are, or how they are meant to be."""

    OBSERVATION = "observation"
    REFERENCE = "reference"


class LabelPolicy(StrEnum):
    """What those see who are not cleared for a label: nothing, as if there were nothing; or where it stands, and not what."""

    HIDDEN = "hidden"
    MASKED = "masked"


class ClaimLabels(StrEnum):
    """Which labels a new claim carries, beside those of what it cites: none, or those of all that its step, or its run, was shown."""

    CITED = "cited"
    STEP = "step"
    RUN = "run"


class Basis(StrEnum):
    OBSERVED = "observed"
    DERIVED = "derived"
    ASSERTED = "asserted"


class Lifecycle(StrEnum):
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    ERASED = "erased"


class Integrity(StrEnum):
    OK = "ok"
    MISMATCH = "mismatch"
    MISSING = "missing"
    ERASED = "erased"
    NOT_CHECKED = "not_checked"


class Currency(StrEnum):
    """How the cited passage stands against a newer revision; `newest` when there is none, `unknown` when that one cannot tell."""

    NEWEST = "newest"
    SAME = "same"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"
    UNKNOWN = "unknown"


class JudgementState(StrEnum):
    UNJUDGED = "unjudged"
    APPLIES = "applies"
    REJECTED = "rejected"
    STALE = "stale"


class Standing(StrEnum):
    OPEN = "open"
    VERIFIED = "verified"
    EXCLUDED = "excluded"
    CONFLICTING = "conflicting"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"


class ProgressState(StrEnum):
    TODO = "todo"
    DOING = "doing"
    DONE = "done"
    EXCLUDED = "excluded"
    BLOCKED = "blocked"


class Grade(StrEnum):
    """How far a text got: a tool answered with it, it stood in a step's input, the caller confirmed sending that input."""

    DELIVERED = "delivered"
    PROJECTED = "projected"
    SENT = "sent"


class Outcome(StrEnum):
    """How a tool call ended."""

    OK = "ok"
    ERROR = "error"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"


Status = Literal["observed", "derived", "asserted", "stale", "superseded", "rejected", "erased"]
"""The packet's short word: the basis while nothing speaks against it."""


@dataclass(frozen=True, slots=True)
class Span:
    """A byte range on a stored blob, 0-based and half-open."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"no byte range: {self.start}-{self.end}")

    @property
    def length(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines, 1-based and inclusive; a line ends at LF only and its end belongs to it."""

    first: int
    last: int


HopKind = Literal["alias", "merge", "ref"]


@dataclass(frozen=True, slots=True)
class Hop:
    """Why a further part belongs to an evidence, and where that part stands."""

    kind: HopKind
    span: Span


SelectorKind = Literal["pointer", "lines", "bytes", "quote"]


@dataclass(frozen=True, slots=True)
class Selector:
    """A typed address inside a revision: how a passage was found, never what it is."""

    kind: SelectorKind
    text: str
    """A pointer in plain form, `A-B` in lines, `A-B` in bytes, or the quoted text."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What of a too long excerpt is shown."""

    shown: Span
    """Bytes of the blob that the excerpt covers; of a summary, those of its text."""
    tokens: int | None
    """Tokens of the whole, where they were counted."""
    total_lines: int
    whole: Span | None = None
    """What `shown` is a part of, where that is not the passage but a text that was made of it."""


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One child of a container."""

    token: str
    """Member name or index, not escaped."""
    type: Literal["object", "array", "string", "number", "boolean", "null"]
    size: int
    """Bytes of the child's slice."""
    n_children: int | None
    """None for scalars."""
    keys: tuple[str, ...]
    """The first member names of an object, at most 8."""
    scalar: str | None
    """The source text of a scalar of at most 80 characters."""


@dataclass(frozen=True, slots=True)
class Outline:
    """What is shown of a container larger than the budget: its children with their sizes, never a value cut in the middle."""

    type: Literal["object", "array"]
    n_children: int
    first: int
    """0-based place of the first entry among the children."""
    entries: tuple[OutlineEntry, ...]

    @property
    def complete(self) -> bool:
        return self.first == 0 and len(self.entries) == self.n_children


@dataclass(frozen=True, slots=True)
class Packet:
    """An evidence as it is handed out: the passage, where it stands, and how much of it is shown."""

    id: EvidenceId
    resource: ResourceName
    revision: int
    selector: Selector
    format: Format
    excerpt: str
    scope: str
    status: Status
    basis: Basis
    digest: Digest
    """Of the revision's bytes."""
    span: Span
    """The whole selected range (the first part), also when less is shown."""
    lines: LineRange
    column: int | None
    """0-based, in characters: how far the first character stands from the start of its line; None where that is very far."""
    size: int
    """Bytes of the revision."""
    hops: tuple[Hop, ...] = ()
    """Further parts, in order."""
    cut: Cut | None = None
    outline: Outline | None = None
    transforms: tuple[str, ...] = ()
    next: str | None = None
    """An option of `read` that continues, such as `--lines 121-240`."""
    value: bytes | None = None
    """The node as JSON text with numbers as written; None where the format has no nodes, or the node is not shown whole."""
    match: Span | None = None
    """The hit's own bytes, for a search."""
    labels: tuple[str, ...] = ()
    """Access labels of the resource."""
    kind: Kind = Kind.OBSERVATION
    """Of the resource: what stands in a reference is advice, and tells of no state of things."""
    max_age_s: int | None = None
    """Of a live resource: how old an observation may be to tell how things are now. None: the resource is not live."""
    observed_at: int | None = None
    """Of a live resource: microseconds since 1970 UTC at which this revision was seen last."""
    age_s: int | None = None
    """Seconds since then, where whoever shows the packet knows the time and they are more than `max_age_s`."""

    @property
    def pointer(self) -> Pointer | None:
        return Pointer(self.selector.text) if self.selector.kind == "pointer" else None

    @property
    def shown_in_full(self) -> bool:
        return self.cut is None and self.outline is None and MASKED not in self.transforms


def masked_packet(packet: Packet) -> Packet:
    """The packet without a byte of its source, and with an excerpt that is never longer. Doing it twice is doing it once.

    A quote is a piece of the source, and the digest of a small one can be guessed from: both go. A mask longer than the excerpt would
    be stays away as a whole.
    """
    excerpt = MASK if packet.outline is not None or len(packet.excerpt) >= len(MASK) else ""
    selector = Selector("lines", f"{packet.lines.first}-{packet.lines.last}") if packet.selector.kind == "quote" else packet.selector
    return replace(
        packet,
        selector=selector,
        excerpt=excerpt,
        digest=Digest(""),
        hops=(),
        cut=None,
        outline=None,
        transforms=(MASKED,),
        next=None,
        value=None,
        match=None,
    )


@dataclass(frozen=True, slots=True)
class About:
    """What a claim speaks of: two claims about the same can be duplicate or conflicting."""

    resource: ResourceName
    pointer: Pointer | None
    aspect: str


CitationRole = Literal["old", "new", "absent", "context", "support", "scope"]


@dataclass(frozen=True, slots=True)
class Citation:
    """The edge from a claim to an evidence."""

    evidence: EvidenceId
    role: CitationRole


@dataclass(frozen=True, slots=True)
class ClaimView:
    """A claim with its present standing. A verified claim without a citation cannot be built."""

    id: str
    """`C` and the 1-based ordinal within the task."""
    about: About
    text: str
    citations: tuple[Citation, ...]
    author: str
    standing: Standing
    reason: str
    checker: str | None
    task_revision: int
    scope_rule: str | None = None
    """For an excluded claim: the rule of the task revision that it matched."""

    def __post_init__(self) -> None:
        if self.standing is Standing.VERIFIED and not self.citations:
            raise ValueError(f"{self.id} is verified without a citation")


@dataclass(frozen=True, slots=True)
class ProgressItem:
    """Where one subject of a task stands; the newest row of a subject counts."""

    subject: str
    state: ProgressState
    evidence: tuple[EvidenceId, ...] = ()
    next: str = ""
    uses: tuple[str, ...] = ()
    """Other subjects that this one rests on."""


@dataclass(frozen=True, slots=True)
class TaskRevision:
    """One immutable state of a task's goal and scope, always in full."""

    task: TaskName
    number: int
    goal: str
    in_scope: tuple[str, ...]
    excluded: tuple[str, ...]
    """Exclusion rules, `POINTER=VALUE`, `tag=NAME` or `glob:/path` (docs/formats/exclusion-rules.md)."""
    constraints: tuple[str, ...]
    proposed: tuple[str, ...] = ()
    """Constraints of users that nobody has accepted or declined yet; pinned in every input."""


class TextLimit(Protocol):
    """How much text a caller can take. Handed in, so that the store counts no tokens itself."""

    @property
    def max_bytes(self) -> int | None:
        """No text of more bytes fits, so there is no need to read more; None where nothing is too long."""

    def fits(self, text: str) -> bool:
        """Whether the whole text may be shown."""

    def prefix(self, text: str) -> int:
        """Characters of the longest beginning of `text` that may be shown; 0 when nothing fits."""

    def count(self, text: str) -> int | None:
        """Tokens of the text, or None where this limit does not count tokens."""
