"""Calls and results of one list, as every provider's rules see them: unique ids, each call answered once and each result called for.

Which item is at fault and what it is called is the same for all; how near a result must stand to its call is the dialect's.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from projector.dialects.forms import Fault, Item, Part


class Pairing:
    """Walks a list once; `waiting` are the calls of the last assistant turn that have no result yet."""

    def __init__(self, n_messages: int) -> None:
        self.faults: list[Fault] = []
        self.n_messages = n_messages
        self._waiting: dict[str, int] = {}
        self._answered: set[str] = set()
        self._seen: set[str] = set()

    @property
    def waiting(self) -> Mapping[str, int]:
        """Calls without a result, with the place of each."""
        return self._waiting

    def fault(self, code: str, place: int, call: str | None, text: str) -> None:
        self.faults.append(Fault(code, place, call, text))

    def interrupt(self, place: int, *, asked_before: int | None = None) -> None:
        """Something stands here that ends the turn: what is still waiting (and was asked before that place) was never answered."""
        for call, at in self._waiting.items():
            if asked_before is not None and at >= asked_before:
                continue
            if place == self.n_messages:
                self._fault("call_without_result", at, call, f"the call {call!r} has no result")
            else:
                self._fault("call_without_result", at, call, f"the call {call!r} has no result before message {place}")
        self._waiting = {}
        self._answered = set()

    def close(self, *, allow_open: bool) -> None:
        """What is still unanswered at the end is a fault, unless open exchanges are allowed there."""
        if not allow_open:
            self.interrupt(self.n_messages)

    def take_calls(self, place: int, calls: Sequence[Part]) -> None:
        """The calls of an assistant turn, where each turn is answered before the next."""
        self._answered = set()
        self.add_calls(place, calls)

    def add_calls(self, place: int, calls: Sequence[Part]) -> None:
        """Calls beside those that wait already."""
        for part in calls:
            call = part.call
            if not call:
                self._fault("call_without_id", place, None, "a call has no id")
            elif call in self._seen:
                self._fault("duplicate_call_id", place, call, f"the id {call!r} names two calls")
            self._seen.add(call)
            if call:
                self._waiting[call] = place

    def take_result(self, place: int, result: Part) -> None:
        """A result, by the id that it names."""
        call = result.call
        if not call:
            self._fault("result_without_id", place, None, "a result names no call")
        elif call in self._waiting:
            del self._waiting[call]
            self._answered.add(call)
        elif call in self._answered:
            self._fault("duplicate_result", place, call, f"the call {call!r} is answered twice")
        elif call in self._seen:
            self._fault("misplaced_result", place, call, f"the result of {call!r} does not follow its call")
        else:
            self._fault("result_without_call", place, call, f"no call {call!r} stands before this result")

    def check_parts(self, place: int, item: Item) -> None:
        """Nothing in an item that a reader would not see, and something that one would."""
        if any(part.kind == "text" and not part.seen for part in item.parts):
            self._fault("empty_content", place, None, "a text has nothing that can be seen")
        elif not (item.speaks or item.calls or item.results):
            self._fault("empty_content", place, None, "a message has neither text nor calls")

    def _fault(self, code: str, place: int, call: str | None, text: str) -> None:
        self.faults.append(Fault(code, place, call, text))


def match(calls: Sequence[Part], results: Sequence[Part]) -> tuple[Part | None, ...]:
    """The call that each result answers: the one of its id, else, where ids are not given, the first of its name that is not answered."""
    by_id = {call.call: call for call in calls}
    answered = {result.call for result in results}
    if len(by_id) == len(calls) and len(answered) == len(results) and answered <= by_id.keys():
        return tuple(by_id[result.call] for result in results)
    left = list(calls)
    found: list[Part | None] = []
    for result in results:
        found.append(_taken(left, partial(_names, result)))
    for at, result in enumerate(results):
        if found[at] is None:
            found[at] = _taken(left, partial(_may_answer, result))
    return tuple(found)


def _names(result: Part, call: Part) -> bool:
    return call.call == result.call


def _may_answer(result: Part, call: Part) -> bool:
    if call.given and result.call:
        return False
    return result.name == call.name if result.name else not call.given


def _taken(left: list[Part], fits: Callable[[Part], bool]) -> Part | None:
    """The first call that fits, taken out of those that are left."""
    found = next((call for call in left if fits(call)), None)
    if found is not None:
        left.remove(found)
    return found
