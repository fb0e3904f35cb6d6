"""Claims and progress as the lines of their sections: which belong together, which the step at hand uses, what stands for the rest."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import TypeAlias

from evidence_store.model import ProgressState
from projector.collect import Collected
from projector.model import Step
from projector.pages import Pages
from projector.rejudge import Judged
from projector.render.sections import ClaimLine, ClaimSection, ClaimsText


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Lines that are shown together or not at all: one claim, all that conflict about one thing, or of very many two that say otherwise.

    Two blocks are never equal: they are told apart by which they are, since comparing ten thousand claims by their texts takes long.
    """

    lines: tuple[ClaimLine, ...]
    after: "Block | None" = None
    """What has to stand before it may: both sides of a conflict, of which it is more of one."""


Blocks: TypeAlias = Mapping[ClaimSection, tuple[Block, ...]]
# How many resources a line of claims not listed names.
MAX_NOT_LISTED = 8
# A conflict of more claims is shown in parts: whole, it would fit in no input.
MAX_TOGETHER = 8


def blocks(judged: Judged) -> Blocks:
    """The three lists as blocks, in order; both sides of a conflict in one, or in each of its parts."""
    conflicts: dict[object, list[ClaimLine]] = {}
    for line in judged.open:
        if line.standing == "conflicting":
            conflicts.setdefault(line.about, []).append(line)
    still_open: list[Block] = []
    for line in judged.open:
        still_open += _conflict(conflicts.pop(line.about, ())) if line.standing == "conflicting" else (Block((line,)),)
    return {
        "facts": tuple(Block((line,)) for line in judged.facts),
        "open": tuple(still_open),
        "excluded": tuple(Block((line,)) for line in judged.excluded),
    }


def _conflict(lines: Sequence[ClaimLine]) -> tuple[Block, ...]:
    """A conflict in one block; of very many claims, two by two with different texts, and behind the first two whatever is left."""
    if len(lines) <= MAX_TOGETHER:
        return (Block(tuple(lines)),) if lines else ()
    sides: dict[str, list[ClaimLine]] = {}
    for line in lines:
        sides.setdefault(line.text, []).append(line)
    mixed = [line for line in chain.from_iterable(zip_longest(*sides.values())) if line is not None]
    pairs = [(one, other) for one, other in zip(mixed[::2], mixed[1::2], strict=False) if one.text != other.text]
    first = Block(pairs[0] if pairs else (mixed[0],))
    paired = {line.id for pair in pairs for line in pair} | {line.id for line in first.lines}
    rest = (Block((line,), first) for line in lines if line.id not in paired)
    return (first, *map(Block, pairs[1:]), *rest)


def block_name(block: Block) -> str:
    """The ids of its claims."""
    return ", ".join(line.id for line in block.lines)


def claims_text(name: ClaimSection, every: tuple[Block, ...], taken: frozenset[Block], pages: Pages) -> ClaimsText:
    """The section with the taken blocks in their order; the rest is counted by resource, and by the page on which each claim is."""
    listed = tuple(line for block in every if block in taken for line in block.lines)
    rest = tuple(line for block in every if block not in taken for line in block.lines)
    named = sorted(Counter(line.about.resource for line in rest).items(), key=lambda pair: (-pair[1], pair[0]))
    shown: list[tuple[str, int]] = [(resource, n) for resource, n in named[:MAX_NOT_LISTED]]
    if len(named) > MAX_NOT_LISTED:
        shown.append(("*", sum(n for _, n in named[MAX_NOT_LISTED:])))
    return ClaimsText(listed, claim_counts(name, every), tuple(shown), pages.named(line.id for line in rest))


def claim_counts(name: ClaimSection, every: tuple[Block, ...]) -> tuple[tuple[str, int], ...]:
    """How many claims of the section there are of each standing."""
    if name != "open":
        return (("verified" if name == "facts" else "excluded", sum(len(block.lines) for block in every)),)
    found = Counter(line.standing or "open" for block in every for line in block.lines)
    return tuple((standing, found[standing]) for standing in ("open", "conflicting", "stale"))


class InUse:
    """What the step at hand is about: its evidence, what it needs, the subjects being worked on."""

    def __init__(self, step: Step, collected: Collected) -> None:
        doing = [item for item in step.progress if item.state is ProgressState.DOING]
        self._evidence = frozenset((*collected.needed, *collected.wanted))
        self._claims = frozenset(need.name for need in step.needs if need.kind == "claim")
        self._places = frozenset(need.name for need in step.needs if need.kind != "claim")
        self._subjects = tuple(dict.fromkeys(subject for item in doing for subject in (item.subject, *item.uses) if subject))

    def __call__(self, block: Block) -> bool:
        return any(map(self._uses, block.lines))

    def _uses(self, line: ClaimLine) -> bool:
        if line.id in self._claims or not self._evidence.isdisjoint(line.evidence):
            return True
        about = line.about
        if about.resource in self._places or about.pointer in self._places:
            return True
        return any(subject in line.text or subject == about.pointer for subject in self._subjects)


def blocks_in_use(step: Step, collected: Collected, every: Blocks) -> Blocks:
    """Of each list, what the step at hand uses."""
    in_use = InUse(step, collected)
    return {name: tuple(filter(in_use, found)) for name, found in every.items()}
