"""Whether anything changed since, told without reading what might have changed: for answers that are given again from memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from evidence_store.blobs import BlobKey, Stamped
from evidence_store.database import Database
from evidence_store.model import WorkspaceName
from evidence_store.records.events import newest_number
from evidence_store.store.core import Core

KEPT_WORKSPACES = 256


@dataclass(frozen=True, slots=True)
class Moment:
    """How far a workspace was."""

    mark: int
    """Of all commits to the database (`Database.change_mark`)."""
    number: int
    """Of the newest event of the workspace."""


@dataclass(frozen=True, slots=True)
class Files:
    """What an evidence's bytes are kept in outside the database, and how it was found there."""

    keys: tuple[BlobKey, ...]
    stamps: tuple[tuple[int, ...] | None, ...]


class Moments:
    """Costs a look at the head of the database; a statement only where something was committed since the last one."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[WorkspaceName, Moment] = {}
        self._lock = Lock()

    def mark(self) -> int:
        """See `Database.change_mark`."""
        return self._database.change_mark()

    def now(self, workspace: WorkspaceName) -> Moment:
        """The mark is looked at first, so that what is committed meanwhile shows the next time."""
        mark = self._database.change_mark()
        known = self._known.get(workspace)
        if known is not None and known.mark == mark:
            return known
        with self._database.watching() as connection:
            found = Moment(mark, newest_number(connection, workspace))
        with self._lock:
            if len(self._known) >= KEPT_WORKSPACES:
                self._known.clear()
            self._known[workspace] = found
        return found


def is_untouched(core: Core, files: Files) -> bool:
    """Whether the files are as they were found."""
    found: Sequence[tuple[int, ...] | None] = [core.blobs.find_stamp(key) for key in files.keys if isinstance(core.blobs, Stamped)]
    return tuple(found) == files.stamps
