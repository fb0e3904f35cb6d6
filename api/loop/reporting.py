"""What is told of runs: a report from the store alone, and the lines that a parent reads of the agents that worked for it.

A parent sees claims with their citations, how each run ended, and which of them are empty and why; never what their agents said or read.
"""

from collections.abc import Sequence
from typing import cast

import orjson

from api.loop.model import How, RunReport
from api.stores import AgentStore
from api.tools.answers import json_line
from evidence_store.errors import Conflict
from evidence_store.records.runs import RunKey
from projector import format_recorded_claim


def report_of(store: AgentStore, run: RunKey) -> RunReport:
    """The report of a run. Raises NotFound, and Conflict for a run that has not ended."""
    history = store.histories.get(run)
    if history.end is None:
        raise Conflict(f"run {run.number} of {run.task!r} has not ended: resume it", code="run_open")
    mine = frozenset(store.histories.list_claim_ids(run))
    used = [one.tokens for one in store.histories.list_used_tokens(run)]
    bodies = (orjson.loads(row.body) for row in reversed(history.messages) if row.role == "assistant")
    return RunReport(
        run,
        history.agent,
        cast("How", history.end.how),
        history.end.reason,
        next((body["content"] for body in bodies if "compaction" not in body), ""),
        tuple(claim for claim in store.claims.list_claims(run.task) if claim.id in mine),
        len(history.steps),
        max(used, default=0),
        sum(used),
    )


def format_reports(reports: Sequence[RunReport]) -> str:
    """For the parent of these runs: a JSON line for each, and below it one for each of its claims, as `list_claims` has them."""
    return "".join(line for report in reports for line in _lines(report))


def _lines(report: RunReport) -> list[str]:
    members: dict[str, object] = {"agent": report.agent, "run": report.run.number, "how": report.how, "n_claims": len(report.claims)}
    if report.empty_run:
        members["empty_run"] = report.reason
    return [f"- {json_line(members)}\n", *(f"  {format_recorded_claim(claim)}\n" for claim in report.claims)]
