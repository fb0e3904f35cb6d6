"""`log`: lines, levels, the first and last error, and what repeats, folded by the noise rules of `diff`.

A line's level is the first word in its beginning that names one; a mark of failure anywhere in the beginning makes it an error.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evidence_store.documents.shown import ANSI
from evidence_store.model import Format
from evidence_store.summaries.model import Material, Subject, Summarizer, not_of_kind
from evidence_store.summaries.noise import TIME, noise_of
from evidence_store.summaries.wording import counted, line_text, section

KIND: Final = "log"
MAX_ERRORS: Final = 10
MAX_REPEATS: Final = 10
LOOKED_AT_CHARS: Final = 240
"""Beginning of a line in which its level is looked for."""
FOLDED_CHARS: Final = 1_000
"""Beginning of a line by which it is told from others."""
LEVELS: Final = ("fatal", "error", "warning", "notice", "info", "debug", "trace")
_NAMES: Final = {
    "fatal": "fatal", "critical": "fatal", "crit": "fatal", "panic": "fatal", "emerg": "fatal", "alert": "fatal",
    "severe": "error", "error": "error", "err": "error", "warning": "warning", "warn": "warning", "notice": "notice",
    "info": "info", "debug": "debug", "trace": "trace", "verbose": "debug", "fine": "debug",
    "e": "error", "f": "fatal", "w": "warning", "i": "info",
}  # fmt: skip
_LEVEL: Final = re.compile(
    r"(?<![\w./-])(FATAL|CRITICAL|PANIC|SEVERE|ERROR|WARNING|WARN|NOTICE|INFO|DEBUG|TRACE|VERBOSE)(?![\w/-])"
    r"|(?i:\b(?:level|lvl|severity)\"?\s?[:=]\s?\"?(fatal|critical|crit|panic|emerg|alert|error|err|warning|warn|notice|info|debug|trace)\b)"
    r"|(?i:[\[<(](fatal|critical|crit|panic|severe|error|err|warning|warn|notice|info|debug|trace)[\]>)])"
    r"|(?:^|(?<=[\s:\]]))(?i:(fatal|panic|error|warning))(?=:[\s]|:$)"
    r"|^([EFWI])[0-9]{4} [0-9]{2}:[0-9]{2}:",
    re.ASCII,
)
_FAILURE: Final = re.compile(
    r"\bTEST-UNEXPECTED-|\bPROCESS-CRASH\b|^Traceback \(most recent call last\)|\bfatal error:|^##\[error\]|^::error\b|^panic: ", re.ASCII
)
_ANSI: Final = re.compile(ANSI)


@dataclass(slots=True)
class _Same:
    """Lines that are equal but for noise."""

    first: int
    last: int
    n: int
    is_error: bool


class _Log:
    """One reading of all lines."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.levels: dict[str, int] = dict.fromkeys(LEVELS, 0)
        self.n_blank = 0
        self.errors: list[int] = []
        """1-based lines."""
        self.same: dict[str, _Same] = {}

    def read(self) -> None:
        fold = noise_of(self.lines)
        for number, raw in enumerate(self.lines, 1):
            line = _ANSI.sub("", raw[: 2 * FOLDED_CHARS]) if "\x1b" in raw else raw
            line = line.removesuffix("\r")
            if not line or line.isspace():
                self.n_blank += 1
                continue
            level = level_of(line)
            if level is not None:
                self.levels[level] += 1
            is_error = level in ("fatal", "error")
            if is_error:
                self.errors.append(number)
            self._count(fold(line[:FOLDED_CHARS]), number, is_error)

    def _count(self, folded: str, number: int, is_error: bool) -> None:
        known = self.same.get(folded)
        if known is None:
            self.same[folded] = _Same(number, number, 1, is_error)
        else:
            known.last = number
            known.n += 1

    def text(self, number: int) -> str:
        return line_text(self.lines[number - 1])


def level_of(line: str) -> str | None:
    """One of `LEVELS`; None for a line that names none."""
    head = line[:LOOKED_AT_CHARS]
    if _FAILURE.search(head):
        return "error"
    found = _LEVEL.search(head)
    return _NAMES[next(group for group in found.groups() if group).lower()] if found else None


def summarize(material: Material) -> str:
    """Raises InvalidInput (`no_summary`) for bytes that are no text."""
    if material.format is Format.BYTES:
        raise not_of_kind(KIND, "the bytes are no text")
    log = _Log(material.lines)
    log.read()
    return _head(log, len(material.raw)) + _ends(log) + _errors(log) + _repeats(log)


def _head(log: _Log, n_bytes: int) -> str:
    n_lines = len(log.lines)
    named = [f"{level} {n}" for level, n in log.levels.items() if n]
    n_named = sum(log.levels.values())
    none = n_lines - log.n_blank - n_named
    levels = ", ".join([*named, f"none {none}"]) if named else "none named"
    return f"{KIND}: {counted(n_lines, 'line')} ({log.n_blank} blank), {counted(n_bytes, 'byte')}\nlevels: {levels}\n{_times(log.lines)}"


def _times(lines: Sequence[str]) -> str:
    """The first and the last line with a date and time in its beginning."""
    first = _timed(lines, range(len(lines)))
    last = _timed(lines, range(len(lines) - 1, -1, -1))
    return "" if first is None or last is None else f"times: {first} to {last}\n"


def _timed(lines: Sequence[str], order: range) -> str | None:
    for at in order[:10_000]:
        found = TIME.search(_ANSI.sub("", lines[at][:LOOKED_AT_CHARS]))
        if found:
            return f"{found[0]} (line {at + 1})"
    return None


def _ends(log: _Log) -> str:
    if not log.errors:
        return ""
    first, last = log.errors[0], log.errors[-1]
    text = f"first error: line {first}: {log.text(first)}\n"
    return text if first == last else f"{text}last error: line {last}: {log.text(last)}\n"


def _errors(log: _Log) -> str:
    """Errors that differ, in the order in which they first stand."""
    found = [same for same in log.same.values() if same.is_error]
    if len(found) < 2:
        return ""
    title = f"errors, {len(log.errors)} lines, {len(found)} different:"
    return section(title, [_same_line(log, same) for same in found[:MAX_ERRORS]], MAX_ERRORS, len(found))


def _repeats(log: _Log) -> str:
    """What stands most often, the first line of each as it is."""
    found = sorted((same for same in log.same.values() if same.n > 1), key=lambda same: (-same.n, same.first))
    n_folded = sum(same.n for same in found)
    title = f"repeated but for times, durations, addresses and process ids, {n_folded} lines, {len(found)} different:"
    return section(title, [_same_line(log, same) for same in found[:MAX_REPEATS]], MAX_REPEATS, len(found))


def _same_line(log: _Log, same: _Same) -> str:
    where = f"line {same.first}" if same.n == 1 else f"×{same.n}, lines {same.first} to {same.last}"
    return f"{where}: {log.text(same.first)}"


def applies(subject: Subject) -> bool:
    return subject.format is Format.TEXT


LOG: Final = Summarizer(KIND, summarize, applies)
