"""One engine, its pragmas and its transactions; nothing else in the package says BEGIN.

The driver's own transaction handling is off. `reading()` begins a deferred transaction, in which every read sees the same
state; `writing()` takes the write lock at once, so that a read never has to turn into a write half-way and fail.

An open connection goes on with a file that was deleted or replaced, and what it writes there is gone: each transaction looks whether
the file is still the one that its connection opened.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from threading import Lock, local
from typing import Concatenate, NewType, ParamSpec, TypeVar
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import ConnectionPoolEntry

from evidence_store.errors import InvalidInput, StoreFault, StoreMissing, StoreUnavailable

ReadConnection = NewType("ReadConnection", Connection)
WriteConnection = NewType("WriteConnection", ReadConnection)

SCHEMA_REVISION = "0003"
"""The newest migration; a test holds it against migrations/versions."""
BUSY_TIMEOUT_MS = 30_000
MINIMUM_SQLITE = (3, 35, 0)
"""RETURNING."""
KEPT_STATEMENTS = 256
"""Of each kind of statement, one for each set of clearances: putting one together costs more than asking it."""
_BEGIN = "evidence_store_begin"
_MEMO = "evidence_store_memo"
_OPENED = "evidence_store_file"
"""In the info of a connection: which file it opened."""
Asked = ParamSpec("Asked")
Found = TypeVar("Found")


def remembered(read: Callable[Concatenate[ReadConnection, Asked], Found]) -> Callable[Concatenate[ReadConnection, Asked], Found]:
    """A read that is done once for the same arguments within a snapshot; nobody changes what it gives."""

    @wraps(read)
    def ask(connection: ReadConnection, /, *args: Asked.args, **more: Asked.kwargs) -> Found:
        memo: dict[object, Found] | None = connection.get_execution_options().get(_MEMO)
        if memo is None:
            return read(connection, *args, **more)
        key = (read, args, tuple(more.items()))
        if key not in memo:
            memo[key] = read(connection, *args, **more)
        return memo[key]

    return ask


def remember(connection: ReadConnection, ask: Callable[..., object], args: tuple[object, ...], found: object) -> None:
    """Keeps what a read would give within a snapshot, for who read it in another way; outside of one nothing is kept."""
    memo: dict[object, object] | None = connection.get_execution_options().get(_MEMO)
    if memo is not None:
        memo[ask.__wrapped__, args, ()] = found  # type: ignore[attr-defined]  # of `remembered`


class _Joined(local):
    """The transaction that a thread is in, where what it does is to be one with others."""

    connection: WriteConnection | None = None
    snapshot: ReadConnection | None = None


class Database:
    """Connections to one database of the newest schema."""

    def __init__(self, engine: Engine, path: Path, *, is_read_only: bool = False) -> None:
        """`path` is that of the engine's file."""
        self._engine, self._path = engine, path
        self.is_read_only = is_read_only
        """Whether it stands on a medium that cannot be written."""
        self._joined = _Joined()
        self._watch: Connection | None = None
        self._watch_lock = Lock()

    @contextmanager
    def reading(self) -> Iterator[ReadConnection]:
        """A connection on which all reads see one state. Raises StoreFault when the engine fails or the file is gone."""
        joined = self._joined.connection or self._joined.snapshot
        if joined is not None:
            with _translated():
                yield joined
            return
        with _translated(), self._engine.connect() as connection:
            self._require_there(connection)
            yield ReadConnection(connection)
            connection.rollback()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """What this thread reads within the block is of one state, and what is `remembered` is read once.

        Nothing of it is seen of what this thread writes within the block, so who writes there does so last.
        """
        if self._joined.connection is not None or self._joined.snapshot is not None:
            yield
            return
        with _translated():
            connection = self._engine.connect()
            self._require_there(connection)
        self._joined.snapshot = ReadConnection(connection.execution_options(**{_MEMO: {}}))
        try:
            yield
        finally:
            self._joined.snapshot = None
            connection.close()

    @contextmanager
    def writing(self) -> Iterator[WriteConnection]:
        """A connection that holds the write lock; commits at the end, rolls back when the block raises or the file is gone."""
        if self._joined.connection is not None:
            with _translated(), self._joined.connection.begin_nested():
                yield self._joined.connection
            return
        with _translated(), self._engine.connect() as connection:
            self._require_there(connection)
            connection = connection.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})
            yield WriteConnection(ReadConnection(connection))
            self._require_there(connection)
            connection.commit()

    @contextmanager
    def together(self) -> Iterator[WriteConnection]:
        """As `writing`, and what this thread reads and writes within the block is part of the same transaction: all of it or nothing.

        For an operation and the record that it was done. It holds the write lock throughout, so nothing slow belongs in it.
        """
        with self.writing() as connection:
            self._joined.connection = connection
            try:
                yield connection
            finally:
                self._joined.connection = None

    @contextmanager
    def watching(self) -> Iterator[ReadConnection]:
        """A connection of its own for short looks at what changed, which waits for no other; one at a time."""
        with self._watch_lock, _translated():
            if self._watch is None:
                # Out of the pool, whose connections may all be at work.
                self._watch = self._engine.connect()
                self._watch.detach()
            self._require_there(self._watch)
            yield ReadConnection(self._watch)
            self._watch.rollback()

    def change_mark(self) -> int:
        """A number that stays the same as long as nobody commits anything to the database, in whichever process."""
        with self.watching() as connection:
            driver = connection.connection.dbapi_connection
            assert driver is not None
            return int(driver.execute("PRAGMA data_version").fetchone()[0])

    def _require_there(self, connection: Connection) -> None:
        opened = connection.info.get(_OPENED)
        if opened is None or opened != _find_file(self._path):
            connection.invalidate()  # whoever comes next opens what stands there then
            raise StoreUnavailable(f"the store at {str(self._path.parent)!r} was deleted or replaced while it was open")

    def require_schema(self) -> None:
        """Raises StoreUnavailable unless the database has the schema of this version, saying how to get there."""
        with self.reading() as connection:
            found = find_schema(connection)
        if found != SCHEMA_REVISION:
            step = "was made by a newer version of evidence-store" if (found or "") > SCHEMA_REVISION else "needs `evidence db upgrade`"
            raise StoreUnavailable(
                f"the store has schema {found or 'none'}, this version works with {SCHEMA_REVISION}: it {step}", code="schema_mismatch"
            )

    def close(self) -> None:
        with self._watch_lock:
            if self._watch is not None:
                self._watch.close()
                self._watch = None
        self._engine.dispose()


