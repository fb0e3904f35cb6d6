"""Loops around the OpenAI SDK, or any server of its form: Chat Completions and Responses. The SDK is not imported."""

from collections.abc import Callable, Mapping
from typing import Any

from api.adapters.loop import Loop
from api.wrap import ToolWrapper

Functions = Mapping[str, Callable[..., Any]]


class ChatLoop(Loop):
    """`results([message])` gives the `tool` messages that answer an assistant message."""

    def __init__(self, wrapper: ToolWrapper, functions: Functions, *, cap_tokens: int | None = None) -> None:
        super().__init__("openai", wrapper, functions, cap_tokens=cap_tokens)


class ResponsesLoop(Loop):
    """`results(response.output)` gives the `function_call_output` items that answer a response."""

    def __init__(self, wrapper: ToolWrapper, functions: Functions, *, cap_tokens: int | None = None) -> None:
        super().__init__("openai-responses", wrapper, functions, cap_tokens=cap_tokens)
