"""The result of a framework's tool on its way to the model.

The room of a result is that of one, or its share of the step's where a turn made several calls: told by the number of calls alone, so
that a call tried again, or made again after a crash, gets the same text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from api.presenters import Json
from api.wrap import Filters, ToolWrapper, WrappedResult, offered_filters, take_or_refuse
from evidence_store.errors import JsonValue


@dataclass(frozen=True, slots=True)
class Call:
    """A call that a model made."""

    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    id: str | None = None
    n_calls: int = 1
    """Of the turn that made it."""
    filters: Filters = field(default_factory=Filters)


@dataclass(frozen=True, slots=True)
class Results:
    """What becomes of results. Blocks while the store is at work; asynchronous hooks call it in a thread."""

    wrapper: ToolWrapper

    def taken(self, call: Call, own: Sequence[str]) -> Call | WrappedResult:
        """The call with our filters taken out of its arguments, `own` being those that its tool has; an answer where they are wrong."""
        taken = take_or_refuse(call.arguments, offered_filters(self.wrapper.rules, call.tool, own))
        if isinstance(taken, WrappedResult):
            return taken
        return replace(call, arguments=taken.arguments, filters=taken.filters)

    def shown(self, call: Call, value: object, *, is_error: bool = False) -> WrappedResult:
        """What a model gets for a value. A store that fails gives an error, and nothing of the value."""
        if is_error and isinstance(value, str):
            value = {"content": [{"type": "text", "text": value}], "isError": True}
        with self.wrapper.calls(max(1, call.n_calls)):
            return self.wrapper.run(call.tool, lambda: value, call.arguments, call.filters, call.id)

    def answered(self, tool: str, arguments: Mapping[str, JsonValue], n_calls: int | None = None) -> WrappedResult:
        """The answer of one of our reading tools; without a number of calls, within the step that `ToolWrapper.calls` stands for."""
        if n_calls is None:
            return self.wrapper.answer(tool, arguments)
        with self.wrapper.calls(max(1, n_calls)):
            return self.wrapper.answer(tool, arguments)


def evidence_json(result: WrappedResult) -> dict[str, Json]:
    """What travels beside the text: the ids of the packets that it shows; where it shows none, the place of the whole, RESOURCE@REVISION.

    Small on purpose, as frameworks save it with every message: the excerpts are in the text (`projector.parse_packets`), and an id leads to
    all else in the store.
    """
    packets, revision = [packet.id for packet in result.packets], result.revision
    return {"packets": packets} if packets or revision is None else {"stored": f"{revision.resource}@{revision.number}"}
