"""Compaction of a step: what is old in it made smaller, in a fixed order, so that the step goes on under its cap.

1. Duplicate and large results become references to their packets; old steps become progress items where calls recorded them; discussion
   becomes a recap (`old_history`); then the whole is counted anew.
2. What must stand is never cut: user turns that state a constraint, the request, an open or the newest exchange. If they do not fit, no
   summariser is asked, and the answer is `Paused`; if all is still too much, `MustNarrow`. Both hold the step as it was given.
3. Compacting what was compacted gives the same bytes, whatever the summariser: what stands in a recap is not summarised again.
4. No summary is believed (`recap_check`).
5. What a user said stands as a turn, or to the letter in the recap; where there is no space for it, it is counted there (`user_words`).
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

from evidence_store.model import Packet
from projector.budget import Budget, budget_for
from projector.compact import by_reference, rewritten
from projector.constraints import ConstraintDetector, RuleDetector
from projector.dialects.forms import Dialect, Item
from projector.dialogue import instructions
from projector.errors import RefusedStep
from projector.exchanges import Group
from projector.history import dialect_of, iter_history
from projector.layout import system_text
from projector.measure import Measure
from projector.model import Paused, Step
from projector.old_history import Account, OldHistory, Shortened, Shortening, read_history
from projector.ports import TokenCounter
from projector.recap import BuiltIn, Summariser
from projector.rejudge import rejudge
from projector.render.packets import format_packet
from projector.render.sections import format_claim_line, format_progress_item
from projector.strategy import Strategy
from projector.strategy_choice import chosen_for
from projector.user_words import SHARE_PERCENT

DEFAULT_THRESHOLD: Final = 0.8
_N_NAMED = 3


@dataclass(frozen=True, slots=True)
class CompactionRule:
    """When a step is compacted, and how far."""

    threshold: float = DEFAULT_THRESHOLD
    """Share of the cap from which on a step is compacted; 0 compacts always."""
    keep_messages: int = 8
    """Newest messages that stay as they are; more where the boundary falls into an exchange."""
    large_tokens: int = 200
    """Results of more than that are large."""

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1 or self.keep_messages < 0 or self.large_tokens < 0:
            raise RefusedStep(f"no rule of compaction: {self!r}")


def rule_of(strategy: Strategy) -> CompactionRule:
    """What a strategy says of compaction."""
    return CompactionRule(threshold=strategy.compact_at / 100, keep_messages=strategy.keep_messages)


@dataclass(frozen=True, slots=True)
class Weight:
    """What one thing in a step takes."""

    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class NotDue:
    """The step is under the threshold, and stays as it is."""

    step: Step
    tokens: int
    """Of all that the step holds, were nothing left out."""
    due_tokens: int


@dataclass(frozen=True, slots=True)
class Compacted:
    """The step made smaller."""

    step: Step
    tokens_before: int
    tokens: int
    account: Account


@dataclass(frozen=True, slots=True)
class MustNarrow:
    """Compacted as far as it goes, the step is over its room, but what must stand fits: ask for less in it."""

    step: Step
    """As it was given."""
    compacted: Compacted
    room_tokens: int
    parts: tuple[Weight, ...]
    """What can be left to another step, the largest first."""
    text: str


CompactionOutcome: TypeAlias = NotDue | Compacted | MustNarrow | Paused


def compact_step(
    step: Step,
    counter: TokenCounter,
    summariser: Summariser | None = None,
    rule: CompactionRule | None = None,
    detector: ConstraintDetector | None = None,
) -> CompactionOutcome:
    """The step compacted where it is due; with the built-in summariser and detector, and by the step's strategy, where none is given."""
    rule = rule or rule_of(chosen_for(step).strategy)
    scales = _Scales(step, Measure(counter))
    before, due = scales.total(step), int(scales.budget.input_cap * rule.threshold)
    room = scales.budget.dynamic
    if before < due and before - scales.fixed <= room:
        return NotDue(step, before, due)
    history = read_history(step, rule.keep_messages, detector or RuleDetector())
    must = scales.must(history)
    must_tokens = sum(part.tokens for part in must)
    if must_tokens > room:
        reasons = _named(must)
        text = f"{must_tokens} tokens must stand, {room} are left; the largest: {'; '.join(reasons)}"
        return Paused(step, must_tokens, room, text, reasons)
    user_tokens = room * SHARE_PERCENT // 100
    shortened = _shortened(history, counter, summariser or BuiltIn(), rule, detector or RuleDetector(), user_tokens)
    compacted = Compacted(shortened.step, before, scales.total(shortened.step), shortened.account)
    if compacted.tokens - scales.fixed <= room:
        return compacted
    parts = scales.optional(read_history(shortened.step, rule.keep_messages, detector or RuleDetector()))
    text = f"{compacted.tokens - scales.fixed} tokens after compaction, {room} are left; the largest: {'; '.join(_named(parts))}"
    return MustNarrow(step, compacted, room, parts, text)


