"""Evidence: passages of revisions, and what became of them."""

from sqlalchemy import CheckConstraint, PrimaryKeyConstraint, Table, UniqueConstraint

from evidence_store.tables.schema import instant, integer, metadata, one_of, refers, text

evidence = Table(
    "evidence",
    metadata,
    text("workspace"),
    text("id"),
    text("digest"),  # the identity in full
    text("resource"),
    integer("revision"),
    text("blob"),
    text("transform", null=True),
    text("excerpt_digest"),  # of the source bytes of all parts, one after the other
    integer("format_version"),
    instant("created_at"),
    PrimaryKeyConstraint("workspace", "id"),
    UniqueConstraint("workspace", "digest"),
    refers(("resource", "revision"), "revisions", ("resource", "number")),
)


parts = Table(
    "parts",
    metadata,
    text("workspace"),
    text("evidence"),
    integer("position"),
    integer("byte_start"),
    integer("byte_end"),
    text("hop", null=True),  # why a further part belongs here; null for the first
    PrimaryKeyConstraint("workspace", "evidence", "position"),
    refers(("evidence",), "evidence", ("id",)),
    one_of("hop", "hop", ("alias", "merge", "ref")),
)


selectors = Table(
    "selectors",
    metadata,
    text("workspace"),
    text("evidence"),
    text("kind"),
    text("text"),
    PrimaryKeyConstraint("workspace", "evidence", "kind", "text"),
    refers(("evidence",), "evidence", ("id",)),
    one_of("kind", "kind", ("pointer", "lines", "bytes", "quote")),
)


relocations = Table(
    "relocations",
    metadata,
    text("workspace"),
    text("evidence"),  # named in place of another one that is gone
    text("relocated_from"),
    text("finder"),
    integer("score"),
    instant("at"),
    PrimaryKeyConstraint("workspace", "evidence", "relocated_from", "finder"),
    refers(("evidence",), "evidence", ("id",)),
    refers(("relocated_from",), "evidence", ("id",)),
    CheckConstraint("score BETWEEN 0 AND 100", name="score"),
)


evidence_events = Table(
    "evidence_events",
    metadata,
    text("workspace"),
    text("evidence"),
    integer("ordinal"),
    text("lifecycle"),
    text("reason"),
    text("successor", null=True),
    text("author"),
    instant("at"),
    PrimaryKeyConstraint("workspace", "evidence", "ordinal"),
    refers(("evidence",), "evidence", ("id",)),
    one_of("lifecycle", "lifecycle", ("active", "superseded", "erased")),
)
