"""Folders and tar files as one side of a comparison: which documents are taken, which is the root, and what is never read."""

import io
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import zstandard

from api import demo_inputs
from api.demo_inputs import Input, find_root, keep_pair, read_input_of
from api.settings import Settings
from api.wiring import Services, open_services
from evidence_store.errors import InvalidInput, LimitExceeded, NotFound
from evidence_store.model import ResourceName

FILES = {
    "openapi.yaml": b"openapi: 3.1.0\npaths: {}\n",
    "models/a.yml": b"type: string\n",
    "models/b.json": b'{"type": "string"}',
    "README.md": b"# no document\n",
    ".hidden/c.yaml": b"type: string\n",
}
TAKEN = {"openapi.yaml", "models/a.yml", "models/b.json"}


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with open_services(Settings(tmp_path / "store"), create=True) as found:
        yield found


def write_folder(folder: Path, files: Mapping[str, bytes] = FILES) -> Path:
    for name, raw in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(raw)
    return folder


def tar_of(files: Mapping[str, bytes], mode: str = "w") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, raw in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(raw)
            archive.addfile(member, io.BytesIO(raw))
    return buffer.getvalue()


def test_of_a_folder_the_documents_are_taken(services: Services, tmp_path: Path) -> None:
    given = read_input_of(services, str(write_folder(tmp_path / "api")))
    assert (given.name, given.raw, given.place, set(given.parts)) == ("openapi.yaml", None, None, TAKEN)


@pytest.mark.parametrize("suffix", [".tar", ".tar.gz", ".tar.zst"])
def test_a_tar_file_gives_what_its_folder_gives(services: Services, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"api{suffix}"
    raw = tar_of({f"./{name}": raw for name, raw in FILES.items()}, "w:gz" if suffix == ".tar.gz" else "w")
    path.write_bytes(zstandard.compress(raw) if suffix == ".tar.zst" else raw)
    assert read_input_of(services, str(path)).parts == read_input_of(services, str(write_folder(tmp_path / "api"))).parts


def test_no_link_is_followed_and_no_name_leads_out(services: Services, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "api")
    (tmp_path / "secret.yaml").write_bytes(b"key: 1\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "d.yaml").write_bytes(b"key: 1\n")
    (folder / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    (folder / "linked").symlink_to(tmp_path / "outside")
    assert set(read_input_of(services, str(folder)).parts) == TAKEN
    path = tmp_path / "api.tar"
    path.write_bytes(tar_of({**FILES, "../up.yaml": b"a: 1\n", "/etc/top.yaml": b"a: 1\n", "models//x.yaml": b"a: 1\n"}))
    assert set(read_input_of(services, str(path)).parts) == TAKEN


def test_the_parts_are_stored_under_one_prefix_with_the_root_among_them(services: Services, tmp_path: Path) -> None:
    given = read_input_of(services, str(write_folder(tmp_path / "api")))
    old, new = keep_pair(services, given, given)
    prefix = old.resource.removesuffix("openapi.yaml")
    assert old == new
    assert prefix.startswith("demo/")
    assert {name.name for name, _ in services.store.sources.list_resources("", 100)} == {prefix + name for name in TAKEN}
    again = keep_pair(services, given, given)
    assert again == (old, new)
    assert len(services.store.sources.list_revisions(ResourceName(prefix + "models/a.yml"))) == 1


def test_another_folder_gets_another_prefix(services: Services, tmp_path: Path) -> None:
    one = read_input_of(services, str(write_folder(tmp_path / "one")))
    other = read_input_of(services, str(write_folder(tmp_path / "other", {**FILES, "models/a.yml": b"type: integer\n"})))
    old, new = keep_pair(services, one, other)
    assert old.resource != new.resource
    assert old.digest == new.digest


def test_a_part_that_is_refused_is_left_out(services: Services, tmp_path: Path) -> None:
    broken = {**FILES, "models/b.json": b'{"type": '}
    given = read_input_of(services, str(write_folder(tmp_path / "api", broken)))
    old, _ = keep_pair(services, given, given)
    with pytest.raises(NotFound):
        services.store.sources.get_revision(ResourceName(old.resource.replace("openapi.yaml", "models/b.json")), None)


@pytest.mark.parametrize(
    ("parts", "root"),
    [
        ({"spec/swagger.json": b"{}", "spec/a.yaml": b"openapi: 3.1.0\n"}, "spec/swagger.json"),
        ({"openapi.json": b"{}", "openapi.yaml": b"{}", "swagger.yaml": b"{}"}, "openapi.yaml"),
        ({"a.yaml": b"x: 1\n", "deep/openapi.yaml": b"x: 1\n", "main.yaml": b"info: {}\n'openapi': 3.0.0\n"}, "main.yaml"),
        ({"a.json": b'{"info": {}, "swagger": "2.0"}', "b.json": b'{"x": {"openapi": 1}}', "c.json": b"[1"}, "a.json"),
    ],
)
def test_the_root_is_the_document_named_so_at_the_top_else_the_one_that_says_its_version(parts: dict[str, bytes], root: str) -> None:
    assert find_root(parts) == root


@pytest.mark.parametrize("parts", [{"a.yaml": b"x: 1\n"}, {"a.yaml": b"openapi: 3.1.0\n", "b.yaml": b"openapi: 3.1.0\n"}])
def test_no_root_or_two_are_refused(parts: dict[str, bytes]) -> None:
    with pytest.raises(InvalidInput) as refused:
        find_root(parts)
    assert refused.value.error_code == "no_root"


def test_an_empty_folder_and_a_torn_tar_file_are_refused(services: Services, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput) as refused:
        read_input_of(services, str(tmp_path / "empty"))
    assert refused.value.error_code == "no_root"
    (tmp_path / "torn.tar").write_bytes(tar_of(FILES)[:700])
    with pytest.raises(InvalidInput) as torn:
        read_input_of(services, str(tmp_path / "torn.tar"))
    assert torn.value.error_code == "bad_tar"


def test_too_much_is_refused_before_it_is_read(services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_folder(tmp_path / "api")
    monkeypatch.setattr(demo_inputs, "MAX_BYTES", 30)
    with pytest.raises(LimitExceeded):
        read_input_of(services, str(folder))
    monkeypatch.setattr(demo_inputs, "MAX_BYTES", 1000)
    monkeypatch.setattr(demo_inputs, "MAX_FILES", 2)
    with pytest.raises(LimitExceeded):
        read_input_of(services, str(folder))


def test_a_single_file_stays_a_revision_of_one_resource(services: Services) -> None:
    old, new = keep_pair(services, Input("a.yaml", b"a: 1\n", None), Input("b.yaml", b"a: 2\n", None))
    assert (old.resource, old.number, new.resource, new.number) == ("demo/b.yaml", 1, "demo/b.yaml", 2)
