"""Keys of a workspace: listed, made for somebody who asks over HTTP, taken out of use."""

from typing import Annotated

import orjson
from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from api.deps import CallerDep, IdempotencyKey
from api.once import Done, once
from api.presenters import Json, dumps, key_json
from api.routes.answers import answer, problems
from api.routes.repeats import again, asked_bytes
from api.schemas.access import KeyAnswer, KeysAnswer, NewKeyAnswer, NewKeyRequest
from evidence_store.store.keys import KeyRequest

router = APIRouter(prefix="/v1", tags=["access"])


@router.get(
    "/keys",
    operation_id="listKeys",
    summary="All keys, oldest first, those that no longer work among them",
    response_class=Response,
    responses={200: {"model": KeysAnswer}, **problems()},
)
def list_keys(request: Request, caller: CallerDep) -> Response:
    return answer(request, {"data": [key_json(one) for one in caller.services.store.keys.list_keys()]})


@router.post(
    "/keys",
    operation_id="createKey",
    summary="Make a key; its secret is shown once",
    description="It may do and see no more than the key that makes it. The secret is not kept: asked again, it is null.",
    response_class=Response,
    responses={201: {"model": NewKeyAnswer}, **problems(409)},
)
def create_key(request: Request, caller: CallerDep, asked: NewKeyRequest, idempotency_key: IdempotencyKey = None) -> Response:
    keys, clearances = caller.services.store.keys, asked.clearances
    secrets: list[str] = []

    def act() -> Done:
        cleared = None if clearances is None else frozenset(clearances)
        wanted = KeyRequest(asked.name, frozenset(asked.grants), cleared, asked.sees_secrets, asked.expires_at)
        made = keys.create(wanted, caller.principal.name, caller.principal)
        secrets.append(made.secret)
        return Done(201, dumps({**key_json(made.key), "secret": None}))

    done = once(caller, idempotency_key, asked_bytes("createKey", asked), act)
    if done.again:
        return again(request, done)
    shown: dict[str, Json] = orjson.loads(done.body)
    response = answer(request, shown | {"secret": secrets[0]}, done.status)
    response.headers["Cache-Control"] = "no-store"
    return response


@router.post(
    "/keys/{id}/revoke",
    operation_id="revokeKey",
    summary="Take a key out of use for good",
    response_class=Response,
    responses={200: {"model": KeyAnswer}, **problems()},
)
def revoke_key(request: Request, caller: CallerDep, id: Annotated[str, Path(max_length=80, examples=["key_tpvnrht0mge4"])]) -> Response:
    keys = caller.services.store.keys
    keys.revoke(id, caller.principal.name)
    return answer(request, key_json(keys.get(id)))
