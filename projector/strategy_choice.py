"""Which strategy an input is made with: the step's own, or by rule.

The rule reads counts of what the step holds and no text of it. It is for what a principal may see: whoever asks on behalf of another
leaves out the rest before (`project` does), since which strategy was chosen tells of what is there.
"""

from dataclasses import dataclass
from itertools import islice

from evidence_store.model import Packet, Standing
from projector.collect import several_revisions
from projector.errors import RefusedStep
from projector.history import iter_items_back
from projector.model import Need, Step
from projector.strategy import DEFAULT, EXTERNALISE, NAMED_STRATEGIES, ChosenStrategy, NamedStrategy, Strategy

LOOKED_BACK = 200
"""Messages, from the end, that the rule reads: a history of 10 000 costs what one of 200 does."""
MIN_RESULTS = 8
RESULTS_PER_TURN = 4
"""A run is made of tool results from so many of them for each turn of the user."""
MANY_TURNS = 12
FEW_MESSAGES = 24
FEW_RESULTS = 4


def chosen_for(step: Step) -> ChosenStrategy:
    """What the step says; raises RefusedStep for a name that there is not."""
    asked = step.strategy
    if isinstance(asked, Strategy):
        return ChosenStrategy(asked, "the step brings it")
    if asked == "auto":
        return strategy_for(step)
    if asked == "":
        return ChosenStrategy(DEFAULT, "the step names none")
    if asked == "externalise":
        return ChosenStrategy(EXTERNALISE, "the step names externalise")
    if asked not in NAMED_STRATEGIES:
        raise RefusedStep(f"no strategy {asked!r}", {"path": "/strategy", "known": tuple(NAMED_STRATEGIES)})
    return ChosenStrategy(NAMED_STRATEGIES[asked], "the step names it")


def rebuild_to(step: Step) -> int:
    """The step's own, or its strategy's. Under `auto` it is the default's: the form of an input is settled before the rule may look."""
    if step.rebuild_to is not None:
        return step.rebuild_to
    return DEFAULT.rebuild_to if step.strategy == "auto" else chosen_for(step).strategy.rebuild_to


def strategy_for(step: Step) -> ChosenStrategy:
    """The named strategy that suits a step, and why. What is needed decides before what is only there, and that before the history."""
    packets = _packets(step)
    conflicts = {claim.id for claim in step.claims if claim.standing is Standing.CONFLICTING}
    needed = {need.name for need in step.needs if need.kind == "claim"}
    if conflicts & needed:
        return _named("root-cause", "a claim that is needed is in conflict")
    if several_revisions(packet for packet in packets if any(_meets(packet, need) for need in step.needs)):
        return _named("document-comparison", "two revisions of one resource are needed")
    if conflicts:
        return _named("root-cause", f"{len(conflicts)} claims are in conflict" if len(conflicts) > 1 else "a claim is in conflict")
    if several_revisions(packets):
        return _named("document-comparison", "there is evidence of two revisions of one resource")
    return _by_history(step)


def _named(name: NamedStrategy, reason: str) -> ChosenStrategy:
    return ChosenStrategy(NAMED_STRATEGIES[name], reason)


def _packets(step: Step) -> tuple[Packet, ...]:
    """The evidence of the step, and that of the results of its recent exchanges."""
    calls = (part.call for _, item in islice(iter_items_back(step), LOOKED_BACK) for part in item.results)
    of_results = [packet for call in dict.fromkeys(calls) for packet in step.results.get(call, ())]
    return (*(one for one in step.evidence if isinstance(one, Packet)), *of_results)


def _meets(packet: Packet, need: Need) -> bool:
    match need.kind:
        case "resource":
            return packet.resource == need.name
        case "pointer":
            return packet.pointer == need.name
        case "claim":
            return False


@dataclass(frozen=True, slots=True)
class _Recent:
    """What the newest messages are made of."""

    n_turns: int
    """Of the user."""
    n_results: int


def _recent(step: Step) -> _Recent:
    items = [item for _, item in islice(iter_items_back(step), LOOKED_BACK)]
    turns = sum(item.side == "user" or (item.side == "result" and bool(item.rest)) for item in items)
    return _Recent(turns, sum(len(item.results) for item in items))


def _by_history(step: Step) -> ChosenStrategy:
    recent = _recent(step)
    among = f" among the newest {LOOKED_BACK} messages" if step.n_messages > LOOKED_BACK else ""
    turns = f"{recent.n_turns} turn{'' if recent.n_turns == 1 else 's'} of the user"
    if recent.n_results >= max(MIN_RESULTS, RESULTS_PER_TURN * recent.n_turns):
        return _named("tool-heavy", f"{recent.n_results} tool results to {turns}{among}")
    if recent.n_turns >= MANY_TURNS:
        return _named("long-dialogue", f"{turns}{among}")
    recorded = step.evidence or step.claims or step.needs or step.progress
    if 0 < step.n_messages <= FEW_MESSAGES and recent.n_results <= FEW_RESULTS and not recorded:
        return _named("short-chat", f"no more than {FEW_MESSAGES} messages, and nothing recorded yet")
    return _named("default", "nothing stands out")
