"""Listing tools and calling them. The definitions and what a tool does are those of `api.tools`; here a call gets its run and its form.

Each tool takes one argument more, `run`. What goes wrong is a tool result, so that a model can mend its call; nothing of it is a traceback.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import mcp_types as types
from anyio import CancelScope, create_task_group, get_cancelled_exc_class, to_thread
from anyio.lowlevel import checkpoint
from mcp.server.context import ServerRequestContext

from api.mcp.addresses import format_item, format_revision
from api.mcp.faults import fault_of
from api.mcp.progress import Progress, beats, from_worker
from api.mcp.runs import Caller, Connection, EnteredRun, ImplicitRuns, format_run
from api.tools import ToolAnswer, call_tool
from api.tools.answers import error_answer
from api.tools.definitions import Tool, granted
from api.tools.outputs import structured
from api.wiring import Services
from evidence_store.errors import EvidenceStoreError, InvalidInput, JsonValue
from evidence_store.model import Outcome, Packet
from evidence_store.records.runs import StepKey

Context = ServerRequestContext[Connection, Any]
RUN_META = "evidence/run"
"""Member of `_meta` of an answer: the run that it is kept in."""
_RUN: Mapping[str, JsonValue] = {
    "type": "string",
    "description": "Run to keep this in, as an answer named it; 'new' begins one. Without it: the run of this connection.",
}
MAX_NAME_CHARS = 80
Tell: TypeAlias = Callable[[int, int, str], None]


@dataclass(slots=True)
class Call:
    """One call on its way."""

    caller: Caller
    name: str
    arguments: Mapping[str, JsonValue]
    run: EnteredRun | None = None
    step: StepKey | None = None


class Calls:
    """The handlers of `tools/list` and `tools/call`."""

    def __init__(self, services: Services, runs: ImplicitRuns, *, recording: bool, links: bool, principal: str | None = None) -> None:
        """With `principal`, runs and authors are named by it, and it tells callers apart."""
        self._services = services
        self._runs = runs
        self._recording = recording
        self._links = links
        self._principal = principal
        self._tools = [tool_type(one) for one in sorted(granted(recording=recording), key=lambda tool: tool.name)]

    async def list_tools(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._tools)

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        call = Call(caller_of(context, self._principal), params.name, params.arguments or {})
        progress = Progress(params.name)
        report = context.session.report_progress
        try:
            async with create_task_group() as tasks:
                tasks.start_soon(beats, progress, report)
                answer = await to_thread.run_sync(self._make, call, from_worker(progress, report))
                tasks.cancel_scope.cancel()
            await checkpoint()
        except get_cancelled_exc_class():
            with CancelScope(shield=True):
                await to_thread.run_sync(self._close, call, ToolAnswer("cancelled\n", outcome=Outcome.CANCELLED))
            raise
        closed = await to_thread.run_sync(self._close, call, answer)
        return self._result(call, closed)

    def _make(self, call: Call, tell: Tell) -> ToolAnswer:
        try:
            named = call.arguments.get("run")
            if named is not None and not isinstance(named, str):
                raise InvalidInput(f"{call.name[:80]}: run must be a text", {"argument": "run"}, code="bad_argument")
            call.run = self._runs.enter(call.caller, named)
            call.step = self._runs.open(call.run.key, call.name[:MAX_NAME_CHARS], call.arguments)
            own = {name: value for name, value in call.arguments.items() if name != "run"}
            tools = replace(self._services.tools(call.step, f"mcp:{call.caller.agent}"), progress=tell)
            return call_tool(tools, call.name, own, recording=self._recording)
        except EvidenceStoreError as why:
            return error_answer(why)
        except Exception as why:  # a fault of ours: the client is told so in words, and the connection goes on
            return error_answer(fault_of(call.name, why))

    def _close(self, call: Call, answer: ToolAnswer) -> ToolAnswer:
        """Keeps the answer, with the name of a run that was begun at its end."""
        if call.run is None or call.step is None:
            return answer
        if call.run.begun and answer.outcome is not Outcome.CANCELLED:
            answer = replace(answer, text=f"{answer.text}run: {format_run(call.run.key)}\n")
        try:
            self._runs.close(call.step, answer.outcome, answer.text, answer.packets)
        except EvidenceStoreError as why:
            # What is not kept must not be taken for delivered.
            return error_answer(why)
        except Exception as why:  # as above
            return error_answer(fault_of(call.name, why))
        return answer

    def _result(self, call: Call, answer: ToolAnswer) -> types.CallToolResult:
        value = structured(call.name, answer)
        meta: dict[str, Any] = {}
        if call.run is not None:
            value["run"] = meta[RUN_META] = format_run(call.run.key)
        text = answer.text.encode("utf-8", "replace").decode()
        content: list[types.ContentBlock] = [types.TextContent(text=text)]
        if self._links:
            content += links(answer.packets)
        failed = answer.outcome is not Outcome.OK
        return types.CallToolResult(content=content, structured_content=value, is_error=failed, _meta=meta or None)


def links(packets: tuple[Packet, ...]) -> list[types.ContentBlock]:
    """A link to each evidence and to each revision that it stands in, once."""
    found: dict[str, types.ContentBlock] = {}
    for one in packets:
        item, revision = format_item(one.id), format_revision(one.resource, one.revision)
        found[item] = types.ResourceLink(uri=item, name=one.id, mime_type="text/plain")
        found[revision] = types.ResourceLink(uri=revision, name=f"{one.resource}@{one.revision}", size=one.size)
    return list(found.values())


def tool_type(tool: Tool) -> types.Tool:
    """The definition in the form of the protocol."""
    arguments: Any = tool.parameters
    arguments["properties"] = arguments["properties"] | {"run": dict(_RUN)}
    output: Any = dict(tool.output)
    output["properties"] = output["properties"] | {"run": {"type": "string"}}
    return types.Tool(
        name=tool.name,
        title=tool.name.replace("_", " ").capitalize(),
        description=tool.description,
        input_schema=arguments,
        output_schema=output,
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.records, destructive_hint=False, idempotent_hint=not tool.records, open_world_hint=False
        ),
    )


def caller_of(context: Context, principal: str | None) -> Caller:
    """Who calls: over HTTP told apart by principal and session, and where the protocol has none, by client and host."""
    client = context.session.client_params
    name = "agent" if client is None else client.client_info.name[:MAX_NAME_CHARS] or "agent"
    request = context.request
    if request is None:
        return Caller(context.lifespan_context, "", name)
    session = request.headers.get("mcp-session-id")
    host = "" if request.client is None else request.client.host
    version = "" if client is None else client.client_info.version[:MAX_NAME_CHARS]
    agent = name if principal is None else f"{principal} {name}"
    return Caller(context.lifespan_context, f"{agent} session {session}" if session else f"{agent} client {host} {version}", agent)
