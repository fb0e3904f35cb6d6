"""A loopback server that speaks the forms of two providers: Chat Completions and Responses, and Messages.

It answers with scripted turns, keeps every request, and refuses a list with a broken exchange as the providers do, with 400.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from projector import validate

Turn = list[tuple[str, dict[str, Any]]]
"""Calls: name and arguments. An empty turn says that it is done."""
FORMS = {"/v1/chat/completions": "openai", "/v1/responses": "openai-responses", "/v1/messages": "anthropic"}


class Server(ThreadingHTTPServer):
    def __init__(self, turns: list[Turn]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.turns = turns
        self.requests: list[Any] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on stderr."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        form = FORMS[self.path]
        faults = validate(asked.get("messages", asked.get("input")), form)
        if faults:
            return self._send(400, {"type": "error", "error": {"type": "invalid_request_error", "message": faults[0].text}})
        self.server.requests.append(asked)
        at = len(self.server.requests)
        turn = self.server.turns[at - 1] if at <= len(self.server.turns) else []
        calls = [(f"call-{at}-{n}", name, args) for n, (name, args) in enumerate(turn)]
        return self._send(200, ANSWERS[form](calls))

    def _send(self, status: int, value: Any) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _chat(calls: list[Any]) -> Any:
    made = [{"id": id_, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}} for id_, name, args in calls]
    message = {"role": "assistant", "content": None, "tool_calls": made} if made else {"role": "assistant", "content": "done"}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if made else "stop"}
    return {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}


def _responses(calls: list[Any]) -> Any:
    output: list[Any] = [
        {"type": "function_call", "id": f"fc_{id_}", "call_id": id_, "name": name, "arguments": json.dumps(args), "status": "completed"}
        for id_, name, args in calls
    ]
    text = {"type": "output_text", "text": "done", "annotations": []}
    said = {"type": "message", "id": "msg", "role": "assistant", "status": "completed", "content": [text]}
    about = {"id": "r", "object": "response", "created_at": 0, "model": "m", "status": "completed", "parallel_tool_calls": True}
    return {**about, "tool_choice": "auto", "tools": [], "output": output or [said]}


def _messages(calls: list[Any]) -> Any:
    blocks: list[Any] = [{"type": "tool_use", "id": id_, "name": name, "input": args} for id_, name, args in calls]
    reason = "tool_use" if blocks else "end_turn"
    about = {"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": reason, "stop_sequence": None}
    return {**about, "content": blocks or [{"type": "text", "text": "done"}], "usage": {"input_tokens": 1, "output_tokens": 1}}


ANSWERS = {"openai": _chat, "openai-responses": _responses, "anthropic": _messages}


@contextmanager
def serving(*turns: Turn) -> Iterator[Server]:
    """A server on the loopback interface that answers with these turns, then that it is done."""
    with Server(list(turns)) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
