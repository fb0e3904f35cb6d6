"""Rows of exposures of a run: what it was shown, in order, and which labels guard that."""

from collections.abc import Sequence
from dataclasses import dataclass

import orjson
from sqlalchemy import select

from evidence_store.database import ReadConnection
from evidence_store.model import Digest, EvidenceId, Grade
from evidence_store.records.runs import Exposure, RunKey, StepKey
from evidence_store.records.sight_of_work import says_content
from evidence_store.tables.evidence import evidence
from evidence_store.tables.runs import exposures
from evidence_store.tables.sources import resource_labels


@dataclass(frozen=True, slots=True)
class RunExposure:
    """An exposure at its place among those of its run."""

    ordinal: int
    exposure: Exposure
    transforms: tuple[str, ...]
    at: int
    """Microseconds since 1970 UTC."""


def list_run_exposures(connection: ReadConnection, key: RunKey, after: int, limit: int) -> Sequence[RunExposure]:
    """What a run was shown, in order, behind a place."""
    columns = (
        exposures.c.ordinal,
        exposures.c.step,
        exposures.c.evidence,
        exposures.c.grade,
        exposures.c.shown_digest,
        exposures.c.in_full,
        exposures.c.transforms,
        exposures.c.at,
    )
    mine = (exposures.c.workspace == key.workspace, exposures.c.task == key.task, exposures.c.run == key.number)
    query = select(*columns).where(*mine, exposures.c.ordinal > after).order_by(exposures.c.ordinal).limit(limit)
    return [
        RunExposure(
            ordinal, Exposure(StepKey(key, step), EvidenceId(id_), Grade(grade), Digest(digest), in_full), tuple(orjson.loads(names)), at
        )
        for ordinal, step, id_, grade, digest, in_full, names, at in connection.execute(query)
    ]


def list_shown_labels(connection: ReadConnection, key: StepKey, *, whole_run: bool) -> Sequence[str]:
    """Labels of all evidence whose content a step, or its whole run, was shown."""
    run = key.run
    mine = [exposures.c.workspace == run.workspace, exposures.c.task == run.task, exposures.c.run == run.number, says_content()]
    if not whole_run:
        mine.append(exposures.c.step == key.number)
    its = (evidence.c.workspace == exposures.c.workspace) & (evidence.c.id == exposures.c.evidence)
    labelled = (resource_labels.c.workspace == evidence.c.workspace) & (resource_labels.c.resource == evidence.c.resource)
    query = select(resource_labels.c.label).select_from(exposures.join(evidence, its).join(resource_labels, labelled))
    return list(connection.execute(query.where(*mine).distinct()).scalars())


def is_content_shown(connection: ReadConnection, key: RunKey, id_: EvidenceId) -> bool:
    """Whether a run was shown what an evidence says, and not only where it stands."""
    mine = (exposures.c.workspace == key.workspace, exposures.c.task == key.task, exposures.c.run == key.number)
    query = select(exposures.c.ordinal).where(*mine, exposures.c.evidence == id_, says_content())
    return connection.execute(query.limit(1)).first() is not None
