"""Tasks, runs and claims as JSON; beside `api.presenters`."""

from collections.abc import Sequence

import orjson

from api.presenters import Json, dumps, packet_json
from api.tools import ToolAnswer
from evidence_store.model import ClaimView, ProgressItem, TaskRevision
from evidence_store.records.claims import Ruling
from evidence_store.records.exposures import RunExposure
from evidence_store.records.run_history import StepRow
from evidence_store.records.runs import StepKey
from evidence_store.records.tasks import PlacedJudgement, Proposal
from evidence_store.records.usages import NewUsage
from evidence_store.store.run_history import RunSummary, StoredTurn


def task_json(task: TaskRevision) -> dict[str, Json]:
    return {
        "task": task.task,
        "revision": task.number,
        "goal": task.goal,
        "in_scope": list(task.in_scope),
        "excluded": list(task.excluded),
        "constraints": list(task.constraints),
        "proposed": list(task.proposed),
    }


def proposal_json(one: Proposal) -> dict[str, Json]:
    return {
        "proposal": one.ordinal,
        "text": one.text,
        "run": one.run,
        "message": one.message,
        "author": one.author,
        "decision": one.decision,
        "task_revision": one.task_revision,
    }


def progress_json(item: ProgressItem) -> dict[str, Json]:
    return {
        "subject": item.subject,
        "state": item.state.value,
        "evidence": list(item.evidence),
        "next": item.next,
        "uses": list(item.uses),
    }


def judgement_json(placed: PlacedJudgement) -> dict[str, Json]:
    one = placed.judgement
    return {
        "kind": one.subject_kind,
        "subject": one.subject,
        "task_revision": one.task_revision,
        "verdict": one.verdict,
        "judge": one.judge,
        "reason": one.reason,
    }


def run_json(run: RunSummary) -> dict[str, Json]:
    end: Json = None if run.end is None else {"how": run.end.how, "reason": run.end.reason, "empty": run.end.empty}
    return {"task": run.run.task, "run": run.run.number, "agent": run.agent, "end": end}


def turn_json(turn: StoredTurn) -> dict[str, Json]:
    row, result = turn.message, turn.result
    shown: dict[str, Json] = {"message": row.ordinal, "step": row.step, "role": row.role, "body": orjson.loads(row.body)}
    if result is not None:
        shown["result"] = {"call": result.call, "outcome": result.outcome.value, "body": result.body}
    return shown


def step_row_json(row: StepRow) -> dict[str, Json]:
    return {"step": row.number, "task_revision": row.task_revision}


def usage_json(one: NewUsage) -> dict[str, Json]:
    shown: dict[str, Json] = {"provider": one.provider, "model": one.model, "counter": one.counter}
    return shown | {"counted": one.counted, "reported": one.reported, "said": orjson.loads(orjson.dumps(dict(one.said)))}


def exposure_json(one: RunExposure) -> dict[str, Json]:
    seen = one.exposure
    return {
        "exposure": one.ordinal,
        "step": seen.step.number,
        "evidence": seen.evidence,
        "grade": seen.grade.value,
        "digest": seen.shown_digest,
        "transforms": list(one.transforms),
        "in_full": seen.in_full,
        "at": one.at,
    }


def tool_answer_json(answer: ToolAnswer) -> dict[str, Json]:
    return {
        "text": answer.text,
        "outcome": answer.outcome.value,
        "packets": [packet_json(packet) for packet in answer.packets],
        "facts": orjson.loads(dumps(dict(answer.facts))),  # type: ignore[arg-type]  # the same values, under another name,
    }


def claim_json(claim: ClaimView) -> dict[str, Json]:
    return {
        "claim": claim.id,
        "standing": claim.standing.value,
        "text": claim.text,
        "about": {"resource": claim.about.resource, "pointer": claim.about.pointer, "aspect": claim.about.aspect},
        "citations": [{"evidence": one.evidence, "role": one.role} for one in claim.citations],
        "author": claim.author,
        "reason": claim.reason,
        "checker": claim.checker,
        "scope_rule": claim.scope_rule,
        "task_revision": claim.task_revision,
    }


def claim_history_json(claim: ClaimView, step: StepKey, rulings: Sequence[Ruling]) -> dict[str, Json]:
    return claim_json(claim) | {"run": step.run.number, "step": step.number, "rulings": [_ruling_json(one) for one in rulings]}


def ruled_json(claim: ClaimView) -> dict[str, Json]:
    """Where a claim stands, without what it says."""
    return {"claim": claim.id, "standing": claim.standing.value, "reason": claim.reason}


def _ruling_json(one: Ruling) -> dict[str, Json]:
    return {
        "standing": one.standing.value,
        "reason": one.reason,
        "checker": one.checker,
        "support": one.support,
        "scope_rule": one.scope_rule,
        "task_revision": one.task_revision,
    }
