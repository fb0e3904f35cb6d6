"""Profiles by name: listed models, the explicit unknown, and what an input costs."""

import pytest

from projector import Prices, RefusedStep, UnknownModel, profile_for, receipt_from_json, receipt_json, step_from_json
from projector.profiles import MODELS, ModelFacts
from tests.unit.projector.steps import PROFILE, projection, step


@pytest.mark.parametrize("facts", MODELS, ids=lambda facts: facts.start)
def test_every_listed_model_has_room_for_input_and_answer(facts: ModelFacts) -> None:
    profile = profile_for(facts.start)
    assert 0.7 * profile.window < profile.input_cap < profile.window
    assert 4_096 < profile.output <= facts.output
    assert profile.counter


def test_the_longest_beginning_counts_and_the_host_does_not() -> None:
    assert profile_for("anthropic/claude-haiku-4-5-20251001").window == 200_000
    assert profile_for("openai/gpt-4o-mini").window == 128_000


def test_the_unknown_is_explicit() -> None:
    with pytest.raises(UnknownModel, match="describe it") as caught:
        profile_for("my-model")
    assert "unknown" in str(caught.value.details["known"])
    unknown = profile_for("unknown")
    assert (unknown.window, unknown.counter, unknown.prices) == (32_768, "bytes", Prices())


def test_a_step_names_a_profile_or_describes_one() -> None:
    assert step_from_json({"profile": "gpt-4.1"}).profile == profile_for("gpt-4.1")
    with pytest.raises(UnknownModel):
        step_from_json({"profile": "my-model"})
    with pytest.raises(RefusedStep):
        step_from_json({"profile": 7})


def test_what_an_input_costs() -> None:
    assert Prices(read=10, write=125).billed(1_000, 800) == 330
    assert Prices().billed(1_000, 800) == 1_000


def test_a_receipt_keeps_the_prices() -> None:
    made = projection(step(profile=profile_for("claude-sonnet-5")))
    assert receipt_from_json(receipt_json(made.receipt)).profile.prices == Prices(10, 125)
    assert "prices" not in str(receipt_json(projection(step(profile=PROFILE)).receipt)["profile"])
