"""Wire models of tasks: goal and scope, proposals, progress, judgements."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from api.schemas import Page, Wire
from api.schemas.texts import Id, Label, Line, Lines, Ordinal
from evidence_store.model import ProgressState


class ScopeRequest(Wire):
    """A state of goal and scope, in full."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"goal": "Find what breaks clients.", "in_scope": ["/orders"], "excluded": ["tag=Admin"]}]}
    )
    goal: Annotated[str, Field(max_length=10_000)]
    in_scope: Lines = ()
    excluded: Lines = ()
    """Exclusion rules: `POINTER=VALUE`, `tag=NAME` or `glob:/path`."""
    constraints: Lines = ()
    author: Label | None = None
    """On whose behalf; kept with the name of the key."""


class TaskRequest(ScopeRequest):
    model_config = ConfigDict(json_schema_extra={"examples": [{"task": "orders: v1 to v2", "goal": "Find what breaks clients."}]})
    task: Line


class TaskAnswer(Wire):
    task: str
    revision: int
    goal: str
    in_scope: list[str]
    excluded: list[str]
    constraints: list[str]
    proposed: list[str]
    """Constraints that users stated and nobody has accepted or declined yet."""


class TasksPage(Page):
    data: list[TaskAnswer]


class ProposalRequest(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [{"text": "Only the orders API.", "author": "human:user"}]})
    text: Line
    author: Label | None = None
    run: Ordinal | None = None
    message: Ordinal | None = None
    """Of the run: the user's message that states it."""


class DecisionRequest(Wire):
    author: Label | None = None


class AcceptRequest(DecisionRequest):
    model_config = ConfigDict(json_schema_extra={"examples": [{"excluding": False}]})
    excluding: bool = False
    """As an exclusion rule, to the letter, and not as a constraint."""


class ProposalAnswer(Wire):
    proposal: int
    text: str
    run: int | None
    message: int | None
    author: str
    decision: Literal["accepted", "declined"] | None
    task_revision: int | None
    """That an accepted one became."""


class ProposalsPage(Page):
    data: list[ProposalAnswer]


class ProgressItemRequest(Wire):
    subject: Line
    state: ProgressState
    evidence: Annotated[tuple[Id, ...], Field(max_length=1000)] = ()
    next: Annotated[str, Field(max_length=4000)] = ""
    uses: Lines = ()


class ProgressRequest(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [{"items": [{"subject": "get /orders", "state": "doing"}]}]})
    items: Annotated[list[ProgressItemRequest], Field(min_length=1, max_length=1000)]
    run: Ordinal | None = None
    step: Ordinal | None = None
    """Both or neither: where it was found out."""


class ProgressItemAnswer(Wire):
    subject: str
    state: str
    evidence: list[str]
    next: str
    uses: list[str]


class ProgressPage(Page):
    data: list[ProgressItemAnswer]


class RecordedProgressAnswer(Wire):
    recorded: list[ProgressItemAnswer]
    """Without each `todo` of a subject that was known."""


class VerdictRequest(Wire):
    evidence: Id
    applies: bool
    reason: Annotated[str, Field(max_length=2000)] = ""


class JudgementsRequest(Wire):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"judge": "human:ann", "verdicts": [{"evidence": "ev_tpvnrht0mge4", "applies": True}]}]}
    )
    verdicts: Annotated[list[VerdictRequest], Field(min_length=1, max_length=1000)]
    judge: Label | None = None
    """On whose behalf; kept with the name of the key."""


class JudgementAnswer(Wire):
    kind: Literal["evidence", "claim"]
    subject: str
    task_revision: int
    verdict: Literal["applies", "rejected"]
    judge: str
    reason: str


class JudgementsPage(Page):
    data: list[JudgementAnswer]


class RuledClaimAnswer(Wire):
    claim: str
    standing: str
    reason: str


class RuledAnswer(Wire):
    claims: list[RuledClaimAnswer]
    """Those that cite what was judged, as they stand now."""
