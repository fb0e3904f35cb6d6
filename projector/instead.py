"""What to do when what must stand does not fit: the outcomes that are no projection, with the figures that led to them."""

from collections.abc import Sequence
from dataclasses import dataclass

from projector.budget import Budget
from projector.compact import by_reference, is_reference
from projector.dialects.forms import Dialect, Part
from projector.dialogue import Passage
from projector.exchanges import INTERRUPTED, Group
from projector.fitted import Overfull
from projector.measure import Measure
from projector.model import Kept, MustExternalise, MustSplit, MustWait, Outcome, Paused, Step

# The length of a reference to one packet, for results that have none yet; and of the id of a call.
_REFERENCE = "see evidence ev_000000000000"
_CALL = "call_" + "0" * 24


def over_fixed(step: Step, budget: Budget, fixed: tuple[Kept, ...]) -> Paused:
    """The fixed part alone leaves no room."""
    parts = ", ".join(f"{line.name} {line.tokens}" for line in fixed)
    text = f"the fixed part takes {budget.fixed} of an input cap of {budget.input_cap} tokens ({parts}); nothing is left for the step"
    return Paused(step, must_tokens=budget.fixed, room_tokens=budget.dynamic, text=text, reasons=(parts,))


def permission_unsettled(step: Step, budget: Budget) -> Paused:
    """Permission or counts changed each time that the input was finished."""
    text = "permission kept changing, or the parts kept counting less than the whole, while the input was made"
    return Paused(step, must_tokens=0, room_tokens=budget.dynamic, text=text, reasons=(text,))


def exchange_forbidden(step: Step, budget: Budget, name: str) -> Paused:
    """The open exchange names what the principal may not see by now: without it the calls would lose their place."""
    text = f"{name} is open and names evidence that is not available to this principal; close it, or ask on behalf of who made it"
    return Paused(step, must_tokens=0, room_tokens=budget.dynamic, text=text, reasons=(text,))


def what_instead(step: Step, over: Overfull, measure: Measure, dialect: Dialect) -> Outcome:
    """The first of these that leads to an input: externalise, wait (results can be externalised once they are there), split; else pause."""
    excess = over.must_tokens - over.room_tokens
    figures = f"{over.must_tokens} tokens must stand, {over.room_tokens} are left"
    newest, still_open = over.newest, over.open_exchange
    if newest is not None:
        calls = _worth_externalising(_savings(newest, over, step, measure, dialect), excess, step)
        if calls:
            to_store = tuple(call for call in calls if not step.results.get(call))
            text = f"{figures}; replace the results of {', '.join(calls)} by references to their packets"
            return MustExternalise(step, over.must_tokens, over.room_tokens, text, calls, to_store)
    if still_open is not None:
        waiting = still_open.group.open_calls
        still_to_come = len(waiting) * _answer_tokens(measure, dialect)
        if _worth_externalising(_savings(still_open, over, step, measure, dialect), excess + still_to_come, step):
            text = f"{figures}; the exchange of {', '.join(waiting)} is open: project again when it is answered"
            return MustWait(step, over.must_tokens, over.room_tokens, text, waiting)
    needed = sum(tokens for _, tokens in over.needed)
    if len(over.needed) > 1 and needed >= excess:
        found = _split(step, over, over.room_tokens - (over.must_tokens - needed), figures)
        if found is not None:
            return found
    largest = sorted(over.kept, key=lambda line: line.tokens, reverse=True)[:3]
    reasons = tuple(f"{line.section} {line.name}: {line.tokens} tokens" for line in largest)
    return Paused(step, over.must_tokens, over.room_tokens, f"{figures}; the largest: {'; '.join(reasons)}", reasons)


def boundary_open(step: Step, group: Group, measure: Measure, budget: Budget) -> MustWait:
    """The provider or the model changes, and calls of the one before are not answered yet."""
    waiting = ", ".join(group.open_calls)
    text = f"another provider or model goes on once all calls of the one before are closed: project again when {waiting} is answered"
    return MustWait(step, sum(map(measure.message, group.messages)), budget.dynamic, text, group.open_calls)


def _answer_tokens(measure: Measure, dialect: Dialect) -> int:
    """What an answer takes that stands by reference."""
    answer = dialect.answer(Part("call", call=_CALL, name=_CALL), _REFERENCE)
    return sum(map(measure.message, dialect.write("result", (answer,))))


@dataclass(frozen=True, slots=True)
class _Saving:
    tokens: int
    call: str


def _savings(passage: Passage, over: Overfull, step: Step, measure: Measure, dialect: Dialect) -> list[_Saving]:
    """What a reference in place of each result of an exchange would save. What is needed and stands there would have to stand elsewhere."""
    found: list[_Saving] = []
    for body in passage.group.bodies:
        message = passage.messages[body.at]
        result = dialect.read(message, 0).results[body.part]
        packets = step.results.get(body.call)
        # what stands for a result that never came is ours, and in no list that the caller could change
        known = is_reference(result.text) or result.text == INTERRUPTED
        line = None if known else by_reference(result, packets) if packets else _REFERENCE
        if line is not None:
            results = list(dialect.read(message, 0).results)
            results[body.part] = dialect.with_body(result, line)
            short = dialect.with_results(message, results)
            elsewhere = sum(over.needed_in_full.get(one.id, 0) for one in packets or ())
            saved = measure.message(message) - measure.message(short) - elsewhere
            if saved > 0:
                found.append(_Saving(saved, body.call))
    return found


def _worth_externalising(savings: list[_Saving], excess: int, step: Step) -> tuple[str, ...]:
    """The fewest results whose replacement makes room enough; none when all would not.

    Those that have packets alone where they are enough, since nothing has to be stored for them; else beside them as few others as will do.
    """
    stored = [one for one in savings if step.results.get(one.call)]
    others = [one for one in savings if one not in stored]
    more = max(0, excess - sum(one.tokens for one in stored))
    to_store = _fewest(others, more)
    if to_store is None:
        return ()
    found = _fewest(stored, excess - sum(one.tokens for one in to_store)) or ()
    return tuple(one.call for one in sorted((*to_store, *found), key=_largest_first))


def _largest_first(saving: _Saving) -> tuple[int, str]:
    return -saving.tokens, saving.call


def _fewest(savings: Sequence[_Saving], excess: int) -> tuple[_Saving, ...] | None:
    """The largest first until they are enough; None when all are not."""
    chosen: list[_Saving] = []
    for saving in sorted(savings, key=_largest_first):
        if excess <= 0:
            break
        chosen.append(saving)
        excess -= saving.tokens
    return tuple(chosen) if excess <= 0 else None


def _split(step: Step, over: Overfull, room: int, figures: str) -> MustSplit | None:
    """As many as fit in the first step; every one has to fit in some step."""
    if any(tokens > room for _, tokens in over.needed):
        return None
    first, used = [], 0
    for evidence, tokens in over.needed:
        if used + tokens > room:
            break
        first.append(evidence)
        used += tokens
    rest = tuple(evidence for evidence, _ in over.needed[len(first) :])
    text = f"{figures}; what is needed fits in two steps: first {', '.join(first)}, then {', '.join(rest)}"
    return MustSplit(step, over.must_tokens, over.room_tokens, text, tuple(first), rest)
