"""The store: one workspace over a database and a blob store. One public method is one use case in one transaction.

store = open_store(Path(".evidence"))
store.sources     resources, revisions, bytes
store.passages    evidence
store.tasks       task revisions, progress
store.runs        steps, projections, exposures, calls
store.histories   runs as they are stored, and how they ended
store.listings    tasks, their runs, and the calls of one
store.claims      claims, reports
store.rejudging   judgements under a new task revision
store.retrieval   what a question may be about
store.comparisons search, diff
store.locations   evidence in other revisions
store.permissions labels and their policies
store.keys        keys of principals
store.references  evidence with its $refs followed
store.summaries   summaries of tool outputs
store.checks      citations, integrity, the whole store
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from evidence_store.blobs.local import LocalBlobs
from evidence_store.database import SCHEMA_REVISION, find_schema, open_sqlite, sqlite_engine
from evidence_store.documents.model import DEFAULT_LIMITS, Limits
from evidence_store.errors import StoreMissing, StoreUnavailable
from evidence_store.model import DEFAULT_WORKSPACE, ClaimLabels, Clearances, WorkspaceName
from evidence_store.store.core import Core, Unstored
from evidence_store.store.sources import Opened, Sources

if TYPE_CHECKING:
    from evidence_store.store.checks import Checks
    from evidence_store.store.claims import Claims
    from evidence_store.store.comparisons import Comparisons
    from evidence_store.store.keys import Keys
    from evidence_store.store.listings import Listings
    from evidence_store.store.locations import Locations
    from evidence_store.store.passages import Passages
    from evidence_store.store.permissions import Permissions
    from evidence_store.store.references import References
    from evidence_store.store.rejudging import Rejudging
    from evidence_store.store.retrieval import Retrieval
    from evidence_store.store.run_history import RunHistories
    from evidence_store.store.runs import Runs
    from evidence_store.store.summaries import Summaries
    from evidence_store.store.tasks import Tasks

DATABASE_NAME = "evidence.db"
BLOBS_NAME = "blobs"


class EvidenceStore:
    """All that is kept for one workspace. Close it.

    Each part is loaded when it is first asked for: listing resources must not pay for the parsers.
    """

    def __init__(self, core: Core, opened: Opened | None = None) -> None:
        self.core = core
        self.sources = Sources(core, opened)

    @property
    def clock(self) -> Callable[[], int]:
        """Microseconds since 1970 UTC."""
        return self.core.clock

    @property
    def max_bytes(self) -> int:
        """Of one revision."""
        return self.core.limits.max_bytes

    def seen_by(self, clearances: Clearances, *, show_secrets: bool = False) -> "EvidenceStore":
        """The same workspace as somebody with these clearances sees it. Not to be closed: the database is one."""
        return EvidenceStore(replace(self.core, clearances=clearances, show_secrets=show_secrets), self.sources.opened)

    def of_workspace(self, workspace: WorkspaceName) -> "EvidenceStore":
        """Another workspace of the same database. Not to be closed."""
        return EvidenceStore(replace(self.core, workspace=workspace, unstored=Unstored()))

    @cached_property
    def passages(self) -> "Passages":
        from evidence_store.store.passages import Passages  # start-up cost

        # What makes a summary is loaded when one is read, or read again.
        return Passages(self.core, self.sources, {"summary/": lambda stored: self.summaries.again(stored)})

    @cached_property
    def tasks(self) -> "Tasks":
        from evidence_store.store.tasks import Tasks  # start-up cost

        return Tasks(self.core)

    @cached_property
    def runs(self) -> "Runs":
        from evidence_store.store.runs import Runs  # start-up cost

        return Runs(self.core)

    @cached_property
    def histories(self) -> "RunHistories":
        from evidence_store.store.run_history import RunHistories  # start-up cost

        return RunHistories(self.core)

    @cached_property
    def listings(self) -> "Listings":
        from evidence_store.store.listings import Listings  # start-up cost

        return Listings(self.core)

    @cached_property
    def claims(self) -> "Claims":
        from evidence_store.store.claims import Claims  # start-up cost

        return Claims(self.core, self.passages, lambda: self.seen_by(None).claims)

    @cached_property
    def rejudging(self) -> "Rejudging":
        from evidence_store.store.rejudging import Rejudging  # start-up cost

        return Rejudging(self.core, self.claims)

    @cached_property
    def comparisons(self) -> "Comparisons":
        from evidence_store.store.comparisons import Comparisons  # start-up cost

        return Comparisons(self.core, self.sources, self.passages)

    @cached_property
    def locations(self) -> "Locations":
        from evidence_store.store.locations import Locations  # start-up cost

        return Locations(self.core, self.sources, self.passages, lambda: self.summaries)

    @cached_property
    def permissions(self) -> "Permissions":
        from evidence_store.store.permissions import Permissions  # start-up cost

        return Permissions(self.core)

    @cached_property
    def keys(self) -> "Keys":
        from evidence_store.store.keys import Keys  # start-up cost

        return Keys(self.core)

    @cached_property
    def references(self) -> "References":
        from evidence_store.store.references import References  # start-up cost

        return References(self.sources, self.passages)

    @cached_property
    def retrieval(self) -> "Retrieval":
        from evidence_store.store.retrieval import Retrieval  # start-up cost

        return Retrieval(self.core, self.sources, self.passages)

    @cached_property
    def summaries(self) -> "Summaries":
        from evidence_store.store.summaries import Summaries  # start-up cost

        return Summaries(self.core, self.sources, self.passages)

    @cached_property
    def checks(self) -> "Checks":
        from evidence_store.store.checks import Checks  # start-up cost

        return Checks(self.core, self.sources, self.passages, self.locations)

    def close(self) -> None:
        self.core.database.close()

    def __enter__(self) -> "EvidenceStore":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def init_store(folder: Path) -> None:
    """Makes a store in a folder, or brings the one that is there to the newest schema. May be called again.

    Nothing is written where it has that already. Raises StoreUnavailable where no folder can be made, or the store cannot be opened,
    StoreFault where what stands there is no store.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as why:
        raise StoreUnavailable(f"no store can be made at {str(folder)!r}: {why.strerror}") from why
    if _is_newest(folder / DATABASE_NAME):
        return
    from evidence_store.migrate import upgrade  # start-up cost: Alembic

    engine = sqlite_engine(folder / DATABASE_NAME)
    try:
        upgrade(engine)
    finally:
        engine.dispose()


def _is_newest(path: Path) -> bool:
    try:
        database = open_sqlite(path)
    except StoreMissing:
        return False
    try:
        with database.reading() as connection:
            return find_schema(connection) == SCHEMA_REVISION
    finally:
        database.close()


def open_store(
    folder: Path,
    workspace: WorkspaceName = DEFAULT_WORKSPACE,
    limits: Limits = DEFAULT_LIMITS,
    *,
    show_secrets: bool = False,
    claim_labels: ClaimLabels = ClaimLabels.CITED,
) -> EvidenceStore:
    """The store in a folder, with secrets masked in what it shows, or not; `claim_labels` are those that new claims get.

    Raises StoreMissing, or StoreUnavailable for one of another schema.
    """
    database = open_sqlite(folder / DATABASE_NAME)
    try:
        database.require_schema()
    except BaseException:
        database.close()
        raise
    blobs = LocalBlobs(folder / BLOBS_NAME)
    return EvidenceStore(Core(database, blobs, workspace, limits=limits, show_secrets=show_secrets, claim_labels=claim_labels))
