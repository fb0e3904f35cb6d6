"""Bounds of YAML documents, met before or while they are read."""

import pytest

from evidence_store.documents.model import Limits
from evidence_store.documents.yaml_check import check_yaml
from evidence_store.errors import LimitExceeded, RefusedDocument


@pytest.mark.parametrize("text", ["[" * 501 + "]" * 501, "\n".join(" " * n + f"k{n}:" for n in range(600)), "- " * 200_000])
def test_depth_past_the_limit_is_refused(text: str) -> None:
    with pytest.raises(LimitExceeded, match="depth"):
        check_yaml(text.encode())


def test_size_and_encoding_are_met_before_the_parser() -> None:
    with pytest.raises(LimitExceeded):
        check_yaml(b"a: 1", Limits(max_bytes=3))
    with pytest.raises(RefusedDocument, match="UTF-16"):
        check_yaml("a: 1".encode("utf-16"))
    assert [note.code for note in check_yaml(b"\xef\xbb\xbfa: 1")] == ["bom"]


@pytest.mark.parametrize("raw", [b"a: [1, 2]\n", b"- 1\n- 2\n- {}\n- x\n"])
def test_more_nodes_than_the_limit_are_refused(raw: bytes) -> None:
    assert check_yaml(raw, Limits(max_nodes=5)) == ()
    with pytest.raises(LimitExceeded) as caught:
        check_yaml(raw, Limits(max_nodes=4))
    assert (caught.value.error_code, caught.value.details) == ("too_many_nodes", {"limit": 4})
