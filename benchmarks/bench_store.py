"""The store against what it stands on: reading places of large documents and logs, taking them in, and what they take on disk.

Both sides of each line are measured in this run, in processor time; medians. `orjson.loads` runs without the cyclic garbage
collector, as ours does while it takes a document in. A read is a place in a document that is open, its frames not kept from
before; `warm` lines keep them. The floor is what the machine alone needs: for a read one frame, decompressed and hashed; for
taking in the hashes and the compression; for stored bytes one stream at level 9.
"""

import gc
import hashlib
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import orjson
import zstandard
from jsonpointer import JsonPointer

from benchmarks import corpus
from benchmarks.table import Bound, Row, is_quick, publish
from evidence_store.blobs.local import blob_path
from evidence_store.documents.resolve import resolve
from evidence_store.frames import FRAME_BYTES, LEVEL
from evidence_store.model import Format, LineRange, ResourceName, Span
from evidence_store.records.blobs import list_frames
from evidence_store.records.sources import Revision
from evidence_store.store import BLOBS_NAME, EvidenceStore, init_store, open_store
from evidence_store.store.sources import PutRequest

N_POINTERS = 60 if is_quick() else 200
N_INGESTS = 3 if is_quick() else 5
LOG_BYTES = 60_000_000


@dataclass(frozen=True)
class Stored:
    """A document in a store of its own."""

    raw: bytes
    store: EvidenceStore
    folder: Path
    revision: Revision


def seconds(action: Callable[[], object]) -> float:
    """Processor seconds of this process: other work on the machine must not move a ratio. Waiting for the disk is not in it."""
    start = time.process_time()
    action()
    return time.process_time() - start


def loads_seconds(raw: bytes) -> float:
    gc.disable()
    try:
        return statistics.median(seconds(lambda: orjson.loads(raw)) for _ in range(5))
    finally:
        gc.enable()


def keep(folder: Path, name: str, raw: bytes) -> Stored:
    init_store(folder / name)
    store = open_store(folder / name)
    revision = store.sources.put(PutRequest(ResourceName(name)), [raw]).revision
    return Stored(raw, store, folder / name, revision)


def pointers_of(raw: bytes) -> Sequence[str]:
    """Places of 500 to 8 000 bytes, by random walks from the root."""
    document, chance = orjson.loads(raw), random.Random(7)
    found: list[str] = []
    while len(found) < N_POINTERS:
        value, tokens = document, []
        while isinstance(value, dict | list) and value:
            token = chance.choice(list(value)) if isinstance(value, dict) else chance.randrange(len(value))
            value = value[token]
            tokens.append(str(token))
            if 500 <= len(orjson.dumps(value)) <= 8000:
                found.append(JsonPointer.from_parts(tokens).path)
                break
    return found


def read_seconds(stored: Stored, *, cold: bool) -> float:
    """Median of one read: the place is found and its bytes are checked and sliced."""
    tree = stored.store.sources.get_tree(stored.revision)
    times = []
    pointers = pointers_of(stored.raw)
    for pointer in (*pointers[:20], *pointers):
        if cold:
            stored.store.core.recent.forget()
        times.append(seconds(lambda p=pointer: tree.source(resolve(tree, p))))  # type: ignore[misc]
    return statistics.median(times[20:])


def frame_floor_seconds(stored: Stored) -> float:
    """Median of what a read cannot do without: one frame from its file, decompressed and hashed."""
    digest = stored.revision.digest
    path = blob_path(stored.folder / BLOBS_NAME, stored.store.core.key(digest))
    with stored.store.core.database.reading() as connection:
        frames = list_frames(connection, stored.store.core.workspace, digest, Span(0, stored.revision.size))
    chance = random.Random(7)

    def read() -> None:
        frame = chance.choice(frames)
        handle = os.open(path, os.O_RDONLY)
        raw = zstandard.ZstdDecompressor().decompress(os.pread(handle, frame.stored.length, frame.stored.start))
        os.close(handle)
        hashlib.sha256(raw).digest()

    return statistics.median(seconds(read) for _ in range(N_POINTERS))


def ingest_floor_seconds(raw: bytes) -> float:
    """What taking in cannot do without: SHA-256 of the whole and of each frame, compression, one look at the structure."""

    def take_in() -> None:
        hashlib.sha256(raw).digest()
        for start in range(0, len(raw), FRAME_BYTES):
            piece = raw[start : start + FRAME_BYTES]
            hashlib.sha256(piece).digest()
            zstandard.compress(piece, LEVEL)
        msgspec.json.decode(raw, type=dict[str, msgspec.Raw])

    return statistics.median(seconds(take_in) for _ in range(3))


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


def ingest_seconds(folder: Path, raw: bytes) -> float:
    times = []
    for n in range(N_INGESTS):
        init_store(folder / f"ingest-{n}")
        with open_store(folder / f"ingest-{n}") as store:
            times.append(seconds(lambda s=store: s.sources.put(PutRequest(ResourceName("a.json")), [raw])))  # type: ignore[misc]
        shutil.rmtree(folder / f"ingest-{n}")
    return statistics.median(times)


def log_lines(stored: Stored) -> Row:
    reader, chance = stored.store.sources.get_reader(stored.revision), random.Random(7)
    n_lines = stored.raw.count(b"\n")

    def read_lines() -> None:
        stored.store.core.recent.forget()
        first = chance.randrange(1, n_lines - 100)
        reader.read(reader.span_of_lines(LineRange(first, first + 99)))

    read_lines()
    ours = statistics.median(seconds(read_lines) for _ in range(N_POINTERS))
    frame = zstandard.compress(stored.raw, LEVEL)
    whole = statistics.median(seconds(lambda: zstandard.decompress(frame)) for _ in range(3))
    return Row("100 lines of a 60 MB log against decompressing it, s", ours, whole, Bound("<=", 1 / 300), frame_floor_seconds(stored))


