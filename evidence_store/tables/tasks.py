"""Tasks: goal and scope by revision, proposals, progress and judgements."""

from sqlalchemy import CheckConstraint, Index, PrimaryKeyConstraint, Table

from evidence_store.tables.schema import STATES, instant, integer, metadata, one_of, refers, text

tasks = Table(
    "tasks",
    metadata,
    text("workspace"),
    text("name"),
    instant("created_at"),
    PrimaryKeyConstraint("workspace", "name"),
)


task_revisions = Table(
    "task_revisions",
    metadata,
    text("workspace"),
    text("task"),
    integer("number"),
    text("goal"),
    text("in_scope"),
    text("excluded"),
    text("constraints"),
    text("author"),
    instant("created_at"),
    PrimaryKeyConstraint("workspace", "task", "number"),
    refers(("task",), "tasks", ("name",)),
    CheckConstraint("number >= 1", name="number"),
)


proposals = Table(
    "proposals",
    metadata,
    text("workspace"),
    text("task"),
    integer("ordinal"),
    text("text"),
    integer("run", null=True),
    integer("message", null=True),
    text("author"),
    instant("created_at"),
    PrimaryKeyConstraint("workspace", "task", "ordinal"),
    refers(("task",), "tasks", ("name",)),
)


proposal_events = Table(
    "proposal_events",
    metadata,
    text("workspace"),
    text("task"),
    integer("proposal"),
    text("decision"),
    integer("task_revision", null=True),
    text("author"),
    instant("at"),
    PrimaryKeyConstraint("workspace", "task", "proposal"),
    refers(("task", "proposal"), "proposals", ("task", "ordinal")),
    one_of("decision", "decision", ("accepted", "declined")),
)


progress = Table(
    "progress",
    metadata,
    text("workspace"),
    text("task"),
    integer("ordinal"),
    text("subject"),
    text("state"),
    text("next"),
    text("uses"),
    integer("task_revision"),
    integer("run", null=True),
    integer("step", null=True),
    instant("at"),
    PrimaryKeyConstraint("workspace", "task", "ordinal"),
    refers(("task", "task_revision"), "task_revisions", ("task", "number")),
    one_of("state", "state", STATES),
    Index(None, "workspace", "task", "subject"),
)


progress_evidence = Table(
    "progress_evidence",
    metadata,
    text("workspace"),
    text("task"),
    integer("ordinal"),
    integer("position"),
    text("evidence"),
    PrimaryKeyConstraint("workspace", "task", "ordinal", "position"),
    refers(("task", "ordinal"), "progress"),
    refers(("evidence",), "evidence", ("id",)),
)


judgements = Table(
    "judgements",
    metadata,
    text("workspace"),
    text("task"),
    integer("ordinal"),
    text("subject_kind"),
    text("subject"),
    integer("task_revision"),
    text("verdict"),
    text("judge"),
    text("reason"),
    instant("at"),
    PrimaryKeyConstraint("workspace", "task", "ordinal"),
    refers(("task", "task_revision"), "task_revisions", ("task", "number")),
    one_of("subject_kind", "subject_kind", ("evidence", "claim")),
    one_of("verdict", "verdict", ("applies", "rejected")),
    Index(None, "workspace", "task", "subject"),
)
