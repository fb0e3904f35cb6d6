"""Keys of principals, and the answers that repeat a request with the same idempotency key."""

from sqlalchemy import Boolean, Column, Index, LargeBinary, PrimaryKeyConstraint, Table, UniqueConstraint

from evidence_store.tables.schema import instant, integer, metadata, one_of, refers, text

api_keys = Table(
    "api_keys",
    metadata,
    text("workspace"),
    text("id"),
    text("name"),
    text("secret_digest"),  # of all workspaces: a secret leads to its workspace
    text("grants"),
    text("clearances", null=True),  # null: all labels
    Column("sees_secrets", Boolean(create_constraint=True, name="sees_secrets"), nullable=False),
    text("author"),
    instant("created_at"),
    integer("expires_at", null=True),
    PrimaryKeyConstraint("workspace", "id"),
    UniqueConstraint("workspace", "secret_digest"),
    Index(None, "secret_digest"),
)


key_events = Table(
    "key_events",
    metadata,
    text("workspace"),
    text("key"),
    text("what"),
    text("author"),
    instant("at"),
    PrimaryKeyConstraint("workspace", "key", "what"),
    refers(("key",), "api_keys", ("id",)),
    one_of("what", "what", ("revoked",)),
)


key_uses = Table(
    "key_uses",
    metadata,
    text("workspace"),
    text("key"),
    integer("hour"),  # hours since 1970 UTC
    PrimaryKeyConstraint("workspace", "key", "hour"),
    refers(("key",), "api_keys", ("id",)),
)


kept_answers = Table(
    "kept_answers",
    metadata,
    text("workspace"),
    text("principal"),
    text("idempotency_key"),
    text("request_digest"),
    integer("status"),
    Column("body", LargeBinary, nullable=False),
    instant("at"),
    PrimaryKeyConstraint("workspace", "principal", "idempotency_key"),
    Index(None, "workspace", "at"),
)
