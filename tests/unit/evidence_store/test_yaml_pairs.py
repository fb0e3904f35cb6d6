"""Characters that are written as two escapes: in YAML, as in JSON, one character; and every place is where it is written."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.documents.detect import Detection, inspect, open_document
from evidence_store.documents.model import Scalar
from evidence_store.documents.resolve import resolve
from evidence_store.documents.values import plain_value
from evidence_store.documents.yaml import YamlDocument
from evidence_store.errors import RefusedDocument
from evidence_store.model import Format

SMILE = r"\ud83d\ude00"


def scalar(text: str, pointer: str = "/a") -> Scalar:
    document = YamlDocument(text.encode())
    return document.scalar(resolve(document, pointer))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (rf'"{SMILE}"', "😀"),
        (r'"\uD83D\uDE00 \uD83d\uDe00"', "😀 😀"),
        (rf'"{SMILE}{SMILE}x"', "😀😀x"),
        (rf'"\\{SMILE}"', "\\😀"),
        (rf'"\\\\{SMILE}"', "\\\\😀"),
        (r'"\\ud83d\\ude00"', r"\ud83d\ude00"),
        (rf'"{SMILE} \ue000\ue001 {chr(0xE002)}"', "😀 \ue000\ue001 \ue002"),
        (rf'"{SMILE} {chr(0x2028)}{chr(0x85)} \U0000E000"', "😀 \u2028\x85 \ue000"),
        (rf'"one {SMILE}' + "\n" + r'  \ud83d\ude01"', "one 😀 😁"),
        (rf"'{SMILE}'", SMILE),
        (r"\uD83D\uDE00", r"\uD83D\uDE00"),
        (rf"'\{SMILE}'", rf"\{SMILE}"),
        (f"|\n  {SMILE}\n  é", f"{SMILE}\né\n"),
    ],
)
def test_a_pair_is_a_character_where_it_is_an_escape(written: str, meant: str) -> None:
    text = f"a: {written}\n\"k {SMILE}\": [b, '{SMILE}']\n"
    document = YamlDocument(text.encode())
    assert document.scalar(resolve(document, "/a")) == meant
    assert document.source(resolve(document, "/a")).decode() == written
    (_, second) = document.children(document.root)
    assert second.token == "k 😀"
    assert [document.source(one.node).decode() for one in document.children(second.node)] == ["b", f"'{SMILE}'"]


def test_a_stand_in_for_a_line_break_is_no_character_that_an_escape_gives() -> None:
    assert scalar('a: "\x85 \\u07ff \\u07FE \\x85"\n') == "\x85 \u07ff \u07fe \x85"


@pytest.mark.parametrize(
    ("written", "at"),
    [(r"\ud83d", 0), (r"x \ude00", 2), (r"\ud83d\u0041", 0), (r"\ude00\ud83d", 0), (r"\U0000d83d", 0), (r"\ud83d \ude00", 0)],
)
def test_half_of_a_pair_is_refused_and_named(written: str, at: int) -> None:
    with pytest.raises(RefusedDocument) as caught:
        YamlDocument(f'é: "{written}"\n'.encode())
    assert (caught.value.error_code, caught.value.details["line"]) == ("lone_surrogate", 1)
    assert (caught.value.details["column"], caught.value.details["byte"]) == (5 + at, 5 + at)


def test_pairs_that_nothing_can_stand_for_are_refused() -> None:
    every = "".join(map(chr, range(0xE000, 0xF900)))
    assert scalar(f"a: '{every}'\n") == every
    with pytest.raises(RefusedDocument):
        YamlDocument(f"a: ['{every}', \"{SMILE}\"]\n".encode())


@given(st.recursive(st.text(), lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=20), inner, max_size=4)))
def test_json_with_escapes_is_read_as_yaml_as_it_is_as_json(value: object) -> None:
    raw = json.dumps(value).encode()
    found = [inspect(raw, Detection(format, "", named=True)) for format in (Format.JSON, Format.YAML)]
    documents = [open_document(raw, one.format, one.notes) for one in found]
    assert plain_value(documents[0], documents[0].root) == plain_value(documents[1], documents[1].root)
    spans = [[child.node.span for child in document.children(document.root)] for document in documents]
    assert spans[0] == spans[1]
