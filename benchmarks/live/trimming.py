"""`trim_messages` of langchain-core, as its documentation has it for agents, with our counter. None where the package is not at hand."""

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from benchmarks.live.history import Shorten
from projector import TokenCounter


def find_trimming(counter: TokenCounter, cap_tokens: int) -> Shorten | None:
    """Keeps the newest messages that fit, from a turn of the user on, and the system message."""
    try:
        langchain = import_module("langchain_core.messages")
    except ImportError:
        return None

    def count(messages: Sequence[Any]) -> int:
        return counter.count(json.dumps(langchain.convert_to_openai_messages(messages), ensure_ascii=False))

    def shorten(messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        kept = langchain.trim_messages(
            langchain.convert_to_messages(list(messages)),
            max_tokens=cap_tokens,
            token_counter=count,
            strategy="last",
            start_on="human",
            include_system=True,
        )
        found = langchain.convert_to_openai_messages(kept)
        return found if isinstance(found, list) else [found]

    return shorten