def stored_bytes(stored: Stored) -> int:
    return sum(path.stat().st_size for path in (stored.folder / "blobs").rglob("*.zst"))


def index_bytes(stored: Stored, folder: Path) -> int:
    """What the database grew by, beyond that of a store with one small document."""
    small = keep(folder, f"small-{stored.revision.size}", b"{}")
    sizes = []
    for one in (stored, small):
        one.store.close()
        subprocess.run([sys.executable, "-c", VACUUM, str(one.folder / "evidence.db")], check=True)
        sizes.append((one.folder / "evidence.db").stat().st_size)
    return sizes[0] - sizes[1]


VACUUM = (
    "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('PRAGMA wal_checkpoint(TRUNCATE)'); c.execute('VACUUM'); c.close()"
)
PEAK = """
def peak():
    # Not ru_maxrss, which a process takes over from the one that started it.
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
"""
MEMORY = f"""
import sys
from pathlib import Path
from evidence_store.store import open_store
{PEAK}
with open_store(Path(sys.argv[1])) as store:
    from evidence_store.documents.resolve import resolve
    revision = store.sources.get_revision(sys.argv[2], None)
    small = store.sources.get_tree(store.sources.get_revision("warm.json", None))
    small.source(resolve(small, ""))
    before = peak()
    tree = store.sources.get_tree(revision)
    tree.source(resolve(tree, sys.argv[3]))
    print(peak() - before, peak())
"""


def memory_of_read(stored: Stored) -> tuple[int, int]:
    """Growth of the peak by one read, and the peak of the whole process; in a process of its own."""
    stored.store.sources.put(PutRequest(ResourceName("warm.json")), [b'{"a": [1, 2, 3]}'])
    words = [sys.executable, "-c", MEMORY, str(stored.folder), stored.revision.resource, pointers_of(stored.raw)[0]]
    growth, peak = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return int(growth), int(peak)


INGEST = f"""
import sys
from pathlib import Path
from evidence_store.store import open_store
{PEAK}
from evidence_store.store.sources import PutRequest
with open_store(Path(sys.argv[1])) as store, open(sys.argv[2], "rb") as file:
    store.sources.put(PutRequest("warm.json"), [b"[1, 2, 3]"])
    before = peak()
    store.sources.put(PutRequest(sys.argv[3]), iter(lambda: file.read(1 << 20), b""))
    print(peak() - before)
"""


def memory_of_ingest(folder: Path, name: str, raw: bytes) -> int:
    place, file = folder / f"memory-{name}", folder / name
    init_store(place)
    file.write_bytes(raw)
    words = [sys.executable, "-c", INGEST, str(place), str(file), name]
    return int(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def measure(folder: Path) -> Sequence[Row]:
    github, deref = (corpus.read(corpus.versions(f)[0]) for f in ("github-json", "github-deref-json"))
    box = corpus.read(corpus.versions("box-json")[0])
    log = corpus.long_log(LOG_BYTES)
    small, middle, large = keep(folder, "box.json", box), keep(folder, "github.json", github), keep(folder, "deref.json", deref)
    text = keep(folder, "ci.log", log)
    loads = loads_seconds(github)
    cold, warm = read_seconds(middle, cold=True), read_seconds(middle, cold=False)
    growth, peak = memory_of_read(large)
    rows = [
        Row(
            "read a node of at most 8 KB: 62 MB against 2 MB, s",
            read_seconds(large, cold=True),
            read_seconds(small, cold=True),
            Bound("<=", 1.5),
            frame_floor_seconds(large),
        ),
        Row(
            "read a node of the 12 MB document against orjson.loads of it, s",
            cold,
            loads,
            Bound("<=", 1 / 400),
            frame_floor_seconds(middle),
        ),
        Row("the same with frames kept (warm), s", warm, loads, Bound("<=", 1 / 400)),
        log_lines(text),
        Row(
            "take in the 12 MB document against orjson.loads of it, s",
            ingest_seconds(folder, github),
            loads,
            Bound("<=", 5),
            ingest_floor_seconds(github),
        ),
        Row("memory to read a node of the 62 MB document against 2 MB, bytes", max(growth, 1), 2_000_000, Bound("<=", 1)),
        Row("whole process of that read against 60 MB, bytes", peak, 60_000_000, Bound("<=", 1)),
        Row(
            "memory to take in the 12 MB document against its size, bytes",
            memory_of_ingest(folder, "g.json", github),
            len(github),
            Bound("<=", 5),
            len(github),
        ),
        Row("memory to take in the 60 MB log against 16 MB, bytes", memory_of_ingest(folder, "c.log", log), 16_000_000, Bound("<=", 1)),
    ]
    for name, stored in (("12 MB document", middle), ("60 MB log", text), ("2 MB document", small)):
        whole = len(zstandard.compress(stored.raw, LEVEL))
        line = f"stored bytes of the {name} against one zstd stream of that level"
        rows.append(Row(line, stored_bytes(stored), whole, Bound("<=", 2.2), len(zstandard.compress(stored.raw, 9))))
    rows += [
        Row(f"index of the {name} against its size, bytes", index_bytes(stored, folder), len(stored.raw), Bound("<=", 0.05))
        for name, stored in (("12 MB document", middle), ("62 MB document", large))
    ]
    families = ("discord-json",) if is_quick() else ("stripe-spec3-json", "openai-yaml", "discord-json", "github-json")
    return [*rows, *(family_row(folder, family) for family in families)]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        return publish("store", measure(Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
