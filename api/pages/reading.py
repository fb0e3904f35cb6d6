"""How much of a passage a page shows: characters, so that no tokenizer is loaded for a page."""

MAX_EXCERPT_CHARS = 20_000


class PageLimit:
    """A limit in characters; it counts no tokens."""

    @property
    def max_bytes(self) -> int:
        return 4 * MAX_EXCERPT_CHARS  # UTF-8 takes at most four bytes for a character

    def fits(self, text: str) -> bool:
        return len(text) <= MAX_EXCERPT_CHARS

    def prefix(self, text: str) -> int:
        return min(len(text), MAX_EXCERPT_CHARS)

    def count(self, text: str) -> int | None:
        return None
