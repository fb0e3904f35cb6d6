"""Wire models of claims, disputes and the publishing of reports."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from api.schemas import Page, Wire
from api.schemas.texts import Id, Label, Line, Ordinal
from evidence_store.model import CitationRole

ClaimName = Annotated[str, Field(pattern="^C[1-9][0-9]{0,14}$", examples=["C12"])]


class AboutModel(Wire):
    resource: Annotated[str, Field(min_length=1, max_length=1024)]
    pointer: Annotated[str, Field(max_length=10_000)] | None = None
    aspect: Annotated[str, Field(max_length=200)] = ""


class CitationModel(Wire):
    evidence: Id
    role: CitationRole


class ClaimRequestModel(Wire):
    """A claim, as the agent of the run states it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "run": 1,
                    "step": 4,
                    "about": {"resource": "orders/openapi.json", "pointer": "/limit", "aspect": "maximum"},
                    "text": "The `maximum` went from 100 to 50.",
                    "citations": [{"evidence": "ev_tpvnrht0mge4", "role": "old"}],
                }
            ]
        }
    )
    run: Ordinal
    step: Ordinal
    about: AboutModel
    text: Annotated[str, Field(min_length=1, max_length=4000)]
    citations: Annotated[tuple[CitationModel, ...], Field(max_length=1000)] = ()
    standing: Literal["open", "excluded"] = "open"
    """`open` asks for a check; `excluded` for a place outside the scope, by `scope_rule`."""
    scope_rule: Line | None = None
    reason: Annotated[str, Field(max_length=2000)] = ""
    """For what is to stay open: why."""


class ClaimAnswer(Wire):
    claim: str
    standing: str
    text: str
    about: AboutModel
    citations: list[CitationModel]
    author: str
    reason: str
    checker: str | None
    scope_rule: str | None
    task_revision: int


class ClaimsPage(Page):
    data: list[ClaimAnswer]


class RulingAnswer(Wire):
    standing: str
    reason: str
    checker: str | None
    support: str | None
    scope_rule: str | None
    task_revision: int


class ClaimHistoryAnswer(ClaimAnswer):
    run: int
    step: int
    rulings: list[RulingAnswer]
    """Oldest first."""


class DisputeRequest(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [{"reason": "The unit changed, too.", "reader": "human:eve"}]})
    reason: Annotated[str, Field(min_length=1, max_length=2000)]
    reader: Label | None = None
    """On whose behalf; kept with the name of the key."""


class PublishRequest(Wire):
    """A report: its text, and the claims that it publishes, with their standing as it is now."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"task": "orders", "run": 1, "title": "Orders", "body": "# Orders\n", "claims": ["C1"]}]}
    )
    task: Line
    run: Ordinal
    title: Annotated[str, Field(min_length=1, max_length=500)]
    body: Annotated[str, Field(min_length=1, max_length=16 * 1024 * 1024)]
    claims: Annotated[tuple[ClaimName, ...], Field(max_length=100_000)] = ()


class PublishedAnswer(Wire):
    report: str
