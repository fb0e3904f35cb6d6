"""Counts that are remembered."""

from concurrent.futures import ThreadPoolExecutor

from projector import counter_for
from projector.ports import Figure
from projector.tokens.memory import ENTRY_BYTES, CountMemory, key_of


def figure(tokens: int) -> Figure:
    return Figure(tokens, "words", "exact")


def test_what_was_asked_for_longest_ago_goes_first() -> None:
    memory = CountMemory(2 * ENTRY_BYTES)
    for n in (1, 2):
        memory.keep(key_of(str(n)), figure(n))
    assert memory.find(key_of("1")) == figure(1)
    memory.keep(key_of("3"), figure(3))
    assert [memory.find(key_of(one)) for one in "123"] == [figure(1), None, figure(3)]
    assert len(memory) == 2


def test_a_memory_without_room_keeps_nothing() -> None:
    memory = CountMemory(ENTRY_BYTES - 1)
    memory.keep(key_of("1"), figure(1))
    assert (memory.find(key_of("1")), len(memory)) == (None, 0)


def test_the_key_is_of_the_whole_text() -> None:
    texts = ["x" * 5_000 + end for end in ("", "a", "\ud800", "\ufffd", "\udfff")]
    assert len({key_of(text) for text in texts}) == 5


def test_many_threads_get_what_one_gets() -> None:
    memory = CountMemory(20 * ENTRY_BYTES)
    counter = counter_for("o200k_base")
    texts = [f"line {n} of a log\n" * 30 for n in range(50)]

    def ask(text: str) -> int:
        memory.keep(key_of(text), figure(len(text)))
        found = memory.find(key_of(text))
        assert found is None or found.tokens == len(text)
        return counter.count(text)

    alone = [counter.count(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, texts * 8)) == alone * 8
    assert len(memory) == 20
