"""What answers the calls of a turn: our tools, those of the program, and for calls that come to nothing what a model can mend them by."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from api.tools import ToolAnswer, Tools, call_tool
from api.tools.answers import error_answer
from evidence_store.errors import InvalidInput, JsonValue, LimitExceeded
from evidence_store.records.runs import StepKey
from evidence_store.store.runs import OpenCall


class MoreTools(Protocol):
    """Tools of the program, beside ours."""

    @property
    def definitions(self) -> Sequence[Mapping[str, JsonValue]]:
        """In the form of OpenAI Chat, with names that none of ours has."""

    def answer(self, step: StepKey, call: OpenCall, n_calls: int) -> ToolAnswer | None:
        """Makes one of so many calls of a turn; None where it is none of these tools. What goes wrong is an answer, too."""


def answer_call(context: Tools, step: StepKey, call: OpenCall, n_calls: int, more: MoreTools | None) -> ToolAnswer:
    """The answer to one of so many calls of a turn."""
    found = more.answer(step, call, n_calls) if more else None
    return found or call_tool(context, call.name, call.arguments, recording=True)


def answer_refused(name: str, tokens: int, left: int) -> ToolAnswer:
    """In place of an answer that the next input could not hold."""
    said = f"{name} answered {tokens} tokens, {left} are left in this turn: ask for less, or in a turn of its own"
    return error_answer(LimitExceeded(said, {"limit": left}, code="over_budget"))


def answer_malformed(name: str, fault: str) -> ToolAnswer:
    """In place of an answer to a call that could not be made."""
    return error_answer(InvalidInput(f"{name[:80]}: {fault}", code="bad_argument"))
