"""Access labels: what each hides or masks from those who are not cleared for it, and which resources have it."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from api.deps import CallerDep, IdempotencyKey
from api.once import Done, once
from api.presenters import Json, dumps, resource_json
from api.routes.answers import answer, problems
from api.routes.names import Name
from api.routes.repeats import again, asked_bytes
from api.schemas import ResourceAnswer
from api.schemas.access import LabelsRequest, PoliciesAnswer, PolicyRequest
from evidence_store.model import ResourceName
from evidence_store.store import EvidenceStore

router = APIRouter(prefix="/v1", tags=["access"])


@router.get(
    "/labels",
    operation_id="listPolicies",
    summary="Labels for which a policy was set; every other label hides",
    response_class=Response,
    responses={200: {"model": PoliciesAnswer}, **problems()},
)
def list_policies(request: Request, caller: CallerDep) -> Response:
    return answer(request, _policies(caller.services.store))


@router.put(
    "/labels",
    operation_id="setPolicy",
    summary="Say what those who are not cleared for a label see",
    response_class=Response,
    responses={200: {"model": PoliciesAnswer}, **problems()},
)
def set_policy(request: Request, caller: CallerDep, asked: PolicyRequest) -> Response:
    caller.services.store.permissions.set_policy(asked.label, asked.policy, caller.principal.name)
    return answer(request, _policies(caller.services.store))


@router.post(
    "/resources/{resource:name}/labels",
    operation_id="addLabels",
    summary="Add labels to a resource; none is ever taken away",
    response_class=Response,
    responses={200: {"model": ResourceAnswer}, **problems(409)},
)
def add_labels(
    request: Request, caller: CallerDep, resource: Name, asked: LabelsRequest, idempotency_key: IdempotencyKey = None
) -> Response:
    store, name = caller.services.store, ResourceName(resource)

    def act() -> Done:
        labelled = store.permissions.add_labels(name, asked.labels, caller.principal.name)
        return Done(200, dumps(resource_json(labelled, store.sources.get_revision(name, None))))

    return again(request, once(caller, idempotency_key, asked_bytes("addLabels", asked, resource), act))


def _policies(store: EvidenceStore) -> dict[str, Json]:
    return {"data": [{"label": label, "policy": policy.value} for label, policy in store.permissions.policies().items()]}
