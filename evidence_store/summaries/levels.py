"""The level of a line of a log: the first word in its beginning that names one, in the forms in which logs write them.

A mark of failure in the beginning makes a line an error, whatever level it names beside: a failed test is often logged as INFO.
Words that only speak of errors are none: `0 errors`, `no error`, `error_handler.py`, `--fail-on-error`, `error: none`.
"""

import re
from typing import Final

LOOKED_AT_CHARS: Final = 240
"""Beginning of a line in which its level is looked for; in a line that is a JSON object, its member is looked for in all that is kept."""
LEVELS: Final = ("fatal", "error", "warning", "notice", "info", "debug", "trace")
_WORDS: Final = {
    "fatal": ("fatal", "critical", "crit", "panic", "emerg", "emergency", "alert", "fata", "pani", "ftl", "f", "a", "c"),
    "error": ("error", "err", "severe", "erro", "fail", "e"),
    "warning": ("warning", "warn", "wrn", "w"),
    "notice": ("notice",),
    "info": ("info", "inf", "information", "i"),
    "debug": ("debug", "verbose", "fine", "dbg", "dbug", "debu", "d", "v"),
    "trace": ("trace", "trac", "trce", "vrb"),
}
_NAMES: Final = {word: level for level, words in _WORDS.items() for word in words}
_SEVERITIES: Final = ("fatal", "fatal", "fatal", "error", "warning", "notice", "info", "debug")
"""By the severity of syslog (RFC 5424, section 6.2.1)."""
_NUMBERED: Final = {10: "trace", 20: "debug", 30: "info", 40: "warning", 50: "error", 60: "fatal"}
"""As pino and bunyan write them."""

