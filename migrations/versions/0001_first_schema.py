"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "blobs",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("stored_size", sa.BigInteger(), nullable=False),
        sa.Column("frame_bytes", sa.BigInteger(), nullable=False),
        sa.Column("format_version", sa.BigInteger(), nullable=False),
        sa.Column("inline", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("workspace", "digest", name=op.f("pk_blobs")),
        sa.UniqueConstraint("workspace", "number", name=op.f("uq_blobs_workspace_number")),
    )
    op.create_table(
        "events",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        sa.Column("commitment", sa.LargeBinary(), nullable=False),
        sa.Column("format_version", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("workspace", "number", name=op.f("pk_events")),
    )
    op.create_index(op.f("ix_events_workspace_kind_subject"), "events", ["workspace", "kind", "subject"], unique=False)
    op.create_table(
        "label_policies",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.BigInteger(), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("policy IN ('hidden', 'masked')", name=op.f("ck_label_policies_policy")),
        sa.PrimaryKeyConstraint("workspace", "label", "ordinal", name=op.f("pk_label_policies")),
    )
    op.create_table(
        "resources",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("max_age_s", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("kind IN ('observation', 'reference')", name=op.f("ck_resources_kind")),
        sa.PrimaryKeyConstraint("workspace", "name", name=op.f("pk_resources")),
    )
    op.create_table(
        "spans",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("blob", sa.BigInteger(), nullable=False),
        sa.Column("container", sa.BigInteger(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("byte_start", sa.BigInteger(), nullable=False),
        sa.Column("byte_end", sa.BigInteger(), nullable=False),
        sa.Column("inner", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("workspace", "blob", "container", "token", name=op.f("pk_spans")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tasks",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("workspace", "name", name=op.f("pk_tasks")),
    )
    op.create_table(
        "containers",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("blob", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("byte_start", sa.BigInteger(), nullable=False),
        sa.Column("byte_end", sa.BigInteger(), nullable=False),
        sa.Column("n_children", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("type IN ('object', 'array')", name=op.f("ck_containers_type")),
        sa.ForeignKeyConstraint(["workspace", "blob"], ["blobs.workspace", "blobs.number"], name=op.f("fk_containers_workspace_blob")),
        sa.PrimaryKeyConstraint("workspace", "blob", "number", name=op.f("pk_containers")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "frames",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("raw_start", sa.BigInteger(), nullable=False),
        sa.Column("raw_end", sa.BigInteger(), nullable=False),
        sa.Column("stored_start", sa.BigInteger(), nullable=False),
        sa.Column("stored_end", sa.BigInteger(), nullable=False),
        sa.Column("lines_before", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["workspace", "digest"], ["blobs.workspace", "blobs.digest"], name=op.f("fk_frames_workspace_digest")),
        sa.PrimaryKeyConstraint("workspace", "digest", "number", name=op.f("pk_frames")),
    )
    op.create_table(
        "proposals",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.BigInteger(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("run", sa.BigInteger(), nullable=True),
        sa.Column("message", sa.BigInteger(), nullable=True),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["workspace", "task"], ["tasks.workspace", "tasks.name"], name=op.f("fk_proposals_workspace_task")),
        sa.PrimaryKeyConstraint("workspace", "task", "ordinal", name=op.f("pk_proposals")),
    )
    op.create_table(
        "resource_labels",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("resource", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace", "resource"], ["resources.workspace", "resources.name"], name=op.f("fk_resource_labels_workspace_resource")
        ),
        sa.PrimaryKeyConstraint("workspace", "resource", "label", name=op.f("pk_resource_labels")),
    )
    op.create_table(
        "revisions",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("resource", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("version_label", sa.Text(), nullable=True),
        sa.Column("complete", sa.Boolean(create_constraint=True, name=op.f("ck_revisions_complete")), nullable=False),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("format IN ('json', 'jsonl', 'yaml', 'text', 'junit', 'csv', 'bytes')", name=op.f("ck_revisions_format")),
        sa.CheckConstraint("number >= 1", name=op.f("ck_revisions_number")),
        sa.ForeignKeyConstraint(["workspace", "digest"], ["blobs.workspace", "blobs.digest"], name=op.f("fk_revisions_workspace_digest")),
        sa.ForeignKeyConstraint(
            ["workspace", "resource"], ["resources.workspace", "resources.name"], name=op.f("fk_revisions_workspace_resource")
        ),
        sa.PrimaryKeyConstraint("workspace", "resource", "number", name=op.f("pk_revisions")),
    )
    op.create_table(
        "runs",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["workspace", "task"], ["tasks.workspace", "tasks.name"], name=op.f("fk_runs_workspace_task")),
        sa.PrimaryKeyConstraint("workspace", "task", "number", name=op.f("pk_runs")),
    )
    op.create_table(
        "task_revisions",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("goal", sa.Text(), nullable=False),
        sa.Column("in_scope", sa.Text(), nullable=False),
        sa.Column("excluded", sa.Text(), nullable=False),
        sa.Column("constraints", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("number >= 1", name=op.f("ck_task_revisions_number")),
        sa.ForeignKeyConstraint(["workspace", "task"], ["tasks.workspace", "tasks.name"], name=op.f("fk_task_revisions_workspace_task")),
        sa.PrimaryKeyConstraint("workspace", "task", "number", name=op.f("pk_task_revisions")),
    )
    op.create_table(
        "evidence",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("resource", sa.Text(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("blob", sa.Text(), nullable=False),
        sa.Column("transform", sa.Text(), nullable=True),
        sa.Column("excerpt_digest", sa.Text(), nullable=False),
        sa.Column("format_version", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace", "resource", "revision"],
            ["revisions.workspace", "revisions.resource", "revisions.number"],
            name=op.f("fk_evidence_workspace_resource_revision"),
        ),
        sa.PrimaryKeyConstraint("workspace", "id", name=op.f("pk_evidence")),
        sa.UniqueConstraint("workspace", "digest", name=op.f("uq_evidence_workspace_digest")),
    )
    op.create_table(
        "judgements",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.BigInteger(), nullable=False),
        sa.Column("subject_kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("task_revision", sa.BigInteger(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("judge", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("subject_kind IN ('evidence', 'claim')", name=op.f("ck_judgements_subject_kind")),
        sa.CheckConstraint("verdict IN ('applies', 'rejected')", name=op.f("ck_judgements_verdict")),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "task_revision"],
            ["task_revisions.workspace", "task_revisions.task", "task_revisions.number"],
            name=op.f("fk_judgements_workspace_task_task_revision"),
        ),
        sa.PrimaryKeyConstraint("workspace", "task", "ordinal", name=op.f("pk_judgements")),
    )
    op.create_index(op.f("ix_judgements_workspace_task_subject"), "judgements", ["workspace", "task", "subject"], unique=False)
    op.create_table(
        "messages",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("run", sa.BigInteger(), nullable=False),
        sa.Column("ordinal", sa.BigInteger(), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=True),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("format_version", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("role IN ('user', 'assistant', 'tool')", name=op.f("ck_messages_role")),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "run"], ["runs.workspace", "runs.task", "runs.number"], name=op.f("fk_messages_workspace_task_run")
        ),
        sa.PrimaryKeyConstraint("workspace", "task", "run", "ordinal", name=op.f("pk_messages")),
    )
    op.create_table(
        "observations",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("resource", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("observed_at", sa.BigInteger(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=True),
        sa.Column("task", sa.Text(), nullable=True),
        sa.Column("run", sa.BigInteger(), nullable=True),
        sa.Column("call", sa.Text(), nullable=True),
        sa.Column("idempotency_key", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["workspace", "resource", "revision"],
            ["revisions.workspace", "revisions.resource", "revisions.number"],
            name=op.f("fk_observations_workspace_resource_revision"),
        ),
        sa.PrimaryKeyConstraint("workspace", "resource", "ordinal", name=op.f("pk_observations")),
        sa.UniqueConstraint("workspace", "resource", "idempotency_key", name=op.f("uq_observations_workspace_resource_idempotency_key")),
    )
    op.create_table(
        "pins",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("run", sa.BigInteger(), nullable=False),
        sa.Column("resource", sa.Text(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace", "resource", "revision"],
            ["revisions.workspace", "revisions.resource", "revisions.number"],
            name=op.f("fk_pins_workspace_resource_revision"),
        ),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "run"], ["runs.workspace", "runs.task", "runs.number"], name=op.f("fk_pins_workspace_task_run")
        ),
        sa.PrimaryKeyConstraint("workspace", "task", "run", "resource", "revision", name=op.f("pk_pins")),
    )
    op.create_table(
        "progress",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.BigInteger(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("next", sa.Text(), nullable=False),
        sa.Column("uses", sa.Text(), nullable=False),
        sa.Column("task_revision", sa.BigInteger(), nullable=False),
        sa.Column("run", sa.BigInteger(), nullable=True),
        sa.Column("step", sa.BigInteger(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("state IN ('todo', 'doing', 'done', 'excluded', 'blocked')", name=op.f("ck_progress_state")),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "task_revision"],
            ["task_revisions.workspace", "task_revisions.task", "task_revisions.number"],
            name=op.f("fk_progress_workspace_task_task_revision"),
        ),
        sa.PrimaryKeyConstraint("workspace", "task", "ordinal", name=op.f("pk_progress")),
    )
    op.create_index(op.f("ix_progress_workspace_task_subject"), "progress", ["workspace", "task", "subject"], unique=False)
    op.create_table(
        "proposal_events",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("proposal", sa.BigInteger(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("task_revision", sa.BigInteger(), nullable=True),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("decision IN ('accepted', 'declined')", name=op.f("ck_proposal_events_decision")),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "proposal"],
            ["proposals.workspace", "proposals.task", "proposals.ordinal"],
            name=op.f("fk_proposal_events_workspace_task_proposal"),
        ),
        sa.PrimaryKeyConstraint("workspace", "task", "proposal", name=op.f("pk_proposal_events")),
    )
    op.create_table(
        "reports",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("run", sa.BigInteger(), nullable=False),
        sa.Column("task_revision", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body_digest", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("format_version", sa.BigInteger(), nullable=False),
        sa.Column("published_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "run"], ["runs.workspace", "runs.task", "runs.number"], name=op.f("fk_reports_workspace_task_run")
        ),
        sa.PrimaryKeyConstraint("workspace", "id", name=op.f("pk_reports")),
    )
    op.create_table(
        "steps",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("run", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("task_revision", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "run"], ["runs.workspace", "runs.task", "runs.number"], name=op.f("fk_steps_workspace_task_run")
        ),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "task_revision"],
            ["task_revisions.workspace", "task_revisions.task", "task_revisions.number"],
            name=op.f("fk_steps_workspace_task_task_revision"),
        ),
        sa.PrimaryKeyConstraint("workspace", "task", "run", "number", name=op.f("pk_steps")),
    )
    op.create_table(
        "claims",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("run", sa.BigInteger(), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("task_revision", sa.BigInteger(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("about_resource", sa.Text(), nullable=False),
        sa.Column("about_pointer", sa.Text(), nullable=True),
        sa.Column("about_aspect", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "run", "step"],
            ["steps.workspace", "steps.task", "steps.run", "steps.number"],
            name=op.f("fk_claims_workspace_task_run_step"),
        ),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "task_revision"],
            ["task_revisions.workspace", "task_revisions.task", "task_revisions.number"],
            name=op.f("fk_claims_workspace_task_task_revision"),
        ),
        sa.PrimaryKeyConstraint("workspace", "task", "number", name=op.f("pk_claims")),
    )
    op.create_index(
        op.f("ix_claims_workspace_task_about_resource_about_pointer_about_aspect"),
        "claims",
        ["workspace", "task", "about_resource", "about_pointer", "about_aspect"],
        unique=False,
    )
    op.create_table(
        "evidence_events",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.BigInteger(), nullable=False),
        sa.Column("lifecycle", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("successor", sa.Text(), nullable=True),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("lifecycle IN ('active', 'superseded', 'erased')", name=op.f("ck_evidence_events_lifecycle")),
        sa.ForeignKeyConstraint(
            ["workspace", "evidence"], ["evidence.workspace", "evidence.id"], name=op.f("fk_evidence_events_workspace_evidence")
        ),
        sa.PrimaryKeyConstraint("workspace", "evidence", "ordinal", name=op.f("pk_evidence_events")),
    )
    op.create_table(
        "exposures",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("run", sa.BigInteger(), nullable=False),
        sa.Column("ordinal", sa.BigInteger(), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("grade", sa.Text(), nullable=False),
        sa.Column("shown_digest", sa.Text(), nullable=False),
        sa.Column("transforms", sa.Text(), nullable=False),
        sa.Column("in_full", sa.Boolean(create_constraint=True, name=op.f("ck_exposures_in_full")), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("grade IN ('delivered', 'projected', 'sent')", name=op.f("ck_exposures_grade")),
        sa.ForeignKeyConstraint(
            ["workspace", "evidence"], ["evidence.workspace", "evidence.id"], name=op.f("fk_exposures_workspace_evidence")
        ),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "run", "step"],
            ["steps.workspace", "steps.task", "steps.run", "steps.number"],
            name=op.f("fk_exposures_workspace_task_run_step"),
        ),
        sa.PrimaryKeyConstraint("workspace", "task", "run", "ordinal", name=op.f("pk_exposures")),
    )
    op.create_index(op.f("ix_exposures_workspace_evidence"), "exposures", ["workspace", "evidence"], unique=False)
    op.create_table(
        "parts",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("byte_start", sa.BigInteger(), nullable=False),
        sa.Column("byte_end", sa.BigInteger(), nullable=False),
        sa.Column("hop", sa.Text(), nullable=True),
        sa.CheckConstraint("hop IN ('alias', 'merge', 'ref')", name=op.f("ck_parts_hop")),
        sa.ForeignKeyConstraint(["workspace", "evidence"], ["evidence.workspace", "evidence.id"], name=op.f("fk_parts_workspace_evidence")),
        sa.PrimaryKeyConstraint("workspace", "evidence", "position", name=op.f("pk_parts")),
    )
    op.create_table(
        "progress_evidence",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace", "evidence"], ["evidence.workspace", "evidence.id"], name=op.f("fk_progress_evidence_workspace_evidence")
        ),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "ordinal"],
            ["progress.workspace", "progress.task", "progress.ordinal"],
            name=op.f("fk_progress_evidence_workspace_task_ordinal"),
        ),
        sa.PrimaryKeyConstraint("workspace", "task", "ordinal", "position", name=op.f("pk_progress_evidence")),
    )
    op.create_table(
        "projections",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("run", sa.BigInteger(), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("ordinal", sa.BigInteger(), nullable=False),
        sa.Column("input_digest", sa.Text(), nullable=False),
        sa.Column("input", sa.LargeBinary(), nullable=False),
        sa.Column("profile", sa.Text(), nullable=False),
        sa.Column("receipt", sa.Text(), nullable=False),
        sa.Column("counter", sa.Text(), nullable=False),
        sa.Column("exactness", sa.Text(), nullable=False),
        sa.Column("cap_tokens", sa.BigInteger(), nullable=False),
        sa.Column("used_tokens", sa.BigInteger(), nullable=False),
        sa.Column("format_version", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("exactness IN ('exact', 'upper_bound', 'estimate')", name=op.f("ck_projections_exactness")),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "run", "step"],
            ["steps.workspace", "steps.task", "steps.run", "steps.number"],
            name=op.f("fk_projections_workspace_task_run_step"),
        ),
        sa.PrimaryKeyConstraint("workspace", "task", "run", "step", "ordinal", name=op.f("pk_projections")),
    )
    op.create_table(
        "selectors",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.CheckConstraint("kind IN ('pointer', 'lines', 'bytes', 'quote')", name=op.f("ck_selectors_kind")),
        sa.ForeignKeyConstraint(
            ["workspace", "evidence"], ["evidence.workspace", "evidence.id"], name=op.f("fk_selectors_workspace_evidence")
        ),
        sa.PrimaryKeyConstraint("workspace", "evidence", "kind", "text", name=op.f("pk_selectors")),
    )
    op.create_table(
        "tool_calls",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("run", sa.BigInteger(), nullable=False),
        sa.Column("call", sa.Text(), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "run", "step"],
            ["steps.workspace", "steps.task", "steps.run", "steps.number"],
            name=op.f("fk_tool_calls_workspace_task_run_step"),
        ),
        sa.PrimaryKeyConstraint("workspace", "task", "run", "call", name=op.f("pk_tool_calls")),
    )
    op.create_table(
        "usages",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("run", sa.BigInteger(), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("ordinal", sa.BigInteger(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("figures", sa.Text(), nullable=False),
        sa.Column("reported_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "run", "step"],
            ["steps.workspace", "steps.task", "steps.run", "steps.number"],
            name=op.f("fk_usages_workspace_task_run_step"),
        ),
        sa.PrimaryKeyConstraint("workspace", "task", "run", "step", "ordinal", name=op.f("pk_usages")),
    )
    op.create_table(
        "citations",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("claim", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.CheckConstraint("role IN ('old', 'new', 'absent', 'context', 'support', 'scope')", name=op.f("ck_citations_role")),
        sa.ForeignKeyConstraint(
            ["workspace", "evidence"], ["evidence.workspace", "evidence.id"], name=op.f("fk_citations_workspace_evidence")
        ),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "claim"],
            ["claims.workspace", "claims.task", "claims.number"],
            name=op.f("fk_citations_workspace_task_claim"),
        ),
        sa.PrimaryKeyConstraint("workspace", "task", "claim", "position", name=op.f("pk_citations")),
    )
    op.create_index(op.f("ix_citations_workspace_evidence"), "citations", ["workspace", "evidence"], unique=False)
    op.create_table(
        "claim_events",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("claim", sa.BigInteger(), nullable=False),
        sa.Column("ordinal", sa.BigInteger(), nullable=False),
        sa.Column("standing", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("checker", sa.Text(), nullable=True),
        sa.Column("support", sa.Text(), nullable=True),
        sa.Column("scope_rule", sa.Text(), nullable=True),
        sa.Column("task_revision", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("standing <> 'verified' OR checker IS NOT NULL", name=op.f("ck_claim_events_checker")),
        sa.CheckConstraint(
            "standing IN ('open', 'verified', 'excluded', 'conflicting', 'withdrawn', 'superseded')", name=op.f("ck_claim_events_standing")
        ),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "claim"],
            ["claims.workspace", "claims.task", "claims.number"],
            name=op.f("fk_claim_events_workspace_task_claim"),
        ),
        sa.PrimaryKeyConstraint("workspace", "task", "claim", "ordinal", name=op.f("pk_claim_events")),
    )
    op.create_table(
        "claim_labels",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("claim", sa.BigInteger(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "claim"],
            ["claims.workspace", "claims.task", "claims.number"],
            name=op.f("fk_claim_labels_workspace_task_claim"),
        ),
        sa.PrimaryKeyConstraint("workspace", "task", "claim", "label", name=op.f("pk_claim_labels")),
    )
    op.create_table(
        "report_claims",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("report", sa.Text(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("claim", sa.BigInteger(), nullable=False),
        sa.Column("standing", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "standing IN ('open', 'verified', 'excluded', 'conflicting', 'withdrawn', 'superseded')", name=op.f("ck_report_claims_standing")
        ),
        sa.ForeignKeyConstraint(
            ["workspace", "report"], ["reports.workspace", "reports.id"], name=op.f("fk_report_claims_workspace_report")
        ),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "claim"],
            ["claims.workspace", "claims.task", "claims.number"],
            name=op.f("fk_report_claims_workspace_task_claim"),
        ),
        sa.PrimaryKeyConstraint("workspace", "report", "position", name=op.f("pk_report_claims")),
    )
    op.create_table(
        "tool_results",
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("run", sa.BigInteger(), nullable=False),
        sa.Column("call", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("complete", sa.Boolean(create_constraint=True, name=op.f("ck_tool_results_complete")), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("resource", sa.Text(), nullable=True),
        sa.Column("revision", sa.BigInteger(), nullable=True),
        sa.Column("closed_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("outcome IN ('ok', 'error', 'cancelled', 'timed_out')", name=op.f("ck_tool_results_outcome")),
        sa.ForeignKeyConstraint(
            ["workspace", "resource", "revision"],
            ["revisions.workspace", "revisions.resource", "revisions.number"],
            name=op.f("fk_tool_results_workspace_resource_revision"),
        ),
        sa.ForeignKeyConstraint(
            ["workspace", "task", "run", "call"],
            ["tool_calls.workspace", "tool_calls.task", "tool_calls.run", "tool_calls.call"],
            name=op.f("fk_tool_results_workspace_task_run_call"),
        ),
        sa.PrimaryKeyConstraint("workspace", "task", "run", "call", name=op.f("pk_tool_results")),
    )


def downgrade() -> None:
    op.drop_table("tool_results")
    op.drop_table("report_claims")
    op.drop_table("claim_labels")
    op.drop_table("claim_events")
    op.drop_index(op.f("ix_citations_workspace_evidence"), table_name="citations")
    op.drop_table("citations")
    op.drop_table("usages")
    op.drop_table("tool_calls")
    op.drop_table("selectors")
    op.drop_table("projections")
    op.drop_table("progress_evidence")
    op.drop_table("parts")
    op.drop_index(op.f("ix_exposures_workspace_evidence"), table_name="exposures")
    op.drop_table("exposures")
    op.drop_table("evidence_events")
    op.drop_index(op.f("ix_claims_workspace_task_about_resource_about_pointer_about_aspect"), table_name="claims")
    op.drop_table("claims")
    op.drop_table("steps")
    op.drop_table("reports")
    op.drop_table("proposal_events")
    op.drop_index(op.f("ix_progress_workspace_task_subject"), table_name="progress")
    op.drop_table("progress")
    op.drop_table("pins")
    op.drop_table("observations")
    op.drop_table("messages")
    op.drop_index(op.f("ix_judgements_workspace_task_subject"), table_name="judgements")
    op.drop_table("judgements")
    op.drop_table("evidence")
    op.drop_table("task_revisions")
    op.drop_table("runs")
    op.drop_table("revisions")
    op.drop_table("resource_labels")
    op.drop_table("proposals")
    op.drop_table("frames")
    op.drop_table("containers")
    op.drop_table("tasks")
    op.drop_table("spans")
    op.drop_table("resources")
    op.drop_table("label_policies")
    op.drop_index(op.f("ix_events_workspace_kind_subject"), table_name="events")
    op.drop_table("events")
    op.drop_table("blobs")
