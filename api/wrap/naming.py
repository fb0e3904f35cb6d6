"""What our tools are called beside those of others: a name that another tool has is that tool's, and ours goes by a longer one.

    search          with nothing else of the name
    evidence_search beside a tool `search` of others

The texts that name our tools are spelled so, too (`respelled`). A name that was given away once stays so.
"""

import re
from collections.abc import Container, Iterable, Mapping
from threading import Lock

from api.tools.definitions import BY_NAME

PREFIX = "evidence_"
_NAMED = re.compile(r"^(read|find|summary): ([a-z_]+) \{.*\}\n", re.MULTILINE)
_SAID = re.compile(r"^message: ([a-z_]+)(?=: | takes no )", re.MULTILINE)
"""At the beginning of a line: there no text of a source stands (docs/formats/packet-text.md)."""
_MOST_NAMED = 3
"""Calls that a text of ours names: of its summary, of a place, of a search."""


def free_name(own: str, taken: Container[str]) -> str:
    """The name of ours, or the next one of the kind that nobody has."""
    while own in taken:
        own = PREFIX + own
    return own


def respelled(text: str, names: Mapping[str, str | None]) -> str:
    """A text of ours with the calls that it names under other names. A call whose name is None cannot be made, and its line goes."""

    def named(found: "re.Match[str]") -> str:
        name = names.get(found[2], found[2])
        return "" if name is None else f"{found[1]}: {name}{found[0][len(found[1]) + 2 + len(found[2]) :]}"

    return _SAID.sub(lambda found: f"message: {names.get(found[1]) or found[1]}", _NAMED.sub(named, text))


class OwnNames:
    """The names of our tools beside those that are told to it. Threads may share it."""

    def __init__(self) -> None:
        self._taken: frozenset[str] = frozenset()
        self._lock = Lock()

    def take(self, names: Iterable[str]) -> None:
        """These are names of other tools from now on."""
        taken = {name for name in names if _plain(name) in BY_NAME}
        if not taken <= self._taken:
            with self._lock:
                self._taken |= taken

    def of(self, own: str) -> str:
        """What one of our tools is called."""
        return free_name(own, self._taken)

    def find_own(self, name: str) -> str | None:
        """Which of our tools goes by a name, or went by it once; None for a tool of others."""
        plain = _plain(name)
        return plain if plain in BY_NAME and name not in self._taken else None

    def spelled(self, text: str) -> str:
        """A text of ours with our tools under their names."""
        return respelled(text, {own: self.of(own) for own in BY_NAME}) if self._taken else text

    def room_in(self, n_tokens: int) -> int:
        """What of a room is left for a text that `spelled` makes longer; no text has more tokens than bytes."""
        longer = max((len(self.of(own)) - len(own) for own in BY_NAME), default=0) if self._taken else 0
        return n_tokens - _MOST_NAMED * longer


def _plain(name: str) -> str:
    while name.startswith(PREFIX):
        name = name[len(PREFIX) :]
    return name
