"""Escapes of JSON: undone where a character shows, and led back to where they stand."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.documents.escapes import undo_escapes


@pytest.mark.parametrize(
    ("text", "want"),
    [
        (r'"\u4e2d\u6587"', '"中文"'),
        (r'"\ud83d\ude00!"', '"😀!"'),
        (r'"\\u4e2d"', r'"\\u4e2d"'),
        (r'"\\\u4e2d"', r'"\\中"'),
        (r'"\u0022\u005c\u000a\u202e"', r'"\u0022\u005c\u000a\u202e"'),
        (r'"\ud83d \ude00"', r'"\ud83d \ude00"'),
        (r'"a\/b\n"', r'"a\/b\n"'),
        ("plain", "plain"),
        ("\\", "\\"),
    ],
)
def test_only_what_shows_is_undone(text: str, want: str) -> None:
    assert undo_escapes(text).text == want


def test_a_search_sees_behind_every_escape() -> None:
    assert undo_escapes(r"a\/b\\/c \"q\" C:\\U\t\u0022\u005c\u000a", every=True).text == 'a/b\\/c "q" C:\\U\t"\\\n'


@given(st.text(st.characters(codec="utf-8"), max_size=20))
def test_the_text_stays_the_same_json(value: str) -> None:
    source = json.dumps(value)
    assert json.loads(undo_escapes(source).text) == value


@given(st.lists(st.sampled_from(["a", "\\\\", r"\u4e2d", r"\ud83d\ude00", r"\n", "é", r"\u0022"]), max_size=12), st.data())
def test_places_lead_back_to_the_source(pieces: list[str], data: st.DataObject) -> None:
    source = "".join(pieces)
    undone = undo_escapes(source)
    start = data.draw(st.integers(0, len(undone.text)))
    end = data.draw(st.integers(start, len(undone.text)))
    first, last = undone.source(start), undone.source(end, end=True)
    assert undo_escapes(source[:first]).text == undone.text[:start]
    if end > start:
        assert undo_escapes(source[first:last]).text == undone.text[start:end]
