"""The page of one evidence: the passage, what speaks for or against it, where it was shown, and what rests on it."""

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from api.deps import ServicesDep
from api.pages.reading import PageLimit
from api.pages.templating import page
from api.presenters import packet_json, state_json
from evidence_store.errors import EvidenceStoreError
from evidence_store.ids import read_id
from evidence_store.model import ClaimView, EvidenceId, TaskName
from evidence_store.store import EvidenceStore

MAX_ROWS = 200

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Citing:
    """A claim that cites the evidence."""

    task: TaskName
    claim: ClaimView
    role: str


@router.get("/evidence/{id}")
def show_evidence(request: Request, services: ServicesDep, id: str) -> Response:
    store = services.store
    asked = read_id(id)
    found = store.passages.find(asked.id)
    packet, problem = None, ""
    try:
        packet = packet_json(store.passages.get(asked.id, PageLimit()))
    except EvidenceStoreError as why:
        problem = why.message
    state = store.checks.state(asked.id, None)
    shown = store.runs.list_exposures(asked.id)
    citing = list_citing(store, asked.id)
    values = {
        "id": asked.id,
        "asked": id if asked.folded else None,
        "found": found,
        "selectors": store.passages.selectors(asked.id),
        "packet": packet,
        "problem": problem,
        "status": state.status,
        "state": state_json(state),
        "shown": shown[:MAX_ROWS],
        "n_shown": len(shown),
        "citing": citing[:MAX_ROWS],
        "n_citing": len(citing),
    }
    return page(request, "evidence.html", values)


def list_citing(store: EvidenceStore, id_: EvidenceId) -> Sequence[Citing]:
    """Claims that cite it, in the tasks that have published a report."""
    tasks = dict.fromkeys(report.run.task for report in store.claims.list_reports())
    claims = [(task, claim) for task in tasks for claim in store.claims.list_claims(task)]
    return [Citing(task, claim, one.role) for task, claim in claims for one in claim.citations if one.evidence == id_]
