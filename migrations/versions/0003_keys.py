"""Keys of principals with their grants and clearances, and the answers that a repeated request gets again."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "api_keys",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("secret_digest", sa.Text(), nullable=False),
        sa.Column("grants", sa.Text(), nullable=False),
        sa.Column("clearances", sa.Text(), nullable=True),
        sa.Column("sees_secrets", sa.Boolean(create_constraint=True, name=op.f("ck_api_keys_sees_secrets")), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("workspace", "id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("workspace", "secret_digest", name=op.f("uq_api_keys_workspace_secret_digest")),
    )
    op.create_index(op.f("ix_api_keys_secret_digest"), "api_keys", ["secret_digest"])
    op.create_table(
        "key_events",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("what IN ('revoked')", name=op.f("ck_key_events_what")),
        sa.ForeignKeyConstraint(["workspace", "key"], ["api_keys.workspace", "api_keys.id"], name=op.f("fk_key_events_workspace_key")),
        sa.PrimaryKeyConstraint("workspace", "key", "what", name=op.f("pk_key_events")),
    )
    op.create_table(
        "key_uses",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("hour", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["workspace", "key"], ["api_keys.workspace", "api_keys.id"], name=op.f("fk_key_uses_workspace_key")),
        sa.PrimaryKeyConstraint("workspace", "key", "hour", name=op.f("pk_key_uses")),
    )
    op.create_table(
        "kept_answers",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("principal", sa.Text(), nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=False),
        sa.Column("request_digest", sa.Text(), nullable=False),
        sa.Column("status", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("workspace", "principal", "idempotency_key", name=op.f("pk_kept_answers")),
    )
    op.create_index(op.f("ix_kept_answers_workspace_at"), "kept_answers", ["workspace", "at"])
