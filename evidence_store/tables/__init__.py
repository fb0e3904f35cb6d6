"""The schema: what is kept, by workspace, and what must be unique.

Rows are added and never changed; what changes is a row in a table of events, and state is computed from these. Truth is in every
table but `frames`, `containers` and `spans`, which can be made again from the stored bytes. Times are integer microseconds UTC. JSON
columns hold RFC 8785 text. Migrations make the tables; a test holds them against this module.
"""

from evidence_store.tables.access import api_keys, kept_answers, key_events, key_uses
from evidence_store.tables.claims import citations, claim_events, claim_labels, claims, report_claims, reports
from evidence_store.tables.evidence import evidence, evidence_events, parts, relocations, selectors
from evidence_store.tables.journal import events
from evidence_store.tables.runs import exposures, messages, pins, projections, runs, steps, tool_calls, tool_results, usages
from evidence_store.tables.schema import metadata
from evidence_store.tables.sources import (
    blobs,
    closings,
    containers,
    frames,
    label_policies,
    observations,
    resource_labels,
    resources,
    revisions,
    shared_frames,
    spans,
)
from evidence_store.tables.tasks import judgements, progress, progress_evidence, proposal_events, proposals, task_revisions, tasks

__all__ = [
    "api_keys",
    "blobs",
    "citations",
    "claim_events",
    "claim_labels",
    "claims",
    "closings",
    "containers",
    "events",
    "evidence",
    "evidence_events",
    "exposures",
    "frames",
    "judgements",
    "kept_answers",
    "key_events",
    "key_uses",
    "label_policies",
    "messages",
    "metadata",
    "observations",
    "parts",
    "pins",
    "progress",
    "progress_evidence",
    "projections",
    "proposal_events",
    "proposals",
    "relocations",
    "report_claims",
    "reports",
    "resource_labels",
    "resources",
    "revisions",
    "runs",
    "selectors",
    "shared_frames",
    "spans",
    "steps",
    "task_revisions",
    "tasks",
    "tool_calls",
    "tool_results",
    "usages",
]
