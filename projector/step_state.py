"""Writes a step as the JSON that `step_from_json` reads (docs/formats/step.md): the state that a paused run goes on from.

A step that came from JSON comes out equal when it is read again. What is never read does not come
along: `value` of a packet, its age, and thresholds beside those of the strategy.
"""

from dataclasses import asdict

from evidence_store.errors import JsonValue
from evidence_store.model import ClaimView, Packet, ProgressItem
from projector.model import Candidate, Step
from projector.packet_json import packet_to_json
from projector.strategy_json import strategy_to_json


def step_to_json(step: Step) -> dict[str, JsonValue]:
    """The step, with its packets whole."""
    task = step.task
    members: dict[str, JsonValue] = {
        "task": {
            "name": task.task,
            "revision": task.number,
            "goal": task.goal,
            "in_scope": task.in_scope,
            "excluded": task.excluded,
            "constraints": task.constraints,
            "proposed": task.proposed,
        },
        "profile": asdict(step.profile),
        "system": step.system,
        "tools": step.tools,
        "messages": step.messages,
        "earlier": [{"provider": one.provider, "model": one.model, "messages": one.messages} for one in step.earlier],
        "results": {call: [packet_to_json(one) for one in found] for call, found in step.results.items()},
        "progress": [_progress(item) for item in step.progress],
        "claims": [_claim(claim) for claim in step.claims],
        "evidence": [packet_to_json(one) if isinstance(one, Packet) else one for one in step.evidence],
        "needs": [{need.kind: need.name} for need in step.needs],
        "candidates": [_candidate(one) for one in step.candidates],
        "principal": {"clearances": step.principal.clearances, "audience": step.principal.audience},
        "strategy": strategy_to_json(step.strategy),
        "closing": step.closing,
    }
    times = {"now": step.now, "result_rounds": step.result_rounds}
    return members | {name: value for name, value in times.items() if value is not None}


def _progress(item: ProgressItem) -> JsonValue:
    return {"subject": item.subject, "state": item.state.value, "evidence": item.evidence, "next": item.next, "uses": item.uses}


def _claim(claim: ClaimView) -> JsonValue:
    about: dict[str, JsonValue] = {"resource": claim.about.resource, "aspect": claim.about.aspect}
    told: dict[str, JsonValue] = {
        "id": claim.id,
        "about": about if claim.about.pointer is None else about | {"pointer": claim.about.pointer},
        "text": claim.text,
        "standing": claim.standing.value,
        "evidence": [{"evidence": one.evidence, "role": one.role} for one in claim.citations],
        "task_revision": claim.task_revision,
        "author": claim.author,
        "reason": claim.reason,
    }
    return told if claim.checker is None else told | {"checker": claim.checker}


def _candidate(one: Candidate) -> JsonValue:
    told: dict[str, JsonValue] = {
        "text": one.text,
        "source": one.source,
        "scorer": one.scorer,
        "score": one.score,
        "at": one.at,
        "about": one.about,
    }
    return told if one.lines is None else told | {"lines": [one.lines.first, one.lines.last]}
