"""A chat function over an OpenAI-compatible endpoint: streamed, with the standard library alone.

An answer counts only when its stream came to an end (`[DONE]`, or a finish reason): one that breaks off is no answer.
Source: platform.openai.com/docs/api-reference/chat-streaming.
"""

import json
import os
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from api.loop import FaultKind, ProviderError
from api.loop.model import JsonObjects

KEY_VARIABLE = "MODEL_KEY"
TIMEOUT_S = 600.0
MAX_ANSWER_BYTES = 16 << 20
"""Of one answer with all its chunks: a model that repeats itself may never come to an end."""


class Endpoint:
    """Asks one model. `url` is the base, with or without `/chat/completions`; MODEL_KEY holds the key, where one is needed."""

    def __init__(self, url: str, model: str, output_tokens: int, *, timeout_s: float = TIMEOUT_S) -> None:
        """`timeout_s`: of silence, within which a model that reads a whole window has to begin."""
        base = url.rstrip("/")
        self.url = base if base.endswith("/chat/completions") else f"{base}/chat/completions"
        self.model = model
        self.timeout_s = timeout_s
        self._output_tokens = output_tokens

    def __call__(self, messages: JsonObjects, tools: JsonObjects) -> Mapping[str, Any]:
        """The completion. Raises ProviderError, or what `urllib` raises for an error of HTTP or of the connection."""
        body: dict[str, Any] = {"model": self.model, "messages": list(messages), "stream": True, "max_tokens": self._output_tokens}
        body["stream_options"] = {"include_usage": True}
        if tools:
            body["tools"] = list(tools)
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get(KEY_VARIABLE):
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=self.timeout_s) as response:
            if "event-stream" in response.headers.get("Content-Type", ""):
                return _joined(_events(_lines(response)))
            return _completion(b"".join(_lines(response)))


def _lines(response: BinaryIO) -> Iterator[bytes]:
    """The lines of an answer. Raises ProviderError for one that is too long."""
    n_bytes = 0
    while line := response.readline(MAX_ANSWER_BYTES):
        n_bytes += len(line)
        if n_bytes > MAX_ANSWER_BYTES:
            raise ProviderError(FaultKind.BAD_REPLY, f"an answer of more than {MAX_ANSWER_BYTES} bytes")
        yield line


def _completion(raw: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(raw)
    except ValueError as why:
        raise ProviderError(FaultKind.UNAVAILABLE, f"the answer breaks off: {why}") from why
    if not isinstance(found, dict):
        raise ProviderError(FaultKind.BAD_REPLY, "an answer that is no object")
    return found


def _events(lines: Iterator[bytes]) -> Iterator[Mapping[str, Any]]:
    """The chunks of a stream. Raises ProviderError for one that breaks off."""
    finished = False
    for line in lines:
        name, _, data = line.decode("utf-8", "replace").strip().partition(":")
        if name != "data":
            continue
        if data.strip() == "[DONE]":
            return
        try:
            chunk = json.loads(data)
        except ValueError as why:
            raise ProviderError(FaultKind.UNAVAILABLE, "the stream broke off within a chunk") from why
        finished = finished or any(one.get("finish_reason") for one in chunk.get("choices") or ())
        yield chunk
    if not finished:
        raise ProviderError(FaultKind.UNAVAILABLE, "the stream broke off")


def _joined(chunks: Iterator[Mapping[str, Any]]) -> Mapping[str, Any]:
    content: list[str] = []
    calls: dict[int, dict[str, Any]] = {}
    usage = None
    for chunk in chunks:
        if "error" in chunk:
            raise ProviderError(FaultKind.UNAVAILABLE, str(chunk["error"])[:500])
        usage = chunk.get("usage") or usage
        for choice in (chunk.get("choices") or ())[:1]:
            delta = choice.get("delta") or {}
            content.append(delta.get("content") or "")
            for part in delta.get("tool_calls") or ():
                call = calls.setdefault(part.get("index", len(calls)), {"id": "", "function": {"name": "", "arguments": ""}})
                call["id"] = part.get("id") or call["id"]
                for name in ("name", "arguments"):
                    call["function"][name] += (part.get("function") or {}).get(name) or ""
    message = {"role": "assistant", "content": "".join(content), "tool_calls": [calls[at] for at in sorted(calls)]}
    return {"choices": [{"message": message}], "usage": usage}
