"""Rows of usages: what a provider reported of the input of a step, beside what was counted of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import orjson
from sqlalchemy import func, insert, select

from evidence_store.canonical import canonical_bytes
from evidence_store.database import ReadConnection, WriteConnection
from evidence_store.errors import JsonValue
from evidence_store.records.runs import RunKey, StepKey
from evidence_store.tables.runs import usages


@dataclass(frozen=True, slots=True)
class NewUsage:
    """Both figures of one input, in tokens."""

    provider: str
    model: str
    counter: str
    """Who counted."""
    counted: int
    reported: int
    """All input tokens, those of the provider's cache included."""
    said: Mapping[str, JsonValue]
    """The provider's usage object as it came; empty where there was none."""


@dataclass(frozen=True, slots=True)
class CountedModel:
    """Whose figures belong together: those of one model, and by one counter."""

    provider: str
    model: str
    counter: str


@dataclass(frozen=True, slots=True)
class StoredUsage:
    step: StepKey
    usage: NewUsage


def insert_usage(connection: WriteConnection, key: StepKey, new: NewUsage, at: int) -> None:
    """Adds what was reported; a step that was sent more than once has as many."""
    mine = (
        usages.c.workspace == key.run.workspace,
        usages.c.task == key.run.task,
        usages.c.run == key.run.number,
        usages.c.step == key.number,
    )
    ordinal = (connection.execute(select(func.max(usages.c.ordinal)).where(*mine)).scalar() or 0) + 1
    figures: dict[str, JsonValue] = {"counter": new.counter, "counted": new.counted, "reported": new.reported, "said": new.said}
    row = {
        "workspace": key.run.workspace,
        "task": key.run.task,
        "run": key.run.number,
        "step": key.number,
        "ordinal": ordinal,
        "provider": new.provider,
        "model": new.model,
        "figures": canonical_bytes(figures).decode(),
        "reported_at": at,
    }
    connection.execute(insert(usages).values(row))


def list_usages(connection: ReadConnection, key: RunKey) -> Sequence[StoredUsage]:
    """What was reported of a run, in order of steps."""
    columns = (usages.c.step, usages.c.provider, usages.c.model, usages.c.figures)
    mine = (usages.c.workspace == key.workspace, usages.c.task == key.task, usages.c.run == key.number)
    query = select(*columns).where(*mine).order_by(usages.c.step, usages.c.ordinal)
    return [_stored(StepKey(key, step), provider, model, figures) for step, provider, model, figures in connection.execute(query)]


def list_recent_usages(connection: ReadConnection, key: RunKey, model: CountedModel, limit: int) -> Sequence[NewUsage]:
    """The newest reports of one model and counter over the runs of a task up to this one, oldest first.

    A report of nothing, which was taken once, says nothing of an input.
    """
    columns = (usages.c.run, usages.c.step, usages.c.provider, usages.c.model, usages.c.figures)
    runs = (usages.c.workspace == key.workspace, usages.c.task == key.task, usages.c.run <= key.number)
    mine = (*runs, usages.c.provider == model.provider, usages.c.model == model.model)
    query = select(*columns).where(*mine).order_by(usages.c.run.desc(), usages.c.step.desc(), usages.c.ordinal.desc())
    rows = connection.execute(query)
    of_model = (_stored(StepKey(replace(key, number=run), step), *rest).usage for run, step, *rest in rows)
    found = list(islice((usage for usage in of_model if usage.counter == model.counter and usage.reported > 0), limit))
    return found[::-1]


def _stored(step: StepKey, provider: str, model: str, figures: str) -> StoredUsage:
    said = orjson.loads(figures)
    return StoredUsage(step, NewUsage(provider, model, said["counter"], said["counted"], said["reported"], said["said"]))
