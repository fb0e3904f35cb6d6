"""Bytes that one version of a document takes when many are stored, against a repository that git packed as tightly as it can."""

import subprocess
from pathlib import Path

from benchmarks import corpus
from benchmarks.table import Row
from evidence_store.model import Format, ResourceName
from evidence_store.store import BLOBS_NAME, init_store, open_store
from evidence_store.store.put_request import PutRequest


def family_row(folder: Path, family: str) -> Row:
    """Bytes that one version takes, all versions of a document stored, against a repository that git packed as tightly as it can."""
    init_store(folder / family)
    versions = corpus.versions(family)
    repository = folder / f"{family}.git"
    git("init", "--quiet", str(repository), at=folder)
    with open_store(folder / family) as store:
        for path in versions:
            raw = corpus.read(path)
            store.sources.put(PutRequest(ResourceName(family), format=Format.TEXT), [raw])
            (repository / family).write_bytes(raw)
            git("add", family, at=repository)
            git("-c", "user.name=b", "-c", "user.email=b@example.org", "commit", "--quiet", "--allow-empty", "-m", path.name, at=repository)
    git("gc", "--quiet", "--aggressive", "--prune=now", at=repository)
    ours = sum(path.stat().st_size for path in (folder / family / BLOBS_NAME).rglob("*.zst"))
    other = sum(path.stat().st_size for path in (repository / ".git" / "objects" / "pack").glob("*.pack"))
    n = len(versions)
    return Row(f"bytes of a version of {family} (of {n}) against git gc --aggressive", ours / n, other / n, None)


def git(*words: str, at: Path) -> None:
    subprocess.run(["git", *words], cwd=at, check=True, capture_output=True)
