"""A small real store with a published report: what the tests of the web doors read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from api.settings import Settings
from api.tools import call_tool
from api.wiring import Services, open_services
from evidence_store.canonical import digest_of
from evidence_store.errors import JsonValue
from evidence_store.model import EvidenceId, Outcome, ResourceName, TaskName, TaskRevision
from evidence_store.records.runs import Shown, StepKey
from evidence_store.store.put_request import PutRequest
from evidence_store.store.runs import ClosedCall, OpenCall

OLD_NAME, NEW_NAME = ResourceName("orders-v1/openapi.yaml"), ResourceName("orders-v2/openapi.yaml")
TASK = TaskName("orders: v1 to v2")
_FILLER = "".join(f"  # note {n}: kept for the reader\n" for n in range(1, 121))
_SPEC = """openapi: 3.0.3
info: {{title: Orders, version: "{version}"}}
paths:
{filler}  /orders:
    get:
      operationId: listOrders
      parameters:
        - name: limit
          in: query
          description: Größe <script>alert(1)</script> der Seite
          schema:
            type: integer
            maximum: {maximum}
{more}{filler}components:
  schemas: {{}}
"""
_REMOVED = """    delete:
      operationId: dropOrders
"""
OLD = _SPEC.format(version="1", maximum=100, more=_REMOVED, filler=_FILLER).encode()
NEW = _SPEC.format(version="2", maximum=50, more="", filler=_FILLER).encode()
LIMIT = "/paths/~1orders/get/parameters/0"
_ID = re.compile(r"^\[evidence (ev_[0-9a-z]+)\]", re.MULTILINE)
_CLAIM = re.compile(r"^claim: (C\d+)\nstanding: (\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Sample:
    folder: Path
    report: str
    old: EvidenceId
    """`100` in the old document."""
    new: EvidenceId
    """`50` in the new one."""
    keys: EvidenceId
    """Derived: the members of the path in the new document."""
    parameter: EvidenceId
    """The whole parameter in the old document."""


class Agent:
    """Calls tools within a step, and keeps that their packets were delivered."""

    def __init__(self, services: Services, step: StepKey) -> None:
        self._services, self._step, self._n_calls = services, step, 0

    def call(self, name: str, arguments: Mapping[str, JsonValue]) -> str:
        self._n_calls += 1
        call = OpenCall(f"call_{self._n_calls}", name, arguments)
        runs = self._services.store.runs
        runs.open_calls(self._step, "", [call])
        answer = call_tool(self._services.tools(self._step), name, arguments, recording=True)
        assert answer.outcome is Outcome.OK, answer.text
        shown = tuple(Shown(p.id, digest_of(p.excerpt.encode()), p.transforms, p.shown_in_full) for p in answer.packets)
        runs.close_calls(self._step, [ClosedCall(call.call, answer.outcome, answer.text, True, shown)])
        return answer.text

    def read(self, resource: str, pointer: str, view: str = "source") -> EvidenceId:
        found = _ID.search(self.call("read_spec", {"resource": resource, "pointer": pointer, "view": view}))
        assert found is not None
        return EvidenceId(found[1])

    def claim(self, pointer: str, aspect: str, text: str, citations: Mapping[str, str]) -> tuple[str, str]:
        """Id and standing."""
        cited = [{"evidence": id_, "role": role} for role, id_ in citations.items()]
        about = {"resource": NEW_NAME, "pointer": pointer, "aspect": aspect}
        found = _CLAIM.search(self.call("record_claim", {"about": about, "text": text, "citations": cited}))
        assert found is not None
        return found[1], found[2]


def make_sample(folder: Path) -> Sample:
    """A store in this folder with two documents, a task, a run, claims and a report."""
    with open_services(Settings(folder), create=True) as services:
        store = services.store
        for name, raw in ((OLD_NAME, OLD), (NEW_NAME, NEW)):
            store.sources.put(PutRequest(name, scope="stable API"), [raw])
        store.tasks.add_revision(TaskRevision(TASK, 1, "Find what breaks clients.", ("/orders",), (), ()), "user")
        run = store.runs.start(TASK, "agent")
        agent = Agent(services, store.runs.open_step(run))
        old, new = (agent.read(name, f"{LIMIT}/schema/maximum") for name in (OLD_NAME, NEW_NAME))
        gone, keys = agent.read(OLD_NAME, "/paths/~1orders/delete"), agent.read(NEW_NAME, "/paths/~1orders", "keys")
        parameter = agent.read(OLD_NAME, LIMIT)
        first = agent.claim(f"{LIMIT}/schema/maximum", "maximum", "The `maximum` went from 100 to 50.", {"old": old, "new": new})
        second = agent.claim("/paths/~1orders", "operation-removed", "The operation `delete` was removed.", {"old": gone, "absent": keys})
        third = agent.claim(LIMIT, "description", "The description may mislead <b>readers</b> into sending 70.", {"old": parameter})
        assert (first[1], second[1], third[1]) == ("verified", "verified", "open")
        body = _report_text(old, new, gone, keys, parameter)
        report = store.claims.publish(run, "Orders: v1 to v2", body, store.claims.list_claims(TASK))
    return Sample(folder, report, old, new, keys, parameter)


def _report_text(old: str, new: str, gone: str, keys: str, parameter: str) -> str:
    def cite(role: str, quote: str, id_: str, place: str) -> str:
        return f'  - {role}: "{quote}" [{id_}](../evidence/{id_}) · {place}'

    lines = [
        "# API compatibility report",
        "",
        "> Find what breaks clients.",
        "",
        f"- Task: `{TASK}`, revision 1",
        "- Claims: 1 open, 2 verified",
        "",
        "## Breaking changes",
        "",
        "### `get /orders`",
        "",
        "- **C1** verified · `maximum` · The `maximum` went from 100 to 50.",
        cite("old", "100", old, f"`{OLD_NAME}`@1 `{LIMIT}/schema/maximum`, line 133"),
        cite("new", "50", new, f"`{NEW_NAME}`@1 `{LIMIT}/schema/maximum`, line 133"),
        "",
        "### `delete /orders`",
        "",
        "- **C2** verified · `operation-removed` · The operation `delete` was removed.",
        cite("old", "operationId: dropOrders", gone, f"`{OLD_NAME}`@1 `/paths/~1orders/delete`, line 135"),
        cite("absent", "", keys, f"`{NEW_NAME}`@1 `/paths/~1orders` (names of its members), lines 124–133").replace('"" ', ""),
        "",
        "## Open questions",
        "",
        "- **C3** open · `description` · The description may mislead <b>readers</b> into sending 70.",
        cite("old", "name: limit", parameter, f"`{OLD_NAME}`@1 `{LIMIT}`, lines 128–133"),
        "",
        "## Coverage",
        "",
        "| operation of the old version | state |",
        "|---|---|",
        "| `get /orders` | compared |",
        "| `delete /orders` | compared |",
    ]
    return "\n".join(lines) + "\n"
