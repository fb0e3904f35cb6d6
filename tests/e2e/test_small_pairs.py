"""Small pairs of real documents against `benchmarks/small_pairs.json`, which was written by reading them before they were compared.

Each pair has its changes and its open questions as `rule` and `at`: the passage of the old version, where the change has one, else that of
the new. The file says why, too.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from api.demo import DemoResult, Input, run_demo
from api.settings import Settings
from api.wiring import open_services
from tests.conftest import ROOT

PAIRS: list[Any] = json.loads((ROOT / "benchmarks" / "small_pairs.json").read_text(encoding="utf-8"))


def test_every_pair_of_the_table_has_a_reason() -> None:
    assert len(PAIRS) > 40
    assert [pair["old"] for pair in PAIRS if not pair["reason"].strip()] == []


@pytest.mark.corpus
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair['old']} {pair['new']}")
def test_a_small_pair_has_the_changes_of_the_table(pair: Any, corpus: Path, tmp_path: Path) -> None:
    folder = corpus / "specs" / pair["folder"]
    name = "document" + Path(pair["old"]).suffix
    old, new = (Input(name, (folder / pair[side]).read_bytes(), None) for side in ("old", "new"))
    with open_services(Settings(tmp_path / "store"), create=True) as services:
        result = run_demo(services, old, new, (), lambda news: None)
    assert told(result, "verified") == expected(pair["changes"])
    assert told(result, "open") == expected(pair["open"])


def told(result: DemoResult, standing: str) -> Counter[tuple[str, str]]:
    return Counter((one.claim.aspect, one.claim.pointer) for one in result.conclusions if one.claim.standing == standing)


def expected(listed: list[Any]) -> Counter[tuple[str, str]]:
    return Counter((one["rule"], one["at"]) for one in listed)
