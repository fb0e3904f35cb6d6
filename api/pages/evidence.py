"""The page of one evidence: the passage, what speaks for or against it, where it was shown, and what rests on it."""

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from api.deps import ServicesDep
from api.errors import message_of
from api.pages.reading import PageLimit
from api.pages.templating import page
from api.presenters import packet_json, state_json
from evidence_store.errors import EvidenceStoreError
from evidence_store.ids import read_id
from evidence_store.model import ClaimView, TaskName
from evidence_store.records.runs import step_name

MAX_ROWS = 200

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Citing:
    """A claim that cites the evidence."""

    task: TaskName
    claim: ClaimView
    role: str


@router.get("/evidence/{id}", operation_id="showEvidence")
def show_evidence(request: Request, services: ServicesDep, id: str) -> Response:
    store = services.store
    asked = read_id(id)
    found = store.passages.find(asked.id)
    packet, problem = None, ""
    try:
        packet = packet_json(store.passages.get(asked.id, PageLimit()))
    except EvidenceStoreError as why:
        problem = message_of(why)
    state = store.checks.state(asked.id, None)
    shown = store.runs.list_exposures(asked.id)
    cited_by = store.claims.list_citing(asked.id)
    citing = [Citing(one.task, store.claims.get(one.task, one.claim), one.role) for one in cited_by[:MAX_ROWS]]
    values = {
        "id": asked.id,
        "asked": id if asked.folded else None,
        "found": found,
        "transform": None if found.transform is None else store.core.masked(found.transform),
        "selectors": store.passages.shown_selectors(asked.id),
        "packet": packet,
        "problem": problem,
        "status": state.status,
        "state": state_json(state),
        "shown": shown[:MAX_ROWS],
        "step_name": step_name,
        "n_shown": len(shown),
        "citing": citing,
        "n_citing": len(cited_by),
    }
    return page(request, "evidence.html", values)
