"""Operations of claims, and the publishing of reports."""

from collections.abc import Sequence

from api.client.operation import Operation, Pages, get, named, pages, post
from api.client.values import ClaimHistory, RuledClaim
from api.client.work_reading import claim_of, history_of, ruled_of
from evidence_store.model import ClaimView
from evidence_store.records.runs import RunKey, StepKey
from evidence_store.store.claims import ClaimRequest


def _path(task: str) -> str:
    return f"/v1/tasks/{named(task)}/claims"


def list_claims(task: str, limit: int = 100) -> Pages[ClaimView]:
    """Claims of a task in order, each with its standing now. Raises NotFound."""
    return pages(_path(task), claim_of, limit)


def record_claim(step: StepKey, claim: ClaimRequest, idempotency_key: str | None = None) -> Operation[ClaimView]:
    """Records a claim in the name of the run's agent, whatever its `author` says, and rules on it at once. Raises InvalidInput."""
    about = {"resource": claim.about.resource, "pointer": claim.about.pointer, "aspect": claim.about.aspect}
    asked = {"run": step.run.number, "step": step.number, "about": about, "text": claim.text, "standing": claim.standing}
    asked |= {"citations": [{"evidence": one.evidence, "role": one.role} for one in claim.citations]}
    asked |= {"scope_rule": claim.scope_rule, "reason": claim.reason}
    return post(_path(step.run.task), asked, claim_of, idempotency_key)


def get_claim(task: str, claim: str) -> Operation[ClaimHistory]:
    """One claim with the rulings on it. Raises NotFound."""
    return get(f"{_path(task)}/{named(claim)}", history_of)


def dispute_claim(
    task: str, claim: str, reason: str, reader: str | None = None, idempotency_key: str | None = None
) -> Operation[RuledClaim]:
    """Returns a claim to open, with what a reader has against it. Raises NotFound."""
    return post(f"{_path(task)}/{named(claim)}/disputes", {"reason": reason, "reader": reader}, ruled_of, idempotency_key)


def publish_report(run: RunKey, title: str, body: str, claims: Sequence[str], idempotency_key: str | None = None) -> Operation[str]:
    """Publishes a report for good, with claims as they stand now; gives its id, which is derived from its text. Raises NotFound."""
    asked = {"task": run.task, "run": run.number, "title": title, "body": body, "claims": list(claims)}
    return post("/v1/reports", asked, lambda shown: str(shown["report"]), idempotency_key)
