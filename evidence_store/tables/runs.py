"""Runs: messages, steps, projections, exposures, tool calls and their results."""

from sqlalchemy import Boolean, Column, Index, LargeBinary, PrimaryKeyConstraint, Table

from evidence_store.tables.schema import instant, integer, metadata, one_of, refers, text

runs = Table(
    "runs",
    metadata,
    text("workspace"),
    text("task"),
    integer("number"),
    text("agent"),
    instant("created_at"),
    PrimaryKeyConstraint("workspace", "task", "number"),
    refers(("task",), "tasks", ("name",)),
)


pins = Table(
    "pins",
    metadata,
    text("workspace"),
    text("task"),
    integer("run"),
    text("resource"),
    integer("revision"),
    instant("created_at"),
    PrimaryKeyConstraint("workspace", "task", "run", "resource", "revision"),
    refers(("task", "run"), "runs", ("task", "number")),
    refers(("resource", "revision"), "revisions", ("resource", "number")),
)


messages = Table(
    "messages",
    metadata,
    text("workspace"),
    text("task"),
    integer("run"),
    integer("ordinal"),
    integer("step", null=True),
    text("role"),
    text("body"),  # RFC 8785 of the neutral message with its opaque items; results are named by call, not repeated
    integer("format_version"),
    instant("created_at"),
    PrimaryKeyConstraint("workspace", "task", "run", "ordinal"),
    refers(("task", "run"), "runs", ("task", "number")),
    one_of("role", "role", ("user", "assistant", "tool")),
)


steps = Table(
    "steps",
    metadata,
    text("workspace"),
    text("task"),
    integer("run"),
    integer("number"),
    integer("task_revision"),
    instant("created_at"),
    PrimaryKeyConstraint("workspace", "task", "run", "number"),
    refers(("task", "run"), "runs", ("task", "number")),
    refers(("task", "task_revision"), "task_revisions", ("task", "number")),
)


projections = Table(
    "projections",
    metadata,
    text("workspace"),
    text("task"),
    integer("run"),
    integer("step"),
    integer("ordinal"),
    text("input_digest"),
    Column("input", LargeBinary, nullable=False),  # zstd of messages, tools and what stands outside, as minified JSON
    text("profile"),
    text("receipt"),
    text("counter"),
    text("exactness"),
    integer("cap_tokens"),
    integer("used_tokens"),
    integer("format_version"),
    instant("created_at"),
    PrimaryKeyConstraint("workspace", "task", "run", "step", "ordinal"),
    refers(("task", "run", "step"), "steps", ("task", "run", "number")),
    one_of("exactness", "exactness", ("exact", "upper_bound", "estimate")),
)


usages = Table(
    "usages",
    metadata,
    text("workspace"),
    text("task"),
    integer("run"),
    integer("step"),
    integer("ordinal"),
    text("provider"),
    text("model"),
    text("figures"),
    instant("reported_at"),
    PrimaryKeyConstraint("workspace", "task", "run", "step", "ordinal"),
    refers(("task", "run", "step"), "steps", ("task", "run", "number")),
)


exposures = Table(
    "exposures",
    metadata,
    text("workspace"),
    text("task"),
    integer("run"),
    integer("ordinal"),
    integer("step"),
    text("evidence"),
    text("grade"),
    text("shown_digest"),
    text("transforms"),
    Column("in_full", Boolean(create_constraint=True, name="in_full"), nullable=False),
    instant("at"),
    PrimaryKeyConstraint("workspace", "task", "run", "ordinal"),
    refers(("task", "run", "step"), "steps", ("task", "run", "number")),
    refers(("evidence",), "evidence", ("id",)),
    one_of("grade", "grade", ("delivered", "projected", "sent")),
    Index(None, "workspace", "evidence"),
)


tool_calls = Table(
    "tool_calls",
    metadata,
    text("workspace"),
    text("task"),
    integer("run"),
    text("call"),
    integer("step"),
    text("name"),
    text("arguments"),
    instant("opened_at"),
    PrimaryKeyConstraint("workspace", "task", "run", "call"),
    refers(("task", "run", "step"), "steps", ("task", "run", "number")),
)


tool_results = Table(
    "tool_results",
    metadata,
    text("workspace"),
    text("task"),
    integer("run"),
    text("call"),
    text("outcome"),
    Column("complete", Boolean(create_constraint=True, name="complete"), nullable=False),
    text("body"),
    text("resource", null=True),  # set where the result itself was stored as a revision
    integer("revision", null=True),
    instant("closed_at"),
    PrimaryKeyConstraint("workspace", "task", "run", "call"),
    refers(("task", "run", "call"), "tool_calls"),
    refers(("resource", "revision"), "revisions", ("resource", "number")),
    one_of("outcome", "outcome", ("ok", "error", "cancelled", "timed_out")),
)