def _shortened(
    history: OldHistory,
    counter: TokenCounter,
    summariser: Summariser,
    rule: CompactionRule,
    detector: ConstraintDetector,
    user_tokens: int,
) -> Shortened:
    """One pass; after that, in a history with torn exchanges, as many as still change something, without asking the summariser again."""
    done = Shortening(history, counter, rule.large_tokens, user_tokens).run(summariser)
    while history.is_torn:
        history = read_history(done.step, rule.keep_messages, detector)
        again = Shortening(history, counter, rule.large_tokens, user_tokens).run(BuiltIn())
        if again.step.messages == done.step.messages:
            break
        done = Shortened(again.step, done.account + again.account)
    return done


def _named(parts: tuple[Weight, ...]) -> tuple[str, ...]:
    largest = sorted(parts, key=lambda part: (-part.tokens, part.name))[:_N_NAMED]
    return tuple(f"{part.name}: {part.tokens} tokens" for part in largest)


class _Scales:
    """Weighs a step, and what compaction makes of it."""

    def __init__(self, step: Step, measure: Measure) -> None:
        self._measure = measure
        self._dialect: Dialect = dialect_of(step)
        opening = self._dialect.opening(system_text(step.system, step.task), instructions(step))
        tools = () if step.closing and not self._dialect.traits.tools_with_calls else self._dialect.tools(step.tools)
        self.fixed = sum(map(measure.message, opening.messages)) + measure.outside(opening.outside) + measure.opening()
        self.fixed += measure.request(tools)
        self.budget: Budget = budget_for(step.profile, self.fixed)

    def total(self, step: Step) -> int:
        """Tokens of all that the step holds."""
        return self.fixed + sum(part.tokens for part in (*self._dialogue(step), *self._sections(step)))

    def must(self, history: OldHistory) -> tuple[Weight, ...]:
        """Constraints, the request, and the newest exchange with its results by reference; an open one as it is."""
        found = []
        for at in self._standing(history):
            group = history.groups[at]
            said = "" if group.kind == "exchange" else " ".join(item.text for item in self._read(group))
            found.append(Weight(f"{group.name} {said[:40]!r}" if said else group.name, self._least(group, history.step)))
        return tuple(found)

    def _standing(self, history: OldHistory) -> list[int]:
        """Places of the groups that must stand."""
        kinds = [group.kind for group in history.groups]
        newest = [max((at for at, kind in enumerate(kinds) if kind == wanted), default=None) for wanted in ("exchange", "user")]
        return sorted({*history.pinned, *(at for at in newest if at is not None)})

    def _read(self, group: Group) -> tuple[Item, ...]:
        return tuple(self._dialect.read(message, 0) for message in group.messages)

    def _least(self, group: Group, step: Step) -> int:
        items = group.items
        if not group.open_calls:
            items = rewritten(items, group.bodies, self._dialect, lambda call, result: by_reference(result, step.results.get(call, ())))
        return sum(self._measure.message(item.raw) for item in items)

    def optional(self, history: OldHistory) -> tuple[Weight, ...]:
        """What may be left to another step, the largest first."""
        must = self._standing(history)
        groups = [group for at, group in enumerate(history.groups) if at not in must and group.messages]
        parts = [*map(self._whole, groups), *self._sections(history.step)]
        return tuple(sorted(parts, key=lambda part: (-part.tokens, part.name)))

    def _dialogue(self, step: Step) -> list[Weight]:
        return list(map(self._whole, iter_history(step)))

    def _whole(self, group: Group) -> Weight:
        return Weight(group.name, sum(map(self._measure.message, group.messages)))

    def _sections(self, step: Step) -> list[Weight]:
        piece = self._measure.piece
        cited = frozenset(citation.evidence for claim in step.claims for citation in claim.citations)
        judged = rejudge(step.claims, step.task.number, cited, lambda evidence: None)
        found = [Weight(f"progress {item.subject}", piece(f"- {format_progress_item(item)}\n")) for item in step.progress]
        lines = (*judged.facts, *judged.open, *judged.excluded)
        found += [Weight(f"claim {line.id}", piece(f"- {format_claim_line(line)}\n")) for line in lines]
        found += [Weight(f"evidence {one.id}", piece(format_packet(one))) for one in step.evidence if isinstance(one, Packet)]
        return found
