"""What a command prints. With `--json`, stdout holds one JSON value, or nothing when the command failed."""

import sys
from collections.abc import Iterable

import orjson

from api.errors import error_object
from api.presenters import Json, dumps
from evidence_store.errors import EvidenceStoreError, JsonValue
from evidence_store.model import Packet

CLEARED = "\r\033[K"
"""To the beginning of the line, and nothing left of it."""


class Output:
    def __init__(self, *, json: bool) -> None:
        self.json = json
        self.on_terminal = not json and sys.stderr is not None and sys.stderr.isatty()
        """Whether progress is shown."""
        self._has_progress = False

    def progress(self, text: str) -> None:
        """One line that changes, on a terminal; nowhere else anything."""
        if self.on_terminal:
            sys.stderr.write(f"{CLEARED}{text}")
            sys.stderr.flush()
            self._has_progress = True

    def _end_progress(self) -> None:
        if self._has_progress:
            sys.stderr.write(CLEARED)
            sys.stderr.flush()
            self._has_progress = False

    def value(self, value: Json, text: str) -> None:
        """The result, as JSON or as text for people."""
        self.bytes(dumps(value) if self.json else text.encode("utf-8", "replace"))

    def bytes(self, data: bytes) -> None:
        """Bytes as they are, whatever the locale."""
        self._end_progress()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def note(self, text: str) -> None:
        """Talk, for people."""
        self._end_progress()
        sys.stderr.write(text.encode("utf-8", "replace").decode("utf-8") + "\n")

    def error(self, error: EvidenceStoreError) -> None:
        """One line: what, where and what to do."""
        shown = _with_option(error_object(error))
        if self.json:
            sys.stderr.buffer.write(dumps(_plain(shown)))
            sys.stderr.buffer.flush()
            return
        helps = [f"{name}: {orjson.dumps(_plain(value)).decode()}" for name, value in shown.items() if name not in ("code", "message")]
        self.note(f"evidence: {shown['message']}" + (f" ({'; '.join(helps)})" if helps else ""))


def _with_option(shown: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """What to do in options, where the error itself speaks to models, too, which have none."""
    known = shown.get("known")
    if shown["code"] != "no_structure" or not isinstance(known, list):
        return shown
    formats = " or ".join(f"--format {one}" for one in known)
    return shown | {"message": f"{shown['message']}; to read it otherwise put it under another name with {formats}"}


def _plain(value: object) -> Json:
    """Values of error details, which may be any Mapping or Sequence, as plain containers."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if isinstance(value, int | bool) or value is None else str(value)


def packets_text(packets: Iterable[Packet]) -> str:
    """Packets for people: the form that a model reads, too, with options where that has arguments (docs/formats/packet-text.md)."""
    from projector import format_packet_in_options  # start-up cost: `evidence resources` shows none

    return "".join(map(format_packet_in_options, packets))
