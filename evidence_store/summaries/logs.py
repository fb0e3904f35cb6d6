"""`log`: lines, levels, the first and last error, and what repeats, folded by the noise rules of `diff`.

The lines are read one by one, up to three times, and none is held but those that are shown: process ids first, since a line may
be named by one that stands further down; then all of the rest; then the lines that repeat, whose text and count are known by then.
"""

import re
from collections import deque
from collections.abc import Iterable
from typing import Final, NamedTuple

from evidence_store.documents.shown import ANSI
from evidence_store.model import Format
from evidence_store.summaries.levels import LEVELS, LOOKED_AT_CHARS, level_of
from evidence_store.summaries.model import MAX_BYTES, TEXTS, Material, Subject, Summarizer, not_of_kind
from evidence_store.summaries.noise import Fold, noise_of
from evidence_store.summaries.repeats import Repeats, Same, key_of
from evidence_store.summaries.stamps import KINDS, StampKind, stamp_of
from evidence_store.summaries.wording import counted, line_text, section

KIND: Final = "log"
MAX_ERRORS: Final = 10
MAX_REPEATS: Final = 10
FOLDED_CHARS: Final = 1_000
"""Beginning of a line by which it is told from others."""
MAX_DIFFERENT_ERRORS: Final = 100_000
"""Errors that differ and are counted."""
MAX_TIMED: Final = 10_000
"""Lines at either end among which the first and the last time are looked for."""
_ANSI: Final = re.compile(ANSI)


class _Line(NamedTuple):
    number: int
    text: str


class _Errors:
    """Errors in the order in which they stand: the first and the last, and the first of those that differ."""

    def __init__(self) -> None:
        self.n = 0
        self.first = self.last = _Line(0, "")
        self.shown: dict[str, tuple[_Line, Same]] = {}
        self._others: set[str | bytes] = set()
        self.is_open = False
        """Whether more differ than are counted."""

    def add(self, line: _Line, folded: str) -> None:
        self.n += 1
        self.last = line
        if self.n == 1:
            self.first = line
        known = self.shown.get(folded)
        if known is not None:
            known[1].add(line.number)
        elif len(self.shown) < MAX_ERRORS:
            self.shown[folded] = line, Same(line.number, line.number, 1)
        elif len(self._others) < MAX_DIFFERENT_ERRORS:
            self._others.add(key_of(folded))
        else:
            self.is_open = self.is_open or key_of(folded) not in self._others

    @property
    def n_different(self) -> int:
        return len(self.shown) + len(self._others)


class _Log:
    """One reading of all lines."""

    def __init__(self, fold: Fold) -> None:
        self._fold = fold
        self.levels: dict[str, int] = dict.fromkeys(LEVELS, 0)
        self.n_lines = self.n_blank = 0
        self.errors = _Errors()
        self.repeats = Repeats()
        self.first_times: dict[StampKind, str] = {}
        self._ends: deque[str] = deque(maxlen=MAX_TIMED)

    def read(self, lines: Iterable[str]) -> None:
        for raw in lines:
            self.n_lines += 1
            self._ends.append(raw[:LOOKED_AT_CHARS])
            if self.n_lines <= MAX_TIMED and KINDS[0] not in self.first_times:
                _keep_time(self.first_times, self._ends[-1], self.n_lines)
            line = _plain(raw)
            if not line or line.isspace():
                self.n_blank += 1
            else:
                self._look(line, raw)

    def _look(self, line: str, raw: str) -> None:
        level = level_of(line)
        folded = self._fold(line[:FOLDED_CHARS])
        if level is not None:
            self.levels[level] += 1
            if level in ("fatal", "error"):
                self.errors.add(_Line(self.n_lines, raw), folded)
        self.repeats.add(folded, self.n_lines)

    @property
    def last_times(self) -> dict[StampKind, str]:
        found: dict[StampKind, str] = {}
        for number, head in zip(range(self.n_lines, 0, -1), reversed(self._ends), strict=False):
            _keep_time(found, head, number)
            if KINDS[0] in found:
                break
        return found


def _plain(raw: str) -> str:
    """What a line says: without escape sequences; of a line that was drawn over at least twice, what stood there last."""
    line = _ANSI.sub("", raw[: 2 * FOLDED_CHARS]) if "\x1b" in raw else raw
    line = line.removesuffix("\r")
    return line.rpartition("\r")[2] if line.count("\r") > 1 else line


