"""Taking in what a tool gives: a value at once, or a stream piece by piece, with bounded memory.

Of a stream the items are kept while they may still pass unchanged; beyond that there is the spool alone.
"""

from api.tools.context import ToolAnswer
from api.wrap.forms import JSON_LINES, encode, json_text
from api.wrap.result import WrappedResult
from api.wrap.spool import Spool

_LINE_END = b"\n"


class Received:
    """What came of a call so far. Close it."""

    def __init__(self, max_bytes: int, kept_bytes: int | None) -> None:
        """`max_bytes` may come at all; items of up to `kept_bytes` (None: all) are kept as they are."""
        self.spool = Spool(max_bytes)
        self.media_type: str | None = None
        self.beside: tuple[object, ...] = ()
        self.is_error = False
        self._kept_bytes = kept_bytes
        self._items: list[object] | None = []
        self._value: object = None

    def take(self, value: object) -> None:
        """All of a result. Raises LimitExceeded (`too_large`)."""
        self._value, self._items = value, None
        if isinstance(value, ToolAnswer | WrappedResult):
            return  # ours: it is in the store already
        encoded = encode(value)
        self.spool.write(encoded.raw)
        self.media_type, self.beside, self.is_error = encoded.media_type, encoded.beside, encoded.is_error

    def add(self, item: object) -> None:
        """The next item of a stream: text and bytes are joined, anything else is a JSON line. Raises LimitExceeded (`too_large`)."""
        if isinstance(item, str | bytes | bytearray | memoryview):
            self.spool.write(encode(item).raw)
        else:
            self.media_type = JSON_LINES
            self.spool.write(json_text(item).encode("utf-8", "surrogatepass") + _LINE_END)
        if self._items is not None and (self._kept_bytes is None or self.spool.size <= self._kept_bytes):
            self._items.append(item)
        else:
            self._items = None

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
        self.spool.close()
