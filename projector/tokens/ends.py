"""The longest beginning and the longest ending of a text that have at most so many tokens, by any counter.

A counter that knows where its tokens end is asked itself; others are asked by halving, within a window, so that a text of many
megabytes costs no more than what is shown of it.
"""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from projector.ports import TokenCounter
from projector.tokens.clusters import cluster_end, cluster_start

# A longer text can cost a little less: by so much a window must go over before it is believed.
_MARGIN_TOKENS = 32


@runtime_checkable
class CuttingCounter(Protocol):
    """A counter that knows where its tokens end, so that cutting needs no search. What it cuts never parts a character from its marks."""

    def prefix(self, text: str, n_tokens: int) -> int:
        """Characters of the longest beginning of at most `n_tokens`, ending with a token."""

    def suffix(self, text: str, n_tokens: int) -> int:
        """Where the longest ending of at most `n_tokens` starts; the length of the text when there is none."""


def prefix_of(counter: TokenCounter, text: str, n_tokens: int) -> int:
    """Characters of a beginning that fits, about the longest; it ends where people would end it. The whole length when all fits."""
    if n_tokens <= 0:
        return 0
    if isinstance(counter, CuttingCounter):
        return counter.prefix(text, n_tokens)
    n_chars = _window(counter, len(text), n_tokens, lambda n: text[:n])
    if n_chars == len(text) and counter.count(text) <= n_tokens:
        return n_chars
    found = _most(n_chars, lambda n: counter.count(text[:n]) <= n_tokens)
    return _settled(lambda n: cluster_start(text, n), lambda n: counter.count(text[:n]) <= n_tokens, found)


def fits(counter: TokenCounter, text: str, n_tokens: int) -> bool:
    """Whether the text has at most so many tokens; of a long one that has more, only a window is looked at."""
    if isinstance(counter, CuttingCounter):
        return n_tokens >= 0 and counter.prefix(text, n_tokens) == len(text)
    return _window(counter, len(text), n_tokens, lambda n: text[:n]) == len(text) and counter.count(text) <= n_tokens


def suffix_of(counter: TokenCounter, text: str, n_tokens: int) -> int:
    """Where an ending starts that fits, about the longest; 0 when all fits, the length of the text when nothing does."""
    if n_tokens <= 0:
        return len(text)
    if isinstance(counter, CuttingCounter):
        return counter.suffix(text, n_tokens)
    size = len(text)
    n_chars = _window(counter, size, n_tokens, lambda n: text[size - n :])
    if n_chars == size and counter.count(text) <= n_tokens:
        return 0
    found = _most(n_chars, lambda n: counter.count(text[size - n :]) <= n_tokens)
    return size - _settled(lambda n: size - cluster_end(text, size - n), lambda n: counter.count(text[size - n :]) <= n_tokens, found)


def _window(counter: TokenCounter, size: int, n_tokens: int, part: Callable[[int], str]) -> int:
    """So many characters are surely enough to look at."""
    n_chars = 4 * max(n_tokens, 0) + 64
    while n_chars < size and counter.count(part(n_chars)) <= n_tokens + _MARGIN_TOKENS:
        n_chars *= 2
    return min(n_chars, size)


def _most(high: int, fits: Callable[[int], bool]) -> int:
    """By halving; a longer text can cost less, so the answer may be a few characters short of the longest, but always fits."""
    low = 0
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _settled(whole: Callable[[int], int], fits: Callable[[int], bool], n_chars: int) -> int:
    """So many characters or a few less, without a character in parts, and looked at again: a shorter text can cost more."""
    while n_chars > 0:
        n_chars = whole(n_chars)
        if fits(n_chars):
            return n_chars
        n_chars -= 1
    return 0