def _keep_time(known: dict[StampKind, str], head: str, number: int) -> None:
    """Takes the time stamp of a line, with its number, where there was none of its kind."""
    stamp = stamp_of(head)
    if stamp is not None:
        known.setdefault(stamp.kind, f"{stamp.text} (line {number})")


def _times(log: _Log) -> str:
    """From where to where, by stamps of one kind: the surest that there is at both ends."""
    first, last = log.first_times, log.last_times
    kind = next((kind for kind in KINDS if kind in first and kind in last), None)
    return "" if kind is None else f"times: {first[kind]} to {last[kind]}\n"


def summarize(material: Material) -> str:
    """Raises InvalidInput (`no_summary`) for bytes that are no text."""
    if material.format is Format.BYTES:
        raise not_of_kind(KIND, "the bytes are no text")
    fold = noise_of(material.iter_lines())
    log = _Log(fold)
    log.read(material.iter_lines())
    return _head(log, material.size) + _ends(log.errors) + _errors(log.errors) + _repeats(log, fold, material)


def _head(log: _Log, n_bytes: int) -> str:
    named = [f"{level} {n}" for level, n in log.levels.items() if n]
    none = log.n_lines - log.n_blank - sum(log.levels.values())
    levels = ", ".join([*named, f"none {none}"]) if named else "none named"
    return f"{KIND}: {counted(log.n_lines, 'line')} ({log.n_blank} blank), {counted(n_bytes, 'byte')}\nlevels: {levels}\n{_times(log)}"


def _ends(errors: _Errors) -> str:
    if not errors.n:
        return ""
    text = f"first error: line {errors.first.number}: {line_text(errors.first.text)}\n"
    return text if errors.n == 1 else f"{text}last error: line {errors.last.number}: {line_text(errors.last.text)}\n"


def _errors(errors: _Errors) -> str:
    """Errors that differ, in the order in which they first stand."""
    if errors.n_different < 2:
        return ""
    more = "more than " if errors.is_open else ""
    title = f"errors, {errors.n} lines, {more}{errors.n_different} different:"
    shown = [_same_line(line.text, same) for line, same in errors.shown.values()]
    if errors.is_open:
        return section(title, shown, MAX_ERRORS) + f"- and more than {errors.n_different - len(shown)} more\n"
    return section(title, shown, MAX_ERRORS, errors.n_different)


def _repeats(log: _Log, fold: Fold, material: Material) -> str:
    """What stands most often, the first line of each as it is."""
    most, repeats = log.repeats.most(MAX_REPEATS), log.repeats
    if not most:
        return ""
    lines = _recounted(most, fold, material) if repeats.is_cut else _first_lines(most, material)
    shown = [_same_line(text, same) for text, same in lines]
    title = "repeated but for times, durations, addresses and process ids"
    if repeats.is_cut:
        return section(f"{title}, the most frequent; more lines differ than are kept apart:", shown, MAX_REPEATS)
    return section(f"{title}, {repeats.n_lines} lines, {repeats.n_different} different:", shown, MAX_REPEATS, repeats.n_different)


def _first_lines(most: dict[str | bytes, Same], material: Material) -> list[tuple[str, Same]]:
    wanted = {same.first: "" for same in most.values()}
    last = max(wanted)
    for number, raw in enumerate(material.iter_lines(), 1):
        if number in wanted:
            wanted[number] = raw
        if number >= last:
            break
    return [(wanted[same.first], same) for same in most.values()]


def _recounted(most: dict[str | bytes, Same], fold: Fold, material: Material) -> list[tuple[str, Same]]:
    """The same lines counted from the beginning, in their new order."""
    found: dict[str | bytes, tuple[str, Same]] = {}
    for number, raw in enumerate(material.iter_lines(), 1):
        key = key_of(fold(_plain(raw)[:FOLDED_CHARS]))
        if key not in most:
            continue
        if key in found:
            found[key][1].add(number)
        else:
            found[key] = raw, Same(number, number, 1)
    return sorted(found.values(), key=lambda one: (-one[1].n, one[1].first))


def _same_line(text: str, same: Same) -> str:
    where = f"line {same.first}" if same.n == 1 else f"×{same.n}, lines {same.first} to {same.last}"
    return f"{where}: {line_text(text)}"


def applies(subject: Subject) -> bool:
    """Any text; a table too large to be read as a whole is summarized by its lines."""
    return subject.format is Format.TEXT or (subject.format in (Format.JSONL, Format.CSV) and subject.size > MAX_BYTES)


LOG: Final = Summarizer(KIND, summarize, applies, streamed=TEXTS)
