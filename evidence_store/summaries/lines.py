"""The lines of a text, one by one out of its bytes, in the memory of one piece: neither all of a text nor all of a long line is held."""

import codecs
from collections.abc import Iterable, Iterator
from typing import Final

LINE_CHARS: Final = 4_000
"""Beginning of a line that is kept."""


def iter_lines(pieces: Iterable[bytes], encoding: str, max_chars: int = LINE_CHARS) -> Iterator[str]:
    """The lines without their ends, as far as `max_chars`; counted as everywhere: they end at LF only.

    The bytes are decoded as in one go: what is torn by the end of a piece is put together, what does not fit is replaced.
    """
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    pending, is_first, is_open = "", True, False
    for text in _texts(decoder, pieces):
        if is_first:
            text, is_first = text.removeprefix("\ufeff"), False
        lines = text.split("\n")
        if len(lines) > 1:
            lines[0] = pending + lines[0]
            pending = ""
            last = lines.pop()
            for line in lines:
                yield line[:max_chars]
            lines = [last]
            is_open = False
        pending += lines[0][: max_chars - len(pending)]
        is_open = is_open or bool(lines[0])
    if is_open:
        yield pending


def _texts(decoder: codecs.IncrementalDecoder, pieces: Iterable[bytes]) -> Iterator[str]:
    """Decoded pieces that have a character at least."""
    for piece in pieces:
        text = decoder.decode(piece)
        if text:
            yield text
    rest = decoder.decode(b"", final=True)
    if rest:
        yield rest
