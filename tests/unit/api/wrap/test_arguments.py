"""Names of resources: readable where they can be, never with a secret in them, and another one for other arguments."""

import datetime
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.wrap import resource_name
from api.wrap.arguments import plain_arguments
from evidence_store.store.put_request import require_name
from tests.credentials import SAMPLES


def test_a_call_is_named_by_its_arguments_in_order() -> None:
    assert resource_name("get_logs", {"pod": "api-1", "limit": 5}) == "get_logs?limit=5&pod=api-1"
    assert resource_name("now", {}) == "now"


def test_long_arguments_are_named_by_a_digest_that_stays() -> None:
    name = resource_name("query", {"sql": "select 1 " * 100})
    assert name.startswith("query?~")
    assert len(name) < 40
    assert name == resource_name("query", {"sql": "select 1 " * 100}) != resource_name("query", {"sql": "select 2 " * 100})


def test_no_secret_stands_in_a_name() -> None:
    for sample in SAMPLES:
        assert sample.secret not in resource_name("fetch", {"header": sample.text})


def test_a_name_does_not_end_like_a_revision() -> None:
    assert resource_name("mail", {"to": "team@12"}).startswith("mail?~")
    assert resource_name("tool@3", {}) == "tool"


class Held:
    def __init__(self, n: int) -> None:
        self.n = n


ALIKE: list[list[Any]] = [
    [{"b": "2&q=1"}, {"b": "2", "q": "1"}, {"b": "2%26q%3D1"}, {"b=2&q": "1"}],
    [{"q": one} for one in (None, "null", "", '""')],
    [{"q": one} for one in (1, "1", '"1"', 1.0, "1.0", True, "true", [1], "[1]", [True], ["1"])],
    [{"q": one} for one in ({"a": 1}, '{"a":1}', {1: 1}, {"1": 1})],
    [{"q": one} for one in (b"a", b"b", "a", "bytes", bytearray(b"a"))],
    [{"q": one} for one in (object(), Held(1), Held(2), "object", "Held")],
    [{"q": one} for one in (datetime.date(2026, 1, 2), datetime.date(2026, 1, 3), "2026-01-02")],
    [{"q": "x" * 200}, {"q": "x" * 201}, {"q": ["x" * 200]}],
    [{"q": "a#error"}, {"q": "a"}],
]


@pytest.mark.parametrize("calls", ALIKE)
def test_other_arguments_give_another_name(calls: list[dict[str, object]]) -> None:
    names = [resource_name("tool", plain_arguments(one)) for one in calls]
    assert len(set(names)) == len(names), names
    assert not any(f"{one}#error" == other for one, other in combinations(names, 2))


def test_the_same_call_has_the_same_name_in_every_process() -> None:
    names = {resource_name("tool", plain_arguments({"q": one})) for one in (object(), object())}
    assert len(names) == 1
    assert resource_name("tool", plain_arguments({"q": Held(1)})) == resource_name("tool", plain_arguments({"q": Held(1)}))


def test_plain_calls_read_as_they_are_written() -> None:
    assert resource_name("get", {"path": "/a/b?c", "n": 7, "deep": True, "tags": ["a"]}) == 'get?deep=true&n=7&path=/a/b?c&tags=["a"]'


@given(st.text(), st.dictionaries(st.text(), st.text() | st.integers() | st.floats() | st.none() | st.lists(st.text())))
def test_every_call_has_a_name_that_a_resource_can_have(tool: str, arguments: dict[str, object]) -> None:
    require_name(resource_name(tool, arguments))  # type: ignore[arg-type]
