"""Histories that people met in practice (`h…`), in the forms of all four providers: what is refused, repaired and sent.

Bound here are `prepare_messages` (validate, validate --repair, project) and `keep_last`.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from projector import Projection, repair, validate
from projector.dialects.forms import Item
from projector.dialects.table import dialect_for
from projector.model import JsonObject
from tests.e2e.cases import Check, expected, list_cases, list_checks, verbs
from tests.e2e.command import Evidence
from tests.unit.projector.histories import PROVIDERS, Said, written
from tests.unit.projector.steps import PROFILE, calling, packet, projection, step, user

KINDS = "h"
RULES = {"repaired_or_refused", "repaired", "unchanged"}


def turns_of(path: Path) -> list[Said]:
    """The neutral messages of a case; results in a row are told together."""
    turns: list[Said] = []
    for message in json.loads(path.read_bytes())["messages"]:
        if message["role"] == "tool":
            told = (message["call_id"], message["text"])
            if turns and turns[-1].side == "results":
                turns[-1] = Said("results", results=(*turns[-1].results, told))
            else:
                turns.append(Said("results", results=(told,)))
        else:
            turns.append(Said(message["role"], message["text"], tuple(call["id"] for call in message.get("calls", ()))))
    return turns


def history_of(check: Check, provider: str) -> tuple[JsonObject, ...]:
    return written(turns_of(check.case / check.told["file"]), provider)


def read(messages: Any, provider: str) -> list[Item]:
    dialect = dialect_for(provider)
    return [dialect.read(message, place) for place, message in enumerate(messages)]


def order_of(items: list[Item]) -> Iterator[str]:
    """The list in words: sides, with the ids of calls and results."""
    for item in items:
        if item.side == "result":
            yield from (f"tool {part.call}" for part in item.results)
        elif item.calls:
            yield " ".join([item.side, *(part.call for part in item.calls)])
        else:
            yield item.side


def projected(history: tuple[JsonObject, ...], provider: str) -> Projection:
    """The history as a step's, each result with a packet that holds its text."""
    results = [part for item in read(history, provider) for part in item.results]
    packets = {part.call: (packet(n, part.text or "-"),) for n, part in enumerate(results)}
    profile = PROFILE.__class__(provider, "gpt-4o", 32_768, 4_096, 1_024, "o200k_base")
    return projection(step(profile=profile, messages=history, results=packets))


@pytest.mark.parametrize("case", list_cases(KINDS), ids=lambda case: case.name[:3])
def test_inputs_are_those_that_the_case_tells_of(case: Path) -> None:
    for name, told in expected(case)["inputs"].items():
        assert (case / name).stat().st_size == told["bytes"]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("check", list_checks("prepare_messages", KINDS))
def test_validate_refuses_what_is_torn_and_names_the_call(evidence: Evidence, check: Check, provider: str) -> None:
    path = evidence.folder.parent / "messages.json"
    path.write_text(json.dumps(history_of(check, provider)), encoding="utf-8")
    done = evidence("validate", path, "--provider", provider)
    if check.expect["outcome"] == "unchanged":
        assert done.answer()["faults"] == []
        assert evidence("validate", path, "--provider", provider, "--repair").answer()["messages"] == list(history_of(check, provider))
    elif between(check, provider):
        assert done.answer()["ok"]
    else:
        named = {fault["call_id"] for fault in done.answer(1)["faults"]} if "if_refused" in check.expect else set()
        assert named.issuperset(check.expect.get("if_refused", {}).get("names", ()))
        assert evidence("validate", path, "--provider", provider, "--repair", "--allow-open").answer()["ok"]


