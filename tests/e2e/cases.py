"""The cases under tests/fixtures/cases as end-to-end tests take them: checks by verb, inputs, and numbers by their digits.

Each `expected.json` states what must come of its inputs; a test binds its verbs to the command line or to the store's services.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import Done, Evidence

CASES = Path(__file__).parents[1] / "fixtures" / "cases"


@dataclass(frozen=True, slots=True)
class Digits:
    """A number by its spelling, so that 1.10 is not 1.1."""

    text: str


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to do with the inputs of a case, and what must come of it."""

    case: Path
    told: Mapping[str, Any]

    @property
    def expect(self) -> Any:
        return self.told["expect"]


def exact(text: str | bytes) -> Any:
    return json.loads(text, parse_int=Digits, parse_float=Digits)


def list_cases(kinds: str) -> list[Path]:
    """The cases whose names begin with one of these letters, or numbers such as `c03`."""
    wanted = tuple(kinds.split())
    return [case for case in sorted(CASES.iterdir()) if case.name.startswith(wanted)]


def list_checks(verb: str, kinds: str, load: Callable[[bytes], Any] = json.loads) -> list[Any]:
    """The checks of a verb in these cases, as parameters of a test; `exact` loads their numbers by their digits."""
    told = [(case, n, one) for case in list_cases(kinds) for n, one in enumerate(expected(case, load)["checks"], 1)]
    return [pytest.param(Check(case, one), id=f"{case.name[:3]}-{n}") for case, n, one in told if one["do"] == verb]


def expected(case: Path, load: Callable[[bytes], Any] = json.loads) -> Any:
    return load((case / "expected.json").read_bytes())


def verbs(kinds: str) -> set[str]:
    return {one["do"] for case in list_cases(kinds) for one in expected(case)["checks"]}


def _nested(depth: int) -> bytes:
    return b'{"inner":' * (depth - 1) + b'{"leaf":"found"}' + b"}" * (depth - 1) + b"\n"


def _random_letters() -> bytes:
    def letters() -> Iterator[int]:
        state = 12345
        for _ in range(1_000_000):
            state = (1_103_515_245 * state + 12345) % 2**31
            yield 97 + (state >> 16) % 26

    return bytes(letters())


def _minified() -> bytes:
    rows = ",".join(f'{{"id":{n},"state":"ok"}}' for n in range(40_000))
    return f'{{"rows":[{rows}],"verdict":"FAILED"}}'.encode()


MADE: Mapping[str, Callable[[], bytes]] = {
    **{f"deep_{depth}.json": partial(_nested, depth) for depth in (60, 200, 300, 1000, 1100, 20_000)},
    "arrays_200000.json": lambda: b"[" * 200_000 + b"]" * 200_000 + b"\n",
    "unclosed_200000.json": lambda: b"[" * 200_000 + b"\n",
    "same_letter.log": lambda: b"a" * 1_000_000,
    "carets.log": lambda: b"^" * 1_000_000,
    "digits_and_newlines.log": lambda: b"1\n" * 500_000,
    "random_letters.log": _random_letters,
    "minified.json": _minified,
}
"""Inputs that are larger than the program that makes them."""


def read_input(case: Path, name: str) -> bytes:
    return MADE[name]() if name in MADE else (case / name).read_bytes()


def put(evidence: Evidence, check: Check, name: str | None = None, *, resource: str | None = None, kind: str | None = None) -> Done:
    """Stores an input of the check under its name, or as the next revision of `resource`."""
    file = name or check.told["file"]
    path = evidence.folder.parent / file
    path.write_bytes(read_input(check.case, file))
    as_ = kind or check.told.get("as")
    return evidence("put", path, "--resource", resource or file, *(("--format", as_) if as_ else ()))


def source_of(packet: Mapping[str, Any], raw: bytes) -> bytes:
    """The stored bytes that a packet says it is of."""
    start, end = packet["bytes"]
    return raw[start:end]
