"""Exact counts by tiktoken, with a memory of what was counted.

Only `encode_ordinary` is used: the spelling of a special token in a tool output is text like any other. What tiktoken cannot take
(`hostile.py`) never reaches it: it is bounded by its bytes, and the figure says that it is a bound.
"""

import re
from collections.abc import Sequence

from projector.ports import Exactness, Figure
from projector.render.scalars import repair_surrogates
from projector.tokens.clusters import cluster_end, cluster_start
from projector.tokens.encodings import load_encoding
from projector.tokens.hostile import MAX_UNBROKEN_CHARS, Run, long_runs
from projector.tokens.memory import MIN_CHARS, CountMemory, key_of

# A longer beginning of a text can cost a few tokens less (3 seen in 18 000 steps): by so much a window must go over before it is believed.
_WINDOW_MARGIN_TOKENS = 32
# Counts of two parts can be less than that of the whole (3 seen in 60 000 cuts): added at each cut of a bound.
_JOIN_TOKENS = 16
# How far a cut moves so as not to part a letter from its marks; who must not part longer ones looks again (cut.py).
_MAX_CLUSTER_CHARS = 1_024
BOUNDED = "a run that the tokenizer cannot take counts a token a byte"


class TiktokenCounter:
    """Counts with one encoding. Nothing is loaded before the first count."""

    def __init__(self, name: str, *, max_cache_bytes: int = 4_000_000) -> None:
        self._name = name
        self._memory = CountMemory(max_cache_bytes)

    @property
    def id(self) -> str:
        return f"tiktoken:{self._name}"

    @property
    def exactness(self) -> Exactness:
        """Exact, but for texts that `hostile.long_runs` finds something in: their figure says that it is an upper bound."""
        return "exact"

    def count(self, text: str) -> int:
        """Tokens of the text."""
        return self.figure(text).tokens

    def figure(self, text: str) -> Figure:
        """Tokens of the text: exact, or a bound that says so."""
        if len(text) < MIN_CHARS:
            return self._counted(text)
        key = key_of(text)
        known = self._memory.find(key)
        if known is None:
            known = self._counted(text)
            self._memory.keep(key, known)
        return known

    def figure_of_parts(self, parts: Sequence[str]) -> Figure:
        """See `projector.ports.PartsCounter`: counted apart where a token must end between them, else joined."""
        pieces = _joined_where_tokens_may_cross(parts)
        if sum(map(len, pieces)) < MAX_UNBROKEN_CHARS:
            figures = [self.figure(piece) for piece in pieces]
            if all(figure.exactness == "exact" for figure in figures):
                return Figure(sum(figure.tokens for figure in figures), self.id, "exact")
        return self.figure("".join(parts))

    def prefix(self, text: str, n_tokens: int) -> int:
        """Characters of the longest beginning that ends with a token of the text and has at most `n_tokens`.

        A character and its marks stay together, up to a thousand of them.
        """
        if n_tokens <= 0:
            return 0
        n_chars = 4 * n_tokens + 64
        while True:
            window = text[:n_chars]
            ids = self._encoded(window)
            if ids is None:
                return _bytes_prefix(text, n_tokens)
            if len(window) == len(text) and len(ids) <= n_tokens:
                return len(text)
            if len(window) == len(text) or len(ids) > n_tokens + _WINDOW_MARGIN_TOKENS:
                return self._settled_prefix(text, ids, n_tokens)
            n_chars *= 2

    def suffix(self, text: str, n_tokens: int) -> int:
        """Where the longest ending starts that begins with a token and has at most `n_tokens`; the length of the text when none has."""
        if n_tokens <= 0:
            return len(text)
        n_chars = 4 * n_tokens + 64
        while True:
            window = text[-n_chars:]
            ids = self._encoded(window)
            if ids is None:
                return _bytes_suffix(text, n_tokens)
            if len(window) == len(text) and len(ids) <= n_tokens:
                return 0
            if len(window) == len(text) or len(ids) > n_tokens + _WINDOW_MARGIN_TOKENS:
                return self._settled_suffix(text, ids, n_tokens)
            n_chars *= 2

    def _settled_prefix(self, text: str, ids: list[int], n_tokens: int) -> int:
        for kept in range(n_tokens, 0, -1):
            shown = load_encoding(self._name).decode_bytes(ids[:kept]).decode("utf-8", "ignore")
            at = cluster_start(text, len(shown), _MAX_CLUSTER_CHARS)
            if at == 0 or self._counted(text[:at]).tokens <= n_tokens:
                return at
        return 0

    def _settled_suffix(self, text: str, ids: list[int], n_tokens: int) -> int:
        for kept in range(n_tokens, 0, -1):
            shown = load_encoding(self._name).decode_bytes(ids[-kept:]).decode("utf-8", "ignore")
            at = cluster_end(text, len(text) - len(shown), _MAX_CLUSTER_CHARS)
            if at == len(text) or self._counted(text[at:]).tokens <= n_tokens:
                return at
        return len(text)

    def _counted(self, text: str) -> Figure:
        ids = self._encoded(text)
        if ids is None:
            return Figure(self._bounded(text), self.id, "upper_bound", BOUNDED)
        return Figure(len(ids), self.id, "exact")

    def _encoded(self, text: str) -> list[int] | None:
        """Token ids, or None where tiktoken must not be asked, or gave up."""
        if long_runs(text):
            return None
        try:
            return load_encoding(self._name).encode_ordinary(text)
        # pyo3's PanicException is no Exception and cannot be imported; everything else passes through
        except BaseException as exc:
            if type(exc).__name__ != "PanicException":
                raise
            return None

    def _bounded(self, text: str) -> int:
        """Between the long runs exact, in them a token a byte, and something for the joins."""
        total, at = 0, 0
        for run in (*long_runs(text), Run(len(text), len(text))):
            total += self._part(text[at : run.start]) + _n_bytes(text[run.start : run.end]) + _JOIN_TOKENS
            at = run.end
        return min(total, _n_bytes(text))

    def _part(self, text: str) -> int:
        ids = self._encoded(text)
        return _n_bytes(text) if ids is None else len(ids)


