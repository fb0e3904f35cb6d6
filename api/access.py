"""Which grant each operation needs, as data, asked in one function; and the store as a principal sees it."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from threading import Lock

from api.wiring import Services
from evidence_store.access import Grant, Principal
from evidence_store.errors import NotPermitted, StoreUnavailable
from evidence_store.model import Clearances, WorkspaceName
from evidence_store.store import EvidenceStore

KEPT_VIEWS = 64
LOCAL = "local"
"""The owner of a store on this machine."""

OPERATIONS: Mapping[str, Grant | None] = {
    "getHealth": None,
    "getReady": None,
    "getStats": Grant.AUDIT_READ,
    "getMetrics": Grant.AUDIT_READ,
    "callMcp": Grant.EVIDENCE_READ,
    "listResources": Grant.EVIDENCE_READ,
    "getResource": Grant.EVIDENCE_READ,
    "listRevisions": Grant.EVIDENCE_READ,
    "getRevision": Grant.EVIDENCE_READ,
    "listObservations": Grant.EVIDENCE_READ,
    "putRevision": Grant.EVIDENCE_WRITE,
    "getBlob": Grant.EVIDENCE_READ,
    "headBlob": Grant.EVIDENCE_READ,
    "getEvidence": Grant.EVIDENCE_READ,
    "expandEvidence": Grant.EVIDENCE_READ,
    "locateEvidence": Grant.EVIDENCE_READ,
    "listExposures": Grant.AUDIT_READ,
    "verifyEvidence": Grant.EVIDENCE_READ,
    "resolveEvidence": Grant.EVIDENCE_READ,
    "readDocument": Grant.EVIDENCE_READ,
    "searchDocument": Grant.EVIDENCE_READ,
    "search": Grant.EVIDENCE_READ,
    "summarizeDocument": Grant.EVIDENCE_READ,
    "diff": Grant.EVIDENCE_READ,
    "checkCitations": Grant.EVIDENCE_READ,
    "listReports": Grant.EVIDENCE_READ,
    "publishReport": Grant.CLAIM_WRITE,
    "listTasks": Grant.EVIDENCE_READ,
    "createTask": Grant.TASK_WRITE,
    "getTask": Grant.EVIDENCE_READ,
    "listTaskRevisions": Grant.EVIDENCE_READ,
    "addTaskRevision": Grant.TASK_WRITE,
    "getTaskRevision": Grant.EVIDENCE_READ,
    "listProposals": Grant.EVIDENCE_READ,
    "proposeConstraint": Grant.CLAIM_WRITE,
    "acceptProposal": Grant.TASK_WRITE,
    "declineProposal": Grant.TASK_WRITE,
    "listProgress": Grant.EVIDENCE_READ,
    "recordProgress": Grant.CLAIM_WRITE,
    "listJudgements": Grant.EVIDENCE_READ,
    "recordJudgements": Grant.CLAIM_WRITE,
    "listClaims": Grant.EVIDENCE_READ,
    "recordClaim": Grant.CLAIM_WRITE,
    "getClaim": Grant.EVIDENCE_READ,
    "disputeClaim": Grant.CLAIM_WRITE,
    "listRuns": Grant.EVIDENCE_READ,
    "startRun": Grant.CLAIM_WRITE,
    "getRun": Grant.EVIDENCE_READ,
    "takeRun": Grant.CLAIM_WRITE,
    "endRun": Grant.CLAIM_WRITE,
    "ruleOnClaims": Grant.CLAIM_WRITE,
    "listMessages": Grant.EVIDENCE_READ,
    "addMessage": Grant.CLAIM_WRITE,
    "listSteps": Grant.EVIDENCE_READ,
    "openStep": Grant.CLAIM_WRITE,
    "openCalls": Grant.CLAIM_WRITE,
    "closeCalls": Grant.CLAIM_WRITE,
    "callTool": Grant.CLAIM_WRITE,
    "callReadingTool": Grant.EVIDENCE_READ,
    "previewRevision": Grant.EVIDENCE_READ,
    "confirmSent": Grant.CLAIM_WRITE,
    "reportUsage": Grant.CLAIM_WRITE,
    "listUsages": Grant.EVIDENCE_READ,
    "storeProjection": Grant.CLAIM_WRITE,
    "listRunProjections": Grant.EVIDENCE_READ,
    "listProjections": Grant.EVIDENCE_READ,
    "getReceipt": Grant.EVIDENCE_READ,
    "replayStep": Grant.EVIDENCE_READ,
    "recordCompaction": Grant.CLAIM_WRITE,
    "listRunExposures": Grant.AUDIT_READ,
    "project": Grant.EVIDENCE_READ,
    "listPolicies": Grant.ADMIN,
    "setPolicy": Grant.ADMIN,
    "addLabels": Grant.ADMIN,
    "listKeys": Grant.ADMIN,
    "createKey": Grant.ADMIN,
    "revokeKey": Grant.ADMIN,
    "getReport": Grant.EVIDENCE_READ,
    "getTrace": Grant.EVIDENCE_READ,
    "showSignIn": None,
    "signIn": None,
    "signOut": None,
    "showIndex": Grant.EVIDENCE_READ,
    "showReport": Grant.EVIDENCE_READ,
    "showEvidence": Grant.EVIDENCE_READ,
    "showTrace": Grant.EVIDENCE_READ,
    "showSource": Grant.EVIDENCE_READ,
}
"""Operation of HTTP to the grant that it needs; None: everybody may, without a key."""


PAGES = "show"
"""What operations of pages begin with: they read, and a cookie counts as a key there."""


class TooManyRequests(StoreUnavailable):
    """A caller asks more often than it may; `retry_after_s` says when again."""

    code = "too_many_requests"


def owner(workspace: WorkspaceName) -> Principal:
    """Of a store on this machine: it may do all."""
    return Principal(LOCAL, workspace, frozenset(Grant), None, sees_secrets=False)


def require_grant(principal: Principal, operation: str) -> None:
    """Raises NotPermitted (`grant_missing`) unless the principal may do this. The one place where grants are asked."""
    wanted = OPERATIONS[operation]
    if wanted is not None and not has_grant(principal, operation):
        raise NotPermitted(f"this needs the grant {wanted.value}", {"grant": wanted.value}, code="grant_missing")


def has_grant(principal: Principal, operation: str) -> bool:
    """The question that `require_grant` asks."""
    wanted = OPERATIONS[operation]
    return wanted is None or wanted in principal.grants


class Views:
    """Services over the store as principals see it; those that were asked for last are kept."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._workspaces: OrderedDict[WorkspaceName, EvidenceStore] = OrderedDict()
        self._kept: OrderedDict[tuple[WorkspaceName, Clearances, bool], Services] = OrderedDict()
        self._lock = Lock()

    def of(self, principal: Principal) -> Services:
        """What the principal sees of its workspace. Not to be closed."""
        shows_secrets = principal.sees_secrets or self._services.store.core.show_secrets
        key = (principal.workspace, principal.clearances, shows_secrets)
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                whole = self._workspace(principal.workspace)
                found = replace(self._services, store=whole.seen_by(principal.clearances, show_secrets=shows_secrets))
                self._kept[key] = found
                if len(self._kept) > KEPT_VIEWS:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return found

    def _workspace(self, name: WorkspaceName) -> EvidenceStore:
        """What was parsed of a workspace is shared by all that see it."""
        found = self._workspaces.get(name)
        if found is None:
            found = self._workspaces[name] = self._services.store.of_workspace(name)
            if len(self._workspaces) > KEPT_VIEWS:
                self._workspaces.popitem(last=False)
        self._workspaces.move_to_end(name)
        return found
