"""Places in paths: the run and the step that a request is about, and who goes on with the run."""

from typing import Annotated

from fastapi import Path, Query

from api.schemas.runs import ShownModel
from evidence_store.ids import read_id
from evidence_store.model import Digest, TaskName
from evidence_store.records.runs import RunKey, Shown, StepKey
from evidence_store.store import EvidenceStore
from evidence_store.store.holding import Hold
from evidence_store.store.runs import Runs

RunNumber = Annotated[int, Path(ge=1, lt=2**53, examples=[1], description="1-based within the task")]
StepNumber = Annotated[int, Path(ge=1, lt=2**53, examples=[1], description="1-based within the run")]
Opening = Annotated[
    int | None,
    Query(
        ge=0, lt=2**53, description="Of who goes on with the run: as `takeRun` gave it, 0 for who began it. Refused once another took it"
    ),
]


def run_of(store: EvidenceStore, task: str, run: int) -> RunKey:
    return RunKey(store.core.workspace, TaskName(task), run)


def step_of(store: EvidenceStore, task: str, run: int, step: int) -> StepKey:
    return StepKey(run_of(store, task, run), step)


def hold_of(run: RunKey, opening: int | None) -> Hold | None:
    return None if opening is None else Hold(run, opening)


def held(store: EvidenceStore, run: RunKey, opening: int | None) -> Runs:
    """The runs for writes, for who goes on with one."""
    hold = hold_of(run, opening)
    return store.runs if hold is None else store.runs.held_by(hold)


def read_shown(one: ShownModel) -> Shown:
    return Shown(read_id(one.evidence).id, Digest(one.digest), tuple(one.transforms), one.in_full)
