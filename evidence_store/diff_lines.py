"""What changed between two logs, line by line, with what differs in every run told apart.

Two lines that are equal but for times, durations, process ids and addresses are *noise*: they are counted by rule and are
no pair. The size is bounded, and so is the time (`align`).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evidence_store.align import Block, equal_blocks
from evidence_store.deadline import unbounded, watched
from evidence_store.errors import LimitExceeded
from evidence_store.model import LineRange

MAX_LINES = 20_000
"""Lines of either side between their equal beginnings and ends."""

_PROCESS = re.compile(rb"(?i)\bpid[ =:]+([0-9]+)")


@dataclass(frozen=True, slots=True)
class LinePair:
    """A block of lines that changed. `old` or `new` is None where lines were added or removed."""

    change: Literal["added", "removed", "changed"]
    old: LineRange | None
    new: LineRange | None


@dataclass(frozen=True, slots=True)
class LineDiff:
    pairs: tuple[LinePair, ...]
    more: bool
    noise: Mapping[str, int]
    """Rule to the number of line pairs that differ by it."""


_RULES: tuple[tuple[str, re.Pattern[bytes]], ...] = (
    ("time", re.compile(rb"\b[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?")),
    ("time", re.compile(rb"\b[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?\b")),
    ("address", re.compile(rb"\b0x[0-9a-fA-F]{4,16}\b")),
    ("duration", re.compile(rb"\b[0-9]+(?:\.[0-9]+)? ?(?:ns|us|ms|s|sec|seconds)\b")),
)


def diff_lines(old: bytes, new: bytes, limit: int | None = None, watch: Callable[[], None] = unbounded) -> LineDiff:
    """Blocks of lines that differ beyond noise. Raises LimitExceeded where too much differs to be aligned.

    `watch` is called now and then, and raises what ends the work.
    """
    sides = _Side(old, watch), _Side(new, watch)
    noise: Counter[str] = Counter()
    pairs = []
    for pair in _iter_pairs(*sides, noise):
        pairs.append(pair)
    return LineDiff(tuple(pairs[:limit]), limit is not None and len(pairs) > limit, dict(sorted(noise.items())))


class _Side:
    """The lines of one log as they are, and with what is noise replaced by the name of its rule."""

    def __init__(self, raw: bytes, watch: Callable[[], None]) -> None:
        self.lines = raw.split(b"\n")
        if self.lines[-1] == b"":
            self.lines.pop()
        replace = _rules(raw)
        self.steady = [replace(line) for line in watched(self.lines, watch)]


def _rules(raw: bytes) -> Callable[[bytes], bytes]:
    # A process id is known from a line that says `pid N`, and then wherever the number stands alone.
    ids = sorted(set(_PROCESS.findall(raw)), key=len, reverse=True)[:100]
    process = re.compile(rb"(?<![0-9.])(?:" + b"|".join(ids) + rb")(?![0-9.])") if ids else None

    def replace(line: bytes) -> bytes:
        for name, pattern in _RULES:
            line = pattern.sub(b"\x00" + name.encode("ascii") + b"\x00", line)
        return process.sub(b"\x00process\x00", line) if process else line

    return replace


def _iter_pairs(old: _Side, new: _Side, noise: Counter[str]) -> Iterator[LinePair]:
    n_shared = min(len(old.steady), len(new.steady))
    n_head = next((n for n in range(n_shared) if old.steady[n] != new.steady[n]), n_shared)
    n_tail = next((n for n in range(n_shared - n_head) if old.steady[-1 - n] != new.steady[-1 - n]), n_shared - n_head)
    old_end, new_end = len(old.steady) - n_tail, len(new.steady) - n_tail
    if max(old_end, new_end) - n_head > MAX_LINES and min(old_end, new_end) > n_head:
        raise LimitExceeded(f"more than {MAX_LINES} lines stand between the equal ends of the two logs", {"limit": MAX_LINES})
    _count_noise(noise, old.lines[:n_head], new.lines[:n_head], old.steady[:n_head])
    _count_noise(noise, old.lines[old_end:], new.lines[new_end:], old.steady[old_end:])
    equal = equal_blocks(old.steady[n_head:old_end], new.steady[n_head:new_end])
    old_at, new_at = n_head, n_head
    for block in (*equal, Block(old_end - n_head, new_end - n_head, 0)):
        old_lines, new_lines = slice(old_at, n_head + block.old), slice(new_at, n_head + block.new)
        if old_lines.start < old_lines.stop or new_lines.start < new_lines.stop:
            yield _pair(old_lines, new_lines)
        old_at, new_at = n_head + block.old_end, n_head + block.new_end
        same = slice(n_head + block.old, old_at)
        _count_noise(noise, old.lines[same], new.lines[n_head + block.new : new_at], old.steady[same])


def _pair(old: slice, new: slice) -> LinePair:
    mine = LineRange(old.start + 1, old.stop) if old.start < old.stop else None
    its = LineRange(new.start + 1, new.stop) if new.start < new.stop else None
    return LinePair("added" if mine is None else "removed" if its is None else "changed", mine, its)


def _count_noise(noise: Counter[str], old: Sequence[bytes], new: Sequence[bytes], steady: Sequence[bytes]) -> None:
    for mine, its, same in zip(old, new, steady, strict=True):
        if mine != its:
            noise.update({name.decode("ascii") for name in re.findall(rb"\x00([a-z]+)\x00", same)})
