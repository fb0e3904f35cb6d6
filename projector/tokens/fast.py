"""A faster engine for long texts: `toktok-rs`, where it is installed (the extra `fast`) and found to count as tiktoken does.

It is asked for by name (`fast:o200k_base`), imported at the first count, and held against tiktoken on texts of every kind before its
first figure is believed. Where it is missing, differs or fails, tiktoken counts; each figure names who counted it.

Its 0.3.0 knows the letters of Unicode 16, tiktoken 0.14.0 those of 17: beside one of these it divided text differently, and counted
less. Texts that hold one go to tiktoken. (All code points were compared, alone and beside letters, digits and punctuation.)
"""

import re
from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from typing import cast

from projector.ports import Exactness, Figure
from projector.render.scalars import repair_surrogates
from projector.tokens.memory import CountMemory, key_of
from projector.tokens.tiktoken_counter import TiktokenCounter

MODULE = "toktok"
# A call of it takes 25 µs, in which tiktoken counts some 500 characters (measured).
MIN_FAST_CHARS = 600
# Letters, marks and digits of Unicode 17 that are not in 16.
_NEWER = re.compile(
    "[\u088f\u0c5c\u0cdc\u1acf-\u1add\u1ae0-\u1aeb\ua7ce\ua7cf\ua7d2\ua7d4\ua7f1\U00010940-\U00010959\U00010ec5-\U00010ec7\U00010efa\U00010efb"
    "\U00011b60-\U00011b67\U00011db0-\U00011ddb\U00011de0-\U00011de9\U00016ea0-\U00016eb8\U00016ebb-\U00016ed3\U00016ff2-\U00016ff6"
    "\U000187f8-\U000187ff\U00018d09-\U00018d1e\U00018d80-\U00018df2\U0001e6c0-\U0001e6de\U0001e6e0-\U0001e6f5\U0001e6fe\U0001e6ff"
    "\U0002b73a-\U0002b73f\U0002cea2-\U0002cead\U000323b0-\U00033479]"
)
CountMany = Callable[[list[str], str, int], list[int]]

# Of each kind some: what the patterns of the two encodings divide differently, and what libraries were seen to differ in.
_SENTENCES = (
    "The limit is 1234567 of 50, isn't it? We'LL see: they've DON'T 'S.",
    '{"items":[{"id":"9f1c-77ab","limit":50,"tags":["a","b\\n"]}],"next":null}',
    "paths:\n  /orders/{id}:\n    get:\n      parameters:\n        - name: limit\n",
    "2026-11-30T08:55:01.123Z ERROR [worker-7] \x1b[31mfailed\x1b[0m: 0x7ffe\r\n\t at x.y(Z.java:42)\n\n\n",
    "日志 ログ 로그 журнал αρχείο données Größe nhật ký नमस्ते मित्र ภาษาไทย العربية עברית",
    "👩\u200d👩\u200d👧 👍🏽 🇩🇪🇫🇷 e\u0301 ﬁ Ⅷ ½ ² ١٢٣ ａｂｃ \u3000\u2003\u00a0\ufeff\u2028",
    "<|endoftext|><|im_start|>system<|im_end|><|endofprompt|>",
    "dGhlIHF1aWNrIGJyb3duIGZveA==  0123456789abcdef----====____////\\\\\\\\",
    "\u0000\u0001\u007f\u0085\ufffd\ufffe\uffff\U0001d54f\U00020000\U000e0041\U0010fffd",
    "camelCase snake_case SCREAMING_CASE x=y;if(a&&b||c){return!0}/*!*/</script>",
)
SELF_TEST: tuple[str, ...] = (
    "",
    *_SENTENCES,
    *(text[::-1] for text in _SENTENCES),
    *(f"{one}{' ' * n}{other}\n" * 3 for n, (one, other) in enumerate(pairwise(_SENTENCES))),
    *(char * n for char in " \n\t-a7日é" for n in (3, 100, 1_001)),
)


class FastCounter:
    """Counts long texts with the fast engine and short ones with tiktoken, or all with tiktoken."""

    def __init__(self, name: str, plain: TiktokenCounter, *, max_cache_bytes: int = 4_000_000) -> None:
        self._name = name
        self._plain = plain
        self._memory = CountMemory(max_cache_bytes)

    @property
    def id(self) -> str:
        """Names both engines where both count; loads them."""
        return self._plain.id if self.refusal else f"{MODULE}+{self._plain.id}"

    @property
    def exactness(self) -> Exactness:
        return self._plain.exactness

    @property
    def refusal(self) -> str:
        """Why the fast engine does not count; empty when it does."""
        return self._tested[1]

    def count(self, text: str) -> int:
        """Tokens of the text."""
        return self.figure(text).tokens

    def figure(self, text: str) -> Figure:
        """Tokens of the text, with who counted them."""
        if len(text) < MIN_FAST_CHARS or self.refusal:
            return self._plain.figure(text)
        key = key_of(text)
        known = self._memory.find(key)
        if known is None:
            known = self._counted(text)
            self._memory.keep(key, known)
        return known

    def prefix(self, text: str, n_tokens: int) -> int:
        """See `TiktokenCounter.prefix`."""
        return self._plain.prefix(text, n_tokens)

    def suffix(self, text: str, n_tokens: int) -> int:
        """See `TiktokenCounter.suffix`."""
        return self._plain.suffix(text, n_tokens)

    def _counted(self, text: str) -> Figure:
        count_many = self._tested[0]
        if count_many is None or not (text.isascii() or _NEWER.search(text) is None):
            return self._plain.figure(text)
        try:
            (tokens,) = count_many([repair_surrogates(text)], self._name, 1)
        # whatever a library of this kind fails with, its panics included, the other one counts; what stops the process passes
        except BaseException as exc:
            if not isinstance(exc, Exception) and type(exc).__name__ != "PanicException":
                raise
            return self._plain.figure(text)
        return Figure(tokens, f"{MODULE}:{self._name}", "exact")

    @cached_property
    def _tested(self) -> tuple[CountMany | None, str]:
        try:
            count_many = cast("CountMany", import_module(MODULE).batch_count)
        except ImportError:
            return None, f"{MODULE} is not installed"
        try:
            found = count_many(list(SELF_TEST), self._name, 1)
        except Exception as exc:
            return None, f"{MODULE} failed its self-test: {type(exc).__name__}"
        wrong = [text for text, tokens in zip(SELF_TEST, found, strict=True) if tokens != self._plain.count(text)]
        return (None, f"{MODULE} counts {wrong[0][:40]!r} differently") if wrong else (count_many, "")
