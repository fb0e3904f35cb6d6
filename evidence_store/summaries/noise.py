"""What differs in every run: times, durations, addresses, process ids. Lines that are equal but for these are one, repeated.

The rules are those of `diff` of logs, spelled here once more: a stored summary must be replayed by the rules that it was made by,
also when `diff` learns new ones. A test holds both together; on the day they part, this is `summary/log/2`.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

Fold = Callable[[str], str]
MAX_PROCESSES: Final = 100
_PROCESS: Final = re.compile(r"(?i)\bpid[ =:]+([0-9]+)", re.ASCII)
_WHOLE_NUMBER: Final = re.compile(r"(?<![0-9.])[0-9]+(?![0-9.])", re.ASCII)
TIME: Final = re.compile(
    r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?", re.ASCII
)
_RULES: Final = (
    ("time", ":", TIME),
    ("time", ":", re.compile(r"\b[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?\b", re.ASCII)),
    ("address", "0x", re.compile(r"\b0x[0-9a-fA-F]{4,16}\b", re.ASCII)),
    ("duration", "s", re.compile(r"\b[0-9]+(?:\.[0-9]+)? ?(?:ns|us|ms|s|sec|seconds)\b", re.ASCII)),
)
"""Name, a sign without which a line need not be looked through, and what is replaced; in this order."""


def noise_of(lines: Sequence[str]) -> Fold:
    """Gives a line with what is noise replaced by the name of its rule; process ids are those that some line names."""
    ids = {found for line in lines if "pid" in line.lower() for found in _PROCESS.findall(line)}
    # The longest first, and of equal length in order: where there are more than a hundred, they are always the same hundred.
    named = frozenset(sorted(sorted(ids), key=len, reverse=True)[:MAX_PROCESSES])

    def fold(line: str) -> str:
        for rule, sign, pattern in _RULES:
            if sign in line:
                line = pattern.sub(f"\0{rule}\0", line)
        return _WHOLE_NUMBER.sub(lambda found: "\0process\0" if found[0] in named else found[0], line) if named else line

    return fold