_SIGNS: Final = (
    "TEST-", "PROCESS-CRASH", "Traceback", "fatal error", "[error]", "::error", "panic", "ERR!", "npm error", "in thread", "FAIL",
    "terminate called", "Segmentation fault", "make", "error ", "error[",
)  # fmt: skip
"""A line without any of these holds no mark of failure; to look for them is cheap."""
_FAILURE: Final = re.compile(
    r"\bTEST-UNEXPECTED-|\bPROCESS-CRASH\b|\bTraceback \(most recent call last\)|\bfatal error:"
    r"|(?:^|\s)##\[error\]|(?:^|\s)::error(?: [^:]*)?::"
    r"|^panic: |\bthread '[^']*' panicked at\b|\bKernel panic - |\bException in thread \"|^terminate called |\bSegmentation fault\b"
    r"|(?:^|\s)npm (?:ERR!|error\b)"
    r"|^\s*--- FAIL: |^(?:::group::)?FAIL(?:$|\s)|^\s+FAIL \S|^FAILED \S+::"
    r"|\bmake(?:\[[0-9]+\])?: \*\*\* "
    r"|\berror (?:[A-Z]{1,6}[0-9]{3,5})\b|^error\[E[0-9]{4}\]: ",
    re.ASCII,
)
_LEVEL: Final = re.compile(
    # What only speaks of errors, which is passed over.
    r"(?i:\b(?:no|zero|without|without any)(?: more| further| other| new| fatal)? (?:error|warning|panic)s?\b)"
    r"|(?<![\w:.,])0 (?:error|warning)s?\b|(?<![\w-])--[A-Za-z][\w-]*[= ]\w+|\b[A-Z_]*LOG_?LEVEL=\w+"
    r"|(?<![\w./-])(FATAL|CRITICAL|PANIC|SEVERE|ERROR|WARNING|WARN|NOTICE|INFO|DEBUG|TRACE|VERBOSE)(?![\w/-]|\.\w)"
    r"|(?<![\w-])(?i:(?:level|levelname|lvl|severity)\"?\s?[:=]\s?\"?"
    r"(fatal|critical|crit|panic|emergency|emerg|alert|error|err|warning|warn|notice|information|info|debug|trace)\b)"
    r"|(?P<bracket>(?i:[\[<](?:[\w.-]{1,40}:)?"
    r"(?P<inside>fatal|critical|crit|panic|emerg|alert|severe|error|err|warning|warn|notice|info|debug|trace)[\]>]))"
    r"|(?:(?<=[0-9MZ|\]] )|(?<=\[))(FTL|ERR|WRN|INF|DBG|VRB)(?=[\s\]|:])"
    r"|\b(FATA|PANI|ERRO|DEBU|TRAC)\[[0-9]+\]"
    r"|(?<![\w\])])\[([EFWIDCV])(?:\](?=[\s:]|$)| [0-9]{6} )"
    r"|^(?:[0-9-]{5,10} [0-9:.]{8,15} )?([EFWIDVA])/[\w.$-]+ ?(?:\( *[0-9]+\))?(?=:|$|\s)(?<!^I/O)"
    r"|^[0-9]{2}-[0-9]{2} [0-9:.]{12} +[0-9]+ +[0-9]+ ([EFWIDVA]) "
    r"|(?:^|(?<=\s))([EFWI])[0-9]{4} [0-9]{2}:[0-9]{2}:"
    r"|^(fail|crit|warn|info|dbug|trce): "
    r"|(?P<quotable>(?:^|(?<=[\s:\]]))(?i:(?:fatal|panic|error|err|warning|warn)"
    r"(?=:\s)(?!:\s+[\"']?(?:(?:0|none|null|nil|no errors?|false|ok|success)\b|<nil>)))"
    r"|^\s*(?i:(?:fatal|error|err|warning)(?=:$))"
    r"|(?:^|(?<=[\s|:\]]))(?:[A-Za-z_]\w*[.$])*[A-Z]\w*(?:Error|Exception)(?=: |:$)"
    r"|^(?:[A-Za-z_]\w*[.$])*[A-Z]\w*(?:Error|Exception)$)"
    r"|(?P<exit>^exit status|\bexit(?:ed with)? (?:code|status)|\bexited with|\bnon-zero exit status)(?P<code>[:=]? -?[0-9]+)\b",
    re.ASCII,
)
_USUAL: Final = re.compile(
    r"(?:\[?[a-z]*+ ?[0-9][0-9T:.,+Z-]*+\]?\s++(?:[-|]\s++)?)*\[?"
    r"(FATAL|CRITICAL|SEVERE|ERROR|WARNING|WARN|NOTICE|INFO|DEBUG|TRACE)(?![\w/-]|\.\w)",
    re.ASCII,
)
"""A level behind nothing but times: what most lines begin with, and much faster than to look everywhere."""
_PRIORITY: Final = re.compile(r"<([0-9]{1,3})>", re.ASCII)
_MEMBER: Final = re.compile(
    r"\"(?:@?level|levelname|loglevel|log_level|log\.level|lvl|severity)\"\s*:\s*(?:\"([A-Za-z]{1,20})\"|([1-6]0)\b)", re.ASCII
)
_STATUS: Final = re.compile(r"\"status\": ?\"(?:FAIL|ERROR|TIMEOUT|CRASH|PASS)\"", re.ASCII)
"""A record of mozlog that tells what was expected beside the status: it does so where they differ."""


def level_of(line: str) -> str | None:
    """One of `LEVELS`; None for a line that names none."""
    head = line[:LOOKED_AT_CHARS]
    for sign in _SIGNS:
        if sign in head:
            if _FAILURE.search(head):
                return "error"
            break
    if head[:1] == "{" and (told := _of_record(line)) is not None:
        return told
    if head[:1] == "<" and (priority := _PRIORITY.match(head)) and int(priority[1]) < 192:
        return _SEVERITIES[int(priority[1]) % 8]
    usual = _USUAL.match(head)
    if usual is not None:
        return _NAMES[usual[1].lower()]
    found = _LEVEL.search(head)
    while found is not None:
        level = _level(head, found)
        if level is not None:
            return level
        found = _LEVEL.search(head, found.end())
    return None


def _level(head: str, found: re.Match[str]) -> str | None:
    """None for what is passed over."""
    if found["code"]:
        return None if int(found["code"].lstrip(":= ")) == 0 else "error"
    if found["quotable"] or found["bracket"]:
        # Within a string it is a text that speaks of an error, such as the line of a script or of a program that is shown.
        if head[:1] != "{" and head.count('"', 0, found.start()) % 2:
            return None
        return _NAMES.get((found["inside"] or found[0].strip()).lower(), "error")
    index = found.lastindex
    return None if index is None else _NAMES[found[index].lower()]


def _of_record(line: str) -> str | None:
    found = _MEMBER.search(line)
    if found is None:
        return "error" if '"expected"' in line and _STATUS.search(line) else None
    return _NAMES.get(found[1].lower()) if found[1] else _NUMBERED[int(found[2])]