def between(check: Check, provider: str) -> bool:
    """Where only the pairs count, words between call and result are no fault."""
    return provider == "openai-responses" and check.told["file"] == "between.json"


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("check", list_checks("prepare_messages", KINDS))
def test_a_repair_makes_of_it_what_the_case_asks_for(check: Check, provider: str) -> None:
    history = history_of(check, provider)
    made = repair(history, provider, allow_open=True)
    told = check.expect.get("if_repaired", {})
    assert validate(made.messages, provider, allow_open=True) == ()
    if made.messages == history:
        assert check.expect["outcome"] == "unchanged" or between(check, provider)
        return
    items = read(made.messages, provider)
    results = [part for item in items for part in item.results]
    calls = [part.call for item in items for part in item.calls]
    answered = [part.call for part in results]
    assert "tool_messages" not in told or answered == told["tool_messages"]
    assert all(name in " ".join(made.notes) for name in told.get("report_names", ()))
    assert all(text in json.dumps([one.messages for one in made.left_out]) for text in told.get("content_kept_as_evidence", ()))
    assert [part.call for part in results if "[error no_result]" in part.text] == told.get("synthetic_results", [])
    assert [call for call in calls if call not in answered] == told.get("open_calls", [])
    assert "group" not in told or (calls, answered) == (told["group"], told["group"])
    assert "unique_ids" not in told or len(set(calls)) == len(calls) == told["unique_ids"]
    assert "results_in_order" not in told or [part.text for part in results] == told["results_in_order"]
    assert "user_messages" not in told or sum(item.side == "user" for item in items) == told["user_messages"]
    if "no_empty_text_parts" in told:
        assert all(part.seen for item in items for part in item.parts)
    if "order" in told:
        assert list(order_of(items)) == [" ".join(word.split()[:2]) if not word.startswith("user") else "user" for word in told["order"]]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("check", list_checks("prepare_messages", KINDS))
def test_an_input_keeps_the_rules_and_loses_nothing(check: Check, provider: str) -> None:
    history = history_of(check, provider)
    made = projected(history, provider)
    told = check.expect.get("if_repaired", {})
    assert validate(made.messages, provider, allow_open=bool(made.open_calls)) == ()
    shown = json.dumps(made.messages, ensure_ascii=False)
    assert list(made.open_calls) == told.get("open_calls", [])
    for text in (*told.get("content_kept_as_evidence", ()), *told.get("results_in_order", ())[1:]):
        assert text in shown
    left = " ".join(line.reason for line in made.omitted)
    assert all(name in left for name in told.get("report_names", ()))
    notes = " ".join(line.note for line in made.receipt.kept)
    assert all(f"closed without a result: {call}" in notes for call in told.get("synthetic_results", ()))


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("check", list_checks("keep_last", KINDS))
def test_a_cut_inside_a_group_leaves_no_half_of_it(check: Check, provider: str) -> None:
    history = history_of(check, provider)
    first, last = map(int, check.told["k"].split(".."))
    for k in range(first, last + 1):
        kept = history[-k:]
        assert validate(repair(kept, provider).messages, provider) == ()
        made = projected(kept, provider)
        assert validate(made.messages, provider) == ()
        n_calls = sum(len(item.calls) for item in read(made.messages, provider))
        assert n_calls == sum(len(item.results) for item in read(made.messages, provider))
        # a cut between two items of one turn leaves a turn with fewer calls, and nobody can see that there were more
        assert n_calls in (0, 10) or provider == "openai-responses"


def test_people_get_the_repaired_list_on_stdout_and_what_was_done_on_stderr(evidence: Evidence) -> None:
    path = evidence.folder.parent / "messages.json"
    path.write_text(json.dumps([user("go"), calling("a"), user("and?")]), encoding="utf-8")
    done = evidence.bare("validate", path, "--provider", "openai", "--repair")
    assert [message["role"] for message in json.loads(done.out)] == ["user", "assistant", "tool", "user"]
    assert done.err == b"message 1: closed without a result: a\n"
    assert evidence.bare("validate", path, "--provider", "openai").code == 1


def test_every_verb_is_bound() -> None:
    assert verbs(KINDS) == {"prepare_messages", "keep_last"}
    assert {check.values[0].expect["outcome"] for check in list_checks("prepare_messages", KINDS)} <= RULES
