"""Which resources of a workspace somebody sees, as conditions on rows: what is hidden is not among them, and looks as what is absent."""

from sqlalchemy import ColumnElement, exists, func, select, true

from evidence_store.model import Clearances, LabelPolicy
from evidence_store.tables.sources import label_policies, resource_labels


def sees_resource(clearances: Clearances, workspace: ColumnElement[str], resource: ColumnElement[str]) -> ColumnElement[bool]:
    """That no label hides the resource; one that masks leaves it to be seen."""
    return true() if clearances is None else ~exists().where(lacking(clearances, workspace, resource) & hides())


def hides() -> ColumnElement[bool]:
    """That the policy of a label of a resource is not to mask."""
    policy = select(label_policies.c.policy).where(
        label_policies.c.workspace == resource_labels.c.workspace, label_policies.c.label == resource_labels.c.label
    )
    newest = policy.order_by(label_policies.c.ordinal.desc()).limit(1).correlate(resource_labels).scalar_subquery()
    return func.coalesce(newest, LabelPolicy.HIDDEN.value) != LabelPolicy.MASKED.value


def lacking(clearances: frozenset[str], workspace: ColumnElement[str], resource: ColumnElement[str]) -> ColumnElement[bool]:
    """That a label of a resource is none of these clearances."""
    mine = (resource_labels.c.workspace == workspace) & (resource_labels.c.resource == resource)
    return mine & resource_labels.c.label.not_in(sorted(clearances))
