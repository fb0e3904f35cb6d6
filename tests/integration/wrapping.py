"""How the tests of wrapping open a store, count, and read back what a text for a model leaves out."""

import json
import re
from collections.abc import Callable

import orjson

from api.tools import Tools, call_tool
from api.wiring import Services
from api.wrap import ResultBudget, ToolRules, ToolWrapper, WrapRules
from evidence_store.model import Outcome
from evidence_store.records.runs import StepKey
from evidence_store.store import EvidenceStore
from projector import TokenCounter, counter_for, parse_packets

WINDOW = 8_000
ROOM = 1_200
"""Of one result in this window."""
NAME = "o200k_base"


def wrapper_of(
    store: EvidenceStore, rules: WrapRules | None = None, step: StepKey | None = None, counter: Callable[[], TokenCounter] | None = None
) -> ToolWrapper:
    return ToolWrapper(Services(store, counter or (lambda: counter_for(NAME))), rules or WrapRules(ResultBudget(WINDOW)), step)


def rules_of(window: int = WINDOW, **rules: object) -> WrapRules:
    """Rules in which each tool has these."""
    return WrapRules(ResultBudget(window), others=ToolRules(**rules))  # type: ignore[arg-type]


def n_tokens(text: str, name: str = NAME) -> int:
    return counter_for(name).count(text)


def no_counter() -> TokenCounter:
    raise AssertionError("a tokenizer was asked for where bytes settle it")


def call_in(text: str, word: str = "read") -> tuple[str, dict[str, object]]:
    """The tool and the arguments that a line of the marker names."""
    (found,) = re.findall(rf"^{word}: (\w+) (\{{.*\}})$", text, re.MULTILINE)
    return found[0], orjson.loads(found[1])


def read_on(context: Tools, tool: str, arguments: dict[str, object]) -> str:
    """All that a call of a reading tool shows, with what its `next` leads to."""
    shown, wanted = "", {**arguments, "max_tokens": 100_000}
    while wanted:
        answer = call_tool(context, tool, wanted, recording=False)  # type: ignore[arg-type]
        assert answer.outcome is Outcome.OK, answer.text
        (packet,) = parse_packets(answer.text)
        shown += packet.excerpt or ""
        following = json.loads(packet.next) if packet.next else {}
        wanted = {k: v for k, v in wanted.items() if k not in ("lines", "bytes")} | following if following else {}
    return shown


def logs(n_lines: int, level: str = "INFO") -> str:
    return "".join(f"2026-11-30T10:00:{n % 60:02} {level} request {n} took {n * 7 % 90} ms\n" for n in range(n_lines))
