"""Who goes on with a run: of several that opened it, the last.

Nobody can be asked whether the process that began a run still lives, and no clock decides it. So whoever opens a run again takes it, in
one transaction, and who held it before is refused at its next write: two processes never write the turns of one run between each other's.
(docs/adr/0015-one-process-a-run.md; a fencing token, as in Kleppmann, "How to do distributed locking", 2016.)
"""

from dataclasses import dataclass

import orjson

from evidence_store.database import ReadConnection, WriteConnection
from evidence_store.errors import Conflict
from evidence_store.records.events import append_event
from evidence_store.records.run_history import find_newest_payload
from evidence_store.records.runs import RunKey, run_name
from evidence_store.store.core import Core
from evidence_store.store.run_access import require_seen

RESUMED = "run.resumed"
ENDED = "run.ended"


@dataclass(frozen=True, slots=True)
class Hold:
    """Of whoever began a run or opened it again, until another opens it."""

    run: RunKey
    opening: int = 0
    """How often the run was opened again, this time included; 0 for who began it."""


def take(connection: WriteConnection, core: Core, key: RunKey) -> Hold:
    """Takes a run from whoever holds it. Raises NotFound, and Conflict for a run that has ended."""
    require_seen(connection, core, key)
    if find_newest_payload(connection, key.workspace, ENDED, run_name(key)) is not None:
        raise Conflict(f"{run_name(key)} has ended", code="run_ended")
    hold = Hold(key, _opening(connection, key) + 1)
    append_event(connection, core.workspace, "run.resumed", run_name(key), {"opening": hold.opening}, core.clock())
    return hold


def require_held(connection: ReadConnection, hold: Hold) -> None:
    """Raises Conflict (`run_taken`) where another has opened the run since."""
    if _opening(connection, hold.run) != hold.opening:
        raise Conflict(f"another has opened {run_name(hold.run)} and goes on with it", code="run_taken")


def _opening(connection: ReadConnection, key: RunKey) -> int:
    payload = find_newest_payload(connection, key.workspace, RESUMED, run_name(key))
    return 0 if payload is None else int(orjson.loads(payload)["data"]["opening"])
