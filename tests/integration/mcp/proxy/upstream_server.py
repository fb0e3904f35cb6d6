"""A server with every feature, to be wrapped: over stdio, or with `--http` over HTTP.

`--only handshake` or `--only envelope` makes it speak one era, `--after FIFO` makes it wait until somebody opens that to write, `--clash`
names a tool as one of ours, and `--bare` has no tools at all.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from mcp.server import NotificationOptions, Server
from mcp.server.runner import modern_on_request, serve_loop
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher

PNG = "iVBORw0KGgo="
POD = {"type": "object", "properties": {"name": {"type": "string"}, "cpu": {"type": "number"}}, "required": ["name", "cpu"]}
PODS = {
    "type": "object",
    "properties": {"pods": {"type": "array", "items": {"$ref": "#/$defs/Pod"}}},
    "required": ["pods"],
    "$defs": {"Pod": POD},
}
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
TEXT: dict[str, Any] = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": False}
NUMBER: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
GREP: dict[str, Any] = {"type": "object", "properties": {"grep": {"type": "string"}, "n": {"type": "integer"}}}
READ_ONLY = types.ToolAnnotations(title="Echo a text", read_only_hint=True)


def make_tools(clash: bool) -> list[types.Tool]:
    made = [
        types.Tool(name="echo", title="Echo", description="Says it again.", input_schema=TEXT, annotations=READ_ONLY, _meta={"x/y": 1}),
        types.Tool(name="log", description="So many lines.", input_schema=GREP),
        types.Tool(name="pods", description="So many pods.", input_schema=NUMBER, output_schema=PODS),
        types.Tool(name="picture", input_schema=NUMBER),
        types.Tool(name="steps", description="So many steps, each told.", input_schema=NUMBER),
        types.Tool(name="wait", input_schema=NOTHING),
        types.Tool(name="cancelled", description="Answers once a wait was cancelled.", input_schema=NOTHING),
        types.Tool(name="fail", input_schema=NUMBER),
        types.Tool(name="fault", input_schema=NOTHING),
        types.Tool(name="crash", input_schema=NOTHING),
        types.Tool(name="say", input_schema=TEXT),
        types.Tool(name="ask", input_schema=NOTHING),
        types.Tool(name="pid", input_schema=NOTHING),
        types.Tool(name="touch", description="Tells of a change of a resource.", input_schema=NOTHING),
        types.Tool(name="both", description="The same, as text and as structured content.", input_schema=NUMBER),
        types.Tool(name="level", description="The level of messages.", input_schema=NOTHING),
    ]
    return [*made, types.Tool(name="search", description="Of the upstream.", input_schema=TEXT)] if clash else made


class Upstream:
    def __init__(self, clash: bool) -> None:
        self.tools = make_tools(clash)
        self.was_cancelled = anyio.Event()
        self.level = "none"
        self.mute = False
        """Whether the level of messages is never answered."""
        self.subscribed: set[str] = set()

    async def list_tools(self, context: Any, params: Any) -> types.ListToolsResult:
        """In pages of six."""
        at = 0 if params is None or params.cursor is None else int(params.cursor)
        more = str(at + 6) if at + 6 < len(self.tools) else None
        return types.ListToolsResult(tools=self.tools[at : at + 6], next_cursor=more)

    async def call_tool(self, context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        given = params.arguments or {}
        match params.name:
            case "echo":
                if set(given) != {"text"}:
                    raise MCPError(types.INVALID_PARAMS, f"echo got {sorted(given)}")
                block = types.TextContent(text=given["text"], annotations=types.Annotations(priority=0.5), _meta={"a": [1.0, 2**70]})
                return types.CallToolResult(content=[block], _meta={"of": "the upstream"})
            case "search":
                return text(f"found {given['text']}")
            case "log":
                return text(
                    "".join(f"line {n}: all is well\n" if n != 777 else "line 777: ERROR disk full\n" for n in range(given.get("n", 9)))
                )
            case "pods":
                found = {"pods": [{"name": f"api-{n}", "cpu": n / 3} for n in range(given["n"])]}
                return types.CallToolResult(content=[types.TextContent(text=f"{given['n']} pods")], structured_content=found)
            case "both":
                return both(given["n"], given["form"])
            case "picture":
                image = types.ImageContent(data=PNG, mime_type="image/png")
                return types.CallToolResult(content=[types.TextContent(text="x\n" * given["n"]), image])
            case "fail":
                return types.CallToolResult(content=[types.TextContent(text="it broke\n" * given["n"])], is_error=True)
            case "fault":
                raise MCPError(given.get("code", -32011), "out of cheese", {"left": 0})
            case "crash":
                os._exit(3)
            case "pid":
                return text(str(os.getpid()))
            case "level":
                return text(self.level)
            case _:
                return await self.call_back(context, params.name, given)

    async def call_back(self, context: Any, name: str, given: dict[str, Any]) -> types.CallToolResult:
        """Tools that say something before they answer."""
        session = context.session
        match name:
            case "steps":
                for n in range(given["n"]):
                    await session.report_progress(n + 1, given["n"], f"step {n + 1}")
            case "wait":
                try:
                    await session.report_progress(1, None, "waiting")
                    await anyio.sleep_forever()
                except anyio.get_cancelled_exc_class():
                    self.was_cancelled.set()
                    raise
            case "cancelled":
                await self.was_cancelled.wait()
            case "say":
                await session.send_log_message("warning", {"said": given["text"]}, "upstream", related_request_id=context.request_id)
            case "ask":
                asked = types.CreateMessageRequestParams(
                    messages=[types.SamplingMessage(role="user", content=types.TextContent(text="how many?"))], max_tokens=5
                )
                said = await session.send_request(types.CreateMessageRequest(params=asked), types.CreateMessageResult)
                return text(said.content.text)
            case "touch":
                await session.send_resource_updated("mem://one")
        return text("done")

    async def list_resources(self, context: Any, params: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[types.Resource(uri="mem://one", name="one", mime_type="text/plain", size=4)], ttl_ms=7)

    async def list_templates(self, context: Any, params: Any) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[types.ResourceTemplate(uri_template="mem://{name}", name="any")])

    async def read(self, context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        if str(params.uri) == "mem://absent":
            raise MCPError(types.INVALID_PARAMS, "no such resource", {"uri": "mem://absent"})
        content = types.TextResourceContents(uri=params.uri, text="text", mime_type="text/plain")
        return types.ReadResourceResult(contents=[content, types.BlobResourceContents(uri="mem://b", blob=PNG)])

    async def subscribe(self, context: Any, params: types.SubscribeRequestParams) -> types.EmptyResult:
        self.subscribed.add(str(params.uri))
        self.level = ",".join(sorted(self.subscribed))
        return types.EmptyResult()

    async def list_prompts(self, context: Any, params: Any) -> types.ListPromptsResult:
        argument = types.PromptArgument(name="who", required=True)
        return types.ListPromptsResult(prompts=[types.Prompt(name="greet", arguments=[argument])])

    async def get_prompt(self, context: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        said = types.TextContent(text=f"Hello {(params.arguments or {}).get('who')}")
        return types.GetPromptResult(description="a greeting", messages=[types.PromptMessage(role="user", content=said)])

    async def complete(self, context: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
        return types.CompleteResult(completion=types.Completion(values=[f"{params.argument.value}!"], total=1, has_more=False))

    async def set_level(self, context: Any, params: types.SetLevelRequestParams) -> types.EmptyResult:
        if self.mute:
            await anyio.sleep_forever()
        self.level = params.level
        return types.EmptyResult()


def both(n: int, form: str) -> types.CallToolResult:
    """As servers write both: the JSON as text; text in a member; a text for each item."""
    names = [f"api-{one}" for one in range(n)]
    rows = [{"name": one, "cpu": [1]} for one in names]
    texts, structured = {
        "json": ([json.dumps({"names": names}, indent=2)], {"names": names}),
        "content": (["\n".join(names)], {"content": "\n".join(names)}),
        "items": ([json.dumps(one) for one in names], {"result": names}),
        "rows": ([json.dumps(one, indent=2) for one in rows], {"result": rows}),
    }[form]
    return types.CallToolResult(content=[types.TextContent(text=one) for one in texts], structured_content=structured)


def text(said: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=said)])


def only(era: str) -> Any:
    """A middleware that refuses the greeting of the other era."""

    async def refuse(context: Any, call_next: Any) -> Any:
        if era == "handshake" and context.method == "server/discover":
            raise MCPError(types.METHOD_NOT_FOUND, "Method not found")
        if era == "envelope" and context.method == "initialize":
            raise MCPError(types.UNSUPPORTED_PROTOCOL_VERSION, "too old", {"supported": ["2026-07-28"], "requested": "2025-11-25"})
        return await call_next(context)

    return refuse


def build(clash: bool, era: str | None, *, bare: bool = False, mute: bool = False) -> Server[Any]:
    """`bare`: prompts alone."""
    upstream = Upstream(clash)
    upstream.mute = mute
    server: Server[Any] = Server(
        "everything",
        version="1.2",
        title="Every feature",
        instructions="Ask me anything.",
        on_list_tools=upstream.list_tools,
        on_call_tool=upstream.call_tool,
        on_list_resources=upstream.list_resources,
        on_list_resource_templates=upstream.list_templates,
        on_read_resource=upstream.read,
        on_subscribe_resource=upstream.subscribe,
        on_list_prompts=upstream.list_prompts,
        on_get_prompt=upstream.get_prompt,
        on_completion=upstream.complete,
    )
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, upstream.set_level)
    if bare:
        upstream = Upstream(clash)
        server = Server("bare", version="1", on_list_prompts=upstream.list_prompts)
    if era is not None:
        server.middleware.append(only(era))
    return server


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only")
    parser.add_argument("--http", action="store_true")
    parser.add_argument("--after")
    parser.add_argument("--clash", action="store_true")
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--mute", action="store_true")
    given = parser.parse_args()
    if given.after:
        Path(given.after).read_bytes()
    server = build(given.clash, given.only, bare=given.bare, mute=given.mute)
    if given.http:
        from api.listening import listening

        with listening(0) as listener:
            sys.stderr.write(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp\n")
            sys.stderr.flush()
            config = uvicorn.Config(server.streamable_http_app(), log_level="critical", lifespan="on", timeout_graceful_shutdown=1)
            uvicorn.Server(config).run(sockets=[listener])
        return

    anyio.run(serve, server, given.only)


async def serve(server: Server[Any], era: str | None) -> None:
    """Over stdio. The SDK's own loop takes the era of the first request, so that a server of one era has a loop of its own."""
    greeting = server.create_initialization_options(NotificationOptions(tools_changed=True))
    async with stdio_server() as (read, write):
        if era == "handshake":
            await serve_loop(server, read, write, lifespan_state={}, init_options=greeting)
        elif era == "envelope":
            await JSONRPCDispatcher(read, write).run(modern_on_request(server, {}), ignore)
        else:
            await server.run(read, write, greeting)


async def ignore(*_: object) -> None:
    """Notifications of a client, of which the newer era has none but the cancellation."""


if __name__ == "__main__":
    main()
