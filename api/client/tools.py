"""Operations of tools outside of runs, and of what stands in place of an output."""

from collections.abc import Mapping
from typing import Any

from api.client.operation import Operation, ask, named
from api.client.reading import packet_of
from api.client.steps import answer_of
from api.tools import ToolAnswer
from api.wrap import Preview, Wanted
from evidence_store.errors import JsonValue


def call_reading_tool(name: str, arguments: Mapping[str, JsonValue]) -> Operation[ToolAnswer]:
    """Makes a call of one of our reading tools, outside of any run; what goes wrong is an answer."""
    return ask(f"/v1/tools/{named(name)}", {"arguments": dict(arguments)}, answer_of)


def preview_revision(resource: str, number: int, wanted: Wanted) -> Operation[Preview]:
    """What a model gets in place of a tool's output that was put. Raises NotFound, InvalidInput for a filter that leads nowhere."""
    asked: dict[str, object] = {
        "tool": wanted.tool,
        "tokens": wanted.n_tokens,
        "summary_bytes": wanted.summary_bytes,
        "whole": wanted.whole,
    }
    if wanted.filters:
        chosen = wanted.filters
        asked["filters"] = {"grep": chosen.grep, "tail_n": chosen.tail_n, "fields": list(chosen.fields), "pointer": chosen.pointer}
    return ask(f"/v1/resources/{named(resource)}/revisions/{number}/preview", asked, _preview_of)


def _preview_of(shown: Any) -> Preview:
    return Preview(shown["text"], tuple(map(packet_of, shown["packets"])))
