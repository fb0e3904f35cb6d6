"""What all tables share: the metadata, the kinds of their columns, and the closed sets of their values."""

from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKeyConstraint, MetaData, Text

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def text(name: str, *, null: bool = False) -> Column[str]:
    return Column(name, Text, nullable=null)


def integer(name: str, *, null: bool = False) -> Column[int]:
    return Column(name, BigInteger, nullable=null)


def instant(name: str) -> Column[int]:
    return Column(name, BigInteger, nullable=False)


def refers(columns: tuple[str, ...], table: str, others: tuple[str, ...] | None = None) -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["workspace", *columns], [f"{table}.workspace", *(f"{table}.{c}" for c in others or columns)])


def one_of(name: str, column: str, values: tuple[str, ...]) -> CheckConstraint:
    return CheckConstraint(f"{column} IN ({', '.join(repr(v) for v in values)})", name=name)


FORMATS = ("json", "jsonl", "yaml", "text", "junit", "csv", "bytes")
STANDINGS = ("open", "verified", "excluded", "conflicting", "withdrawn", "superseded")
STATES = ("todo", "doing", "done", "excluded", "blocked")
