"""Values that are nested deeper than functions may call themselves, hold themselves, or cannot be looked at."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.wrap import encode
from api.wrap.forms import json_text
from api.wrap.nesting import AGAIN, TOO_DEEP, nested_json


def nested(depth: int) -> Any:
    made: Any = "core"
    for n in range(depth):
        made = {"in": made} if n % 2 else [made]
    return made


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Guarded:
    @property
    def content(self) -> object:
        raise RuntimeError("no")

    @property
    def type(self) -> object:
        raise RuntimeError("no")

    def __str__(self) -> str:
        return "guarded"


class Leaking(Mapping[str, object]):
    def __getitem__(self, name: str) -> object:
        raise RuntimeError("no")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no")

    def __len__(self) -> int:
        return 1


@pytest.mark.parametrize("depth", [500, 5_000])
def test_a_value_may_be_nested_as_deep_as_it_is(depth: int) -> None:
    raw = encode(nested(depth)).raw
    assert raw.count(b"[") + raw.count(b"{") == depth
    assert b'"core"' in raw


def test_deeper_than_the_bound_it_says_so() -> None:
    assert TOO_DEEP in encode(nested(20_000)).raw.decode()


def test_what_holds_itself_says_so_at_that_place() -> None:
    rows: list[Any] = [1, [2]]
    rows += [rows, {"again": rows}, rows[1], rows[1]]
    assert json_text(rows) == f'[1,[2],"{AGAIN}",{{"again":"{AGAIN}"}},[2],[2]]'


def test_what_cannot_say_what_it_is_is_named_by_its_type() -> None:
    assert json_text({"a": Broken(), "b": 1}) == '{"a":"<Broken>","b":1}'
    assert json_text(Guarded()) == '"guarded"'
    assert encode([Guarded()]).raw == b'["guarded"]'
    assert json_text(Leaking()).startswith('"<')


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda one: st.lists(one) | st.dictionaries(st.text(), one)
)


@given(JSON)
def test_it_is_what_the_usual_way_writes(value: Any) -> None:
    assert nested_json(value, lambda one: one) == json_text(value)
    json.loads(json_text(value))
