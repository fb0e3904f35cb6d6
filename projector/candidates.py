"""Candidates for the background, made ready to be fitted: what a scorer thinks little of is left out, neighbours are joined, what says
the same stands once, and pieces that contradict each other stand side by side.

Scores of two scorers are never compared: each is held against the best of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from evidence_store.model import LineRange
from projector.model import Candidate
from projector.pack import Scored, ranked

RELATIVE: Final = Decimal("0.5")
"""Of the best score of its scorer that a candidate needs; a scorer whose best is not above zero sets no bar."""
NEAR: Final = 0.8
"""Share of equal word triples from which two texts say the same."""
MAX_COMPARED: Final = 200
"""Candidates that are compared with each other, the best first."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Candidates in order of claim, and what was left out of them."""

    ready: tuple[Candidate, ...]
    below: tuple[Candidate, ...]
    """Under the bar of their scorer."""
    repeated: tuple[Candidate, ...]
    """Nearly the same as one that stands before."""


def prepare(candidates: Sequence[Candidate]) -> Prepared:
    """The candidates of a step, ready to be taken one by one."""
    bars = _bars(candidates)
    enough = [one for one in candidates if Decimal(one.score) >= bars[one.scorer]]
    below = tuple(one for one in candidates if Decimal(one.score) < bars[one.scorer])
    ordered = ranked(Scored(one.scorer, Decimal(one.score), one) for one in _joined(enough))
    once: list[Candidate] = []
    repeated: list[Candidate] = []
    shingles: list[frozenset[tuple[str, ...]]] = []
    for one in ordered:
        mine = _shingles(one.text)
        if any(_alike(mine, other) for other in shingles[:MAX_COMPARED]):
            repeated.append(one)
        else:
            once.append(one)
            shingles.append(mine)
    return Prepared(_side_by_side(once), below, tuple(repeated))


def _bars(candidates: Sequence[Candidate]) -> dict[str, Decimal]:
    best: dict[str, Decimal] = {}
    for one in candidates:
        best[one.scorer] = max(best.get(one.scorer, Decimal(one.score)), Decimal(one.score))
    return {scorer: score * RELATIVE if score > 0 else Decimal("-Infinity") for scorer, score in best.items()}


def _joined(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Pieces of one source whose lines touch or overlap become one, with the better score; the others stay as they are."""
    groups: dict[tuple[str, str, str, str], list[Candidate]] = {}
    alone: list[Candidate] = []
    for one in candidates:
        if one.source and _has_its_lines(one):
            groups.setdefault((one.scorer, one.source, one.at, one.about), []).append(one)
        else:
            alone.append(one)
    return [*alone, *(joined for group in groups.values() for joined in _join(group))]


def _join(group: list[Candidate]) -> list[Candidate]:
    found: list[Candidate] = []
    for one in sorted(group, key=_first):
        joined = _together(found[-1], one) if found else None
        if joined is None:
            found.append(one)
        else:
            found[-1] = joined
    return found


def _together(before: Candidate, one: Candidate) -> Candidate | None:
    """Both as one; None where a gap lies between them, or where they say different things of the same lines."""
    shared = _last(before) + 1 - _first(one)
    mine, its = before.text.split("\n"), one.text.split("\n")
    overlap = its[: max(0, shared)]
    if shared < 0 or mine[_first(one) - _first(before) :][: len(overlap)] != overlap:
        return None
    text = "\n".join([*mine, *its[len(mine) - (_first(one) - _first(before)) :]]) if shared < len(its) else before.text
    score = max(before.score, one.score, key=Decimal)
    return replace(before, text=text, score=score, lines=LineRange(_first(before), max(_last(before), _last(one))))


def _has_its_lines(one: Candidate) -> bool:
    """Whether the text has just the lines that it is said to have, without the last line end."""
    return one.lines is not None and one.text.count("\n") == one.lines.last - one.lines.first


def _first(one: Candidate) -> int:
    assert one.lines is not None, "only what has lines is joined"
    return one.lines.first


def _last(one: Candidate) -> int:
    assert one.lines is not None, "only what has lines is joined"
    return one.lines.last


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = text.casefold().split()
    return frozenset(tuple(words[at : at + 3]) for at in range(max(1, len(words) - 2)))


def _alike(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> bool:
    return len(one & other) >= NEAR * len(one | other)


def _side_by_side(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Those that speak about the same thing right behind the first of them, so that a reader sees both sides."""
    by_about: dict[str, list[Candidate]] = {}
    for one in candidates:
        if one.about:
            by_about.setdefault(one.about, []).append(one)
    ordered: dict[Candidate, None] = {}
    for one in candidates:
        for mate in by_about.get(one.about, [one]) if one.about else [one]:
            ordered.setdefault(mate)
    return tuple(ordered)
