"""What of a workspace somebody sees, as conditions on rows: what is hidden is not among them, so that it looks as what is absent."""

from sqlalchemy import ColumnElement, exists, func, select, true

from evidence_store.model import Clearances, LabelPolicy
from evidence_store.tables import claim_labels, evidence, exposures, label_policies, report_claims, resource_labels


def sees_resource(clearances: Clearances, workspace: ColumnElement[str], resource: ColumnElement[str]) -> ColumnElement[bool]:
    """That no label hides the resource; one that masks leaves it to be seen."""
    if clearances is None:
        return true()
    policy = select(label_policies.c.policy).where(
        label_policies.c.workspace == resource_labels.c.workspace, label_policies.c.label == resource_labels.c.label
    )
    newest = policy.order_by(label_policies.c.ordinal.desc()).limit(1).correlate(resource_labels).scalar_subquery()
    hiding = _lacking(clearances, workspace, resource) & (func.coalesce(newest, LabelPolicy.HIDDEN.value) != LabelPolicy.MASKED.value)
    return ~exists().where(hiding)


def _lacking(clearances: frozenset[str], workspace: ColumnElement[str], resource: ColumnElement[str]) -> ColumnElement[bool]:
    mine = (resource_labels.c.workspace == workspace) & (resource_labels.c.resource == resource)
    return mine & resource_labels.c.label.not_in(sorted(clearances))


def sees_claim(
    clearances: Clearances, workspace: ColumnElement[str], task: ColumnElement[str], number: ColumnElement[int]
) -> ColumnElement[bool]:
    """Cleared for all labels of a claim: wording can leak what a label guards, so none of them masks."""
    if clearances is None:
        return true()
    mine = (claim_labels.c.workspace == workspace) & (claim_labels.c.task == task) & (claim_labels.c.claim == number)
    return ~exists().where(mine & claim_labels.c.label.not_in(sorted(clearances)))


def sees_report(clearances: Clearances, workspace: ColumnElement[str], report: ColumnElement[str]) -> ColumnElement[bool]:
    """Cleared for all claims of a report."""
    if clearances is None:
        return true()
    mine = (report_claims.c.workspace == workspace) & (report_claims.c.report == report)
    unseen = ~sees_claim(clearances, report_claims.c.workspace, report_claims.c.task, report_claims.c.claim)
    return ~exists().where(mine & unseen)


def sees_run(
    clearances: Clearances, workspace: ColumnElement[str], task: ColumnElement[str], run: ColumnElement[int]
) -> ColumnElement[bool]:
    """Cleared for all that a run was shown: its turns and inputs hold excerpts."""
    if clearances is None:
        return true()
    shown = (exposures.c.workspace == workspace) & (exposures.c.task == task) & (exposures.c.run == run)
    its = (evidence.c.workspace == exposures.c.workspace) & (evidence.c.id == exposures.c.evidence)
    return ~exists().where(shown & its & exists().where(_lacking(clearances, evidence.c.workspace, evidence.c.resource)))
