"""The time stamp of a line of a log: a date with a time where loggers write it, never one of which a message speaks.

That is the start of the line, where nothing stands before it but what is usual there: brackets, a level, the name of a stream,
a container or a test. Records have it in a member.
"""

import re
from typing import Final, Literal, NamedTuple

from evidence_store.documents.shown import ANSI
from evidence_store.summaries.noise import TIME

StampKind = Literal["start", "record", "pair"]
KINDS: Final[tuple[StampKind, ...]] = ("start", "record", "pair")
"""Where it stands, the surest first: at the start of the line, in a member of a JSON object, in `time=…`."""

_ANSI: Final = re.compile(ANSI)
_TIME: Final = f"(?P<time>{TIME.pattern})"
_NAME: Final = r"(?i:@?timestamp|time|ts|t|date|datetime|asctime|event_?time|log_?time)"
_LEVEL: Final = (
    r"(?i:trace|debug|verbose|info|information|notice|warn|warning|error|err|severe|fatal|critical|crit|panic|alert|emerg)|[TDVIWEFCA]"
)
_BEFORE: Final = (
    r"(?:"
    rf"[\[(<]?(?:{_LEVEL})[\])>]?:?(?![\w.])"
    r"|\[[^\s\[\]]{1,80}+\]:?"  # [main], [pod/web-1/nginx]
    r"|<[0-9]{1,3}>(?:1 )?"  # the priority of syslog, and its version
    r"|(?:stdout|stderr)(?: [FP])?:?"
    r"|[\w./-]{1,80}+ {0,40}+\|"  # docker compose
    r"|[\w./-]{1,80}?\.[a-z]{1,4}:[0-9]{1,6}:"  # t.Log
    r"|[-*>#|]"
    r")"
)
_PATTERNS: Final[dict[StampKind, re.Pattern[str]]] = {
    # [task 2026-01-01T10:00:00Z] of Taskcluster has a word in its brackets.
    "start": re.compile(rf"[ \t]*+(?:{_BEFORE}[ \t]*+){{0,4}}[\[(<\"']{{0,2}}(?:(?<=\[)[a-z][\w:.-]{{0,40}} )?{_TIME}", re.ASCII),
    "record": re.compile(rf"[ \t]*+\{{.*?\"{_NAME}\" ?: ?\"{_TIME}", re.ASCII),
    "pair": re.compile(rf"(?:[\w.-]{{1,40}}+=(?:\"[^\"]*+\"|[^\s\"]*+)\s++)*?{_NAME}=\"?{_TIME}", re.ASCII),
}


class Stamp(NamedTuple):
    kind: StampKind
    text: str
    """As it is written."""


def stamp_of(head: str) -> Stamp | None:
    """The stamp in the beginning of a line."""
    plain = _ANSI.sub("", head) if "\x1b" in head else head
    if not TIME.search(plain):
        return None
    for kind, pattern in _PATTERNS.items():
        found = pattern.match(plain)
        if found is not None:
            return Stamp(kind, found["time"])
    return None
