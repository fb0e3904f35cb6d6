"""What of a workspace somebody sees, as conditions on rows: what is hidden is not among them, so that it looks as what is absent."""

from sqlalchemy import ColumnElement, exists, func, select, true

from evidence_store.model import MASKED, Clearances, LabelPolicy
from evidence_store.tables import claim_labels, evidence, exposures, label_policies, report_claims, resource_labels


def sees_resource(clearances: Clearances, workspace: ColumnElement[str], resource: ColumnElement[str]) -> ColumnElement[bool]:
    """That no label hides the resource; one that masks leaves it to be seen."""
    return true() if clearances is None else ~exists().where(_lacking(clearances, workspace, resource) & _hides())


def is_cleared_for(clearances: Clearances, workspace: ColumnElement[str], id_: ColumnElement[str]) -> ColumnElement[bool]:
    """Cleared for all labels of an evidence: what somebody says of it can repeat it, so none of them masks."""
    if clearances is None:
        return true()
    its = (evidence.c.workspace == workspace) & (evidence.c.id == id_)
    return ~exists().where(its & exists().where(_lacking(clearances, evidence.c.workspace, evidence.c.resource)))


def _hides() -> ColumnElement[bool]:
    """That the policy of a label of a resource is not to mask."""
    policy = select(label_policies.c.policy).where(
        label_policies.c.workspace == resource_labels.c.workspace, label_policies.c.label == resource_labels.c.label
    )
    newest = policy.order_by(label_policies.c.ordinal.desc()).limit(1).correlate(resource_labels).scalar_subquery()
    return func.coalesce(newest, LabelPolicy.HIDDEN.value) != LabelPolicy.MASKED.value


def says_content() -> ColumnElement[bool]:
    """That an exposure was of more than the place of an evidence."""
    return exposures.c.transforms.not_like(f'%"{MASKED}"%')


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
    """Cleared for all that a run was shown: its turns and inputs hold excerpts. What was masked to it says only where something stands."""
    if clearances is None:
        return true()
    shown = (exposures.c.workspace == workspace) & (exposures.c.task == task) & (exposures.c.run == run)
    its = (evidence.c.workspace == exposures.c.workspace) & (evidence.c.id == exposures.c.evidence)
    lacking = _lacking(clearances, evidence.c.workspace, evidence.c.resource)
    return ~exists().where(shown & its & exists().where(lacking & (_hides() | says_content())))
