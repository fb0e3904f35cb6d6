"""What searches, comparisons and checks found, as JSON: one shape for the command line and HTTP, but for `next` of packets."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from api.presenters import Json, packet_json, plain, state_json, unproven_json
from api.tools.outputs import next_arguments
from evidence_store.model import Packet, TaskName
from evidence_store.store import EvidenceStore

if TYPE_CHECKING:
    from evidence_store.records.claims import ReportRow
    from evidence_store.report_check import Uncited
    from evidence_store.store.checks import CheckedCitation
    from evidence_store.store.comparisons import DiffAnswer, SearchAnswer
    from evidence_store.store.locations import LocateAnswer

Presenter: TypeAlias = Callable[[Packet], dict[str, Json]]


def packet_wire(packet: Packet) -> dict[str, Json]:
    """A packet as HTTP has it: `next` is an object of arguments, as over MCP."""
    return packet_json(packet) | {"next": next_arguments(packet)}


def evidence_json(store: EvidenceStore, packet: Packet, task: TaskName | None, shown: Presenter, *, anew: bool = True) -> dict[str, Json]:
    """A packet of a stored evidence, and what speaks for or against it; `anew`: see `Passages.check`. Raises NotFound."""
    relocated = store.locations.relocations(packet.id)
    state = store.checks.state(packet.id, task, anew=anew)
    answer: dict[str, Json] = shown(packet) | state_json(state) | {"status": state.status}
    if relocated:
        answer["relocated_from"] = [{"id": one.relocated_from, "finder": one.finder, "score": one.score} for one in relocated]
    return answer


def search_json(found: "SearchAnswer", n_targets: int, shown: Presenter) -> dict[str, Json]:
    answer: dict[str, Json] = {"packets": [shown(one) for one in found.packets], "more": found.more}
    if found.receipts:
        answer["receipt"] = shown(found.receipts[0])
    if n_targets > 1:
        answer["receipts"] = [shown(one) for one in found.receipts]
    if found.unproven:
        answer["unproven"] = [plain(unproven_json(one)) for one in found.unproven]
    return answer


def diff_json(found: "DiffAnswer", shown: Presenter) -> dict[str, Json]:
    pairs: list[Json] = [
        {"change": one.change, "old": _maybe(one.old, shown), "new": _maybe(one.new, shown), "absent": _maybe(one.absent, shown)}
        for one in found.pairs
    ]
    answer: dict[str, Json] = {"pairs": pairs, "more": found.more}
    return answer if found.noise is None else answer | {"noise": dict(found.noise)}


def locate_json(found: "LocateAnswer", shown: Presenter) -> dict[str, Json]:
    answer: dict[str, Json] = {"verdict": found.verdict.value, "packet": _maybe(found.packet, shown)}
    if found.relocation is not None:
        one = found.relocation
        by: dict[str, Json] = {"relocated_from": one.relocated_from, "finder": one.finder, "score": one.score}
        answer["relocation"] = shown(one.packet) | by
    return answer


def check_json(checked: "Sequence[CheckedCitation]", uncited: "Sequence[Uncited]", published: "ReportRow | None") -> dict[str, Json]:
    """The verdict on each citation of a report; `published` is the report of exactly this text."""
    citations: list[Json] = []
    for one in checked:
        shown: dict[str, Json] = {"id": one.place.id, "verdict": one.verdict, "quote": one.quote, "where": f"line {one.place.line}"}
        if one.folded:
            shown["folded"] = True
        citations.append(shown | ({"text": one.text} if one.text else {}))
    return {
        "ok": all(one.ok for one in checked),
        "citations": citations,
        "uncited": [{"line": one.line, "text": one.text} for one in uncited],
        "published": None if published is None else published.id,
    }


def _maybe(packet: Packet | None, shown: Presenter) -> Json:
    return None if packet is None else shown(packet)
