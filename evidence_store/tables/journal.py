"""The journal: every transition, in order."""

from sqlalchemy import Column, Index, LargeBinary, PrimaryKeyConstraint, Table

from evidence_store.tables.schema import instant, integer, metadata, text

events = Table(
    "events",
    metadata,
    text("workspace"),
    integer("number"),
    text("kind"),
    text("subject"),
    Column("payload", LargeBinary, nullable=False),  # RFC 8785
    Column("salt", LargeBinary, nullable=False),
    Column("commitment", LargeBinary, nullable=False),
    integer("format_version"),
    instant("at"),
    PrimaryKeyConstraint("workspace", "number"),
    Index(None, "workspace", "kind", "subject"),
)
