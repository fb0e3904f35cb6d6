"""Wire models of keys, labels and their policies."""

from typing import Annotated

from pydantic import Field

from api.schemas import Wire
from evidence_store.access import Grant
from evidence_store.model import LabelPolicy

Label = Annotated[str, Field(min_length=1, max_length=256)]
MAX_NAMED = 100


class PolicyRequest(Wire):
    label: Label
    policy: LabelPolicy


class PolicyAnswer(Wire):
    label: str
    policy: str


class PoliciesAnswer(Wire):
    data: list[PolicyAnswer]


class LabelsRequest(Wire):
    labels: Annotated[list[Label], Field(min_length=1, max_length=MAX_NAMED)]


class NewKeyRequest(Wire):
    name: Annotated[str, Field(min_length=1, max_length=200, examples=["ci reader"])]
    grants: Annotated[list[Grant], Field(min_length=1, max_length=len(Grant))]
    clearances: Annotated[list[Label] | None, Field(max_length=MAX_NAMED, default_factory=list)]
    """Labels that it is cleared for; null: all, also those to come."""
    sees_secrets: bool = False
    expires_at: Annotated[int | None, Field(ge=0, lt=2**53)] = None
    """Microseconds since 1970 UTC; null: never."""


class KeyAnswer(Wire):
    id: str
    name: str
    workspace: str
    grants: list[str]
    clearances: list[str] | None
    sees_secrets: bool
    created_at: int
    """Microseconds since 1970 UTC, as `expires_at`."""
    expires_at: int | None
    revoked: bool
    used_hour: int | None
    """The last hour, since 1970 UTC, in which it was used."""


class NewKeyAnswer(KeyAnswer):
    secret: str | None
    """Shown this once; null where the answer is given again."""


class KeysAnswer(Wire):
    data: list[KeyAnswer]
