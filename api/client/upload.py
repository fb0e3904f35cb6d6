"""The body of an upload: bytes, a file, or pieces as they come. What can be read again can be sent again."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sequence
from typing import BinaryIO, TypeAlias, cast

from evidence_store.errors import InvalidInput

PIECE_BYTES = 256 * 1024
Content: TypeAlias = bytes | BinaryIO | Iterable[bytes] | AsyncIterable[bytes]


class Upload:
    """Content on its way. A file is read from where it stands."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._start: int | None = None
        if hasattr(content, "read") and hasattr(content, "seekable") and content.seekable():
            self._start = cast("BinaryIO", content).tell()

    @property
    def repeatable(self) -> bool:
        """Whether it can be sent a second time."""
        return self._start is not None or isinstance(self._content, bytes | Sequence)

    def whole(self) -> bytes | None:
        """All of it, where it is at hand; its length is then said before it is sent."""
        return self._content if isinstance(self._content, bytes) else None

    def pieces(self) -> Iterator[bytes]:
        """From its beginning. Raises InvalidInput for what comes asynchronously."""
        content = self._content
        if isinstance(content, bytes):
            yield content
        elif hasattr(content, "read"):
            file = cast("BinaryIO", content)
            if self._start is not None:
                file.seek(self._start)
            while piece := file.read(PIECE_BYTES):
                yield piece
        elif isinstance(content, AsyncIterable):
            raise InvalidInput("what comes asynchronously is sent by AsyncEvidenceClient", code="bad_argument")
        else:
            yield from content

    async def apieces(self) -> AsyncIterator[bytes]:
        """The same; what blocks is read in a thread."""
        if isinstance(self._content, AsyncIterable):
            async for piece in self._content:
                yield piece
            return
        coming = self.pieces()
        while True:
            following = await asyncio.to_thread(_following, coming)
            if following is None:
                return
            yield following


def _following(coming: Iterator[bytes]) -> bytes | None:
    return next(coming, None)
