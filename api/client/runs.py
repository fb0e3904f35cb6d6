"""Operations of runs: begun, gone on with and ended, and what is stored of them.

`opening` says who goes on with a run: 0 who began it, else what `take_run` gave. With it a write is refused (Conflict, `run_taken`) once
another has taken the run; without it nobody asks.
"""

from api.client.operation import Given, Operation, Pages, get, named, pages, post
from api.client.values import ListedInput, RunState
from api.client.work_reading import exposure_of, input_of, run_key, run_of, state_of, step_of, turn_of, usage_of
from evidence_store.records.exposures import RunExposure
from evidence_store.records.run_history import StepRow
from evidence_store.records.runs import StepKey
from evidence_store.records.usages import CountedModel, NewUsage
from evidence_store.store.run_history import RunSummary, StoredTurn


def path_of(task: str, run: int | None = None) -> str:
    return f"/v1/tasks/{named(task)}/runs" + ("" if run is None else f"/{run}")


def list_runs(task: str, limit: int = 100) -> Pages[RunSummary]:
    """Runs of a task, in order."""
    return pages(path_of(task), run_of, limit)


def start_run(task: str, agent: str, request: str | None = None, idempotency_key: str | None = None) -> Operation[RunSummary]:
    """Begins the next run, with the first turn of the user where there is one. Raises NotFound."""
    return post(path_of(task), {"agent": agent, "request": request}, run_of, idempotency_key)


def get_run(task: str, run: int) -> Operation[RunState]:
    """Where a run stands. Raises NotFound."""
    return get(path_of(task, run), state_of)


def take_run(task: str, run: int, idempotency_key: str | None = None) -> Operation[int]:
    """Takes a run from whoever holds it; gives the `opening`. Raises NotFound, and Conflict for a run that has ended."""
    return post(f"{path_of(task, run)}/take", {}, lambda shown: int(shown["opening"]), idempotency_key)


def end_run(
    task: str, run: int, how: str, reason: str = "", *, opening: int | None = None, idempotency_key: str | None = None
) -> Operation[RunSummary]:
    """Marks a run as ended. Raises NotFound, and Conflict for one that has ended."""
    path = f"{path_of(task, run)}/end"
    return post(path, {"how": how, "reason": reason}, run_of, idempotency_key, query={"opening": opening})


def rule_on_claims(task: str, run: int, idempotency_key: str | None = None) -> Operation[RunSummary]:
    """Rules on claims of the run that were recorded and not ruled on. Raises NotFound."""
    return post(f"{path_of(task, run)}/rule", {}, run_of, idempotency_key)


def list_messages(task: str, run: int, limit: int = 100) -> Pages[StoredTurn]:
    """The turns as they came, with the results of calls, and compactions between them. Raises NotFound."""
    return pages(f"{path_of(task, run)}/messages", turn_of, limit)


def add_message(task: str, run: int, text: str, *, opening: int | None = None, idempotency_key: str | None = None) -> Operation[int]:
    """Keeps a turn of the user; gives its 1-based place among the messages. Raises NotFound."""
    path = f"{path_of(task, run)}/messages"
    return post(path, {"text": text}, lambda shown: int(shown["message"]), idempotency_key, query={"opening": opening})


def list_steps(task: str, run: int, limit: int = 100) -> Pages[StepRow]:
    """Steps, each with the task revision that it stands under. Raises NotFound."""
    return pages(f"{path_of(task, run)}/steps", step_of, limit)


def open_step(task: str, run: int, *, opening: int | None = None, idempotency_key: str | None = None) -> Operation[StepKey]:
    """Begins the next step under the newest task revision. Raises NotFound."""
    path = f"{path_of(task, run)}/steps"
    return post(path, {}, lambda shown: StepKey(run_key(task, run), shown["step"]), idempotency_key, query={"opening": opening})


def list_usages(task: str, run: int, model: CountedModel, limit: int = 100) -> Operation[tuple[NewUsage, ...]]:
    """The newest that was reported of a model in the runs of the task up to this one, the newest last."""
    query: dict[str, Given] = {"provider": model.provider, "model": model.model, "counter": model.counter, "limit": limit}
    return get(f"{path_of(task, run)}/usages", lambda shown: tuple(map(usage_of, shown["data"])), query)


def list_run_exposures(task: str, run: int, limit: int = 100) -> Pages[RunExposure]:
    """What a run was shown, in order, in which grade; needs the grant `audit:read`. Raises NotFound."""
    return pages(f"{path_of(task, run)}/exposures", lambda shown: exposure_of(task, run, shown), limit)


def list_run_projections(task: str, run: int, limit: int = 100) -> Pages[ListedInput]:
    """Stored inputs in order of steps, with their token figures. Raises NotFound."""
    return pages(f"{path_of(task, run)}/projections", input_of, limit)