def open_sqlite(path: Path) -> Database:
    """The database in an existing file. Raises StoreMissing where there is none."""
    try:
        there = path.is_file()
    except OSError as why:
        raise StoreUnavailable(f"no store can be opened at {str(path.parent)!r}: {why.strerror}") from why
    if not there:
        raise StoreMissing(f"there is no store at {str(path.parent)!r}; make one with `evidence init --store {path.parent}`")
    path = path.absolute()  # the process may go elsewhere
    if os.access(path.parent, os.W_OK) and os.access(path, os.W_OK):
        # Not made where it is gone by now: an empty file would stand there as a store.
        return Database(_engine(_url(path, mode="rw"), path), path)
    return Database(_read_only_engine(path), path, is_read_only=True)


def _url(path: Path, **query: str) -> URL:
    return URL.create("sqlite", database=f"file:{quote(str(path))}", query={**query, "uri": "true"})


def _find_file(path: Path) -> tuple[int, int] | None:
    """What tells the file at this path from another one; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _read_only_engine(path: Path) -> Engine:
    """For a store on a read-only medium: without locks and without a log, which is right while nobody can write.

    Raises StoreUnavailable where a log was left behind: what it holds could not be seen.
    """
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size:
        raise StoreUnavailable(f"the store at {str(path.parent)!r} is read-only and was not closed: open it once where it can be written")
    return _engine(_url(path, mode="ro", immutable="1"), path)


def sqlite_engine(path: Path) -> Engine:
    """An engine over a file, which is made on first use."""
    if sqlite3.sqlite_version_info < MINIMUM_SQLITE:
        raise StoreUnavailable(f"SQLite {sqlite3.sqlite_version} is too old, at least 3.35 is needed")
    return _engine(URL.create("sqlite", database=str(path)), path)


def _engine(url: URL, path: Path) -> Engine:
    def set_up(connection: sqlite3.Connection, record: ConnectionPoolEntry) -> None:
        _set_up(connection)
        record.info[_OPENED] = _find_file(path)

    engine = create_engine(url, connect_args={"check_same_thread": False})
    event.listen(engine, "connect", set_up)
    event.listen(engine, "begin", _begin)
    return engine


@contextmanager
def migrating(engine: Engine) -> Iterator[Connection]:
    """A connection that holds the write lock of a write-ahead-logged database; commits at the end."""
    with _translated():
        raw = engine.raw_connection()
        try:
            raw.cursor().execute("PRAGMA journal_mode = WAL")
        finally:
            raw.close()
        with engine.connect() as connection:
            connection = connection.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})
            yield connection
            connection.commit()


def find_schema(connection: ReadConnection) -> str | None:
    """The migration that the database stands at; None for a database without one."""
    known = connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'")).first()
    if known is None:
        return None
    row = connection.execute(text("SELECT version_num FROM alembic_version")).first()
    return None if row is None else str(row[0])


def _set_up(connection: sqlite3.Connection) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.close()


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get(_BEGIN, "BEGIN"))


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (OperationalError, sqlite3.OperationalError) as why:
        raise _fault_of(why) from why
    except UnicodeEncodeError as why:
        raise InvalidInput("half of a surrogate pair, which is no character, cannot be asked for or stored", code="bad_text") from why
    except (DBAPIError, sqlite3.Error) as why:
        raise StoreFault(f"the database failed: {_said(why)}", code="database_fault") from why
    except ValueError as why:
        raise StoreFault(f"a row of the store is not what was written: {why}; run `evidence verify`", code="damaged_row") from why


_FAULTS = {
    "locked": ("store_busy", "the store is locked by another process; try again"),
    "readonly": ("store_unwritable", "the store is read-only"),
    "unable to open": ("store_unavailable", "the store's database cannot be opened"),
    "full": ("store_unwritable", "no space is left for the store"),
}


def _said(why: DBAPIError | sqlite3.Error) -> str:
    """What SQLite says, be it wrapped by SQLAlchemy or not."""
    return str(why.orig if isinstance(why, DBAPIError) else why)


def _fault_of(why: OperationalError | sqlite3.OperationalError) -> StoreFault:
    said = _said(why)
    for word, (code, message) in _FAULTS.items():
        if word in said:
            return StoreUnavailable(f"{message} ({said})", code=code)
    return StoreFault(f"the database failed: {said}", code="database_fault")
