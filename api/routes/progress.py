"""What a task knows of its subjects and its evidence: progress, and judgements under its revisions."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from api.deps import CallerDep, IdempotencyKey, ServicesDep
from api.errors import WrongUse
from api.presenters import Json
from api.routes.answers import Cursor, Limit, page, problems, read_number_cursor
from api.routes.bodies import BoundedRoute, done_once
from api.routes.names import Name
from api.schemas.tasks import JudgementsPage, JudgementsRequest, ProgressPage, ProgressRequest, RecordedProgressAnswer, RuledAnswer
from api.signing import signed
from api.work_json import judgement_json, progress_json, ruled_json
from evidence_store.ids import read_id
from evidence_store.model import ProgressItem, TaskName, WorkspaceName
from evidence_store.records.runs import RunKey, StepKey
from evidence_store.store.rejudging import Verdict

router = APIRouter(prefix="/v1/tasks", tags=["tasks"], route_class=BoundedRoute)


@router.get(
    "/{task:name}/progress",
    operation_id="listProgress",
    summary="Where each subject stands, in the order in which they came up",
    response_class=Response,
    responses={200: {"model": ProgressPage}, **problems()},
)
def list_progress(request: Request, services: ServicesDep, task: Name, cursor: Cursor = None, limit: Limit = 100) -> Response:
    after = read_number_cursor(cursor)
    found = list(enumerate(services.store.tasks.list_progress(TaskName(task)), 1))[after : after + limit + 1]
    return page(request, found, limit, lambda one: progress_json(one[1]), lambda one: one[0])


@router.post(
    "/{task:name}/progress",
    operation_id="recordProgress",
    summary="Add states of subjects; a `todo` for a known one leaves it as it is",
    response_class=Response,
    status_code=201,
    responses={201: {"model": RecordedProgressAnswer}, **problems(409, 413)},
)
def record_progress(
    request: Request, caller: CallerDep, task: Name, asked: ProgressRequest, idempotency_key: IdempotencyKey = None
) -> Response:
    store = caller.services.store
    items = [
        ProgressItem(one.subject, one.state, tuple(read_id(id_).id for id_ in one.evidence), one.next, tuple(one.uses))
        for one in asked.items
    ]
    step = _step(store.core.workspace, TaskName(task), asked)

    def act() -> Json:
        return {"recorded": [progress_json(one) for one in store.tasks.record_progress(TaskName(task), items, step)]}

    return done_once(request, caller, idempotency_key, "recordProgress", asked, act)


def _step(workspace: WorkspaceName, task: TaskName, asked: ProgressRequest) -> StepKey | None:
    """Where it was found out. Raises WrongUse for a run without a step, or the other way round."""
    if asked.run is None and asked.step is None:
        return None
    if asked.run is None or asked.step is None:
        raise WrongUse("run and step stand together, or not at all")
    return StepKey(RunKey(workspace, task, asked.run), asked.step)


@router.get(
    "/{task:name}/judgements",
    operation_id="listJudgements",
    summary="The newest judgement of each subject; one of an older task revision is stale",
    response_class=Response,
    responses={200: {"model": JudgementsPage}, **problems()},
)
def list_judgements(request: Request, services: ServicesDep, task: Name, cursor: Cursor = None, limit: Limit = 100) -> Response:
    found = services.store.tasks.list_judgements(TaskName(task), read_number_cursor(cursor), limit + 1)
    return page(request, found, limit, judgement_json, lambda one: one.ordinal)


@router.post(
    "/{task:name}/judgements",
    operation_id="recordJudgements",
    summary="Judge evidence under the newest task revision, and rule anew on what cites it",
    response_class=Response,
    status_code=201,
    responses={201: {"model": RuledAnswer}, **problems(409, 413)},
)
def record_judgements(
    request: Request, caller: CallerDep, task: Name, asked: JudgementsRequest, idempotency_key: IdempotencyKey = None
) -> Response:
    verdicts = [Verdict(read_id(one.evidence).id, one.applies, one.reason) for one in asked.verdicts]
    judge, rejudging = signed(caller.principal, asked.judge), caller.services.store.rejudging

    def act() -> Json:
        return {"claims": [ruled_json(one) for one in rejudging.judge(TaskName(task), verdicts, judge)]}

    return done_once(request, caller, idempotency_key, "recordJudgements", asked, act)
