"""What is kept of a compaction: enough to apply it again to the turns as they came (`api.reopening`)."""

from collections.abc import Mapping, Sequence

from evidence_store.errors import JsonValue
from evidence_store.store.runs import NewCompaction
from projector import Compacted, MalformedText, Recap, Step, format_recap, parse_recap


def compaction_of(before: Step, done: Compacted) -> NewCompaction:
    """The record of what a compaction did to the history of a step."""
    kept, added = frozenset(_answered(done.step)), done.account.added
    is_new = _recap(before.messages) != _recap(done.step.messages)
    return NewCompaction(
        done.account.by_reference,
        tuple(call for call in _answered(before) if call not in kept),
        _gone(before.messages, done.step.messages),
        format_recap(added) if is_new else "",
        done.tokens_before,
        done.tokens,
    )


def _answered(step: Step) -> list[str]:
    return [str(message.get("tool_call_id")) for message in step.messages if message.get("role") == "tool"]


def _recap(messages: Sequence[Mapping[str, JsonValue]]) -> Recap | None:
    """The recap with which a history begins."""
    first = messages[0] if messages else {}
    try:
        return parse_recap(str(first.get("content"))) if first.get("role") == "assistant" else None
    except MalformedText:
        return None  # words that begin like one


def _gone(before: Sequence[Mapping[str, JsonValue]], after: Sequence[Mapping[str, JsonValue]]) -> tuple[int, ...]:
    """0-based places of what stands in the new history no more; what stands keeps its order, results perhaps by reference."""
    left = list(after[1:] if _recap(after) is not None else after)
    gone = []
    for place, message in enumerate(before):
        is_old_recap = place == 0 and _recap(before) is not None
        if not is_old_recap and left and _is_same(message, left[0]):
            left.pop(0)
        else:
            gone.append(place)
    assert not left, "a compaction adds nothing but a recap"
    return tuple(gone)


def _is_same(message: Mapping[str, JsonValue], other: Mapping[str, JsonValue]) -> bool:
    """Calls and results are known by their ids, whatever became of their form."""
    if message.get("role") == "tool":
        return message.get("tool_call_id") == other.get("tool_call_id")
    calls = message.get("tool_calls")
    return calls == other.get("tool_calls") if calls else message == other
