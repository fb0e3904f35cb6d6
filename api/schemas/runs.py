"""Wire models of runs: turns, steps, calls, stored inputs, exposures."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue

from api.schemas import Page, Wire
from api.schemas.texts import Count, DigestText, Id, Label, Object
from evidence_store.model import Outcome

MAX_CALLS = 1000
MAX_SHOWN = 10_000
MAX_MESSAGES = 100_000
BodyText = Annotated[str, Field(max_length=16 * 1024 * 1024)]


class RunRequest(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [{"agent": "agent:compat-report/1", "request": "Go on."}]})
    agent: Label
    request: Annotated[str, Field(max_length=1_000_000)] | None = None
    """The first turn of the user."""


class RunEndAnswer(Wire):
    how: str
    reason: str
    empty: bool
    """Whether it recorded no claim."""


class RunAnswer(Wire):
    task: str
    run: int
    agent: str
    end: RunEndAnswer | None


class RunsPage(Page):
    data: list[RunAnswer]


class RunStateAnswer(RunAnswer):
    n_steps: int
    open_calls: list[str]
    """Calls without a result."""
    claims: list[str]


class EndRequest(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [{"how": "concluded"}]})
    how: Annotated[str, Field(pattern="^[a-z_]{1,40}$")]
    reason: Annotated[str, Field(max_length=10_000)] = ""


class OpeningAnswer(Wire):
    opening: int
    """To be sent as `opening` with each write of who goes on with the run."""


class EmptyRequest(Wire):
    """Nothing beside the path."""


class MessageRequest(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [{"text": "Look at the orders API only."}]})
    text: Annotated[str, Field(max_length=1_000_000)]


class MessagePlaceAnswer(Wire):
    message: int
    """1-based among the messages of the run."""


class ResultAnswer(Wire):
    call: str
    outcome: str
    body: str


class MessageAnswer(Wire):
    message: int
    step: int | None
    role: Literal["user", "assistant", "tool"]
    body: dict[str, JsonValue]
    result: ResultAnswer | None = None
    """Of the call that a message of a tool answers."""


class MessagesPage(Page):
    data: list[MessageAnswer]


class StepAnswer(Wire):
    step: int
    task_revision: int


class StepsPage(Page):
    data: list[StepAnswer]


class OpenedStepAnswer(Wire):
    step: int


class CallModel(Wire):
    call: Label
    name: Label
    arguments: Object = Field(default_factory=dict)


class CallsRequest(Wire):
    """A turn of the agent, with the calls that it makes."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "", "calls": [{"call": "call_1", "name": "search", "arguments": {"pattern": "error"}}]}]}
    )
    text: Annotated[str, Field(max_length=1_000_000)] = ""
    calls: Annotated[tuple[CallModel, ...], Field(max_length=MAX_CALLS)] = ()


class CallsAnswer(Wire):
    calls: list[str]


class ShownModel(Wire):
    """A text of an evidence as the model is shown it."""

    evidence: Id
    digest: DigestText
    """Of the excerpt as it stands there."""
    transforms: Annotated[tuple[Annotated[str, Field(max_length=200)], ...], Field(max_length=100)] = ()
    in_full: bool


class ResultModel(Wire):
    call: Label
    outcome: Outcome
    body: BodyText
    complete: bool = True
    shown: Annotated[tuple[ShownModel, ...], Field(max_length=MAX_SHOWN)] = ()


class ResultsRequest(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [{"results": [{"call": "call_1", "outcome": "ok", "body": "nothing\n"}]}]})
    results: Annotated[list[ResultModel], Field(min_length=1, max_length=MAX_CALLS)]


class ToolRequestModel(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [{"arguments": {"resource": "ci/job.log", "pattern": "error"}}]})
    arguments: Object = Field(default_factory=dict)


class ToolAnswerModel(Wire):
    text: str
    outcome: str
    packets: list[dict[str, JsonValue]]
    """As `evidence get --json` prints them."""
    facts: dict[str, JsonValue]


class SentRequest(Wire):
    input_digest: DigestText


class UsageRequest(Wire):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"provider": "openai", "model": "m", "counter": "o200k_base", "counted": 900, "reported": 910, "said": {}}]
        }
    )
    provider: Label
    model: Label
    counter: Label
    counted: Count
    reported: Count
    said: Object = Field(default_factory=dict)
    """The provider's usage object as it came."""


class UsagesAnswer(Wire):
    data: list[UsageRequest]


class ProfileModel(Wire):
    provider: Label
    model: Label
    window: Count
    output: Count
    slack: Count
    counter: Label


class ProjectionRequest(Wire):
    """The input of a step with its receipt, as the projector made it."""

    messages: Annotated[list[Object], Field(max_length=MAX_MESSAGES)]
    tools: Annotated[tuple[Object, ...], Field(max_length=MAX_CALLS)] = ()
    outside: Object = Field(default_factory=dict)
    """What goes beside the message list."""
    profile: ProfileModel
    receipt: Object
    shown: Annotated[tuple[ShownModel, ...], Field(max_length=MAX_SHOWN)] = ()


class InputDigestAnswer(Wire):
    input_digest: str
    """Of the stored bytes: what `sent` is confirmed by."""


class ProjectionAnswer(Wire):
    step: int
    projection: int
    """1-based: a step may have been projected more than once."""
    used_tokens: int
    cap_tokens: int
    counter: str
    exactness: str
    sections: dict[str, int]
    n_kept: int
    n_omitted: int
    input_digest: str
    shared_tokens: int
    billed_tokens: int
    rebuilt: str
    reported_tokens: int | None


class ProjectionsPage(Page):
    data: list[ProjectionAnswer]


class MarkAnswer(Wire):
    evidence: str
    mark: str


class ReplayAnswer(Wire):
    step: int
    projection: int
    same: bool
    """Whether nothing had to be marked."""
    marks: list[MarkAnswer]
    input_digest: str
    messages: list[dict[str, JsonValue]]
    tools: list[dict[str, JsonValue]]
    outside: dict[str, JsonValue]


class CompactionRequest(Wire):
    """How the history that inputs are made from became smaller."""

    by_reference: Annotated[tuple[Label, ...], Field(max_length=MAX_MESSAGES)] = ()
    left: Annotated[tuple[Label, ...], Field(max_length=MAX_MESSAGES)] = ()
    gone: Annotated[tuple[Count, ...], Field(max_length=MAX_MESSAGES)] = ()
    recap: Annotated[str, Field(max_length=1_000_000)] = ""
    tokens_before: Count
    tokens: Count


class ExposureAnswer(Wire):
    exposure: int
    step: int
    evidence: str
    grade: str
    digest: str
    transforms: list[str]
    in_full: bool
    at: int
    """Microseconds since 1970 UTC."""


class ExposuresPage(Page):
    data: list[ExposureAnswer]


class OutcomeAnswer(Wire):
    """An input with its receipt, or what to do instead, as `evidence project` prints it (docs/formats/receipt.md)."""

    model_config = ConfigDict(extra="allow")
    outcome: Literal["projected", "externalise", "split", "wait", "pause"]
