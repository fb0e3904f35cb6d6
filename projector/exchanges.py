"""The history as groups, newest first: an exchange (assistant turn, all its calls, all its results) or a single turn.

Read lazily from the end, since what lies far back is seldom reached. Whole exchanges come out byte for byte as they were, apart
from empty texts, which providers refuse. A torn exchange is closed with results that say so, or put in order by call id;
what cannot be made whole is named and never sent. An unanswered call at the very end is open, not torn.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from evidence_store.errors import JsonValue
from projector.model import JsonObject
from projector.render.packets import format_error

GroupKind = Literal["exchange", "user", "assistant", "unusable"]
NO_OUTPUT = "(no output)"
_VISIBLE = re.compile("[^\\s\u200b\u2060\ufeff]")


@dataclass(frozen=True, slots=True)
class Group:
    """What is kept or left out together."""

    kind: GroupKind
    places: tuple[int, ...]
    """0-based places in the history, ascending."""
    messages: tuple[JsonObject, ...]
    calls: tuple[str, ...] = ()
    open_calls: tuple[str, ...] = ()
    note: str = ""
    """What had to be repaired, or why it is unusable."""

    @property
    def name(self) -> str:
        first, last = self.places[0], self.places[-1]
        return f"message {first}" if first == last else f"messages {first}-{last}"


def call_ids(message: JsonObject) -> tuple[str, ...]:
    """The ids of a message's calls, in order; the empty text where a call has none."""
    calls = message.get("tool_calls")
    if not isinstance(calls, list | tuple):
        return ()
    return tuple(_id_of(call) for call in calls)


def _id_of(call: JsonValue) -> str:
    found = call.get("id") if isinstance(call, dict) else None
    return found if isinstance(found, str) else ""


def is_blank(content: JsonValue) -> bool:
    """Whether a content has nothing that a reader would see; parts other than text count as seen."""
    if content is None:
        return True
    if isinstance(content, str):
        return _VISIBLE.search(content) is None
    if isinstance(content, list | tuple):
        return all(isinstance(part, dict) and part.get("type") == "text" and is_blank(part.get("text")) for part in content)
    return False


def iter_groups(messages: Sequence[JsonObject], *, closing: bool = False) -> Iterator[Group]:
    """The groups of a history, newest first. In a closing step a call at the end is closed like any other."""
    return _Reader(messages, closing).groups()


class _Reader:
    def __init__(self, messages: Sequence[JsonObject], closing: bool) -> None:
        self._messages = messages
        self._at = len(messages)
        self._closing = closing
        self._stray: dict[str, int] = {}
        """Results met before their call, by call id: the newest of each."""
        self._seen: set[str] = set()

    def groups(self) -> Iterator[Group]:
        while self._at > 0:
            results = self._take_results()
            if self._at == 0:
                yield from self._orphans(results)
                return
            self._at -= 1
            message = self._messages[self._at]
            if message.get("role") == "assistant" and call_ids(message):
                yield from self._exchange(self._at, results)
            else:
                yield from self._hold(results)
                single = _single(self._at, message)
                if single is not None:
                    yield single
        yield from self._orphans(list(self._stray.values()))

    def _take_results(self) -> list[int]:
        end = self._at
        while self._at > 0 and self._messages[self._at - 1].get("role") == "tool":
            self._at -= 1
        return list(range(self._at, end))

    def _hold(self, results: list[int]) -> Iterator[Group]:
        """Results with something else before them: their call may stand further back."""
        for place in results:
            call = self._call_of(place)
            if call in self._stray:
                yield from self._orphans([place])
            else:
                self._stray[call] = place

    def _orphans(self, places: list[int]) -> Iterator[Group]:
        for place in places:
            yield Group("unusable", (place,), (), (self._call_of(place),), note=f"result without a call: {self._call_of(place)}")

    def _call_of(self, place: int) -> str:
        found = self._messages[place].get("tool_call_id")
        return found if isinstance(found, str) else ""

    def _exchange(self, place: int, results: list[int]) -> Iterator[Group]:
        message = self._messages[place]
        calls = call_ids(message)
        at_end = place + len(results) == len(self._messages) - 1
        answered: dict[str, int] = {}
        extra: list[int] = []
        for result in results:
            call = self._call_of(result)
            if call in calls and call not in answered:
                answered[call] = result
            else:
                extra.append(result)
        repeated = "" in calls or len(set(calls)) < len(calls) or any(call in self._seen for call in calls)
        self._seen.update(calls)
        if repeated:
            yield Group("unusable", (place, *results), (), calls, note=f"call id missing or used twice: {', '.join(calls)}")
            return
        yield from self._orphans(extra)
        moved = self._adopt(calls, answered, place)
        missing = tuple(call for call in calls if call not in answered)
        still_open = bool(missing) and at_end and not self._closing
        yield self._whole(place, calls, answered, missing if still_open else (), moved)

    def _adopt(self, calls: tuple[str, ...], answered: dict[str, int], place: int) -> tuple[str, ...]:
        """Results that stand elsewhere: further on behind another turn, or right before the call."""
        moved: list[str] = []
        for call in calls:
            if call not in answered and call in self._stray:
                answered[call] = self._stray.pop(call)
                moved.append(call)
        while self._at > 0 and self._messages[self._at - 1].get("role") == "tool":
            call = self._call_of(self._at - 1)
            if call not in calls or call in answered:
                break
            self._at -= 1
            answered[call] = self._at
            moved.append(call)
        return tuple(moved)

    def _whole(
        self, place: int, calls: tuple[str, ...], answered: dict[str, int], open_calls: tuple[str, ...], moved: tuple[str, ...]
    ) -> Group:
        lost = tuple(call for call in calls if call not in answered and call not in open_calls)
        ordered = sorted(answered.values()) if not (moved or lost) else [answered[call] for call in calls if call in answered]
        results = [_filled(self._messages[at]) for at in ordered]
        if lost:
            by_call = {str(result["tool_call_id"]): result for result in results}
            results = [by_call[call] if call in by_call else _interrupted(call) for call in calls if call in by_call or call in lost]
        notes = [f"closed without a result: {', '.join(lost)}"] if lost else []
        notes += [f"result put behind its call: {', '.join(moved)}"] if moved else []
        return Group(
            "exchange",
            tuple(sorted((place, *answered.values()))),
            (_spoken(self._messages[place]), *results),
            calls,
            open_calls,
            "; ".join(notes),
        )


def _single(place: int, message: JsonObject) -> Group | None:
    role = message.get("role")
    if role in ("system", "developer"):
        # these are no dialogue: the fixed part carries them
        return None
    if role not in ("user", "assistant"):
        return Group("unusable", (place,), (), note=f"unknown role {role!r}")
    if is_blank(message.get("content")):
        return Group("unusable", (place,), (), note="neither text nor calls")
    return Group(role, (place,), (message,))


def _spoken(message: JsonObject) -> JsonObject:
    return {**message, "content": None} if is_blank(message.get("content")) and message.get("content") is not None else message


def _filled(message: JsonObject) -> JsonObject:
    return {**message, "content": NO_OUTPUT} if is_blank(message.get("content")) else message


def _interrupted(call: str) -> JsonObject:
    text = format_error("no_result", "this call was interrupted and gave no result; nothing is known from it", {}, retry=True)
    return {"role": "tool", "tool_call_id": call, "content": text}
