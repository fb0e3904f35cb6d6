"""Migrations: from nothing to the newest schema, all or nothing, and the same schema as the tables say."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect, text

from evidence_store.database import SCHEMA_REVISION, migrating, sqlite_engine
from evidence_store.migrate import alembic_config, migrations_folder, upgrade
from evidence_store.store import DATABASE_NAME, init_store
from evidence_store.tables.whole import metadata

FAILING = '''"""A migration that fails half-way."""

import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{previous}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table("half", sa.Column("a", sa.Integer(), nullable=False))
    op.execute("INSERT INTO half VALUES (1)")
    op.execute("INSERT INTO no_such_table VALUES (1)")
'''


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = sqlite_engine(tmp_path / DATABASE_NAME)
    yield made
    made.dispose()


def schema(engine: Engine) -> list[tuple[str, str]]:
    with engine.connect() as connection:
        found = connection.execute(text("SELECT name, coalesce(sql, '') FROM sqlite_master ORDER BY name"))
        return [(str(name), str(sql)) for name, sql in found]


def folder_with(migration: str, folder: Path) -> Path:
    """A copy of our migrations with one more."""
    for source in migrations_folder().rglob("*.py"):
        target = folder / source.relative_to(migrations_folder())
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    (folder / "versions" / "9999_failing.py").write_text(migration)
    return folder


def config_for(connection: Connection, folder: Path) -> Config:
    config = alembic_config(connection)
    config.set_main_option("script_location", str(folder))
    return config


def test_an_empty_database_gets_the_newest_schema(engine: Engine) -> None:
    upgrade(engine)
    with engine.connect() as connection:
        assert MigrationContext.configure(connection).get_current_revision() == SCHEMA_REVISION


def test_the_newest_schema_is_that_of_the_tables(engine: Engine) -> None:
    upgrade(engine)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_constraints_are_those_of_the_tables(engine: Engine, tmp_path: Path) -> None:
    """What alembic does not compare: checks, keys and their names, column by column of the statement that made the table."""
    upgrade(engine)
    other = sqlite_engine(tmp_path / "other.db")
    with migrating(other) as connection:
        metadata.create_all(connection)
    migrated, declared = (dict(schema(one)) for one in (engine, other))
    other.dispose()
    del migrated["alembic_version"]
    migrated.pop("sqlite_autoindex_alembic_version_1", None)
    assert migrated.keys() == declared.keys()
    assert {name: _clauses(sql) for name, sql in migrated.items()} == {name: _clauses(sql) for name, sql in declared.items()}


def _clauses(sql: str) -> list[str]:
    """The lines of a CREATE statement without regard to their order, spaces and quotes."""
    return sorted(re.sub(r'[\s"]+', " ", line).strip(" ,") for line in sql.splitlines())


def test_the_schema_that_the_code_works_with_is_that_of_the_newest_file() -> None:
    heads = ScriptDirectory(str(migrations_folder())).get_heads()
    newest = max(path.name for path in (migrations_folder() / "versions").glob("[0-9]*.py"))
    assert heads == [SCHEMA_REVISION] == [newest[:4]]


def test_migrations_are_numbered_without_gaps() -> None:
    numbers = sorted(int(path.name[:4]) for path in (migrations_folder() / "versions").glob("[0-9]*.py"))
    assert numbers == list(range(1, len(numbers) + 1))


def test_migrations_import_nothing_of_ours() -> None:
    for path in migrations_folder().rglob("*.py"):
        assert not re.search(r"^\s*(?:from|import)\s+(?:evidence_store|projector|api)\b", path.read_text(), re.MULTILINE), path


def test_an_upgrade_may_be_made_again(engine: Engine) -> None:
    upgrade(engine)
    before = schema(engine)
    upgrade(engine)
    assert schema(engine) == before


def test_a_failing_migration_leaves_no_trace(engine: Engine, tmp_path: Path) -> None:
    upgrade(engine)
    with engine.connect() as connection:
        connection.execute(text("INSERT INTO tasks VALUES ('default', 'compare', 1)"))
        connection.commit()
    before = schema(engine)
    folder = folder_with(FAILING.format(previous=SCHEMA_REVISION), tmp_path / "migrations")
    with pytest.raises(Exception, match="no_such_table"), migrating(engine) as connection:
        command.upgrade(config_for(connection, folder), "head")
    assert schema(engine) == before
    with engine.connect() as connection:
        assert MigrationContext.configure(connection).get_current_revision() == SCHEMA_REVISION
        assert connection.execute(text("SELECT name FROM tasks")).scalars().all() == ["compare"]
    upgrade(engine)


def test_a_failing_first_migration_leaves_an_empty_database(engine: Engine, tmp_path: Path) -> None:
    folder = folder_with(FAILING.format(previous=SCHEMA_REVISION), tmp_path / "migrations")
    with pytest.raises(Exception, match="no_such_table"), migrating(engine) as connection:
        command.upgrade(config_for(connection, folder), "head")
    assert schema(engine) == []


def test_every_table_and_every_unique_key_carries_the_workspace() -> None:
    for table in metadata.tables.values():
        assert table.primary_key.columns.keys()[0] == "workspace", table.name
        for constraint in table.constraints:
            columns = list(getattr(constraint, "columns", ()))
            assert not columns or "workspace" in [column.name for column in columns] or len(columns) == 1, (table.name, constraint)
        for key in table.foreign_key_constraints:
            assert key.column_keys[0] == "workspace", (table.name, key.column_keys)
        for index in table.indexes:
            leads_to_a_workspace = index.name == "ix_api_keys_secret_digest"
            assert leads_to_a_workspace or next(iter(index.columns)).name == "workspace", (table.name, index.name)


def test_every_constraint_has_a_name(engine: Engine) -> None:
    """So that a later migration can speak of it."""
    upgrade(engine)
    with engine.connect() as connection:
        inspector = inspect(connection)
        for table in metadata.tables:
            assert inspector.get_pk_constraint(table)["name"], table
            assert all(one["name"] for one in inspector.get_foreign_keys(table)), table
            assert all(one["name"] for one in inspector.get_check_constraints(table)), table
            assert all(one["name"] for one in inspector.get_unique_constraints(table)), table


def test_foreign_keys_and_closed_sets_are_enforced(tmp_path: Path) -> None:
    init_store(tmp_path)
    connection = sqlite3.connect(tmp_path / DATABASE_NAME)
    connection.execute("PRAGMA foreign_keys = ON")
    for statement in (
        "INSERT INTO pins VALUES ('default', 'no task', 1, 'no resource', 1, 0)",
        "INSERT INTO resources VALUES ('default', 'a', 'rumour', '', NULL, 0)",
        "INSERT INTO claim_events VALUES ('default', 't', 1, 1, 'verified', '', NULL, NULL, NULL, 1, 0)",
    ):
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(statement)
    connection.close()


def test_a_store_is_write_ahead_logged(tmp_path: Path) -> None:
    init_store(tmp_path)
    connection = sqlite3.connect(tmp_path / DATABASE_NAME)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()
