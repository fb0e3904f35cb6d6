"""Which places that redocly cites lie in our pairs."""

import pytest

from benchmarks.bench_diff import Citation, Covered, read_citations

PAIRS = [["/a/b", "/a/b", None], [None, "/c/d", "/c"], ["/e/f", None, "/e"], ["/x~1y", "/z", None]]


@pytest.mark.parametrize(
    ("side", "pointer", "holds"),
    [
        ("old", "/a/b", True),
        ("old", "/a/b/k", True),
        ("old", "/a", True),
        ("old", "/a/bc", False),
        ("old", "/a/c", False),
        ("new", "/c/d/0", True),
        ("old", "/c", True),
        ("old", "/c/other", False),
        ("new", "/e/f", False),
        ("new", "/e", True),
        ("old", "/x~1y/k", True),
        ("old", "/x", False),
        ("new", "/x~1y", False),
    ],
)
def test_a_place_lies_in_a_pair_at_inside_or_above_the_change(side: str, pointer: str, holds: bool) -> None:
    assert Covered(PAIRS, "old" if side == "old" else "new").holds(pointer) is holds


def test_every_side_of_every_change_is_cited_once() -> None:
    place = {"pointer": "#/a~1b", "line": 3}
    added = {"kind": "added", "revision": place}
    assert read_citations({"changes": [added, {"kind": "modified", "base": place, "revision": place}, added]}) == (
        Citation("new", "/a~1b", "added"),
        Citation("old", "/a~1b", "modified"),
        Citation("new", "/a~1b", "modified"),
    )
