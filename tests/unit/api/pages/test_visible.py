"""Characters that change what people see."""

import pytest

from api.pages.visible import visible


@pytest.mark.parametrize("text", ["plain", "Größe: 日志", "a\tb\nc", "אבג", "👩‍💻 é", ""])
def test_text_that_steers_nothing_is_left_alone(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a<U+202E>b"),
        ("\u2066x\u2069", "<U+2066>x<U+2069>"),
        ("\u200fx\u200e\u061c", "<U+200F>x<U+200E><U+061C>"),
        ("\x1b[31m", "\u241b[31m"),
        ("a\x00b\x7f", "a\u2400b\u2421"),
        ("a\r\n", "a\u240d\n"),
        ("\x85\u2028", "<U+0085><U+2028>"),
        ("\ud800", "\ufffd"),
    ],
)
def test_what_steers_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown
