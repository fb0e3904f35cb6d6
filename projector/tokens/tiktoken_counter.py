"""Exact counts by tiktoken, with a memory of what was counted.

Only `encode_ordinary` is used: the spelling of a special token in a tool output is text like any other. A run of a million
whitespace characters makes tiktoken 0.14.0 panic (a BaseException), so such runs never reach it: they are bounded by their bytes.
"""

import hashlib
import re
import unicodedata
from collections import OrderedDict
from threading import Lock

from projector.ports import Exactness
from projector.render.scalars import repair_surrogates
from projector.tokens.encodings import load_encoding

# Half of what makes the regular expression engine of tiktoken 0.14.0 give up (1 000 000).
MAX_RUN_CHARS = 500_000
_LONG_RUN = re.compile(rf"\s{{{MAX_RUN_CHARS},}}")
# Below this, hashing costs as much as counting.
MIN_CACHED_CHARS = 256
# What one remembered count takes: key, figure and their place in the map.
_ENTRY_BYTES = 200
# A longer beginning of a text can cost a few tokens less (3 seen in 18 000 steps): by so much a window must go over before it is believed.
_WINDOW_MARGIN_TOKENS = 32
# How far a cut moves back so as not to part a letter from its marks.
_MAX_CLUSTER_CHARS = 32


class TiktokenCounter:
    """Counts with one encoding. Nothing is loaded before the first count."""

    def __init__(self, name: str, *, max_cache_bytes: int = 4_000_000) -> None:
        self._name = name
        self._max_entries = max_cache_bytes // _ENTRY_BYTES
        self._counts: OrderedDict[bytes, int] = OrderedDict()
        self._lock = Lock()

    @property
    def id(self) -> str:
        return f"tiktoken:{self._name}"

    @property
    def exactness(self) -> Exactness:
        """Exact, but for texts with a run of half a million whitespace characters, where the figure is an upper bound."""
        return "exact"

    def count(self, text: str) -> int:
        """Tokens of the text."""
        if len(text) < MIN_CACHED_CHARS:
            return self._counted(text)
        key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        with self._lock:
            known = self._counts.get(key)
            if known is not None:
                self._counts.move_to_end(key)
                return known
        found = self._counted(text)
        with self._lock:
            self._counts[key] = found
            while len(self._counts) > self._max_entries:
                self._counts.popitem(last=False)
        return found

    def prefix(self, text: str, n_tokens: int) -> int:
        """Characters of the longest beginning that ends with a token of the text and has at most `n_tokens`.

        A character and its marks stay together.
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
                return self._settled(text, ids, n_tokens)
            n_chars *= 2

    def _settled(self, text: str, ids: list[int], n_tokens: int) -> int:
        kept = n_tokens
        while kept > 0:
            shown = load_encoding(self._name).decode_bytes(ids[:kept]).decode("utf-8", "ignore")
            at = _cluster_start(text, len(shown))
            if at and self._counted(text[:at]) <= n_tokens:
                return at
            kept -= 1
        return 0

    def _counted(self, text: str) -> int:
        ids = self._encoded(text)
        return self._bounded(text) if ids is None else len(ids)

    def _encoded(self, text: str) -> list[int] | None:
        """Token ids, or None where tiktoken must not be asked, or gave up."""
        if len(text) >= MAX_RUN_CHARS and _LONG_RUN.search(text):
            return None
        try:
            return load_encoding(self._name).encode_ordinary(text)
        # pyo3's PanicException is no Exception and cannot be imported; everything else passes through
        except BaseException as exc:
            if type(exc).__name__ != "PanicException":
                raise
            return None

    def _bounded(self, text: str) -> int:
        """Between the long runs exact, in them a token a byte: that is so much too high that the joins cannot make it too low."""
        total, at = 0, 0
        for run in _LONG_RUN.finditer(text):
            total += self._part(text[at : run.start()]) + _n_bytes(run[0])
            at = run.end()
        return total + self._part(text[at:])

    def _part(self, text: str) -> int:
        ids = self._encoded(text)
        return _n_bytes(text) if ids is None else len(ids)


def _n_bytes(text: str) -> int:
    return len(repair_surrogates(text).encode())


def _bytes_prefix(text: str, n_bytes: int) -> int:
    # a repaired surrogate is three bytes as well, so the lengths agree
    shown = text[:n_bytes].encode("utf-8", "surrogatepass")[:n_bytes].decode("utf-8", "ignore")
    return _cluster_start(text, len(shown))


def _cluster_start(text: str, at: int) -> int:
    """The last place at or before `at` where no mark or joiner is parted from what it belongs to; `at` when none is near."""
    for place in range(at, max(0, at - _MAX_CLUSTER_CHARS), -1):
        if place == len(text) or not _joined(text[place - 1], text[place]):
            return place
    return 0 if at <= _MAX_CLUSTER_CHARS else at


def _joined(left: str, right: str) -> bool:
    if left == "\r":
        return right == "\n"
    # combining marks and variation selectors; zero width joiner on either side; skin tones
    return unicodedata.category(right) in ("Mn", "Mc", "Me") or "\u200d" in (left, right) or "\U0001f3fb" <= right <= "\U0001f3ff"
