"""Commands that list what the store holds beside resources: tasks, the runs of one, its claims."""

from argparse import Namespace
from collections.abc import Mapping
from datetime import UTC, datetime

from api.cli.output import Output
from api.presenters import Json, plain
from api.settings import read_settings
from api.tools.arguments import Arguments
from api.tools.recording import answer_claims
from api.wiring import open_services
from evidence_store.errors import JsonValue
from evidence_store.model import TaskName
from evidence_store.store.run_history import RunEnd

LISTED = 1000


def run_tasks(arguments: Namespace, output: Output) -> int:
    with open_services(read_settings(arguments.store)) as services:
        found = services.store.listings.list_tasks(arguments.after, LISTED + 1)
    listed, more = found[:LISTED], len(found) > LISTED
    rows: list[Json] = [
        {
            "task": one.name,
            "revision": one.revision,
            "goal": one.goal,
            "n_runs": one.n_runs,
            "n_claims": one.n_claims,
            "created_at": one.created_at,
        }
        for one in listed
    ]
    lines = [f"{one.name}  {one.n_runs} runs, {one.n_claims} claims, begun {_time(one.created_at)}{_goal(one.goal)}\n" for one in listed]
    output.value({"tasks": rows, "more": more}, "".join(lines) or "no tasks\n")
    _tell_more(output, f"evidence tasks --after {listed[-1].name}" if more else None)
    return 0


def run_runs(arguments: Namespace, output: Output) -> int:
    task = TaskName(arguments.task)
    with open_services(read_settings(arguments.store)) as services:
        found = services.store.listings.list_runs(task, arguments.after, LISTED + 1)
    listed, more = found[:LISTED], len(found) > LISTED
    rows: list[Json] = []
    lines = []
    for one in listed:
        row = one.row
        figures = {"n_steps": row.n_steps, "n_inputs": row.n_inputs, "n_calls": row.n_calls, "n_claims": row.n_claims}
        name = f"{task}/{row.number}"
        rows.append({"run": name, "agent": row.agent, **figures, "end": end_json(one.end), "created_at": row.created_at})
        said = ", ".join(f"{n} {what.removeprefix('n_')}" for what, n in figures.items())
        lines.append(f"{name}  {row.agent}, begun {_time(row.created_at)}, {end_text(one.end)}: {said}\n")
    output.value({"task": task, "runs": rows, "more": more}, "".join(lines) or f"{task} has no runs\n")
    _tell_more(output, f"evidence runs {task} --after {listed[-1].row.number}" if more else None)
    return 0


def run_claims(arguments: Namespace, output: Output) -> int:
    task = TaskName(arguments.task)
    given = {"standing": arguments.standing, "after": arguments.after, "limit": LISTED}
    with open_services(read_settings(arguments.store)) as services:
        claims = services.store.claims.list_claims(task)
    facts = answer_claims(claims, Arguments("claims", {name: value for name, value in given.items() if value is not None})).facts
    rows, following = facts["claims"], facts["next"]
    assert isinstance(rows, list)
    lines = [_claim_text(one) for one in rows]
    output.value({"task": task, "claims": plain(rows), "more": following is not None}, "".join(lines) or f"{task} has no such claims\n")
    after = following["after"] if isinstance(following, Mapping) else None
    _tell_more(output, f"evidence claims {task} --after {after}" if after is not None else None)
    return 0


def end_json(end: RunEnd | None) -> Json:
    return None if end is None else {"how": end.how, "reason": end.reason, "empty": end.empty}


def end_text(end: RunEnd | None) -> str:
    if end is None:
        return "at work, or interrupted"
    return f"ended, {end.how}" + (", without a claim" if end.empty else "")


def _claim_text(claim: Mapping[str, JsonValue]) -> str:
    cited = claim.get("citations") or ()
    assert isinstance(cited, list | tuple)
    words = [f"{one['evidence']} {one['role']}" for one in cited if isinstance(one, Mapping)]
    why = f" ({claim['reason']})" if claim.get("reason") else ""
    return f"{claim['claim']}  {claim['standing']}{why}: {claim['text']} [{', '.join(words)}]\n"


def _goal(goal: str) -> str:
    return f": {' '.join(goal.split())}" if goal.strip() else ""


def _time(at: int) -> str:
    """To the second, in UTC."""
    return datetime.fromtimestamp(at // 1_000_000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def _tell_more(output: Output, command: str | None) -> None:
    if command is not None and not output.json:
        output.note(f"more: {command}")
