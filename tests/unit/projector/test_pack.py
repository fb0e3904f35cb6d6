"""Taking pieces from a room."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from projector.pack import MAX_MISSES, MAX_MISSES_WITH_ROOM, MIN_MISSES, Filled, Room, Scored, Shelf, demand, fill, leave, ranked


def shelf() -> Shelf[int]:
    return Shelf[int].of("evidence", str, lambda value: value)


@given(st.integers(0, 500), st.lists(st.integers(0, 200), max_size=30, unique=True), st.integers(0, 500))
def test_never_more_is_taken_than_there_is(room_tokens: int, values: list[int], limit: int) -> None:
    room = Room(room_tokens)
    found = fill(room, shelf(), values, limit)
    assert sum(found.taken) == found.used <= min(room_tokens, limit)
    assert room.left == room_tokens - found.used
    assert sorted((*found.taken, *found.left)) == sorted(values)
    assert sum(line.tokens for line in room.kept) == found.used


def test_a_small_piece_may_fit_behind_a_large_one_that_does_not() -> None:
    assert fill(Room(10), shelf(), [7, 9, 3], 10) == Filled((7, 3), (9,), 10)


def test_after_many_misses_nothing_more_is_priced() -> None:
    priced: list[int] = []

    def price(value: int) -> int:
        priced.append(value)
        return 1_000

    found = fill(Room(100), Shelf[int].of("evidence", str, price), range(10_000), 10)
    assert len(priced) == MAX_MISSES
    assert len(found.left) == 10_000


def test_while_a_tenth_of_the_room_is_free_a_small_piece_is_looked_for_further() -> None:
    values = [11] * (MAX_MISSES + 1) + [4]
    assert fill(Room(10), shelf(), values, 10).taken == (4,)
    room = Room(100)
    room.require("request", "", 91)
    assert fill(room, shelf(), values, room.left).taken == ()
    assert fill(Room(100), shelf(), values, 10).taken == ()


def test_the_less_is_free_the_earlier_the_search_ends() -> None:
    room = Room(1_000)
    free = {share: room.max_misses(share * 10) for share in (1, 2, 3, 5, 9)}
    assert free == {1: MIN_MISSES, 2: 6, 3: 9, 5: MAX_MISSES, 9: MAX_MISSES}


def test_however_much_is_free_the_search_ends() -> None:
    assert fill(Room(10), shelf(), [11] * MAX_MISSES_WITH_ROOM + [4], 10).taken == ()


def test_what_is_left_is_named_with_its_tokens_where_they_are_known() -> None:
    room, known = Room(5), shelf()
    found = fill(room, known, [9, 8], 5)
    leave(room, known, found.left)
    leave(room, known, [7])
    leave(room, known, [])
    assert [(line.names, line.tokens, line.reason) for line in room.omitted] == [(("9", "8"), 17, "no room"), (("7",), None, "no room")]


def test_a_floor_is_asked_for_only_as_far_as_there_is_something_to_put_there() -> None:
    assert demand(shelf(), [3, 4], 10) == 7
    assert demand(shelf(), [3, 4, 50], 10) == 10
    assert demand(shelf(), [], 10) == 0


def test_scorers_take_turns_and_each_value_comes_once() -> None:
    scored = [Scored("a", Decimal("0.1"), 1), Scored("a", Decimal("0.9"), 2), Scored("b", Decimal(7000), 3), Scored("b", Decimal(1), 2)]
    assert ranked(scored) == (2, 3, 1)
