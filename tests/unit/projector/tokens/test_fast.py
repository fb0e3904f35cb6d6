"""The faster engine: believed only after it was tested, and never instead of an answer."""

import sys
from types import ModuleType

import pytest

from projector.tokens.fast import MIN_FAST_CHARS, MODULE, SELF_TEST, FastCounter
from projector.tokens.tiktoken_counter import TiktokenCounter

PLAIN = TiktokenCounter("o200k_base")
LONG = "the limit of orders is 50\n" * 100


class PanicException(BaseException):  # the name that is looked for
    pass


class Engine(ModuleType):
    """Counts as tiktoken does, but for one text, and remembers what it was asked."""

    def __init__(self, wrong: str | None = None, raising: BaseException | None = None, healthy: int = 0) -> None:
        super().__init__(MODULE)
        self.asked: list[str] = []
        self.wrong, self.raising, self.healthy = wrong, raising, healthy

    def batch_count(self, texts: list[str], encoding: str, threads: int) -> list[int]:
        assert (encoding, threads) == ("o200k_base", 1)
        if self.raising and len(self.asked) >= self.healthy:
            raise self.raising
        self.asked += texts
        return [PLAIN.count(text) + (text == self.wrong) for text in texts]


def made(monkeypatch: pytest.MonkeyPatch, engine: ModuleType | None) -> FastCounter:
    monkeypatch.setitem(sys.modules, MODULE, engine)
    return FastCounter("o200k_base", TiktokenCounter("o200k_base"))


def test_an_engine_that_passes_counts_long_texts_and_the_figure_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine()
    counter = made(monkeypatch, engine)
    assert engine.asked == [], "nothing is tested before the first count"
    assert counter.figure(LONG).counter == "toktok:o200k_base"
    assert counter.figure("short").counter == "tiktoken:o200k_base"
    assert (counter.count(LONG), counter.id, counter.refusal) == (PLAIN.count(LONG), "toktok+tiktoken:o200k_base", "")
    assert engine.asked == [*SELF_TEST, LONG], "the second count is remembered"


def test_halves_of_surrogate_pairs_are_repaired_before_it_sees_them(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine()
    made(monkeypatch, engine).count(LONG + "\ud800")
    assert engine.asked[-1] == LONG + "\ufffd"


def test_an_engine_that_is_not_installed_is_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = made(monkeypatch, None)
    assert counter.figure(LONG) == PLAIN.figure(LONG)
    assert (counter.id, counter.refusal) == (PLAIN.id, "toktok is not installed")


@pytest.mark.parametrize("wrong", [SELF_TEST[1], SELF_TEST[-1]])
def test_an_engine_that_counts_one_text_differently_is_not_used(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    counter = made(monkeypatch, Engine(wrong))
    assert counter.figure(LONG) == PLAIN.figure(LONG)
    assert counter.id == PLAIN.id
    assert "differently" in counter.refusal


def test_an_engine_that_fails_its_test_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = made(monkeypatch, Engine(raising=KeyError("o200k_base")))
    assert counter.figure(LONG) == PLAIN.figure(LONG)
    assert counter.refusal == "toktok failed its self-test: KeyError"


@pytest.mark.parametrize("raised", [RuntimeError("stack"), PanicException()])
def test_a_text_that_it_fails_on_is_counted_by_the_other(monkeypatch: pytest.MonkeyPatch, raised: BaseException) -> None:
    counter = made(monkeypatch, Engine(raising=raised, healthy=1))
    assert counter.figure(LONG) == PLAIN.figure(LONG)


def test_what_stops_the_process_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = made(monkeypatch, Engine(raising=KeyboardInterrupt(), healthy=1))
    with pytest.raises(KeyboardInterrupt):
        counter.count(LONG)


@pytest.mark.parametrize("newer", ["\u1ad0", "\U00011dc9", "\U0001e6c3"])
def test_letters_that_it_may_not_know_are_left_to_tiktoken(monkeypatch: pytest.MonkeyPatch, newer: str) -> None:
    assert made(monkeypatch, Engine()).figure(LONG + newer).counter == "tiktoken:o200k_base"


def test_cuts_are_those_of_tiktoken(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = made(monkeypatch, Engine())
    assert counter.prefix(LONG, 20) == PLAIN.prefix(LONG, 20)
    assert counter.suffix(LONG, 20) == PLAIN.suffix(LONG, 20)


def test_the_self_test_holds_long_texts_too() -> None:
    assert len(SELF_TEST) >= 40
    assert max(map(len, SELF_TEST)) > MIN_FAST_CHARS
