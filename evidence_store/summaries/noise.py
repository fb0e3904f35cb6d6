"""What differs in every run: times, durations, addresses, process ids. Lines that are equal but for these are one, repeated.

The rules are those of `diff` of logs, spelled here once more: a stored summary must be replayed by the rules that it was made by,
also when `diff` learns new ones. A test holds both together; on the day they part, this is `summary/log/2`.
"""

import re
from collections.abc import Callable, Iterable
from typing import Final

Fold = Callable[[str], str]
MAX_PROCESSES: Final = 100
_HELD_IDS: Final = 10_000
"""Process ids that are held before those that cannot be among the `MAX_PROCESSES` are let go."""
_PROCESS: Final = re.compile(r"(?i)\bpid[ =:]+([0-9]+)", re.ASCII)
# Each pattern begins with a digit and looks back over it: so it is looked for at digits only, which is twice as fast as `\b`.
_START: Final = r"[0-9](?<!\w[0-9])"
_WHOLE_NUMBER: Final = re.compile(r"[0-9](?<![0-9.][0-9])[0-9]*(?![0-9.])", re.ASCII)
TIME: Final = re.compile(
    _START + r"[0-9]{3}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?", re.ASCII
)
_RULES: Final = (
    ("time", ":", TIME),
    ("time", ":", re.compile(_START + r"[0-9]:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?\b", re.ASCII)),
    ("address", "0x", re.compile(r"0x(?<!\w0x)[0-9a-fA-F]{4,16}\b", re.ASCII)),
    ("duration", "s", re.compile(_START + r"[0-9]*(?:\.[0-9]+)? ?(?:ns|us|ms|s|sec|seconds)\b", re.ASCII)),
)
"""Name, a sign without which a line need not be looked through, and what is replaced; in this order."""


def noise_of(lines: Iterable[str]) -> Fold:
    """Gives a line with what is noise replaced by the name of its rule; process ids are those that some line names."""
    named = _process_ids(lines)
    rules = [(sign, pattern, f"\0{rule}\0") for rule, sign, pattern in _RULES]

    def fold(line: str) -> str:
        for sign, pattern, shown in rules:
            if sign in line:
                line = pattern.sub(shown, line)
        return _WHOLE_NUMBER.sub(lambda found: "\0process\0" if found[0] in named else found[0], line) if named else line

    return fold


def _process_ids(lines: Iterable[str]) -> frozenset[str]:
    ids: set[str] = set()
    for line in lines:
        if "pid" in line.lower():
            ids.update(_PROCESS.findall(line))
            if len(ids) > _HELD_IDS:
                ids = set(_longest(ids))
    return frozenset(_longest(ids))


def _longest(ids: set[str]) -> list[str]:
    """The longest first, and of equal length in order: where there are more than a hundred, they are always the same hundred."""
    return sorted(sorted(ids), key=len, reverse=True)[:MAX_PROCESSES]
