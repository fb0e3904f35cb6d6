"""Who asks, and what they may do: grants, clearances, and the keys that carry them."""

from dataclasses import dataclass
from enum import StrEnum

from evidence_store.errors import NotPermitted
from evidence_store.model import Clearances, WorkspaceName


class Grant(StrEnum):
    """What a principal may do in its workspace. `admin` is none of the others: it makes and revokes keys, and sets policies."""

    EVIDENCE_READ = "evidence:read"
    EVIDENCE_WRITE = "evidence:write"
    TASK_WRITE = "task:write"
    CLAIM_WRITE = "claim:write"
    AUDIT_READ = "audit:read"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Principal:
    """Somebody on whose behalf something is done."""

    name: str
    """`key:ID`, `user:SUBJECT` of an identity provider, or `local` for the owner of a store on this machine."""
    workspace: WorkspaceName
    grants: frozenset[Grant]
    clearances: Clearances
    sees_secrets: bool = False
    """Whether secrets in sources are shown to it as they stand."""


def require_own(giver: Principal, grants: frozenset[Grant], clearances: Clearances, *, sees_secrets: bool) -> None:
    """Raises NotPermitted (`beyond_own`) where somebody would give what they do not have themselves."""
    more = sorted(grants - giver.grants)
    if more:
        raise NotPermitted(f"who gives {more[0]} has it: {giver.name} does not", {"grant": more[0]}, code="beyond_own")
    is_cleared = giver.clearances is None or (clearances is not None and clearances <= giver.clearances)
    if not is_cleared or (sees_secrets and not giver.sees_secrets):
        raise NotPermitted(f"{giver.name} gives no clearance that it does not have", code="beyond_own")


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key without its secret, which is shown once and kept as a digest only."""

    id: str
    """`key_` and 12 characters."""
    name: str
    workspace: WorkspaceName
    grants: frozenset[Grant]
    clearances: Clearances
    sees_secrets: bool
    created_at: int
    """Microseconds since 1970 UTC, as `expires_at`."""
    expires_at: int | None
    revoked: bool
    used_hour: int | None
    """The last hour, since 1970 UTC, in which it was used; None: never."""

    @property
    def principal(self) -> Principal:
        return Principal(f"key:{self.id}", self.workspace, self.grants, self.clearances, self.sees_secrets)
