"""Tasks, runs and claims from the JSON that `api.work_json` makes of them. What does not fit raises, as in `reading`."""

import orjson

from api.client.reading import Members
from api.client.values import ClaimHistory, ListedInput, ReplayedInput, RuledClaim, RunState
from evidence_store.model import (
    About,
    Citation,
    ClaimView,
    Digest,
    EvidenceId,
    Grade,
    Outcome,
    Pointer,
    ProgressItem,
    ProgressState,
    ResourceName,
    Standing,
    TaskName,
    TaskRevision,
    WorkspaceName,
)
from evidence_store.records.claims import Ruling
from evidence_store.records.exposures import RunExposure
from evidence_store.records.run_history import ResultRow, StepRow
from evidence_store.records.runs import Exposure, MessageRow, RunKey, StepKey
from evidence_store.records.tasks import Judgement, Proposal
from evidence_store.records.usages import NewUsage
from evidence_store.store.run_history import RunEnd, RunSummary, StoredTurn

WORKSPACE = WorkspaceName("")
"""Of runs behind a server: it is that of the key, and nobody needs its name here."""


def run_key(task: str, number: int) -> RunKey:
    return RunKey(WORKSPACE, TaskName(task), number)


def task_of(shown: Members) -> TaskRevision:
    return TaskRevision(
        TaskName(shown["task"]),
        shown["revision"],
        shown["goal"],
        *(tuple(shown[name]) for name in ("in_scope", "excluded", "constraints", "proposed")),
    )


def proposal_of(shown: Members) -> Proposal:
    place = (shown["run"], shown["message"])
    return Proposal(shown["proposal"], shown["text"], *place, shown["author"], shown["decision"], shown["task_revision"])


def progress_of(shown: Members) -> ProgressItem:
    evidence = tuple(map(EvidenceId, shown["evidence"]))
    return ProgressItem(shown["subject"], ProgressState(shown["state"]), evidence, shown["next"], tuple(shown["uses"]))


def judgement_of(shown: Members) -> Judgement:
    return Judgement(shown["kind"], shown["subject"], shown["task_revision"], shown["verdict"], shown["judge"], shown["reason"])


def end_of(shown: Members | None) -> RunEnd | None:
    return None if shown is None else RunEnd(shown["how"], shown["reason"], shown["empty"])


def run_of(shown: Members) -> RunSummary:
    return RunSummary(run_key(shown["task"], shown["run"]), shown["agent"], end_of(shown["end"]))


def state_of(shown: Members) -> RunState:
    return RunState(run_of(shown), shown["n_steps"], tuple(shown["open_calls"]), tuple(shown["claims"]))


def turn_of(shown: Members) -> StoredTurn:
    message = MessageRow(shown["message"], shown["step"], shown["role"], orjson.dumps(shown["body"]).decode())
    found = shown.get("result")
    result = None if found is None else ResultRow(found["call"], Outcome(found["outcome"]), found["body"])
    return StoredTurn(message, result)


def step_of(shown: Members) -> StepRow:
    return StepRow(shown["step"], shown["task_revision"])


def usage_of(shown: Members) -> NewUsage:
    figures = (shown["counted"], shown["reported"])
    return NewUsage(shown["provider"], shown["model"], shown["counter"], *figures, shown["said"])


def exposure_of(task: str, run: int, shown: Members) -> RunExposure:
    step = StepKey(run_key(task, run), shown["step"])
    seen = Exposure(step, EvidenceId(shown["evidence"]), Grade(shown["grade"]), Digest(shown["digest"]), shown["in_full"])
    return RunExposure(shown["exposure"], seen, tuple(shown["transforms"]), shown["at"])


def input_of(shown: Members) -> ListedInput:
    return ListedInput(
        shown["step"],
        shown["projection"],
        shown["used_tokens"],
        shown["cap_tokens"],
        shown["counter"],
        shown["exactness"],
        dict(shown["sections"]),
        Digest(shown["input_digest"]),
        shown["billed_tokens"],
        shown["rebuilt"],
        shown["reported_tokens"],
    )


def replayed_of(shown: Members) -> ReplayedInput:
    marks = {EvidenceId(one["evidence"]): one["mark"] for one in shown["marks"]}
    parts = (tuple(shown["messages"]), tuple(shown["tools"]), shown["outside"])
    return ReplayedInput(shown["step"], shown["projection"], shown["same"], marks, Digest(shown["input_digest"]), *parts)


def claim_of(shown: Members) -> ClaimView:
    about = shown["about"]
    pointer = None if about["pointer"] is None else Pointer(about["pointer"])
    return ClaimView(
        shown["claim"],
        About(ResourceName(about["resource"]), pointer, about["aspect"]),
        shown["text"],
        tuple(Citation(EvidenceId(one["evidence"]), one["role"]) for one in shown["citations"]),
        shown["author"],
        Standing(shown["standing"]),
        shown["reason"],
        shown["checker"],
        shown["task_revision"],
        shown["scope_rule"],
    )


def history_of(shown: Members) -> ClaimHistory:
    rulings = tuple(_ruling_of(one) for one in shown["rulings"])
    return ClaimHistory(claim_of(shown), shown["run"], shown["step"], rulings)


def _ruling_of(shown: Members) -> Ruling:
    checked = (shown["checker"], shown["support"], shown["scope_rule"])
    return Ruling(Standing(shown["standing"]), shown["reason"], *checked, shown["task_revision"])


def ruled_of(shown: Members) -> RuledClaim:
    return RuledClaim(shown["claim"], Standing(shown["standing"]), shown["reason"])
