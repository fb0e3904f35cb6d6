"""Receipts read back, and what two of them differ in."""

from dataclasses import replace

import orjson
import pytest

from evidence_store.canonical import canonical_bytes
from evidence_store.errors import JsonValue
from projector import (
    NAMED_STRATEGIES,
    Kept,
    Omitted,
    Receipt,
    RefusedStep,
    diff_receipts,
    receipt_diff_json,
    receipt_diff_text,
    receipt_from_json,
    receipt_json,
)
from tests.unit.projector.steps import evidence_id, exchange, packet, projection, step, user


def receipt(*kept: Kept, omitted: tuple[Omitted, ...] = ()) -> Receipt:
    made = projection(step(messages=(user("go on"),))).receipt
    return replace(made, kept=kept, omitted=omitted, used=sum(line.tokens for line in kept), input_digest=f"sha256:{hash(kept)}")


def test_a_stored_receipt_is_read_back_whole() -> None:
    given = step(messages=(user("go on"), *exchange("call_1")), evidence=(packet(1), evidence_id(9)))
    written = receipt_json(projection(given).receipt)
    stored: JsonValue = orjson.loads(canonical_bytes(written))
    assert receipt_json(receipt_from_json(stored)) == written


@pytest.mark.parametrize("broken", [{"v": 2}, {"kept": [{"section": "none", "name": "x", "tokens": 1}]}, {"used": -1}, {"budget": None}])
def test_what_is_no_receipt_is_refused(broken: dict[str, JsonValue]) -> None:
    with pytest.raises(RefusedStep):
        receipt_from_json(receipt_json(projection(step()).receipt) | broken)


def test_pieces_come_in_go_out_and_change_form_or_tokens() -> None:
    old = receipt(
        Kept("dialogue", "messages 1-2", 90),
        Kept("dialogue", "messages 3-4", 50),
        Kept("facts", "section", 10),
        omitted=(Omitted("evidence", ("ev_1",), 30, "no room"),),
    )
    new = receipt(
        Kept("dialogue", "messages 3-4", 20, "results by reference"),
        Kept("facts", "section", 12),
        Kept("evidence", "ev_1", 30),
        omitted=(Omitted("dialogue", ("messages 1-2",), None, "not reached"),),
    )
    found = diff_receipts(old, new)
    assert [(one.section, one.old_tokens, one.new_tokens) for one in found.sections] == [
        ("dialogue", 140, 20),
        ("facts", 10, 12),
        ("evidence", 0, 30),
    ]
    changes = [(one.section, change.kind, change.name, change.reason) for one in found.sections for change in one.changes]
    assert changes == [
        ("dialogue", "out", "messages 1-2", "not reached"),
        ("dialogue", "form", "messages 3-4", ""),
        ("facts", "tokens", "section", ""),
        ("evidence", "in", "ev_1", "no room"),
    ]
    assert receipt_diff_text(found).splitlines() == [
        "used 150 -> 62 tokens (-88)",
        "dialogue: 140 -> 20 tokens (-120)",
        "  - messages 1-2: 90 tokens; left out: not reached",
        "  ~ messages 3-4: 50 -> 20 tokens, as it was -> results by reference",
        "facts: 10 -> 12 tokens (+2)",
        "  = section: 10 -> 12 tokens",
        "evidence: 0 -> 30 tokens (+30)",
        "  + ev_1: 30 tokens; before left out: no room",
    ]


def test_pieces_of_one_name_are_told_apart_by_their_order() -> None:
    found = diff_receipts(
        receipt(Kept("system", "instruction", 5)), receipt(Kept("system", "instruction", 5), Kept("system", "instruction", 7))
    )
    ((change,),) = (one.changes for one in found.sections)
    assert (change.kind, change.new) == ("in", Kept("system", "instruction", 7))


def test_another_strategy_is_told_with_what_was_changed_of_it() -> None:
    own = replace(NAMED_STRATEGIES["tool-heavy"], dialogue_share=30)
    old, new = (projection(step(messages=(user("go on"),), strategy=one)).receipt for one in ("default", own))
    found = diff_receipts(old, new)
    assert receipt_diff_json(found)["new"] == {**receipt_diff_json(found)["old"], "strategy": "tool-heavy dialogue_share=30"}  # type: ignore[dict-item]
    assert "strategy default -> tool-heavy dialogue_share=30\n" in receipt_diff_text(found)


def test_the_same_receipt_differs_in_nothing() -> None:
    same = projection(step(messages=(user("go on"),))).receipt
    found = diff_receipts(same, same)
    assert (found.sections, found.same_input) == ((), True)
    assert receipt_diff_json(found)["sections"] == []
    assert receipt_diff_text(found).endswith("the same input\n")
