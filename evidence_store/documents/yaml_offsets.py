"""Character offsets of the YAML parser, turned into byte offsets of the blob."""

from evidence_store.documents.encoding import UTF8_MARK

_BLOCK_CHARS = 512


class ByteOffsets:
    """Where characters stand in UTF-8 bytes. The byte order mark counts as bytes and not as a character."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._first = len(UTF8_MARK) if raw.startswith(UTF8_MARK) else 0
        self._blocks: list[int] | None = None if raw.isascii() else self._block_starts()

    def byte(self, char: int) -> int:
        """Byte at which the character of this offset starts."""
        if self._blocks is None:
            return char
        block, rest = divmod(char, _BLOCK_CHARS)
        start = self._blocks[block]
        # A character takes four bytes at most, so this piece holds `rest` whole ones.
        piece = self._raw[start : start + 4 * rest].decode("utf-8", "ignore")
        return start + len(piece[:rest].encode("utf-8"))

    def _block_starts(self) -> list[int]:
        text = self._raw[self._first :].decode("utf-8")
        starts, at = [], self._first
        for n in range(0, len(text) + 1, _BLOCK_CHARS):
            starts.append(at)
            at += len(text[n : n + _BLOCK_CHARS].encode("utf-8"))
        return starts
