"""Taking in what a tool gives: a value at once, or a stream piece by piece, with bounded memory.

Of a stream the items are kept while they may still pass unchanged; beyond that there is the spool alone.
"""

import inspect
from collections.abc import AsyncGenerator, AsyncIterable, Coroutine, Generator, Iterable, Iterator
from contextlib import aclosing, closing
from threading import Lock
from typing import Any

from api.tools.context import ToolAnswer
from api.wrap.forms import JSON_LINES, TEXT, Encoded, encode, json_text
from api.wrap.result import WrappedResult
from api.wrap.spool import Spool
from evidence_store.errors import EvidenceStoreError

_LINE_END = b"\n"


class Received:
    """What came of a call so far. Close it. May be ended while another thread fills it: that is then refused what it brings."""

    def __init__(self, max_bytes: int, kept_bytes: int | None) -> None:
        """`max_bytes` may come at all; items of up to `kept_bytes` (None: all) are kept as they are."""
        self.spool = Spool(max_bytes)
        self.media_type: str | None = None
        self.beside: tuple[object, ...] = ()
        self.is_error = False
        self.fault: EvidenceStoreError | None = None
        """Why what the tool gave could not be taken in: no fault of the tool's."""
        self._kept_bytes = kept_bytes
        self._items: list[object] | None = []
        self._value: object = None
        self._lock = Lock()
        self._has_ended = False

    def take(self, value: object) -> None:
        """All of a result. Raises LimitExceeded (`too_large`), StoreUnavailable, and TimeoutError where it comes too late."""
        is_ours = isinstance(value, ToolAnswer | WrappedResult)  # in the store already
        encoded = Encoded(b"") if is_ours else encode(value)
        with self._lock:
            self._write(encoded.raw)
            self._value, self._items = value, None
            self.media_type, self.beside, self.is_error = encoded.media_type, encoded.beside, encoded.is_error

    def add(self, item: object) -> None:
        """The next item of a stream: text and bytes are joined, anything else is a JSON line. Raises as `take`."""
        is_plain = isinstance(item, str | bytes | bytearray | memoryview)
        raw = encode(item).raw if is_plain else json_text(item).encode("utf-8", "surrogatepass") + _LINE_END
        with self._lock:
            before = self.media_type if self.spool.size else TEXT
            self._write(raw)
            self.media_type = _joined_type(before, item) if is_plain else JSON_LINES
            if self._items is not None and (self._kept_bytes is None or self.spool.size <= self._kept_bytes):
                self._items.append(item)
            else:
                self._items = None

    def end(self) -> None:
        """Nothing more is taken; what came stays."""
        with self._lock:
            self._has_ended = True

    def _write(self, raw: bytes) -> None:
        if self._has_ended:
            raise TimeoutError("nobody waits for this result any more")
        try:
            self.spool.write(raw)
        except EvidenceStoreError as why:
            self.fault = why
            raise

    @property
    def value(self) -> object:
        """The result as the tool gave it; of a stream its joined text or bytes, or the list of its items. None once it is not kept."""
        items = self._items
        if items is None:
            return self._value
        if all(isinstance(one, str) for one in items):
            return "".join(map(str, items))
        if all(isinstance(one, bytes | bytearray | memoryview) for one in items):
            return b"".join(bytes(one) for one in items if isinstance(one, bytes | bytearray | memoryview))
        return items

    def close(self) -> None:
        self.end()
        self.spool.close()


def _joined_type(before: str | None, item: object) -> str | None:
    """The media type of a stream with another text or bytes: with bytes among it, it is no text whose encoding is known."""
    return before if isinstance(item, str) or before == JSON_LINES else None


def take_all(received: Received, value: object) -> None:
    """Takes in what a synchronous tool gave; a generator is closed. Raises what a stream raises, and as `Received.take`."""
    if isinstance(value, Generator):
        with closing(value):
            _take_items(received, value)
    elif inspect.isawaitable(value) or isinstance(value, AsyncIterable):
        if isinstance(value, Coroutine):
            value.close()
        raise TypeError("an asynchronous tool was called as a synchronous one")
    elif isinstance(value, Iterator):
        _take_items(received, value)
    else:
        received.take(value)


def _take_items(received: Received, items: Iterable[object]) -> None:
    for item in items:
        received.add(item)


async def take_async(received: Received, value: Any) -> None:
    """The same of what is awaited, or streams asynchronously; anything else is taken as it is."""
    if isinstance(value, AsyncGenerator):
        async with aclosing(value):
            await _take_async_items(received, value)
    elif inspect.isawaitable(value):
        take_all(received, await value)
    elif isinstance(value, AsyncIterable):
        await _take_async_items(received, value)
    else:
        take_all(received, value)


async def _take_async_items(received: Received, items: AsyncIterable[object]) -> None:
    async for item in items:
        received.add(item)
