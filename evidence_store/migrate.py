"""Brings a database to the newest schema. Alembic is imported here only: a start that migrates nothing must not pay for it."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine

from evidence_store.database import migrating
from evidence_store.errors import StoreFault


def upgrade(engine: Engine) -> None:
    """Runs the missing migrations, all or none of them. May be called again, also by two processes at once.

    Raises StoreFault when one fails; the database then is as it was.
    """
    with migrating(engine) as connection:
        command.upgrade(alembic_config(connection), "head")


def alembic_config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def migrations_folder() -> Path:
    """Inside the package in an installed wheel, at the top level in a checkout."""
    package = Path(__file__).resolve().parent
    for folder in (package / "_migrations", package.parent / "migrations"):
        if (folder / "env.py").is_file():
            return folder
    raise StoreFault("the migrations are missing from this installation of evidence-store")
