"""Wire models of packets, and of what is found, compared and checked."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from api.schemas import Page, Wire
from api.tools.context import DEFAULT_MAX_TOKENS, MAX_MAX_TOKENS

MAX_RESOLVED = 100
Id = Annotated[str, Field(max_length=200, examples=["ev_tpvnrht0mge4"])]


class CutAnswer(Wire):
    shown: tuple[int, int]
    tokens: int | None
    total_lines: int
    whole: tuple[int, int] | None = None


class OutlineChild(Wire):
    token: str
    type: str
    size: int
    n_children: int | None = None
    keys: list[str] | None = None
    scalar: str | None = None


class OutlineAnswer(Wire):
    type: str
    n_children: int
    first: int
    children: list[OutlineChild]


class HopAnswer(Wire):
    kind: str
    bytes: tuple[int, int]


class PacketAnswer(Wire):
    """A passage as evidence."""

    id: str
    resource: str
    revision: int
    pointer: str | None = None
    quote: str | None = None
    selector: str | None = None
    """`bytes` where the passage was found by its bytes."""
    format: str
    excerpt: str
    scope: str
    status: str
    digest: str
    bytes: tuple[int, int]
    lines: tuple[int, int]
    column: int | None
    size: int
    cut: CutAnswer | None
    outline: OutlineAnswer | None
    transforms: list[str]
    next: dict[str, str | int] | None
    """Arguments of the request that continues; null at the end."""
    hops: list[HopAnswer] | None = None
    value: JsonValue = None
    """The node as JSON, with numbers as they were written."""
    match: tuple[int, int] | None = None
    """Of a search hit: its own bytes."""
    labels: list[str] | None = None
    kind: str | None = None
    """Of the resource, where it is none that tells how things are: `reference`."""
    observed_at: int | None = None
    """Of a live resource: microseconds since 1970 UTC at which the revision was seen last."""
    max_age_s: int | None = None


class RelocatedFrom(Wire):
    id: str
    finder: str
    score: int


class EvidenceAnswer(PacketAnswer):
    """A packet, and what speaks for or against the evidence now."""

    basis: str
    lifecycle: str
    integrity: str
    currency: str
    judgement: str | None = None
    relocated_from: list[RelocatedFrom] | None = None
    folded_from: str | None = None
    """The id as it was asked for, where its letters had to be folded."""


class PacketsAnswer(Wire):
    """One packet for each of `fields`."""

    packets: list[PacketAnswer]


class UnprovenAnswer(Wire):
    """A revision in which no hit proves nothing."""

    resource: str
    revision: int
    why: str


class SearchAnswer(Wire):
    packets: list[PacketAnswer]
    more: bool
    receipt: PacketAnswer | None = None
    """Without any hit: that there is none."""
    receipts: list[PacketAnswer] | None = None
    """One for each revision, where several were searched."""
    unproven: list[UnprovenAnswer] | None = None


class PairAnswer(Wire):
    change: str
    old: PacketAnswer | None
    new: PacketAnswer | None
    absent: PacketAnswer | None


class DiffAnswer(Wire):
    pairs: list[PairAnswer]
    more: bool
    noise: dict[str, int] | None = None


class RelocationAnswer(PacketAnswer):
    """What is most like a passage that is gone."""

    relocated_from: str
    finder: str
    score: int


class LocateAnswer(Wire):
    verdict: str
    packet: PacketAnswer | None
    relocation: RelocationAnswer | None = None


class ExposureAnswer(Wire):
    run: str
    step: int
    grade: str
    shown_digest: str
    """Of the text as it was shown."""
    in_full: bool


class ExposuresPage(Page):
    data: list[ExposureAnswer]


class IntegrityAnswer(Wire):
    id: str
    integrity: str
    text: str
    """What does not agree; empty where all does."""


class ResolveRequest(Wire):
    ids: Annotated[list[Id], Field(min_length=1, max_length=MAX_RESOLVED)]
    task: Annotated[str | None, Field(max_length=1000)] = None
    max_tokens: Annotated[int, Field(ge=1, le=MAX_MAX_TOKENS)] = DEFAULT_MAX_TOKENS
    """Of each excerpt."""


class ItemProblem(Wire):
    code: str
    detail: str


class ResolvedItem(Wire):
    id: str
    """As it was asked for."""
    status: int
    """That of `GET /v1/evidence/{id}`."""
    packet: EvidenceAnswer | None = None
    problem: ItemProblem | None = None


class ResolveAnswer(Wire):
    items: list[ResolvedItem]
    """In the order of the ids, one for each."""


class CheckedCitationAnswer(Wire):
    id: str
    verdict: str
    quote: Literal["found", "not_found", "ambiguous", "none"]
    where: str
    folded: bool | None = None
    text: str | None = None
    """What is wrong, where something is."""


class UncitedAnswer(Wire):
    line: int
    text: str


class CheckAnswer(Wire):
    ok: bool
    citations: list[CheckedCitationAnswer]
    uncited: list[UncitedAnswer]
    published: str | None
    """Id of the published report of exactly this text."""
