"""The bytes that stand for a result, whatever it is."""

import dataclasses
import datetime
import enum
import json

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.wrap import encode
from api.wrap.receiving import Received


@dataclasses.dataclass
class Point:
    x: int
    name: str


class Model(pydantic.BaseModel):
    count: int
    at: datetime.datetime


class Colour(enum.Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "raw"),
    [
        ("größe\r\n", "größe\r\n".encode()),
        (b"\x00\xff", b"\x00\xff"),
        (bytearray(b"ab"), b"ab"),
        (None, b""),
        ("", b""),
        ([], b"[]"),
        ({"b": 1, "a": [True, None]}, b'{"b":1,"a":[true,null]}'),
        ((1, 2.50), b"[1,2.5]"),
        (12345678901234567890123, b"12345678901234567890123"),
        (Point(1, "日"), '{"x":1,"name":"日"}'.encode()),
        (Model(count=1, at=datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)), b'{"count":1,"at":"2026-01-02T00:00:00Z"}'),
        ({"at": datetime.date(2026, 1, 2), "c": Colour.RED, "s": {3, 1, 2}, "b": b"\x00"}, None),
        ({"n": float("nan"), "i": float("inf")}, b'{"n":"nan","i":"inf"}'),
    ],
)
def test_each_kind_of_value_has_its_form(value: object, raw: bytes | None) -> None:
    expected = b'{"at":"2026-01-02","c":"red","s":[1,2,3],"b":"AA=="}' if raw is None else raw
    assert encode(value).raw == expected


def test_structured_values_say_that_they_are_json() -> None:
    assert encode({"a": 1}).media_type == "application/json"
    assert encode("{}").media_type == "text/plain; charset=utf-8"


def test_content_blocks_are_their_texts_and_the_rest_stands_beside() -> None:
    image = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    inner = {"type": "resource", "resource": {"uri": "x:y", "text": "inside"}}
    made = encode([{"type": "text", "text": "one"}, image, inner])
    assert (made.raw, made.beside, made.is_error) == (b"one\ninside", (image,), False)


def test_a_tool_answer_tells_that_it_failed() -> None:
    made = encode({"content": [{"type": "text", "text": "no such pod"}], "isError": True})
    assert (made.raw, made.is_error) == (b"no such pod", True)


def test_structured_content_stands_for_an_answer_without_text() -> None:
    made = encode({"content": [], "isError": False, "structuredContent": {"a": 1}})
    assert (made.raw, made.media_type) == (b'{"a":1}', "application/json")


def test_a_list_that_only_looks_like_content_is_json() -> None:
    assert encode([{"type": "text", "body": "x"}]).media_type == "application/json"
    assert encode({"content": [], "title": "x"}).media_type == "application/json"


Json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
)


@given(Json.filter(lambda one: isinstance(one, dict | list)))
def test_json_values_come_back(value: object) -> None:
    found = encode(value)
    if found.media_type is not None:
        assert json.loads(found.raw) == value


@given(st.lists(st.text(), max_size=8))
def test_streamed_text_is_its_pieces_joined(pieces: list[str]) -> None:
    received = Received(10**6, 10**6)
    for piece in pieces:
        received.add(piece)
    assert received.value == "".join(pieces)
    assert received.spool.text() == "".join(pieces)
    received.close()


def test_streamed_items_are_json_lines_and_are_dropped_when_they_are_many() -> None:
    received = Received(10**6, 30)
    received.add({"n": 1})
    assert (received.value, received.media_type) == ([{"n": 1}], "application/jsonl")
    for n in range(10):
        received.add({"n": n})
    assert received.value is None
    assert received.spool.text().count("\n") == 11
    received.close()
