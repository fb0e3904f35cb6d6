"""Operations of tasks: goal and scope by revision, proposals, progress, judgements."""

from collections.abc import Sequence
from typing import Any

from api.client.operation import Operation, Pages, get, named, pages, post
from api.client.values import RuledClaim
from api.client.work_reading import judgement_of, progress_of, proposal_of, ruled_of, task_of
from evidence_store.model import ProgressItem, TaskRevision
from evidence_store.records.runs import StepKey
from evidence_store.records.tasks import Judgement, Proposal
from evidence_store.store.rejudging import Verdict


def list_tasks(limit: int = 100) -> Pages[TaskRevision]:
    """Tasks by name, each in its newest revision."""
    return pages("/v1/tasks", task_of, limit)


def create_task(new: TaskRevision, author: str | None = None, idempotency_key: str | None = None) -> Operation[TaskRevision]:
    """Begins a task; one that is there in exactly this state is answered as it is. Raises Conflict for any other state."""
    return post("/v1/tasks", {"task": new.task, **_scope(new, author)}, task_of, idempotency_key)


def get_task(task: str) -> Operation[TaskRevision]:
    """Its newest revision. Raises NotFound."""
    return get(f"/v1/tasks/{named(task)}", task_of)


def list_task_revisions(task: str, limit: int = 100) -> Pages[TaskRevision]:
    """Oldest first. Raises NotFound."""
    return pages(f"/v1/tasks/{named(task)}/revisions", task_of, limit)


def get_task_revision(task: str, number: int) -> Operation[TaskRevision]:
    """One revision. Raises NotFound."""
    return get(f"/v1/tasks/{named(task)}/revisions/{number}", task_of)


def add_task_revision(new: TaskRevision, author: str | None = None, idempotency_key: str | None = None) -> Operation[TaskRevision]:
    """The next state of goal and scope; `new.number` is the number that it must get. Raises Conflict when another came first."""
    path, headers = f"/v1/tasks/{named(new.task)}/revisions", {"If-Match": f'"{new.number - 1}"'}
    return post(path, _scope(new, author), task_of, idempotency_key, headers)


def _scope(new: TaskRevision, author: str | None) -> dict[str, object]:
    lists = {"in_scope": list(new.in_scope), "excluded": list(new.excluded), "constraints": list(new.constraints)}
    return {"goal": new.goal, **lists, "author": author}


def list_proposals(task: str, limit: int = 100) -> Pages[Proposal]:
    """Constraints that users stated, with what was decided. Raises NotFound."""
    return pages(f"/v1/tasks/{named(task)}/proposals", proposal_of, limit)


def propose_constraint(
    task: str,
    text: str,
    author: str | None = None,
    *,
    run: int | None = None,
    message: int | None = None,
    idempotency_key: str | None = None,
) -> Operation[Proposal]:
    """Keeps a constraint that a user stated, until somebody accepts or declines it. Raises NotFound, InvalidInput."""
    asked = {"text": text, "author": author, "run": run, "message": message}
    return post(f"/v1/tasks/{named(task)}/proposals", asked, proposal_of, idempotency_key)


def accept_proposal(
    task: str, proposal: int, author: str | None = None, *, excluding: bool = False, idempotency_key: str | None = None
) -> Operation[TaskRevision]:
    """Makes a proposal part of the next task revision. Raises NotFound, Conflict."""
    path = f"/v1/tasks/{named(task)}/proposals/{proposal}/accept"
    return post(path, {"author": author, "excluding": excluding}, task_of, idempotency_key)


def decline_proposal(task: str, proposal: int, author: str | None = None, idempotency_key: str | None = None) -> Operation[TaskRevision]:
    """Takes a proposal out of every input from now on. Raises NotFound, Conflict."""
    return post(f"/v1/tasks/{named(task)}/proposals/{proposal}/decline", {"author": author}, task_of, idempotency_key)


def list_progress(task: str, limit: int = 100) -> Pages[ProgressItem]:
    """Where each subject stands, in the order in which they came up. Raises NotFound."""
    return pages(f"/v1/tasks/{named(task)}/progress", progress_of, limit)


def record_progress(
    task: str, items: Sequence[ProgressItem], step: StepKey | None = None, idempotency_key: str | None = None
) -> Operation[Sequence[ProgressItem]]:
    """Adds states of subjects and gives those that were added: a `todo` for a known one leaves it as it is. Raises InvalidInput."""
    shown = [
        {"subject": one.subject, "state": one.state, "evidence": list(one.evidence), "next": one.next, "uses": list(one.uses)}
        for one in items
    ]
    place = {} if step is None else {"run": step.run.number, "step": step.number}

    def read(found: Any) -> Sequence[ProgressItem]:
        return tuple(map(progress_of, found["recorded"]))

    return post(f"/v1/tasks/{named(task)}/progress", {"items": shown, **place}, read, idempotency_key)


def list_judgements(task: str, limit: int = 100) -> Pages[Judgement]:
    """The newest judgement of each subject; one of an older task revision is stale. Raises NotFound."""
    return pages(f"/v1/tasks/{named(task)}/judgements", judgement_of, limit)


def record_judgements(
    task: str, verdicts: Sequence[Verdict], judge: str | None = None, idempotency_key: str | None = None
) -> Operation[Sequence[RuledClaim]]:
    """Judges evidence under the newest task revision; gives the claims that cite it, ruled on anew. Raises NotFound, InvalidInput."""
    shown = [{"evidence": one.evidence, "applies": one.applies, "reason": one.reason} for one in verdicts]

    def read(found: Any) -> Sequence[RuledClaim]:
        return tuple(map(ruled_of, found["claims"]))

    return post(f"/v1/tasks/{named(task)}/judgements", {"verdicts": shown, "judge": judge}, read, idempotency_key)
