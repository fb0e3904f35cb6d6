"""A loop around the Anthropic SDK, or any server of its form. The SDK is not imported.

Evidence stands in results as `search_result` blocks, in what answers a turn and in what is sent of a saved list alike; the texts of all
blocks joined are the text that the other forms have. An answer that failed is a plain text.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

from api.adapters.loop import Loop, plain
from api.wrap import ToolWrapper, WrappedResult
from evidence_store.model import EvidenceId
from projector import cited_content, parse_packets


class MessagesLoop(Loop):
    """`results([message])` gives the user message that holds all results of an assistant message; a failed call has `is_error`."""

    def __init__(self, wrapper: ToolWrapper, functions: Mapping[str, Callable[..., Any]], *, cap_tokens: int | None = None) -> None:
        super().__init__("anthropic", wrapper, functions, cap_tokens=cap_tokens)

    def seen(self, messages: Sequence[Any]) -> list[Any]:
        return [now if now is was else _replaced(plain(was), now) for was, now in zip(messages, super().seen(messages), strict=True)]

    def _answers(self, calls: Sequence[Any], results: Sequence[WrappedResult]) -> list[Any]:
        shown = [[packet.id for packet in one.packets] for one in results]
        answered = super()._answers(calls, results)
        return [{**one, "content": list(map(_cited, one["content"], shown))} for one in answered]


def _replaced(was: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """A message with the results in it that are replaced, each a text of ours, as blocks."""
    blocks = zip(was["content"], now["content"], strict=True)
    return {
        **now,
        "content": [new if new == old else _cited(new, [one.id for one in parse_packets(new["content"])]) for old, new in blocks],
    }


def _cited(block: Mapping[str, Any], shown: Container[EvidenceId]) -> Mapping[str, Any]:
    return block if block.get("is_error") else {**block, "content": cited_content(block["content"], shown)}
