"""A loop around the Anthropic SDK, or any server of its form. The SDK is not imported."""

from collections.abc import Callable, Mapping
from typing import Any

from api.adapters.loop import Loop
from api.wrap import ToolWrapper


class MessagesLoop(Loop):
    """`results([message])` gives the user message that holds all results of an assistant message; a failed call has `is_error`."""

    def __init__(self, wrapper: ToolWrapper, functions: Mapping[str, Callable[..., Any]], *, cap_tokens: int | None = None) -> None:
        super().__init__("anthropic", wrapper, functions, cap_tokens=cap_tokens)
