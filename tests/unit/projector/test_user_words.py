"""What of a user's words stands in a recap, and what may go."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projector.user_words import MAX_SHORT_CHARS, MAX_TURN_CHARS, fit_turns, has_to_stand, is_courtesy, may_demand
from projector.wording import is_guarded, sentences
from tests.unit.projector.demands import DEMANDS

TURNS = st.lists(st.sampled_from(("Go east", "Thanks", "The sea is blue", "Not 5", "Sources first", "x " * 90, "y " * 120)), max_size=6)


def n_words(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize(
    "said", ["Thanks!", "Thank you so much.", "Hi there", "Great, thanks.", "Danke sehr", "C'est parfait", "你好", "谢谢你", "…"]
)
def test_thanks_greetings_and_praise_may_go(said: str) -> None:
    assert is_courtesy(said)
    assert not has_to_stand(said, "user")


@pytest.mark.parametrize("said", [*DEMANDS, "Yes.", "Go on", "Thanks, the second one", "good tests first", "OK, help", "好的，看订单"])
def test_whatever_is_more_stands_of_users(said: str) -> None:
    assert not is_courtesy(said)
    assert has_to_stand(said, "user")


def test_of_others_only_what_every_shorter_form_keeps_has_to_stand() -> None:
    assert not has_to_stand("Answer in French.", "assistant")
    assert has_to_stand("It is not so.", "assistant")


@pytest.mark.parametrize("said", DEMANDS)
def test_no_demand_is_taken_for_telling(said: str) -> None:
    assert may_demand(said)


def test_within_a_turn_what_may_demand_goes_first_and_long_sentences_are_counted() -> None:
    telling = "The sea was as blue as ever that day. " * 20
    long = "go " * (MAX_SHORT_CHARS // 3 + 2)
    fitted = fit_turns([f"{telling}Sources first.\n{long}"], [], n_words, 1000)
    (text,) = fitted.texts
    assert text.endswith("\nSources first.")
    assert len(text) <= MAX_TURN_CHARS + text.count("\n")
    assert fitted.n_left_out == 21 + 1 - len(sentences(text))


def test_what_stands_already_takes_no_space_again() -> None:
    fitted = fit_turns(["Go east.", "Sources first."], ["Go east."], n_words, 4)
    assert fitted.texts == ("Go east.", "Sources first.")
    assert fit_turns(["Go west.", "Sources first."], ["Go east."], n_words, 4).texts == ("Go west.", "")


@given(
    st.lists(TURNS.map(". ".join), max_size=6),
    st.lists(st.sampled_from(("Go east.", "Stay here.")), max_size=2, unique=True),
    st.integers(0, 40),
)
def test_nothing_vanishes_uncounted_and_shares_hold(turns: list[str], standing: list[str], share: int) -> None:
    fitted = fit_turns(turns, standing, n_words, share)
    n_plain = sum(has_to_stand(one, "user") and not is_guarded(one) for turn in turns for one in sentences(turn))
    stands = [one for text in fitted.texts for one in sentences(text)]
    assert n_plain == fitted.n_left_out + sum(not is_guarded(one) for one in stands)
    assert [one for turn in turns for one in sentences(turn) if is_guarded(one)] == [one for one in stands if is_guarded(one)]
    new = {text for text in fitted.texts if text not in standing}
    spent = sum(map(n_words, standing))
    if share >= spent:
        assert sum(n_words(one) for text in new for one in sentences(text) if not is_guarded(one)) + spent <= share
    # doing it again changes nothing
    assert fit_turns(fitted.texts, standing, n_words, share).texts == fitted.texts
