"""A list made whole when somebody asks for it."""

import pytest

from projector import UnknownProvider, repair
from tests.unit.projector.histories import PROVIDERS, Said, written
from tests.unit.projector.steps import calling, exchange, result, user

GO = user("go")


def test_what_cannot_be_sent_is_handed_back_with_its_place() -> None:
    found = repair((GO, result("x", "limit is 50"), *exchange("a"), user("and?")), "openai")
    assert found.messages == (GO, *exchange("a"), user("and?"))
    assert [(one.places, one.why, one.messages) for one in found.left_out] == [
        ((1,), "result without a call: x", (result("x", "limit is 50"),))
    ]
    assert found.notes == ("message 1: result without a call: x",)


def test_ids_used_twice_become_two_and_results_go_with_them_in_order() -> None:
    found = repair((GO, calling("x", "x"), result("x", "first"), result("x", "second"), *exchange("x")), "openai")
    assert found.messages == (GO, calling("x", "x_2"), result("x", "first"), result("x_2", "second"), *exchange("x_3"))
    assert not found.left_out


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_opaque_stays_when_ids_change(provider: str) -> None:
    turns = [
        Said("user", "go"),
        Said("assistant", "x", ("a",), reasoning=True),
        Said("results", results=(("a", "1"),)),
        Said("assistant", "y", ("a",), reasoning=True),
        Said("results", results=(("a", "2"),)),
    ]
    renamed = [*turns[:3], Said("assistant", "y", ("a_2",), reasoning=True), Said("results", results=(("a_2", "2"),))]
    assert repair(written(turns, provider), provider).messages == written(renamed, provider)


def test_a_call_at_the_end_is_closed_unless_it_may_be_open() -> None:
    assert repair((GO, calling("a")), "openai", allow_open=True).messages == (GO, calling("a"))
    closed = repair((GO, calling("a")), "openai")
    assert closed.notes == ("message 1: closed without a result: a",)
    assert "[error no_result]" in str(closed.messages[2])


def test_instructions_come_first_and_stay() -> None:
    system = {"role": "system", "content": "rules"}
    assert repair((GO, system, calling("a")), "openai").messages[:2] == (system, GO)


def test_an_instruction_that_says_nothing_is_handed_back() -> None:
    made = repair(({"role": "system", "content": ""}, GO), "openai")
    assert made.messages == (GO,)
    assert [(one.places, one.why) for one in made.left_out] == [((0,), "neither text nor calls")]


def test_nothing_stays_nothing_and_an_unknown_provider_is_refused() -> None:
    assert repair((), "openai").messages == ()
    with pytest.raises(UnknownProvider):
        repair((GO, calling("a")), "nobody")
