"""Answers of the command line that come in parts: all parts together are the whole."""

import json
from pathlib import Path

import pytest

from tests.e2e.command import Evidence


@pytest.mark.parametrize(
    ("name", "document", "n_keys"),
    [
        ("wide.json", {f"key{n:05}": n for n in range(5_000)}, 5_000),
        ("list.json", [{"name": f"item{n}", "x": "y" * 30} for n in range(3_000)], 3_000),
        ("wide.yaml", {f"key{n:05}": n for n in range(3_000)}, 3_000),
    ],
)
def test_keys_are_read_page_by_page(evidence: Evidence, tmp_path: Path, name: str, document: object, n_keys: int) -> None:
    (tmp_path / name).write_text(json.dumps(document))
    evidence("put", tmp_path / name, "--resource", name).answer()
    words = ["--keys"]
    keys: list[str] = []
    ids = set()
    while words:
        packet = evidence("read", name, "--pointer", "", *words, "--max-tokens", "8000").answer()
        assert (packet["transforms"], packet["cut"] is None, "value" in packet) == (["keys/1"], False, False)
        keys += json.loads(packet["excerpt"])
        ids.add(packet["id"])
        words = packet["next"].split() if packet["next"] else []
    assert keys == (list(document) if isinstance(document, dict) else [f"item{n}" for n in range(n_keys)])
    assert ids == {packet["id"]}, "all of it is one evidence"
    assert evidence("get", packet["id"], "--max-tokens", "8000").answer()["next"].startswith("--keys --children ")
    assert evidence("read", name, "--pointer", "", "--keys", "--children", f"{n_keys}-{n_keys}").error(3)["n_children"] == n_keys
