"""NEL, U+2028 and U+2029 in YAML: text, as in JSON."""

import pytest

from evidence_store.documents.model import Scalar
from evidence_store.documents.resolve import resolve
from evidence_store.documents.yaml import YamlDocument
from evidence_store.errors import RefusedDocument


def sliced(text: str, pointer: str) -> str:
    document = YamlDocument(text.encode())
    return document.source(resolve(document, pointer)).decode()


def scalar(text: str, pointer: str) -> Scalar:
    document = YamlDocument(text.encode())
    return document.scalar(resolve(document, pointer))


@pytest.mark.parametrize("sign", ["\x85", "\u2028", "\u2029"])
def test_what_ended_lines_before_yaml_1_2_is_text(sign: str) -> None:
    text = f"plain: é{sign}y\nquoted: \"p{sign} q\"\nblock: |\n  one{sign}two\n  three\n'k{sign}': '1'\nlast: \U000f0000\n"
    assert [scalar(text, f"/{name}") for name in ("plain", "quoted", "block")] == [f"é{sign}y", f"p{sign} q", f"one{sign}two\nthree\n"]
    assert sliced(text, "/quoted") == f'"p{sign} q"'
    assert sliced(text, "/block") == f"|\n  one{sign}two\n  three"
    assert scalar(text, f"/k{sign}") == "1"
    assert sliced(text, "/last") == "\U000f0000"


def test_a_break_that_nothing_can_stand_for_is_refused() -> None:
    every = "".join(map(chr, range(0xA0, 0x800)))
    assert scalar(f"a: '{every}'", "/a") == every
    with pytest.raises(RefusedDocument):
        YamlDocument(f"a: '{every}\x85'".encode())
