"""The page of a trace: each hop with its check, and at its end the source with the cited bytes marked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from api.deps import ServicesDep
from api.errors import message_of
from api.pages.links import evidence_path, report_path, source_path, trace_path
from api.pages.reading import PageLimit
from api.pages.templating import page
from api.pages.window import Window, window_round
from api.presenters import Json, packet_json
from evidence_store.errors import EvidenceStoreError
from evidence_store.model import EvidenceId, ResourceName, Span
from evidence_store.records.evidence import Evidence
from evidence_store.secrets import Masking
from evidence_store.store import EvidenceStore
from evidence_store.trace import Trace, TraceHop, trace

MAX_HOPS = 1000
MAX_SOURCES = 6
"""Passages whose source is shown on one page; the others are a link away."""
MAX_PARTS = 4
FIRST_LINES = 200

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class HopRow:
    hop: TraceHop
    link: str | None
    anchor: str | None
    """Of the cited line further down on the page, where that is shown."""


@dataclass(frozen=True, slots=True)
class PartWindow:
    """A part of an evidence in its source; `why` names a further part."""

    why: str
    span: Span
    window: Window


@dataclass(frozen=True, slots=True)
class Source:
    """The end of the walk: the passage where it stands."""

    evidence: Evidence
    role: str
    prefix: str
    """Before the anchors of its lines; empty for the first source of the page."""
    parts: tuple[PartWindow, ...]
    transform: str | None
    derived: Json
    """What a transform made of the passage; None where the passage itself is cited."""
    problem: str

    @property
    def anchor(self) -> str:
        """Of the first cited line, or of the section where no line is shown."""
        lines = [line.number for line in self.parts[0].window.lines if line.cited] if self.parts else []
        return f"{self.prefix}L{lines[0]}" if lines else "source"


@router.get("/trace/{subject:path}", operation_id="showTrace")
def show_trace(request: Request, services: ServicesDep, subject: str) -> Response:
    found = trace(services.store, subject)
    cited = [] if found.subject.startswith("rp_") else list(iter_cited(found))
    sources = [read_source(services.store, id_, role, n) for n, (id_, role) in enumerate(cited[:MAX_SOURCES])]
    anchors = {source.evidence.id: source.anchor for source in sources}
    rows = [HopRow(hop, link_of(hop), anchors.get(EvidenceId(hop.id)) if hop.kind == "evidence" else None) for hop in found.hops[:MAX_HOPS]]
    failed = sum(hop.check != "ok" for hop in found.hops)
    values = {
        "trace": found,
        "rows": rows,
        "n_hops": len(found.hops),
        "n_failed": failed,
        "sources": sources,
        "n_cited": len(cited),
    }
    return page(request, "trace.html", values)


def link_of(hop: TraceHop) -> str | None:
    """Where a hop can be looked at by itself."""
    match hop.kind:
        case "report":
            return report_path(hop.id)
        case "claim":
            return trace_path(hop.id)
        case "citation" | "evidence":
            return evidence_path(hop.id)
        case "revision":
            resource, _, number = hop.id.rpartition("@")
            return source_path(resource, int(number), 1, FIRST_LINES)
        case "exposure" | "blob":
            return None


def iter_cited(found: Trace) -> Iterator[tuple[EvidenceId, str]]:
    """The evidence that a walk leads through, each once, with the role of its first citation."""
    seen: set[str] = set()
    role = ""
    for hop in found.hops:
        if hop.kind == "citation":
            role = hop.text
        elif hop.kind == "evidence" and hop.id not in seen:
            seen.add(hop.id)
            yield EvidenceId(hop.id), role


def read_source(store: EvidenceStore, id_: EvidenceId, role: str, position: int) -> Source:
    """The passage of an evidence in its source, with what went wrong where it cannot be read."""
    found = store.passages.find(id_)
    prefix = "" if position == 0 else f"s{position + 1}-"
    transform = None if found.transform is None else store.core.masked(found.transform)
    try:
        revision = store.sources.get_revision(ResourceName(found.resource), found.revision)
        raw = store.sources.get_bytes(revision.resource, revision.number)
        derived = packet_json(store.passages.get(id_, PageLimit()))["excerpt"] if found.transform else None
        windows = _windows(found, raw, store.passages.get_reader(revision).masking)
        return Source(found, role, prefix, windows, transform, derived, "")
    except EvidenceStoreError as why:
        return Source(found, role, prefix, (), transform, None, message_of(why))


def _windows(found: Evidence, raw: bytes, masking: Masking) -> tuple[PartWindow, ...]:
    spans: Sequence[tuple[str, Span]] = [("", found.span), *((hop.kind, hop.span) for hop in found.hops)]
    return tuple(PartWindow(why, span, window_round(raw, span, masking)) for why, span in spans[:MAX_PARTS])
