"""How each operation is asked: its query and its body for given things. A new operation fails the tests of tenancy until it stands here."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from api.tools.definitions import TOOLS
from evidence_store.canonical import digest_of
from tests.integration.tenancy import PROFILE, RED, Things, claim_of


@dataclass(frozen=True, slots=True)
class Said:
    """What a request says beside its path."""

    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    content: bytes | None = None
    path: Mapping[str, str] = field(default_factory=dict)
    """Parameters of the path that are no thing."""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ask:
    """A request: all of it but who sends it."""

    method: str
    path: str
    said: Said

    def sent(self) -> dict[str, Any]:
        given = {"params": self.said.query, "headers": self.said.headers}
        return given | ({"content": self.said.content} if self.said.body is None else {"json": self.said.body})


SHOWN = {"digest": digest_of(b"4711"), "in_full": True}
Sayings = Callable[[Things], Sequence[Said]]


def nothing(_: Things) -> Sequence[Said]:
    return (Said(),)


def queried(**names: str) -> Sayings:
    """Query parameters to the field of the things that each takes."""
    return lambda things: (Said({name: getattr(things, one) for name, one in names.items()}),)


def fixed(**query: Any) -> Sayings:
    return lambda _: (Said(query),)


def body(make: Callable[[Things], Any]) -> Sayings:
    """With the idempotency key that the owner of the things used, and without one."""
    return lambda things: (Said(body=make(things)), Said(body=make(things), headers={"Idempotency-Key": things.idempotency_key}))


def paged(things: Things) -> Sequence[Said]:
    return (Said(), Said({"limit": 1}), *(Said({"cursor": one}) for one in things.cursors))


def tool_arguments(name: str, things: Things) -> Sequence[dict[str, Any]]:
    """Of one of our tools."""
    here = {"resource": things.resource}
    claim = claim_of(things.run, things.resource, things.evidence, "4711")
    known: Mapping[str, Sequence[dict[str, Any]]] = {
        "diff": ({**here, "old_revision": 1, "new_revision": 1},),
        "get_evidence": ({"id": things.evidence}, {"id": things.evidence, "expand": "full"}),
        "get_progress": ({},),
        "list_claims": ({}, here),
        "list_resources": ({}, {"after": things.resource[:-1]}),
        "read_log": ({**here, "lines": "1-1"},),
        "read_spec": ({**here, "pointer": "/limit"}, {**here, "pointer": "/limit", "revision": 2}),
        "search": ({**here, "pattern": "limit"}, {"resource": things.resource[:3] + "*", "pattern": "47"}),
        "summary": (here,),
        "record_claim": ({name: claim[name] for name in ("about", "text", "citations")},),
        "record_progress": ({"items": [{"subject": "x", "state": "done", "evidence": [things.evidence]}]},),
    }
    return known[name]


def tool_calls(things: Things) -> Iterator[Said]:
    for tool in TOOLS:
        for arguments in tool_arguments(tool.name, things):
            yield Said(body={"arguments": arguments}, path={"name": tool.name})


READING = tuple(tool for tool in TOOLS if not tool.records and tool.name not in ("get_progress", "list_claims"))


def reading_calls(things: Things) -> Sequence[Said]:
    """Of the tools that need no run."""
    return tuple(
        Said(body={"arguments": arguments}, path={"name": tool.name}) for tool in READING for arguments in tool_arguments(tool.name, things)
    )


def putting(things: Things) -> Sequence[Said]:
    known = Said(content=b'{"limit": 4711}\n', headers={"Idempotency-Key": things.idempotency_key})
    return (known, Said({"if_newest": 2}, content=b"[]\n"), Said({"label": [RED]}, content=b"[]\n"))


def blob(_: Things) -> Sequence[Said]:
    return (Said(), Said(headers={"Range": "bytes=0-3"}), Said(headers={"Range": "bytes=99999-"}))


def conditional_blob(things: Things) -> Sequence[Said]:
    return (*blob(things), Said(headers={"If-None-Match": f'"{things.digest}"'}))


def subjects(things: Things) -> Sequence[Said]:
    return tuple(Said(path={"subject": one}) for one in (things.report, f"{things.task}/{things.claim}", things.evidence))


def step_of(things: Things) -> dict[str, Any]:
    """STEP.json that names all that it can."""
    fact = {"id": things.claim, "about": {"resource": things.resource}, "text": "4711", "standing": "verified", "task_revision": 1}
    task = {"revision": 1, "goal": "Find limits.", "in_scope": [], "excluded": [], "constraints": []}
    return {
        "task": task,
        "profile": PROFILE,
        "messages": [{"role": "user", "content": "Go."}],
        "evidence": [things.evidence],
        "claims": [{**fact, "evidence": [things.evidence]}],
        "needs": [{"resource": things.resource}],
        "principal": {"clearances": [RED]},
    }


def projection(things: Things) -> dict[str, Any]:
    return {"messages": [], "profile": PROFILE, "receipt": {}, "shown": [SHOWN | {"evidence": things.evidence}]}


def verdicts(things: Things) -> dict[str, Any]:
    return {"judge": "human:ann", "verdicts": [{"evidence": things.evidence, "applies": True}]}


SCOPE = {"goal": "Find more.", "in_scope": ["/limit"]}
USAGE = {"provider": "openai", "model": "m", "counter": "o200k_base"}
SAYINGS: Mapping[str, Sayings] = {
    "getHealth": nothing,
    "getReady": nothing,
    "getStats": nothing,
    "listResources": paged,
    "getResource": nothing,
    "listRevisions": paged,
    "getRevision": nothing,
    "listObservations": paged,
    "putRevision": putting,
    "getBlob": conditional_blob,
    "headBlob": conditional_blob,
    "readDocument": lambda things: (Said({"pointer": "/limit"}), Said({"lines": "1-1", "revision": 2}), Said({"quote": "4711"})),
    "searchDocument": lambda things: (Said({"pattern": "limit"}), Said({"pattern": "nowhere", "all_revisions": True})),
    "search": lambda things: (Said({"resource": things.resource, "pattern": "limit"}), Said({"resource": "*", "pattern": "4711"})),
    "summarizeDocument": nothing,
    "diff": queried(old="resource", new="resource"),
    "getEvidence": lambda things: (Said(), Said({"task": things.task}), Said(headers={"If-None-Match": "*"})),
    "expandEvidence": lambda things: (Said({"to": "full"}), Said({"to": "parent", "task": things.task})),
    "locateEvidence": lambda things: (Said({"resource": things.resource, "revision": 1}),),
    "listExposures": paged,
    "verifyEvidence": nothing,
    "resolveEvidence": lambda things: (Said(body={"ids": [things.evidence, "ev_zzzzzzzzzzzz"]}),),
    "checkCitations": lambda things: (Said(content=f'"4711" [{things.evidence}] {things.report}\n'.encode()),),
    "listTasks": paged,
    "createTask": body(lambda things: {"task": things.task, **SCOPE}),
    "getTask": nothing,
    "listTaskRevisions": paged,
    "addTaskRevision": lambda things: (Said(body=SCOPE, headers={"If-Match": '"1"'}), Said(body=SCOPE)),
    "getTaskRevision": nothing,
    "listProposals": paged,
    "proposeConstraint": body(lambda things: {"text": "Only limits.", "run": things.run, "message": 1}),
    "acceptProposal": body(lambda things: {}),
    "declineProposal": body(lambda things: {}),
    "listProgress": paged,
    "recordProgress": body(lambda things: {"items": [{"subject": "x", "state": "done", "evidence": [things.evidence]}]}),
    "listJudgements": paged,
    "recordJudgements": body(verdicts),
    "listRuns": paged,
    "startRun": body(lambda things: {"agent": "agent:a", "request": "Go."}),
    "getRun": nothing,
    "takeRun": body(lambda things: {}),
    "endRun": body(lambda things: {"how": "closed"}),
    "ruleOnClaims": body(lambda things: {}),
    "listMessages": paged,
    "addMessage": body(lambda things: {"text": "x"}),
    "listSteps": paged,
    "openStep": body(lambda things: {}),
    "openCalls": body(lambda things: {"calls": [{"call": "c9", "name": "x"}]}),
    "closeCalls": body(
        lambda things: {"results": [{"call": "open", "outcome": "ok", "body": "", "shown": [SHOWN | {"evidence": things.evidence}]}]}
    ),
    "callTool": lambda things: tuple(tool_calls(things)),
    "callReadingTool": reading_calls,
    "previewRevision": lambda things: (Said(body={"tool": "get_logs", "tokens": 200}), Said(body={"tool": "get_logs"})),
    "confirmSent": body(lambda things: {"input_digest": things.input_digest}),
    "reportUsage": body(lambda things: {**USAGE, "counted": 1, "reported": 1}),
    "listUsages": fixed(**USAGE),
    "storeProjection": body(projection),
    "listRunProjections": paged,
    "listProjections": paged,
    "getReceipt": lambda things: (Said(), Said({"projection": 2})),
    "replayStep": nothing,
    "recordCompaction": body(lambda things: {"left": ["1"], "tokens_before": 2, "tokens": 1}),
    "listRunExposures": paged,
    "project": lambda things: (Said(body=step_of(things)),),
    "listClaims": paged,
    "recordClaim": body(lambda things: claim_of(things.run, things.resource, things.evidence, "4711")),
    "getClaim": nothing,
    "disputeClaim": body(lambda things: {"reason": "Why?"}),
    "listReports": paged,
    "publishReport": body(
        lambda things: {"task": things.task, "run": things.run, "title": "x", "body": f"[{things.evidence}]", "claims": [things.claim]}
    ),
    "getReport": nothing,
    "getTrace": subjects,
    "listPolicies": nothing,
    "setPolicy": lambda things: (Said(body={"label": "red", "policy": "hidden"}),),
    "addLabels": body(lambda things: {"labels": ["blue"]}),
    "listKeys": nothing,
    "createKey": body(lambda things: {"name": "new", "grants": ["evidence:read"]}),
    "revokeKey": nothing,
    "showIndex": nothing,
    "showReport": nothing,
    "showEvidence": nothing,
    "showTrace": subjects,
    "showSource": lambda things: (Said({"lines": "1-1"}, path={"name": things.resource}), Said({"lines": "1-9"})),
}
PAGES = {
    "showIndex": "/",
    "showReport": "/reports/{id}",
    "showEvidence": "/evidence/{id}",
    "showTrace": "/trace/{subject}",
    "showSource": "/resources/{name}@{number}/source",
}
"""Operations that are for people, and not in the description."""


def operations(described: Mapping[str, Any]) -> Mapping[str, tuple[str, str]]:
    """Id to method and path: those of the description, and the pages."""
    listed = ((method, path, one) for path, methods in described["paths"].items() for method, one in methods.items())
    return {one["operationId"]: (method.upper(), path) for method, path, one in listed} | {
        id_: ("GET", path) for id_, path in PAGES.items()
    }


def asks(operation: str, method: str, path: str, named: Things, told: Things) -> Iterator[Ask]:
    """Requests whose path names things, and whose query and body tell of things."""
    for said in SAYINGS[operation](told):
        values = {
            "resource": named.resource,
            "name": named.resource,
            "digest": named.digest,
            "task": named.task,
            "run": named.run,
            "step": named.step,
            "claim": named.claim,
            "number": named.number,
            "id": {"reports": named.report, "keys": named.key}.get(path.split("/{")[0].rpartition("/")[2], named.evidence),
            **said.path,
        }
        yield Ask(method, path.format_map({name: quote(str(value), safe="") for name, value in values.items()}), said)
