"""One side of the comparison: a file, a folder or a tar file of several, or a revision that is stored already.

Of a folder or a tar file the documents are taken (JSON and YAML), never a link, and nothing outside of it. They become resources under
one prefix, which is derived from their bytes, so that the relative references between them lead to where they stand.
"""

import re
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

import orjson
import zstandard

from api.wiring import AgentServices
from evidence_store.canonical import canonical_digest, digest_of
from evidence_store.errors import InvalidInput, LimitExceeded, NotFound, RefusedDocument
from evidence_store.ids import short_id
from evidence_store.model import ResourceName
from evidence_store.records.sources import Revision
from evidence_store.store.put_request import PutRequest

PREFIX = "demo/"
MAX_FILES = 20_000
MAX_BYTES = 512 * 1024 * 1024
"""Of all documents of one side together."""
_DOCUMENTS = (".json", ".yaml", ".yml")
_TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst")
_ROOTS = tuple(f"{stem}{suffix}" for stem in ("openapi", "swagger") for suffix in (".yaml", ".yml", ".json"))
_YAML_ROOT = re.compile(rb"""^(?:\xef\xbb\xbf)?(["']?)(?:openapi|swagger)\1[ \t]*:""", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Input:
    """One of the two documents: bytes under a name, or a revision that is stored already."""

    name: str
    raw: bytes | None
    place: tuple[ResourceName, int | None] | None
    parts: Mapping[str, bytes] = field(default_factory=dict)
    """All documents of a folder by their path in it, `name` among them; empty for a single file."""


def read_input_of(services: AgentServices, text: str) -> Input:
    """A file, a folder, a tar file, else a stored RESOURCE@REV. Raises NotFound for what is none, InvalidInput without a root."""
    path = Path(text)
    if path.is_dir():
        return _with_root(text, dict(_iter_folder(path)))
    if path.is_file() and path.name.endswith(_TARS):
        return _with_root(text, dict(_iter_tar(path)))
    if path.is_file():
        return Input(path.name, path.read_bytes(), None)
    name, at, number = text.rpartition("@")
    stored = (ResourceName(name), int(number)) if at and number.isascii() and number.isdecimal() else (ResourceName(text), None)
    try:
        services.store.sources.get_revision(*stored)
    except NotFound as why:
        raise NotFound(f"{text[:200]!r} is neither a file nor a stored revision", {**why.details}, code="no_document") from why
    return Input(path.name, None, stored)


def keep_pair(services: AgentServices, old: Input, new: Input) -> tuple[Revision, Revision]:
    """Both documents as revisions: two files as those of one resource, folders each under a prefix of its own.

    Bytes that a resource holds already are found, not stored again.
    """
    name = ResourceName(PREFIX + new.name)
    return _keep_side(services, name, old), _keep_side(services, name, new)


def _keep_side(services: AgentServices, name: ResourceName, given: Input) -> Revision:
    if given.place is not None:
        return services.store.sources.get_revision(*given.place)
    if given.raw is not None:
        return _find(services, name, given.raw) or _put(services, name, given.name, given.raw)
    prefix = f"{PREFIX}{_digest_of(given.parts)}/"
    root = ResourceName(prefix + given.name)
    kept = _find(services, root, given.parts[given.name])
    if kept is not None:
        return kept  # the root is stored last, so the parts are there
    for part, raw in given.parts.items():
        if part != given.name:
            try:
                _put(services, ResourceName(prefix + part), part, raw)
            except RefusedDocument:
                continue  # a reference to it is an open question of the report then
    return _put(services, root, given.name, given.parts[given.name])


def _digest_of(parts: Mapping[str, bytes]) -> str:
    return short_id(canonical_digest([[name, digest_of(parts[name])] for name in sorted(parts)])).removeprefix("ev_")


def _find(services: AgentServices, name: ResourceName, raw: bytes) -> Revision | None:
    digest = digest_of(raw)
    try:
        return next((one for one in services.store.sources.list_revisions(name) if one.digest == digest), None)
    except NotFound:
        return None


def _put(services: AgentServices, name: ResourceName, file_name: str, raw: bytes) -> Revision:
    return services.store.sources.put(PutRequest(name, file_name=file_name), [raw]).revision


def _with_root(text: str, parts: Mapping[str, bytes]) -> Input:
    if not parts:
        raise InvalidInput(f"{text[:200]!r} holds no JSON or YAML document", code="no_root")
    return Input(find_root(parts), None, None, parts)


def find_root(parts: Mapping[str, bytes]) -> str:
    """The document that the others belong to: named so at the top, else the only one that says which version it is.

    Raises InvalidInput where there is none or more than one.
    """
    top = min(name.count("/") for name in parts)
    named = [root for root in _ROOTS for name in parts if PurePosixPath(name).name == root and name.count("/") == top]
    if named:
        return next(name for name in parts if PurePosixPath(name).name == named[0] and name.count("/") == top)
    saying = [name for name, raw in parts.items() if _says_version(name, raw)]
    if len(saying) == 1:
        return saying[0]
    told = ", ".join(map(repr, saying[:5])) or "none says which version of OpenAPI it is"
    raise InvalidInput(f"which document is the root? {told}; name it openapi.yaml", {"known": list(saying[:20])}, code="no_root")


def _says_version(name: str, raw: bytes) -> bool:
    if not name.endswith(".json"):
        return _YAML_ROOT.search(raw) is not None
    try:
        found = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return False
    return isinstance(found, dict) and not {"openapi", "swagger"}.isdisjoint(found)


class _Budget:
    """How much may still be read of one side."""

    def __init__(self) -> None:
        self._n_files, self._n_bytes = 0, 0

    def take(self, n_bytes: int) -> None:
        self._n_files, self._n_bytes = self._n_files + 1, self._n_bytes + n_bytes
        if self._n_files > MAX_FILES:
            raise LimitExceeded(f"more than {MAX_FILES} documents", {"limit": MAX_FILES}, code="too_large")
        if self._n_bytes > MAX_BYTES:
            raise LimitExceeded(f"more than {MAX_BYTES} bytes of documents", {"limit": MAX_BYTES}, code="too_large")


def _iter_folder(folder: Path) -> Iterator[tuple[str, bytes]]:
    budget = _Budget()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        linked = any((folder / parent).is_symlink() for parent in (inside, *inside.parents[:-1]))
        if linked or not _is_document(inside.as_posix()) or not path.is_file():
            continue
        budget.take(path.stat().st_size)
        yield inside.as_posix(), path.read_bytes()


def _iter_tar(path: Path) -> Iterator[tuple[str, bytes]]:
    budget = _Budget()
    try:
        with path.open("rb") as file, tarfile.open(fileobj=_plain(file, path.name), mode="r|*") as archive:
            for member in archive:
                name = member.name.removeprefix("./")
                if not member.isreg() or not _is_document(name):
                    continue
                budget.take(member.size)
                found = archive.extractfile(member)
                assert found is not None, "a regular member"
                yield name, found.read()
    except (tarfile.TarError, zstandard.ZstdError, EOFError, OSError) as why:
        raise InvalidInput(f"{path.name!r} is no tar file: {why}", code="bad_tar") from why


def _plain(file: BinaryIO, name: str) -> BinaryIO:
    if not name.endswith(".zst"):
        return file
    return cast("BinaryIO", zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(file))


def _is_document(name: str) -> bool:
    """Whether to take it: a document by its name, in no hidden folder, and nowhere but below."""
    steps = name.split("/")
    return name.endswith(_DOCUMENTS) and not any(step == "" or step.startswith(".") for step in steps)
