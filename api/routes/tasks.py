"""Tasks: goal and scope by revision, and the constraints that users state. Only a key with `task:write` changes a scope."""

import re
from typing import Annotated

from fastapi import APIRouter, Header, Path
from starlette.requests import Request
from starlette.responses import Response

from api.deps import CallerDep, IdempotencyKey, ServicesDep
from api.presenters import Json, dumps
from api.routes.answers import JSON, Cursor, Limit, page, problems, read_cursor, read_number_cursor
from api.routes.bodies import BoundedRoute, done_once
from api.routes.conditional import is_known, respond
from api.routes.names import Name, spelled
from api.routes.problems import StateChanged, StateNotNamed
from api.schemas.tasks import (
    AcceptRequest,
    DecisionRequest,
    ProposalAnswer,
    ProposalRequest,
    ProposalsPage,
    ScopeRequest,
    TaskAnswer,
    TaskRequest,
    TasksPage,
)
from api.signing import signed
from api.work_json import proposal_json, task_json
from evidence_store.canonical import digest_of
from evidence_store.errors import Conflict
from evidence_store.model import TaskName, TaskRevision

router = APIRouter(prefix="/v1/tasks", tags=["tasks"], route_class=BoundedRoute)

Number = Annotated[int, Path(ge=1, lt=2**53, examples=[1])]
IfMatch = Annotated[
    str | None,
    Header(alias="If-Match", max_length=200, description='ETag of the task as it was seen, or its revision alone: `"3"`', examples=['"3"']),
]
_TAG = re.compile(r'"([1-9][0-9]{0,15})(?:-[0-9a-f]{16})?"')


@router.get(
    "",
    operation_id="listTasks",
    summary="Tasks by name, each in its newest revision",
    response_class=Response,
    responses={200: {"model": TasksPage}, **problems()},
)
def list_tasks(request: Request, services: ServicesDep, cursor: Cursor = None, limit: Limit = 100) -> Response:
    found = services.store.tasks.list_newest(read_cursor(cursor, ""), limit + 1)
    return page(request, found, limit, task_json, lambda one: one.task)


@router.post(
    "",
    operation_id="createTask",
    summary="Begin a task with its first revision",
    description="A task that is there in exactly this state is answered as it is.",
    response_class=Response,
    status_code=201,
    responses={201: {"model": TaskAnswer}, **problems(409, 413)},
)
def create_task(request: Request, caller: CallerDep, asked: TaskRequest, idempotency_key: IdempotencyKey = None) -> Response:
    new, author = _revision(TaskName(asked.task), 1, asked), signed(caller.principal, asked.author)
    response = done_once(
        request,
        caller,
        idempotency_key,
        "createTask",
        asked,
        lambda: task_json(caller.services.store.tasks.add_revision(new, author)),
    )
    response.headers["Location"] = f"/v1/tasks/{spelled(asked.task)}"
    return response


@router.get(
    "/{task:name}",
    operation_id="getTask",
    summary="A task in its newest revision, which the ETag names",
    response_class=Response,
    responses={200: {"model": TaskAnswer}, **problems()},
)
def get_task(request: Request, services: ServicesDep, task: Name) -> Response:
    return _answer_task(request, services.store.tasks.get_revision(TaskName(task)))


@router.get(
    "/{task:name}/revisions",
    operation_id="listTaskRevisions",
    summary="Revisions of a task, oldest first",
    response_class=Response,
    responses={200: {"model": TasksPage}, **problems()},
)
def list_task_revisions(request: Request, services: ServicesDep, task: Name, cursor: Cursor = None, limit: Limit = 100) -> Response:
    found = services.store.tasks.list_revisions(TaskName(task), read_number_cursor(cursor), limit + 1)
    return page(request, found, limit, task_json, lambda one: one.number)


@router.post(
    "/{task:name}/revisions",
    operation_id="addTaskRevision",
    summary="Add the next state of goal and scope, in full",
    description="`If-Match` names the revision that it follows. The state that there is already is answered as it is.",
    response_class=Response,
    status_code=201,
    responses={201: {"model": TaskAnswer}, **problems(409, 412, 413, 428)},
)
def add_task_revision(
    request: Request, caller: CallerDep, task: Name, asked: ScopeRequest, if_match: IfMatch = None, idempotency_key: IdempotencyKey = None
) -> Response:
    tasks, name, author = caller.services.store.tasks, TaskName(task), signed(caller.principal, asked.author)
    newest = tasks.get_revision(name)
    seen = read_revision_tag(if_match)

    def act() -> Json:
        try:
            return task_json(tasks.add_revision(_revision(name, seen + 1, asked), author))
        except Conflict as why:
            raise StateChanged(f"task {task[:200]!r} is at revision {newest.number}", {"known": newest.number}) from why

    return done_once(request, caller, idempotency_key, f"addTaskRevision {seen}", asked, act)


