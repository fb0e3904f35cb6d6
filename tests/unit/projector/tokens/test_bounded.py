"""Bounds and estimates for families without a tokenizer here."""

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projector import counter_for
from projector.tokens.families import FAMILIES
from projector.tokens.figures import figure_of
from projector.tokens.hostile import MAX_SPACES
from tests.unit.projector.tokens.hard_texts import HARD_TEXTS, REPEATED_TEXTS

TEXTS = HARD_TEXTS | REPEATED_TEXTS
MEASURED = json.loads((Path(__file__).parents[3] / "fixtures" / "token_counts" / "families.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_each_factor_stands_above_what_was_measured_and_has_a_source(family: object) -> None:
    found = next(one for one in FAMILIES.values() if one is family)
    assert found.source
    assert found.models
    assert found.worst_percent is None or found.factor_percent > found.worst_percent


def test_a_family_that_nobody_could_measure_has_a_higher_factor_than_the_one_it_is_likened_to() -> None:
    unmeasured = [one.name for one in FAMILIES.values() if one.worst_percent is None]
    assert unmeasured == ["gemini"]
    assert FAMILIES["gemini"].factor_percent > FAMILIES["gemma"].factor_percent


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("kind", TEXTS)
def test_an_estimate_lies_between_the_known_counts_and_the_bound(name: str, kind: str) -> None:
    text = TEXTS[kind]
    known = max(counter_for(one).count(text) for one in ("o200k_base", "cl100k_base"))
    assert known <= counter_for(f"estimate:{name}").count(text) <= counter_for(f"bound:{name}").count(text)


@pytest.mark.parametrize("name", MEASURED)
def test_no_estimate_and_no_bound_is_below_what_was_measured(name: str) -> None:
    """True counts by each family's tokenizer, or the reconstruction named in the table; frames of messages are not in."""
    assert MEASURED[name].keys() == TEXTS.keys()
    for kind in ("estimate", "bound"):
        counter = counter_for(f"{kind}:{name}")
        assert {text: true for text, true in MEASURED[name].items() if counter.count(TEXTS[text]) < true} == {}


def test_families_that_nobody_measured_on_repeated_characters_pay_the_most_for_them() -> None:
    most = FAMILIES["gemini"].runs
    assert FAMILIES["gemma"].runs == most
    for family in FAMILIES.values():
        assert family.runs.line_ends <= most.line_ends
        assert family.runs.blanks <= most.blanks
        assert max(family.runs.letters, family.runs.others) <= min(most.letters, most.others)


@given(st.text(max_size=60))
def test_a_bound_holds_for_the_text_and_for_its_normal_form(text: str) -> None:
    for name, family in FAMILIES.items():
        formed = unicodedata.normalize(family.normal_form, text) if family.normal_form else text
        bound = counter_for(f"bound:{name}").count(text)
        assert bound >= max(len(text.encode()), len(formed.encode()))
        assert (bound == 0) == (text == "")


def test_joining_two_characters_never_takes_more_bytes_than_they_had() -> None:
    """What lets a bound be taken of slices."""
    for code in (code for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF):
        char = chr(code)
        parts = unicodedata.decomposition(char).split()
        if len(parts) == 2 and parts[0][0] != "<" and unicodedata.normalize("NFC", char) == char:
            assert len(char.encode()) <= sum(len(chr(int(part, 16)).encode()) for part in parts)


def test_a_long_row_of_marks_is_bounded_in_time_and_size() -> None:
    """Whole, a hundred thousand of them would take a minute to normalise."""
    text = "a" + "\u0301\u0316" * 50_000
    assert counter_for("bound:claude").count(text) == len(text.encode()) + 1


def test_a_normal_form_can_be_longer_than_the_text() -> None:
    """One ligature of three bytes that NFKC makes 18 characters of."""
    assert counter_for("bound:claude").count("\ufdfa") == 34
    assert counter_for("bound:llama-3").count("\ufdfa") == 4


def test_figures_say_what_they_are() -> None:
    for name, exactness in (
        ("bytes", "upper_bound"),
        ("bound:gemini", "upper_bound"),
        ("estimate:gemini", "estimate"),
        ("o200k_base", "exact"),
    ):
        figure = figure_of(counter_for(name), "a text")
        assert (figure.exactness, figure.tokens) == (exactness, counter_for(name).count("a text"))
        assert figure.counter == counter_for(name).id


def test_an_estimate_says_when_its_base_is_a_bound() -> None:
    figure = figure_of(counter_for("estimate:claude"), " " * MAX_SPACES)
    assert (figure.exactness, figure.tokens) == ("estimate", MAX_SPACES + 1)
    assert "token a byte" in figure.note
