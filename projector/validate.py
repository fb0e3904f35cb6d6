"""Whether a list of messages keeps a provider's rules for tool calls and their results; public, and useful alone.

OpenAI Chat answers 400 to: a call without its result, a result without its call, anything between the two. Beyond that, call
ids used twice and empty texts are faults here, since some servers of this form refuse them and none can tell the results apart.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evidence_store.errors import JsonValue
from projector.errors import UnknownProvider
from projector.exchanges import call_ids, is_blank
from projector.model import JsonObject


@dataclass(frozen=True, slots=True)
class Fault:
    """One broken rule."""

    code: str
    message: int | None
    """0-based place in the list; None when the list as a whole is at fault."""
    call_id: str | None
    text: str


def validate(messages: Sequence[JsonValue], provider: str, *, allow_open: bool = False) -> tuple[Fault, ...]:
    """The faults of a list in this provider's form, in its order; raises UnknownProvider.

    With `allow_open` the calls of the last turn may be unanswered.
    """
    rules = RULES.get(provider)
    if rules is None:
        known = tuple(RULES)
        raise UnknownProvider(f"no rules for the provider {provider!r}; known: {', '.join(known)}", {"known": known})
    return rules(messages, allow_open)


def _validate_openai(messages: Sequence[JsonValue], allow_open: bool) -> tuple[Fault, ...]:
    if not messages:
        return (Fault("empty", None, None, "there are no messages"),)
    check = _OpenAiCheck(len(messages))
    for place, message in enumerate(messages):
        check.take(place, message)
    check.close(allow_open)
    return tuple(check.faults)


# Members of an assistant turn that stand for a text.
_CARRIERS = ("tool_calls", "function_call", "refusal", "audio")
_ROLES = ("system", "developer", "user", "assistant", "tool", "function")


class _OpenAiCheck:
    """Walks a list once; `_waiting` are the calls of the last assistant turn that have no result yet."""

    def __init__(self, n_messages: int) -> None:
        self.faults: list[Fault] = []
        self._n_messages = n_messages
        self._waiting: dict[str, int] = {}
        self._answered: set[str] = set()
        self._seen: set[str] = set()

    def take(self, place: int, message: JsonValue) -> None:
        if not isinstance(message, dict) or message.get("role") not in _ROLES:
            self._fault("unknown_role", place, None, "no message: an object with a known role is expected")
            return
        if message["role"] == "tool":
            self._take_result(place, message)
            return
        self._interrupt(place)
        self._check_content(place, message)
        if message["role"] == "assistant":
            self._take_calls(place, message)

    def close(self, allow_open: bool) -> None:
        """What is still unanswered at the end is a fault, unless open exchanges are allowed there."""
        if not allow_open:
            self._interrupt(self._n_messages)

    def _fault(self, code: str, place: int, call: str | None, text: str) -> None:
        self.faults.append(Fault(code, place, call, text))

    def _interrupt(self, place: int) -> None:
        for call, at in self._waiting.items():
            if place == self._n_messages:
                self._fault("call_without_result", at, call, f"the call {call!r} has no result")
            else:
                self._fault("call_without_result", at, call, f"the call {call!r} has no result before message {place}")
        self._waiting = {}
        self._answered = set()

    def _take_calls(self, place: int, message: JsonObject) -> None:
        self._answered = set()
        for call in call_ids(message):
            if not call:
                self._fault("call_without_id", place, None, "a call has no id")
            elif call in self._seen:
                self._fault("duplicate_call_id", place, call, f"the id {call!r} names two calls")
            self._seen.add(call)
            if call:
                self._waiting[call] = place

    def _take_result(self, place: int, message: JsonObject) -> None:
        call = message.get("tool_call_id")
        if not isinstance(call, str) or not call:
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
        if message.get("content") is None:
            self._fault("empty_content", place, call if isinstance(call, str) else None, "a result has no content")

    def _check_content(self, place: int, message: JsonObject) -> None:
        carried = message.get("role") == "assistant" and any(message.get(name) for name in _CARRIERS)
        if is_blank(message.get("content")) and not carried:
            self._fault("empty_content", place, None, "a message has neither text nor calls")


RULES: dict[str, Callable[[Sequence[JsonValue], bool], tuple[Fault, ...]]] = {"openai": _validate_openai}
"""Provider → its rules; a test asserts that each has a page of its own."""
