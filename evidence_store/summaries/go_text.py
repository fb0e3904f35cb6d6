"""The words for how tests ended: what failed first, tests before the tests in which they ran."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from evidence_store.summaries.wording import counted, line_text, name, section

MAX_FAILED: Final = 20
MAX_SKIPPED: Final = 5
MAX_SUITES: Final = 10
MESSAGE_CHARS: Final = 160


class Ended(NamedTuple):
    """A test, or a package as a whole (`name` empty); places are as they are shown."""

    package: str
    name: str
    started: str
    ended: str
    end: str
    """`pass`, `fail` or `skip`; empty where it did not end."""
    said_at: str
    said: str
    failed_at: str
    """Where an earlier run failed."""


def events_text(kind: str, found: Sequence[Ended], n_events: int, n_others: int, most: int | None) -> str:
    """`most`: how many were told apart, where there are more."""
    tests = [one for one in found if one.name]
    packages = [one for one in found if not one.name]
    ends = Counter(one.end for one in tests)
    broken = [_line(one) for one in packages if one.end == "fail"]
    unfinished = [f"{_name(one)} began at {one.started}{_said(one)}" for one in tests if not one.end]
    retried = [f"{_name(one)} failed at {one.failed_at}, passed at {one.ended}" for one in tests if one.end == "pass" and one.failed_at]
    skipped = [_line(one) for one in tests if one.end == "skip"]
    said = f"{ends['fail']} failed, {ends['skip']} skipped, {ends['pass']} passed, {ends['']} unfinished"
    others = f"; {counted(n_others, 'other line')} passed over" if n_others else ""
    looked = "" if most is None else f"; the first {most} tests and packages told apart"
    n_packages = len({one.package for one in found})
    where = f"in {counted(n_packages, 'package')}, {len(broken)} of them failed ({counted(n_events, 'event')}{others}{looked})"
    return (
        f"{kind}: {counted(len(tests), 'test')}, {said}, {where}\n"
        + section("failed:", _failed(tests), MAX_FAILED)
        + section("unfinished:", unfinished, MAX_FAILED)
        + section("failed packages:", broken, MAX_SUITES)
        + section("failed, and passed in a later run:", retried, MAX_SKIPPED)
        + section("skipped:", skipped, MAX_SKIPPED)
    )


def first_line(text: str) -> str:
    """The first line that says something."""
    return line_text(next((line for line in text.split("\n") if line.strip()), ""), MESSAGE_CHARS)


def _failed(tests: Sequence[Ended]) -> list[str]:
    """Those that failed by themselves before those in which another one failed."""
    failed = [one for one in tests if one.end == "fail"]
    around = {(one.package, one.name[:at]) for one in failed for at, char in enumerate(one.name) if char == "/"}
    return [_line(one) for one in sorted(failed, key=lambda one: (one.package, one.name) in around)]


def _name(one: Ended) -> str:
    return f"{name(one.package)} {name(one.name)}" if one.name else name(one.package)


def _line(one: Ended) -> str:
    return f"{_name(one)} ended at {one.ended}{_said(one)}"


def _said(one: Ended) -> str:
    return "" if not one.said_at else f", wrote at {one.said_at}: {first_line(one.said)}"
