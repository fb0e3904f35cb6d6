"""Cuts a text to at most so many tokens: 60 % from its beginning, 40 % from its end, and between them a marker that is counted in.

1. What comes out never has more than `n_tokens`, counted as it stands, marker included.
2. What is kept is a true beginning and a true ending of the text; no character, letter with its marks, or joined emoji is parted.
3. The marker stands whole, or nothing stands at all; it says what was left out, and of how much.
4. A JSON text comes out as valid JSON (`json_cut.py`), or the cut is refused. It is an excerpt all the same: who reads its values must
   know the marker.

Halves of surrogate pairs are repaired first; places are in the repaired text.
"""

from collections.abc import Callable
from dataclasses import dataclass

from projector.errors import RefusedCut
from projector.ports import Figure, TokenCounter
from projector.render.scalars import repair_surrogates
from projector.tokens import json_cut
from projector.tokens.clusters import cluster_end, cluster_start
from projector.tokens.ends import fits, prefix_of, suffix_of
from projector.tokens.figures import figure_of

HEAD_PERCENT = 60
# Each round leaves out what the last was over; two were the most that 6 000 cuts needed.
_MAX_ROUNDS = 16


@dataclass(frozen=True, slots=True)
class Omission:
    """What of a text was left out: characters, 0-based and half-open."""

    start: int
    end: int
    n_chars: int
    """Of the whole text."""
    n_lines: int
    """Line ends in what was left out."""
    of_lines: int
    """Line ends in the whole text."""

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end <= self.n_chars:
            raise ValueError(f"nothing is left out between {self.start} and {self.end} of {self.n_chars}")


@dataclass(frozen=True, slots=True)
class CutText:
    """A text as far as it fits."""

    text: str
    """With the marker where something was left out; empty when not even the marker fits."""
    figure: Figure
    """Of this text."""
    omitted: Omission | None = None
    """None when the text is whole."""


def format_marker(omitted: Omission) -> str:
    """On a line of its own, whatever stands around it."""
    lines = f", {omitted.n_lines:,} of {omitted.of_lines:,} line ends" if omitted.of_lines else ""
    return f"\n[cut: {omitted.end - omitted.start:,} of {omitted.n_chars:,} characters{lines}]\n"


def cut_text(
    text: str,
    n_tokens: int,
    counter: TokenCounter,
    *,
    head_percent: int = HEAD_PERCENT,
    marker: Callable[[Omission], str] = format_marker,
) -> CutText:
    """The text when it fits, else its beginning and its end. `head_percent` 100 keeps the beginning alone, 0 the end alone.

    Raises ValueError for a percentage that is none.
    """
    if not 0 <= head_percent <= 100:
        raise ValueError(f"no percentage: {head_percent}")
    text = repair_surrogates(text)
    if fits(counter, text, n_tokens):
        return CutText(text, figure_of(counter, text))
    room = n_tokens - counter.count(marker(_omission(text, 0, len(text))))
    for _ in range(_MAX_ROUNDS):
        if room < 0:
            break
        made = _around(text, room, head_percent, counter, marker)
        if made.figure.tokens <= n_tokens:
            return made
        room -= max(1, made.figure.tokens - n_tokens)
    return _marker_alone(text, n_tokens, counter, marker)


def cut_json(text: str, n_tokens: int, counter: TokenCounter) -> CutText:
    """A JSON text when it fits, else its beginning, closed, with a member or item in each container that says how many are missing.

    What is kept stands in the source's own characters. Raises RefusedCut for what is no JSON object or array, and for too few tokens.
    """
    text = repair_surrogates(text)
    if fits(counter, text, n_tokens):
        json_cut.parse(text)
        return CutText(text, figure_of(counter, text))
    # what is kept and closed costs more than the beginning alone, but for a few tokens at the joint
    parsed = json_cut.parse(text)
    places = json_cut.list_places(text, prefix_of(counter, text, n_tokens + 8))
    low, high = -1, len(places) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if counter.count(json_cut.closed(text, places[middle], parsed)) <= n_tokens:
            low = middle
        else:
            high = middle - 1
    if low < 0:
        raise RefusedCut(f"{n_tokens} tokens hold nothing of this JSON text of {len(text)} characters", {"limit": n_tokens})
    place = places[low]
    made = json_cut.closed(text, place, parsed)
    return CutText(made, figure_of(counter, made), _omission(text, place.at, len(text)))


def _around(text: str, room: int, head_percent: int, counter: TokenCounter, marker: Callable[[Omission], str]) -> CutText:
    head = cluster_start(text, prefix_of(counter, text, room * head_percent // 100))
    left = room - counter.count(text[:head]) if head_percent < 100 else 0
    rest = text[head:]
    tail = head + cluster_end(rest, suffix_of(counter, rest, left))
    if tail == head:
        # parts can cost less than the whole, so that both ends meet: something has to go
        tail = min(len(text), cluster_end(text, head + 1))
        head = head if tail > head else cluster_start(text, head - 1)
    omitted = _omission(text, head, tail)
    made = f"{text[:head]}{marker(omitted)}{text[tail:]}"
    return CutText(made, figure_of(counter, made), omitted)


def _marker_alone(text: str, n_tokens: int, counter: TokenCounter, marker: Callable[[Omission], str]) -> CutText:
    omitted = _omission(text, 0, len(text))
    alone = marker(omitted)
    made = alone if counter.count(alone) <= n_tokens else ""
    return CutText(made, figure_of(counter, made), omitted)


def _omission(text: str, start: int, end: int) -> Omission:
    return Omission(start, end, len(text), text.count("\n", start, end), text.count("\n"))