# Marks that the patterns of the encodings take as a row of two or more (docs/formats/token-count.md).
_LETTER_BEHIND_MARKS = re.compile(r"[]\[{}:,\"]{2}\Z")
_MARKS = re.compile(r"[]\[{}:,\"]{2}")


def _joined_where_tokens_may_cross(parts: Sequence[str]) -> list[str]:
    """The parts, put together but for cuts between an ASCII letter and two or more marks, on either side: there a token ends."""
    rows: list[list[str]] = []
    for part in parts:
        if rows and _ends_token(rows[-1][-1], part):
            rows.append([part])
        elif part:
            rows[-1:] = [[*(rows[-1] if rows else ()), part]]
    return ["".join(row) for row in rows]


def _ends_token(before: str, behind: str) -> bool:
    if _is_ascii_letter(behind[:1]):
        return _LETTER_BEHIND_MARKS.search(before[-2:]) is not None
    return _is_ascii_letter(before[-1:]) and _MARKS.match(behind) is not None


def _is_ascii_letter(char: str) -> bool:
    return char.isascii() and char.isalpha()


def _n_bytes(text: str) -> int:
    return len(repair_surrogates(text).encode())


def _bytes_prefix(text: str, n_bytes: int) -> int:
    # a repaired surrogate is three bytes as well, so the lengths agree
    shown = text[:n_bytes].encode("utf-8", "surrogatepass")[:n_bytes].decode("utf-8", "ignore")
    return cluster_start(text, len(shown), _MAX_CLUSTER_CHARS)


def _bytes_suffix(text: str, n_bytes: int) -> int:
    shown = text[-n_bytes:].encode("utf-8", "surrogatepass")[-n_bytes:].decode("utf-8", "ignore")
    return cluster_end(text, len(text) - len(shown), _MAX_CLUSTER_CHARS)
