"""The fetching of the demo pair: what is not the recorded bytes is refused, and what is there is kept."""

import dataclasses
import importlib.util
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

FETCH = Path(__file__).resolve().parents[3] / "examples" / "airflow" / "fetch.py"


@pytest.fixture(scope="module")
def fetch() -> ModuleType:
    """The script as a module; `examples` is no package."""
    spec = importlib.util.spec_from_file_location("airflow_fetch", FETCH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "sample.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("openapi.yaml", "openapi: 3.1.0\n")
    return path


def test_the_member_comes_out_when_both_digests_fit(fetch: ModuleType, wheel: Path) -> None:
    raw = b"openapi: 3.1.0\n"
    source = fetch.Source("1", fetch.sha256_of(wheel.read_bytes()), "openapi.yaml", fetch.sha256_of(raw))
    assert fetch.extract(source, wheel) == raw


@pytest.mark.parametrize("changed", ["wheel_sha256", "member_sha256"])
def test_other_bytes_are_refused(fetch: ModuleType, wheel: Path, changed: str) -> None:
    good = fetch.Source("1", fetch.sha256_of(wheel.read_bytes()), "openapi.yaml", fetch.sha256_of(b"openapi: 3.1.0\n"))
    with pytest.raises(fetch.WrongBytes, match="recorded is 0000"):
        fetch.extract(dataclasses.replace(good, **{changed: "0" * 64}), wheel)


def test_a_document_that_is_there_is_kept_and_another_is_not_taken_for_it(fetch: ModuleType, tmp_path: Path) -> None:
    source = fetch.Source("1", "0" * 64, "openapi.yaml", fetch.sha256_of(b"right"))
    target = tmp_path / source.file_name
    assert not fetch.is_present(source, target)
    target.write_bytes(b"wrong")
    assert not fetch.is_present(source, target)
    target.write_bytes(b"right")
    assert fetch.fetch(source, tmp_path) == target
