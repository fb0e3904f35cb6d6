"""What is known of one request when it was answered."""

from dataclasses import dataclass

UNKNOWN = "none"
"""In place of the operation of a request that was routed nowhere."""
PROJECTING = "project"
PUTTING = "putRevision"
RESOLVING = "getEvidence"
RETRIEVING = frozenset(
    {RESOLVING, "expandEvidence", "resolveEvidence", "readDocument", "searchDocument", "search", "summarizeDocument", "diff"}
)


@dataclass(frozen=True, slots=True)
class RequestSeen:
    request_id: str
    method: str
    operation: str
    status: int
    duration_s: float
    received_bytes: int
    """Of the body."""
    principal: str | None
    """None: nobody was known to ask."""
    workspace: str | None
    path: str
    """Holds names of resources: for those alone who asked for names."""
    code: str | None
    """Of the error that was answered."""
    tokens: int | None = None
    """Of the projection that was made."""
