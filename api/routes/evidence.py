"""One evidence: the packet and what speaks for or against it, as `evidence get --json` prints it."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from api.deps import ServicesDep
from api.presenters import Json, dumps, packet_json, state_json
from api.routes.answers import problems
from api.routes.conditional import respond
from api.schemas import EvidenceAnswer
from api.tools.context import DEFAULT_MAX_TOKENS, MAX_MAX_TOKENS
from api.wiring import Services
from evidence_store.ids import read_id
from evidence_store.model import TaskName

router = APIRouter(prefix="/v1", tags=["evidence"])


@router.get(
    "/evidence/{id}",
    operation_id="getEvidence",
    summary="One evidence",
    response_class=Response,
    responses={200: {"model": EvidenceAnswer}, 304: {"description": "Not changed since the copy that If-None-Match names"}, **problems()},
)
def get_evidence(
    request: Request,
    services: ServicesDep,
    id: Annotated[str, Path(max_length=80, examples=["ev_tpvnrht0mge4"], description="Letters are folded: case, o to 0, i and l to 1")],
    task: Annotated[str | None, Query(max_length=1000, description="Also say how it was judged in this task")] = None,
    max_tokens: Annotated[int, Query(ge=1, le=MAX_MAX_TOKENS, description="Tokens of the excerpt at most")] = DEFAULT_MAX_TOKENS,
) -> Response:
    shown = evidence_json(services, id, None if task is None else TaskName(task), max_tokens)
    return respond(request, dumps(shown), "application/json")


def evidence_json(services: Services, text: str, task: TaskName | None, max_tokens: int) -> dict[str, Json]:
    """The answer for an id as it was written. Raises what reading it raises."""
    asked = read_id(text)
    packet = services.store.passages.get(asked.id, services.limit(max_tokens))
    state = services.store.checks.state(asked.id, task)
    shown: dict[str, Json] = packet_json(packet) | state_json(state) | {"status": state.status}
    return shown | {"folded_from": text} if asked.folded else shown
