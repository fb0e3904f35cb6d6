"""Operations of evidence and of reports: what was cited, and the walk to the bytes."""

from urllib.parse import quote

from api.client.operation import Operation, get, named
from api.client.reading import evidence_of, report_of, trace_of
from api.client.values import FoundEvidence, Report
from evidence_store.trace import Trace


def get_evidence(id: str, task: str | None = None, max_tokens: int | None = None) -> Operation[FoundEvidence]:
    """One evidence, with what speaks for or against it; with a task, how it was judged there. Raises NotFound."""
    return get(f"/v1/evidence/{named(id)}", evidence_of, {"task": task, "max_tokens": max_tokens})


def get_report(id: str) -> Operation[Report]:
    """A published report. Raises NotFound."""
    return get(f"/v1/reports/{named(id)}", report_of)


def get_trace(subject: str) -> Operation[Trace]:
    """The walk from `rp_…`, `TASK/C1` or `ev_…` to the bytes. Raises NotFound, InvalidInput."""
    return get(f"/v1/trace/{quote(subject)}", trace_of)
