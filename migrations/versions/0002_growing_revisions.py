"""Revisions that grow: which frames a blob shares with an earlier one, and when a revision turned out to be complete.

And evidence that was named in place of one that is gone.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "shared_frames",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("first", sa.BigInteger(), nullable=False),
        sa.Column("last", sa.BigInteger(), nullable=False),
        sa.Column("home", sa.Text(), nullable=False),
        sa.CheckConstraint("last >= first", name=op.f("ck_shared_frames_range")),
        sa.ForeignKeyConstraint(
            ["workspace", "digest"], ["blobs.workspace", "blobs.digest"], name=op.f("fk_shared_frames_workspace_digest")
        ),
        sa.ForeignKeyConstraint(["workspace", "home"], ["blobs.workspace", "blobs.digest"], name=op.f("fk_shared_frames_workspace_home")),
        sa.PrimaryKeyConstraint("workspace", "digest", "first", name=op.f("pk_shared_frames")),
    )
    op.create_table(
        "closings",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("resource", sa.Text(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace", "resource", "revision"],
            ["revisions.workspace", "revisions.resource", "revisions.number"],
            name=op.f("fk_closings_workspace_resource_revision"),
        ),
        sa.PrimaryKeyConstraint("workspace", "resource", "revision", name=op.f("pk_closings")),
    )
    op.create_table(
        "relocations",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("relocated_from", sa.Text(), nullable=False),
        sa.Column("finder", sa.Text(), nullable=False),
        sa.Column("score", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("score BETWEEN 0 AND 100", name=op.f("ck_relocations_score")),
        sa.ForeignKeyConstraint(
            ["workspace", "evidence"], ["evidence.workspace", "evidence.id"], name=op.f("fk_relocations_workspace_evidence")
        ),
        sa.ForeignKeyConstraint(
            ["workspace", "relocated_from"], ["evidence.workspace", "evidence.id"], name=op.f("fk_relocations_workspace_relocated_from")
        ),
        sa.PrimaryKeyConstraint("workspace", "evidence", "relocated_from", "finder", name=op.f("pk_relocations")),
    )
