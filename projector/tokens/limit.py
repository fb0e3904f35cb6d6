"""How much text a caller can take, in tokens: the projector's answer to `evidence_store.model.TextLimit`."""

from collections.abc import Callable

from projector.ports import TokenCounter
from projector.tokens.ends import CuttingCounter, prefix_of

LONGEST_TOKEN_BYTES = 128


class TokenLimit:
    """At most `n_tokens`. The factory is called once, and only when bytes alone cannot tell."""

    def __init__(self, counter_factory: Callable[[], TokenCounter], n_tokens: int) -> None:
        self._factory = counter_factory
        self._n_tokens = n_tokens
        self._made: TokenCounter | None = None

    @property
    def n_tokens(self) -> int:
        return self._n_tokens

    @property
    def max_bytes(self) -> int:
        """No token of the encodings that we know is longer than 128 bytes."""
        return self._n_tokens * LONGEST_TOKEN_BYTES

    def fits(self, text: str) -> bool:
        """Whether the text has at most so many tokens; a text of no more bytes than that needs no tokenizer."""
        if len(text) <= self._n_tokens and len(text.encode("utf-8", "surrogatepass")) <= self._n_tokens:
            return True
        counter = self._counter()
        if isinstance(counter, CuttingCounter):
            # looks at a window only, so that a text of many megabytes costs no more than what would be shown of it
            return counter.prefix(text, self._n_tokens) == len(text)
        return counter.count(text) <= self._n_tokens

    def prefix(self, text: str) -> int:
        """Characters of the longest beginning that fits: a true beginning, without a broken character; 0 when nothing fits."""
        if self._n_tokens <= 0:
            return 0
        if len(text) <= self._n_tokens and len(text.encode("utf-8", "surrogatepass")) <= self._n_tokens:
            return len(text)
        return prefix_of(self._counter(), text, self._n_tokens)

    def count(self, text: str) -> int | None:
        """Tokens of the text; loads the tokenizer."""
        return self._counter().count(text)

    def _counter(self) -> TokenCounter:
        if self._made is None:
            self._made = self._factory()
        return self._made
