"""Claims, their citations and standings, and the reports that published them."""

from sqlalchemy import CheckConstraint, Index, PrimaryKeyConstraint, Table

from evidence_store.tables.schema import STANDINGS, instant, integer, metadata, one_of, refers, text

claims = Table(
    "claims",
    metadata,
    text("workspace"),
    text("task"),
    integer("number"),
    integer("run"),
    integer("step"),
    integer("task_revision"),
    text("author"),
    text("about_resource"),
    text("about_pointer", null=True),
    text("about_aspect"),
    text("text"),
    instant("created_at"),
    PrimaryKeyConstraint("workspace", "task", "number"),
    refers(("task", "run", "step"), "steps", ("task", "run", "number")),
    refers(("task", "task_revision"), "task_revisions", ("task", "number")),
    Index(None, "workspace", "task", "about_resource", "about_pointer", "about_aspect"),
)


citations = Table(
    "citations",
    metadata,
    text("workspace"),
    text("task"),
    integer("claim"),
    integer("position"),
    text("evidence"),
    text("role"),
    PrimaryKeyConstraint("workspace", "task", "claim", "position"),
    refers(("task", "claim"), "claims", ("task", "number")),
    refers(("evidence",), "evidence", ("id",)),
    one_of("role", "role", ("old", "new", "absent", "context", "support", "scope")),
    Index(None, "workspace", "evidence"),
)


claim_events = Table(
    "claim_events",
    metadata,
    text("workspace"),
    text("task"),
    integer("claim"),
    integer("ordinal"),
    text("standing"),
    text("reason"),
    text("checker", null=True),
    text("support", null=True),
    text("scope_rule", null=True),
    integer("task_revision"),
    instant("at"),
    PrimaryKeyConstraint("workspace", "task", "claim", "ordinal"),
    refers(("task", "claim"), "claims", ("task", "number")),
    one_of("standing", "standing", STANDINGS),
    CheckConstraint("standing <> 'verified' OR checker IS NOT NULL", name="checker"),
)


claim_labels = Table(
    "claim_labels",
    metadata,
    text("workspace"),
    text("task"),
    integer("claim"),
    text("label"),
    PrimaryKeyConstraint("workspace", "task", "claim", "label"),
    refers(("task", "claim"), "claims", ("task", "number")),
)


reports = Table(
    "reports",
    metadata,
    text("workspace"),
    text("id"),
    text("task"),
    integer("run"),
    integer("task_revision"),
    text("title"),
    text("body_digest"),
    text("body"),
    integer("format_version"),
    instant("published_at"),
    PrimaryKeyConstraint("workspace", "id"),
    refers(("task", "run"), "runs", ("task", "number")),
)


report_claims = Table(
    "report_claims",
    metadata,
    text("workspace"),
    text("report"),
    integer("position"),
    text("task"),
    integer("claim"),
    text("standing"),  # as published
    PrimaryKeyConstraint("workspace", "report", "position"),
    refers(("report",), "reports", ("id",)),
    refers(("task", "claim"), "claims", ("task", "number")),
    one_of("standing", "standing", STANDINGS),
)
