"""What is asked before a run is read or written to: that there is one that the caller sees, with this step, and what may be shown in it."""

from collections.abc import Sequence

from evidence_store.canonical import digest_of
from evidence_store.database import ReadConnection
from evidence_store.errors import InvalidInput, NotFound
from evidence_store.model import MASKED, EvidenceId, Packet
from evidence_store.records import labels, runs
from evidence_store.records.runs import RunKey, Shown, StepKey, run_name, step_name
from evidence_store.store.core import Core, is_unmasked
from evidence_store.store.tasks import require_evidence_ids


def require_seen(connection: ReadConnection, core: Core, key: RunKey) -> str:
    """Whose run it is. Raises NotFound where there is none, or it was shown what the caller is not cleared for: its turns repeat it."""
    agent = runs.find_agent(connection, key)
    # Asked of a run that there is not, too: one that is hidden must not take longer.
    is_seen = runs.sees(connection, key, core.clearances)
    if agent is None or not is_seen:
        raise NotFound(f"there is no run {run_name(key)!r}")
    return agent


def require_step(connection: ReadConnection, core: Core, key: StepKey) -> None:
    """Raises NotFound for a step that there is not, or of a run that is not seen."""
    require_seen(connection, core, key.run)
    if not runs.has_step(connection, key):
        raise NotFound(f"there is no step {step_name(key)!r}")


def require_shown(connection: ReadConnection, core: Core, shown: Sequence[Shown]) -> None:
    """Raises InvalidInput for an evidence that is not known, or that was shown in full where it is masked for the caller."""
    ids = tuple(dict.fromkeys(one.evidence for one in shown))
    require_evidence_ids(connection, core, ids)
    masked = masked_among(connection, core, ids)
    for one in shown:
        if one.evidence in masked and (MASKED not in one.transforms or one.in_full):
            text = f"evidence {one.evidence!r} is masked for this caller, and cannot have been shown otherwise"
            raise InvalidInput(text, {"id": one.evidence}, code="masked_evidence")


def masked_among(connection: ReadConnection, core: Core, ids: Sequence[EvidenceId]) -> frozenset[EvidenceId]:
    """Those of some evidence that the caller sees, and whose content it may not read."""
    if core.clearances is None:
        return frozenset()
    found = labels.iter_labels(connection, core.workspace, tuple(dict.fromkeys(ids)))
    return frozenset(id_ for id_, label in found if label is not None and not is_unmasked(core, (label,)))


def shown_of(packet: Packet) -> Shown:
    """What a packet shows of its evidence: the digest of the excerpt as it stands there, its transforms, and whether it is all."""
    return Shown(packet.id, digest_of(packet.excerpt.encode("utf-8", "replace")), packet.transforms, packet.shown_in_full)
