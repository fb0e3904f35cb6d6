"""Results in a saved history, as a model sees them: the history stays as it is, and only what is sent changes.

1. A result over its budget, from before there was an adapter, is offloaded as it would have been.
2. Where all texts together pass 80 % of the cap, results of older turns become references, oldest first, down to 40 %. The newest turn
   stays. Which results those are follows from the history alone: it is gone through from its beginning, so that an input begins with the
   one before (a provider's cache holds) until the next time that the cap is near, in any process.
3. A reference stands for what is stored whole: for a result of ours the ids that it shows, for any other the id of its revision.

Only texts are counted. Definitions of tools, images and the frames of messages have to fit into what is left: 20 % of the cap.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from api.adapters.results import Call, Results
from api.adapters.tools import OWN
from api.wrap import Treatment
from evidence_store.errors import NotFound
from evidence_store.model import EvidenceId
from projector import MalformedText, parse_packets

DUE_PERCENT, DOWN_TO_PERCENT = 80, 40
MEMORY = 4_096
"""Texts whose tokens and replacements are remembered."""


@dataclass(frozen=True, slots=True)
class Told:
    """One message of a history, or one result in it."""

    text: str
    turn: int
    """Counted by the turns of the model; results belong to the one that called."""
    call: Call | None = None
    """Of a result."""


class History:
    """What a model sees of the results in a history. Blocks as `Results` does."""

    def __init__(self, results: Results, cap_tokens: int | None = None) -> None:
        """`cap_tokens` is what one input may have; without it nothing becomes a reference."""
        self._results, self._cap = results, cap_tokens
        counter = results.wrapper.context.counter
        self._tokens: Callable[[str], int] = lru_cache(MEMORY)(lambda text: counter().count(text))
        self._known: dict[tuple[object, ...], str] = {}

    def seen(self, told: Sequence[Told]) -> dict[int, str]:
        """Place in the list to the text that a model gets there; places without a change are not named."""
        texts = [one.text if one.call is None else self._in_budget(one.text, one.call) for one in told]
        if self._cap is not None:
            self._shorten(told, texts, self._cap)
        return {at: text for at, (text, one) in enumerate(zip(texts, told, strict=True)) if text != one.text}

    def _shorten(self, told: Sequence[Told], texts: list[str], cap: int) -> None:
        total, older = 0, list[int]()
        for _, places in groupby(range(len(told)), key=lambda at: told[at].turn):
            turn = list(places)
            total += sum(self._tokens(texts[at]) for at in turn)
            if total * 100 > cap * DUE_PERCENT:
                while older and total * 100 > cap * DOWN_TO_PERCENT:
                    at = older.pop(0)
                    before, texts[at] = self._tokens(texts[at]), self._reference(texts[at], told[at].call)
                    total += self._tokens(texts[at]) - before
            older += [at for at in turn if told[at].call is not None]

    def _in_budget(self, text: str, call: Call) -> str:
        return text if call.tool in OWN else self._remembered(text, call)

    def _reference(self, text: str, call: Call | None) -> str:
        """What stands for a result of an older turn; itself where there is nothing shorter."""
        if call is None or self._tokens(text) <= 1:
            return text
        if ids := self._own_ids(text):
            line = f"see evidence {', '.join(ids)}"
        elif call.tool in OWN:
            return text
        else:
            # Of a step of more calls than it has tokens each has the least room that there is, which holds a reference.
            line = self._remembered(text, replace(call, n_calls=self._results.wrapper.rules.budget.step))
        return line if len(line) < len(text) else text

    def _own_ids(self, text: str) -> tuple[EvidenceId, ...]:
        """The evidence that a text of ours shows; nothing where a packet in it is not stored here."""
        try:
            ids = tuple(dict.fromkeys(packet.id for packet in parse_packets(text)))
            return ids if _all_stored(self._results, ids) else ()
        except MalformedText:
            return ()

    def _remembered(self, text: str, call: Call) -> str:
        """The text that stands in place of a result; a result that cannot be stored stays, as the history has it."""
        key = (call.tool, call.n_calls, repr(call.arguments), text)
        if key not in self._known:
            if len(self._known) >= MEMORY:
                self._known.pop(next(iter(self._known)))
            made = self._results.shown(replace(call, id=None), text)
            if made.treatment in (Treatment.FAILED, Treatment.EMPTY):
                return text
            self._known[key] = made.text
        return self._known[key]


def _all_stored(results: Results, ids: Iterable[EvidenceId]) -> bool:
    context = results.wrapper.context.tools
    try:
        for id_ in ids:
            context.store.passages.get(id_, context.limit(1))
    except NotFound:
        return False
    return True
