"""Figures of any counter, and what several of them together can be trusted for."""

from collections.abc import Iterable

from projector.ports import Exactness, Figure, FigureCounter, TokenCounter

_WEAKER: dict[Exactness, int] = {"exact": 0, "upper_bound": 1, "estimate": 2}


def figure_of(counter: TokenCounter, text: str) -> Figure:
    """The figure of a text, by what the counter says of this one text, or of all of its figures."""
    if isinstance(counter, FigureCounter):
        return counter.figure(text)
    return Figure(counter.count(text), counter.id, counter.exactness)


def weakest(found: Iterable[Exactness]) -> Exactness:
    """What a sum of figures is: exact only when all are, an estimate as soon as one is."""
    return max(found, key=_WEAKER.__getitem__, default="exact")
