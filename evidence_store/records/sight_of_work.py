"""What of evidence, claims, reports and runs somebody sees: as far as it is cleared for what they rest on."""

from sqlalchemy import ColumnElement, exists, true

from evidence_store.model import MASKED, Clearances
from evidence_store.records.sight import hides, lacking
from evidence_store.tables.claims import claim_labels, report_claims
from evidence_store.tables.evidence import evidence
from evidence_store.tables.runs import exposures


def is_cleared_for(clearances: Clearances, workspace: ColumnElement[str], id_: ColumnElement[str]) -> ColumnElement[bool]:
    """Cleared for all labels of an evidence: what somebody says of it can repeat it, so none of them masks."""
    if clearances is None:
        return true()
    its = (evidence.c.workspace == workspace) & (evidence.c.id == id_)
    return ~exists().where(its & exists().where(lacking(clearances, evidence.c.workspace, evidence.c.resource)))


def says_content() -> ColumnElement[bool]:
    """That an exposure was of more than the place of an evidence."""
    return exposures.c.transforms.not_like(f'%"{MASKED}"%')


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
    unseen = lacking(clearances, evidence.c.workspace, evidence.c.resource)
    return ~exists().where(shown & its & exists().where(unseen & (hides() | says_content())))
