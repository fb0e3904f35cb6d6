"""Alignment of lines: equal stretches in order, as many lines as can be where they repeat, and never for long."""

import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_store.align import MAX_EDITS, Block, equal_blocks, longest_rise

LINES = st.lists(st.sampled_from([b"a", b"b", b"c", b""]), max_size=14)


def n_common(old: Sequence[bytes], new: Sequence[bytes]) -> int:
    """Length of a longest common subsequence, by the textbook table."""
    above = [0] * (len(new) + 1)
    for mine in old:
        row = [0]
        for n, its in enumerate(new):
            row.append(above[n] + 1 if mine == its else max(row[n], above[n + 1]))
        above = row
    return above[-1]


@settings(deadline=None)
@given(LINES | st.lists(st.binary(max_size=1), max_size=14), LINES | st.lists(st.binary(max_size=1), max_size=14))
def test_blocks_are_equal_in_order_and_do_not_touch(old: list[bytes], new: list[bytes]) -> None:
    blocks = equal_blocks(old, new)
    before = Block(0, 0, 0)
    for n, block in enumerate(blocks):
        assert block.length > 0
        assert old[block.old : block.old_end] == new[block.new : block.new_end]
        assert block.old >= before.old_end
        assert block.new >= before.new_end
        assert not n or (block.old, block.new) != (before.old_end, before.new_end)
        before = block
    assert bool(blocks) == bool(set(old) & set(new))


@settings(deadline=None)
@given(LINES, LINES)
def test_as_many_lines_are_equal_as_can_be_where_none_stands_once(old: list[bytes], new: list[bytes]) -> None:
    twice = [line for line in old for _ in range(2)], [line for line in new for _ in range(2)]
    assert sum(block.length for block in equal_blocks(*twice)) == n_common(*twice)


def test_lines_that_stand_once_hold_a_text_together() -> None:
    old = [b"{", b"one", b"}", b"{", b"two", b"}", b"{", b"three", b"}"]
    assert equal_blocks(old, [*old[:3], b"{", b"new", b"}", *old[3:]]) == (Block(0, 0, 4), Block(4, 7, 5))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"ab", b"bca"),
        (b"a", b"ba"),
        (b"abcd", b"dcba"),
        (bytes(range(50)), bytes(range(49, -1, -1))),
    ],
)
def test_lines_that_repeat_are_never_costly(old: bytes, new: bytes) -> None:
    """What compares each line with each equal one takes hours here."""
    sides = [[bytes([byte]) for byte in side] * (20_000 // len(side)) for side in (old, new)]
    started = time.process_time()
    equal_blocks([b"x", *sides[0], b"x"], [b"y", *sides[1], b"y"])
    assert time.process_time() - started < 10


def test_a_stretch_without_an_alignment_is_one_change() -> None:
    old, new = [b"a", b"b"] * MAX_EDITS, [b"c", b"d"] * MAX_EDITS
    assert equal_blocks([b"head", *old, b"tail"], [b"head", *new, b"tail"]) == (Block(0, 0, 1), Block(len(old) + 1, len(new) + 1, 1))


def test_what_kept_its_order_is_a_longest_rise() -> None:
    assert longest_rise([3, 0, 1, 2]) == (0, 1, 2)
    assert longest_rise([]) == ()