@router.get(
    "/{task:name}/revisions/{number}",
    operation_id="getTaskRevision",
    summary="One revision of a task",
    response_class=Response,
    responses={200: {"model": TaskAnswer}, **problems()},
)
def get_task_revision(request: Request, services: ServicesDep, task: Name, number: Number) -> Response:
    return _answer_task(request, services.store.tasks.get_revision(TaskName(task), number))


@router.get(
    "/{task:name}/proposals",
    operation_id="listProposals",
    summary="Constraints that users stated, with what was decided",
    response_class=Response,
    responses={200: {"model": ProposalsPage}, **problems()},
)
def list_proposals(request: Request, services: ServicesDep, task: Name, cursor: Cursor = None, limit: Limit = 100) -> Response:
    after = read_number_cursor(cursor)
    found = [one for one in services.store.tasks.list_proposals(TaskName(task)) if one.ordinal > after]
    return page(request, found[: limit + 1], limit, proposal_json, lambda one: one.ordinal)


@router.post(
    "/{task:name}/proposals",
    operation_id="proposeConstraint",
    summary="Keep a constraint that a user stated, until somebody accepts or declines it",
    description="It stands in every input, and binds nobody. The same text that still waits is not kept twice.",
    response_class=Response,
    status_code=201,
    responses={201: {"model": ProposalAnswer}, **problems(409, 413)},
)
def propose_constraint(
    request: Request, caller: CallerDep, task: Name, asked: ProposalRequest, idempotency_key: IdempotencyKey = None
) -> Response:
    tasks, author = caller.services.store.tasks, signed(caller.principal, asked.author)
    return done_once(
        request,
        caller,
        idempotency_key,
        "proposeConstraint",
        asked,
        lambda: proposal_json(tasks.propose(TaskName(task), asked.text, author, asked.run, asked.message)),
    )


@router.post(
    "/{task:name}/proposals/{number}/accept",
    operation_id="acceptProposal",
    summary="Make a proposal part of the next task revision",
    response_class=Response,
    status_code=201,
    responses={201: {"model": TaskAnswer}, **problems(409, 413)},
)
def accept_proposal(
    request: Request, caller: CallerDep, task: Name, number: Number, asked: AcceptRequest, idempotency_key: IdempotencyKey = None
) -> Response:
    tasks, author = caller.services.store.tasks, signed(caller.principal, asked.author)
    return done_once(
        request,
        caller,
        idempotency_key,
        "acceptProposal",
        asked,
        lambda: task_json(tasks.accept(TaskName(task), number, author, excluding=asked.excluding)),
    )


@router.post(
    "/{task:name}/proposals/{number}/decline",
    operation_id="declineProposal",
    summary="Take a proposal out of every input from now on",
    response_class=Response,
    status_code=201,
    responses={201: {"model": TaskAnswer}, **problems(409, 413)},
)
def decline_proposal(
    request: Request, caller: CallerDep, task: Name, number: Number, asked: DecisionRequest, idempotency_key: IdempotencyKey = None
) -> Response:
    tasks, author = caller.services.store.tasks, signed(caller.principal, asked.author)

    def act() -> Json:
        tasks.decline(TaskName(task), number, author)
        return task_json(tasks.get_revision(TaskName(task)))

    return done_once(request, caller, idempotency_key, "declineProposal", asked, act)


def read_revision_tag(if_match: str | None) -> int:
    """The task revision that `If-Match` names. Raises StateNotNamed, also for `*`, and StateChanged for the tag of something else."""
    if if_match is None or if_match.strip() == "*":
        raise StateNotNamed('If-Match names the revision that was seen, such as "3"')
    found = _TAG.fullmatch(if_match.strip())
    if found is None:
        raise StateChanged("If-Match is not the tag of a task")
    return int(found[1])


def _answer_task(request: Request, task: TaskRevision) -> Response:
    """The tag is the number of the revision, and behind it what tells copies with other proposals apart."""
    body = dumps(task_json(task))
    tag = f'"{task.number}-{digest_of(body).removeprefix("sha256:")[:16]}"'
    if is_known(tag, ",".join(request.headers.getlist("if-none-match"))):
        return Response(status_code=304, headers={"ETag": tag, "Cache-Control": "private, no-cache"})
    response = respond(request, body, JSON)
    response.headers["ETag"] = tag
    return response


def _revision(task: TaskName, number: int, asked: ScopeRequest) -> TaskRevision:
    return TaskRevision(task, number, asked.goal, tuple(asked.in_scope), tuple(asked.excluded), tuple(asked.constraints))
