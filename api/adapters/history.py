"""Results in a saved history, as a model sees them: the history stays as it is, and only what is sent changes.

1. A result over its budget, from before there was an adapter, is offloaded as it would have been.
2. Where all texts together, with what is sent beside them, pass 80 % of the cap, results of older turns become references, oldest first,
   down to 40 %. The newest turn stays. Which results those are follows from the history and what stands beside it: it is gone through from
   its beginning, so that an input begins with the one before (a provider's cache holds) until the next time that the cap is near, in any
   process that has the same beside it.
3. A reference stands for what is stored whole: for a result of ours the ids that it shows, for any other the id of its revision.
4. What is ours already is never stored again: packets, and answers of our tools, which are never over the budget of one result. Where it is
   over its share of the turn, a reference stands for it, too.

Only texts are counted. Images and the frames of messages have to fit into what is left: 20 % of the cap.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from api.adapters.memory import Memory
from api.adapters.results import Call, Results
from api.adapters.tools import is_own
from api.wrap import Treatment
from evidence_store.errors import InvalidInput
from evidence_store.model import EvidenceId
from projector import MalformedText, parse_packets

DUE_PERCENT, DOWN_TO_PERCENT = 80, 40


@dataclass(frozen=True, slots=True)
class Told:
    """One message of a history, or one result in it."""

    text: str
    turn: int
    """Counted by the turns of the model; results belong to the one that called."""
    call: Call | None = None
    """Of a result."""

    def among(self, n_calls: int) -> "Told":
        """The same, as one of so many results of its turn."""
        return self if self.call is None else replace(self, call=replace(self.call, n_calls=n_calls))


class History:
    """What a model sees of the results in a history. Blocks as `Results` does."""

    def __init__(self, results: Results, cap_tokens: int | None = None) -> None:
        """`cap_tokens` is what one input may have; without it nothing becomes a reference.

        Raises InvalidInput for a cap that could not hold the results of one step.
        """
        least = results.wrapper.rules.budget.step
        if cap_tokens is not None and cap_tokens < least:
            text = f"a cap of {cap_tokens} tokens does not hold the results of one step, which may have {least}"
            raise InvalidInput(text, {"limit": least}, code="wrong_use")
        self._results, self._cap = results, cap_tokens
        self._counted, self._cited, self._replaced = Memory[int](), Memory[tuple[EvidenceId, ...]](), Memory[str]()

    def seen(self, told: Sequence[Told], beside: Sequence[str] = ()) -> dict[int, str]:
        """Place in the list to the text that a model gets there; places without a change are not named.

        `beside` is what every input has and no result is: instructions, definitions of tools as JSON.
        """
        texts = [one.text if one.call is None else self._in_budget(one.text, one.call) for one in told]
        if self._cap is not None:
            self._shorten(told, texts, self._cap, sum(map(self._tokens, beside)))
        return {at: text for at, (text, one) in enumerate(zip(texts, told, strict=True)) if text != one.text}

    def _shorten(self, told: Sequence[Told], texts: list[str], cap: int, total: int) -> None:
        """`total` is of what every input has."""
        older = list[int]()
        for _, places in groupby(range(len(told)), key=lambda at: told[at].turn):
            turn = list(places)
            total += sum(self._tokens(texts[at]) for at in turn)
            if total * 100 > cap * DUE_PERCENT:
                while older and total * 100 > cap * DOWN_TO_PERCENT:
                    at = older.pop(0)
                    before, texts[at] = self._tokens(texts[at]), self._referred(texts[at], told[at].call)
                    total += self._tokens(texts[at]) - before
            older += [at for at in turn if told[at].call is not None]

    def _in_budget(self, text: str, call: Call) -> str:
        wrapper = self._results.wrapper
        if is_own(wrapper, call.tool) and wrapper.context.fits(text, wrapper.rules.tokens_of(call.tool)):
            return wrapper.names.spelled(text)
        if ids := self._own_ids(text):
            text = wrapper.names.spelled(text)
            with wrapper.calls(max(1, call.n_calls)), wrapper.room(call.tool) as room:
                fits = wrapper.context.fits(text, room.n_tokens)
                return text if fits else _shorter(_reference(ids), text)
        return self._remembered(text, call)

    def _referred(self, text: str, call: Call | None) -> str:
        """What stands for a result of an older turn; itself where there is nothing shorter."""
        if call is None:
            return text
        if ids := self._own_ids(text):
            return _shorter(_reference(ids), text)
        if is_own(self._results.wrapper, call.tool):
            return text
        # Of a step of more calls than it has tokens each has the least room that there is, which holds a reference.
        return _shorter(self._remembered(text, replace(call, n_calls=self._results.wrapper.rules.budget.step)), text)

    def _remembered(self, text: str, call: Call) -> str:
        """The text that stands in place of a result; a result that cannot be stored stays, as the history has it."""
        found = self._replaced.recall(text, lambda: self._replacement(text, call), (call.tool, call.n_calls, repr(call.arguments)))
        return text if found is None else found

    def _replacement(self, text: str, call: Call) -> str | None:
        made = self._results.shown(replace(call, id=None), text)
        return None if made.treatment in (Treatment.FAILED, Treatment.EMPTY) else made.text

    def _tokens(self, text: str) -> int:
        return self._counted.recall(text, lambda: self._results.wrapper.context.counter().count(text)) or 0

    def _own_ids(self, text: str) -> tuple[EvidenceId, ...]:
        if "[evidence ev_" not in text:
            return ()
        return self._cited.recall(text, lambda: _evidence_in(self._results, text)) or ()


def _reference(ids: Sequence[EvidenceId]) -> str:
    return f"see evidence {', '.join(ids)}"


def _shorter(line: str, text: str) -> str:
    return line if len(line) < len(text) else text


def _evidence_in(results: Results, text: str) -> tuple[EvidenceId, ...]:
    """The evidence that a text of ours shows; nothing where a packet in it breaks off, or is not stored here."""
    try:
        ids = tuple(dict.fromkeys(packet.id for packet in parse_packets(text)))
    except MalformedText:
        return ()
    context = results.wrapper.context.tools
    return ids if len(context.store.passages.find_packets(ids, context.limit(1))) == len(ids) else ()
