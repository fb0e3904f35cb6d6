"""Blobs, resources, revisions and observations: what came in."""

from sqlalchemy import Boolean, CheckConstraint, Column, LargeBinary, PrimaryKeyConstraint, Table, UniqueConstraint

from evidence_store.tables.schema import FORMATS, instant, integer, metadata, one_of, refers, text

blobs = Table(
    "blobs",
    metadata,
    text("workspace"),
    text("digest"),
    integer("number"),  # short name within the workspace, for the rows of the span index
    integer("size"),
    integer("stored_size"),
    integer("frame_bytes"),
    integer("format_version"),
    Column("inline", LargeBinary, nullable=True),  # stored bytes of small blobs; null: in the blob store
    instant("created_at"),
    PrimaryKeyConstraint("workspace", "digest"),
    UniqueConstraint("workspace", "number"),
)


frames = Table(
    "frames",
    metadata,
    text("workspace"),
    text("digest"),
    integer("number"),
    integer("raw_start"),
    integer("raw_end"),
    integer("stored_start"),
    integer("stored_end"),
    integer("lines_before"),  # line feeds of the blob before this frame
    Column("sha256", LargeBinary, nullable=False),
    PrimaryKeyConstraint("workspace", "digest", "number"),
    refers(("digest",), "blobs"),
)


shared_frames = Table(
    "shared_frames",
    metadata,
    text("workspace"),
    text("digest"),
    integer("first"),  # frames of this blob, both included, that stand in the stored bytes of another one
    integer("last"),
    text("home"),
    PrimaryKeyConstraint("workspace", "digest", "first"),
    refers(("digest",), "blobs"),
    refers(("home",), "blobs", ("digest",)),
    CheckConstraint("last >= first", name="range"),
)


containers = Table(
    "containers",
    metadata,
    text("workspace"),
    integer("blob"),
    integer("number"),
    text("type"),
    integer("byte_start"),
    integer("byte_end"),
    integer("n_children"),
    PrimaryKeyConstraint("workspace", "blob", "number"),
    refers(("blob",), "blobs", ("number",)),
    one_of("type", "type", ("object", "array")),
    sqlite_with_rowid=False,
)

spans = Table(
    "spans",
    metadata,
    text("workspace"),
    integer("blob"),
    integer("container"),
    text("token"),  # member name; for a run of array items the index of the first, in 12 digits
    text("type"),
    integer("byte_start"),
    integer("byte_end"),
    integer("inner", null=True),
    PrimaryKeyConstraint("workspace", "blob", "container", "token"),
    sqlite_with_rowid=False,  # the key is all but the row: a table and an index would keep it twice
)

resources = Table(
    "resources",
    metadata,
    text("workspace"),
    text("name"),
    text("kind"),
    text("scope"),
    integer("max_age_s", null=True),  # for a live resource: how old an observation may be
    instant("created_at"),
    PrimaryKeyConstraint("workspace", "name"),
    one_of("kind", "kind", ("observation", "reference")),
)


resource_labels = Table(
    "resource_labels",
    metadata,
    text("workspace"),
    text("resource"),
    text("label"),
    instant("created_at"),
    PrimaryKeyConstraint("workspace", "resource", "label"),
    refers(("resource",), "resources", ("name",)),
)


label_policies = Table(
    "label_policies",
    metadata,
    text("workspace"),
    text("label"),
    integer("ordinal"),
    text("policy"),
    instant("created_at"),
    PrimaryKeyConstraint("workspace", "label", "ordinal"),
    one_of("policy", "policy", ("hidden", "masked")),
)


revisions = Table(
    "revisions",
    metadata,
    text("workspace"),
    text("resource"),
    integer("number"),
    text("digest"),
    text("media_type"),
    text("format"),
    text("version_label", null=True),
    Column("complete", Boolean(create_constraint=True, name="complete"), nullable=False),
    text("notes"),
    instant("created_at"),
    PrimaryKeyConstraint("workspace", "resource", "number"),
    refers(("resource",), "resources", ("name",)),
    refers(("digest",), "blobs"),
    CheckConstraint("number >= 1", name="number"),
    one_of("format", "format", FORMATS),
)


closings = Table(
    "closings",
    metadata,
    text("workspace"),
    text("resource"),
    integer("revision"),  # one that was not complete, and turned out to be all there is
    instant("closed_at"),
    PrimaryKeyConstraint("workspace", "resource", "revision"),
    refers(("resource", "revision"), "revisions", ("resource", "number")),
)


observations = Table(
    "observations",
    metadata,
    text("workspace"),
    text("resource"),
    integer("ordinal"),
    integer("revision"),
    instant("observed_at"),
    text("origin", null=True),
    text("task", null=True),
    integer("run", null=True),
    text("call", null=True),
    text("idempotency_key", null=True),
    PrimaryKeyConstraint("workspace", "resource", "ordinal"),
    UniqueConstraint("workspace", "resource", "idempotency_key"),
    refers(("resource", "revision"), "revisions", ("resource", "number")),
)
