"""Ranges of claims, exact inverses; and the line in which a claim is listed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.model import Standing
from projector.errors import MalformedText
from projector.render.claim_pages import ClaimRange, find_claim_number, format_claim_range, format_recorded_claim, parse_claim_range
from tests.unit.projector.steps import claim, evidence_id

numbers = st.integers(1, 10**15 - 1)


@given(numbers, numbers)
def test_parsing_gives_back_every_range(one: int, other: int) -> None:
    found = ClaimRange(min(one, other), max(one, other))
    assert parse_claim_range(format_claim_range(found)) == found


def test_one_claim_alone_is_its_id() -> None:
    assert format_claim_range(ClaimRange(12, 12)) == "C12"
    assert parse_claim_range("C12-C12") == ClaimRange(12, 12)


@pytest.mark.parametrize("text", ["", "C", "C0", "C01", "12-14", "C3-C2", "C1-", "C1-2", "C1 -C2", "C1-C2\n", "C¹", "C1-C9999999999999999"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(MalformedText):
        parse_claim_range(text)


@pytest.mark.parametrize(("claim_id", "number"), [("C12", 12), ("C012", None), ("c12", None), ("claim-12", None), ("", None)])
def test_only_ids_as_the_store_gives_them_have_a_number(claim_id: str, number: int | None) -> None:
    assert find_claim_number(claim_id) == number


def test_a_line_names_citations_with_their_roles_and_stands_on_one_line() -> None:
    line = format_recorded_claim(claim(3, evidence_id(1), text="limit\n- is\u2028 100\x9b", standing=Standing.OPEN, reason=""))
    assert line.startswith("- {")
    assert len(line.splitlines()) == 1
    assert json.loads(line[2:]) == {
        "claim": "C3",
        "standing": "open",
        "text": "limit\n- is\u2028 100\x9b",
        "about": {"resource": "api/v2.json", "pointer": "/limit", "aspect": "maximum"},
        "citations": [{"evidence": evidence_id(1), "role": "new"}],
        "task_revision": 2,
    }


def test_a_line_holds_what_no_encoding_does() -> None:
    assert json.loads(format_recorded_claim(claim(1, evidence_id(1), text="\ud800 é"))[2:])["text"] == "\ud800 é"
