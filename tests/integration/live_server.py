"""A scripted endpoint on the loopback interface that speaks the protocol of OpenAI Chat, streamed, with the errors that it has.

A plan is a list of what the model does: read a place, claim what it read there. Each answer is decided by the messages alone that came with
the request, so that a way of making the input that loses what was read costs further reads. Faults come at the requests that are named.
"""

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

FaultName = Literal["torn", "limit", "down", "cut", "cut_call", "bad_arguments", "empty", "wrong_id", "silent", "dropped", "endless"]
Objects = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Wish:
    """A conclusion that the scripted model is after."""

    text: str
    resource: str
    revision: int
    line: int


@dataclass(slots=True)
class Model:
    """What the endpoint serves, and what it was asked."""

    wishes: Sequence[Wish]
    faults: dict[int, FaultName] = field(default_factory=dict)
    """Number of the request, from 1, to what goes wrong with it."""
    limit_tokens: int = 1_000_000
    """Longer inputs are refused; four bytes are a token here."""
    requests: list[Mapping[str, Any]] = field(default_factory=list)
    is_over: threading.Event = field(default_factory=threading.Event)
    """Set when it serves no more; until then a silent answer waits."""

    def turn(self, messages: Objects, tools: Objects) -> dict[str, Any]:
        """Reads the head of each document, then the line, and claims it; ends when all is claimed, or when there are no tools."""
        said = "\n".join(f"{message.get('content')}{message.get('tool_calls') or ''}" for message in messages)
        said = said.replace(ASKED, "").replace("\\n", "\n")
        for wish in self.wishes if tools else ():
            if wish.text in said:
                continue
            head = rf"resource: {re.escape(wish.resource)}\nrevision: {wish.revision}\nlines: "
            where = {"resource": wish.resource, "revision": wish.revision}
            shown = re.search(rf"\[evidence (ev_\w+)\]\n{head}{wish.line}-{wish.line}\n", said)
            if shown is not None:
                citations = [{"evidence": shown[1], "role": "support"}]
                return call("record_claim", {"about": {"resource": wish.resource}, "text": wish.text, "citations": citations})
            if re.search(f"{head}1-", said) is None:
                return call("read_log", {**where, "lines": "1-200", "max_tokens": 1_500})
            return call("read_log", {**where, "lines": str(wish.line)})
        return {"content": "Nothing is left."}


@dataclass(frozen=True, slots=True)
class Finding:
    """A conclusion about two revisions that a scripted model is after: what it says, and the places that it reads and cites."""

    about: Mapping[str, str]
    text: str
    cited: Sequence[tuple[str, str, Mapping[str, Any]]]
    """Role, id of the evidence, arguments of `read_spec`."""


@dataclass(slots=True)
class Comparer(Model):
    """Reads each place that its findings cite, unless it has it before it, and claims them one after the other."""

    findings: Sequence[Finding] = ()

    def turn(self, messages: Objects, tools: Objects) -> dict[str, Any]:
        said = "\n".join(f"{message.get('content')}{message.get('tool_calls') or ''}" for message in messages)
        for one in self.findings if tools else ():
            if one.text in said:
                continue
            missing = next((place for _, id_, place in one.cited if f"[evidence {id_}]" not in said), None)
            if missing is not None:
                return call("read_spec", missing)
            citations = [{"evidence": id_, "role": role} for role, id_, _ in one.cited]
            return call("record_claim", {"about": one.about, "text": one.text, "citations": citations})
        return {"content": "Nothing is left."}


ASKED = "KEY is VALUE"


def call(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"content": "", "tool_calls": [{"index": 0, "id": "c1", "function": {"name": name, "arguments": json.dumps(arguments)}}]}


class _Handler(BaseHTTPRequestHandler):
    model: Model

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        model = self.model
        model.requests.append(body)
        fault = model.faults.get(len(model.requests))
        n_tokens = len(json.dumps(body)) // 4
        if n_tokens > model.limit_tokens:
            said = f"This model's maximum context length is {model.limit_tokens} tokens, your messages resulted in {n_tokens}."
            return self._error(400, said, code="context_length_exceeded")
        if fault == "silent":
            model.is_over.wait()
        if fault in ("silent", "dropped"):
            self.close_connection = True
            return None
        if fault == "torn":
            return self._error(
                400, "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
            )
        if fault == "limit":
            return self._error(429, "Rate limit reached", retry_after="0")
        if fault == "down":
            return self._error(503, "overloaded", retry_after="0")
        turn = model.turn(body["messages"], body.get("tools") or ())
        if fault == "bad_arguments":
            turn = call("read_log", {})
            turn["tool_calls"][0]["function"]["arguments"] = '{"resource": '
        if fault == "wrong_id":
            turn = call("get_evidence", {"id": "ev_000000000000"})
        if fault == "empty":
            turn = {"content": ""}
        return self._stream(turn, n_tokens, fault)

    def _error(self, status: int, message: str, code: str = "", retry_after: str = "") -> None:
        raw = json.dumps({"error": {"message": message, "code": code}}).encode()
        self.send_response(status)
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _stream(self, turn: Mapping[str, Any], n_tokens: int, fault: FaultName | None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        calls = turn.get("tool_calls") or [] if isinstance(turn.get("tool_calls"), list) else []
        self._chunk({"choices": [{"delta": {"role": "assistant", "content": turn["content"]}}]})
        if fault == "endless":
            return self._repeat()
        for one in calls:
            arguments = one["function"]["arguments"]
            at = len(arguments) // 2
            self._chunk({"choices": [{"delta": {"tool_calls": [{**one, "function": {**one["function"], "arguments": arguments[:at]}}]}}]})
            if fault == "cut_call":
                self.wfile.write(b'data: {"choices": [{"del')
                return
            self._chunk({"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": arguments[at:]}}]}}]})
        if fault == "cut":
            return
        self._chunk({"choices": [{"delta": {}, "finish_reason": "tool_calls" if calls else "stop"}]})
        self._chunk({"choices": [], "usage": {"prompt_tokens": n_tokens, "completion_tokens": 7}})
        self.wfile.write(b"data: [DONE]\n\n")

    def _repeat(self) -> None:
        with suppress(ConnectionError):
            while True:
                self._chunk({"choices": [{"delta": {"content": "the same again " * 10_000}}]})

    def _chunk(self, value: Mapping[str, Any]) -> None:
        self.wfile.write(f"data: {json.dumps(value)}\n\n".encode())

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def serving(model: Model) -> Iterator[str]:
    """The base of the endpoint while it serves."""
    handler = type("Handler", (_Handler,), {"model": model})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        model.is_over.set()
        server.shutdown()
        thread.join()
        server.server_close()
