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
from benchmarks.families import family_row
from benchmarks.table import Bound, Row, is_quick, publish
from evidence_store.blobs.local import blob_path
from evidence_store.documents.resolve import resolve
from evidence_store.frames import FRAME_BYTES, LEVEL
from evidence_store.model import LineRange, ResourceName, Span
from evidence_store.records.blobs import list_frames
from evidence_store.records.sources import Revision
from evidence_store.store import BLOBS_NAME, EvidenceStore, init_store, open_store
from evidence_store.store.put_request import PutRequest

N_POINTERS = 60 if is_quick() else 200
N_INGESTS = 3 if is_quick() else 5
LOG_BYTES = 60_000_000
FEW_LINES_BYTES = 2_000_000
WIDE_MEMBERS = 1_000_000


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


def json_lines(n_bytes: int) -> bytes:
    """Events of a test run, one a line, at least so many bytes of them."""
    chance, size = random.Random(7), 0
    lines: list[bytes] = []
    while size < n_bytes:
        n = len(lines)
        output = "x" * chance.randrange(200)
        event = {"Action": "output", "Test": f"Test/{n}", "Elapsed": n / 8, "Output": output, "more": [1, {"n": n}]}
        lines.append(orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE))
        size += len(lines[-1])
    return b"".join(lines)


def record_seconds(stored: Stored) -> float:
    """Median of one read of a record, and of one of a node in it, each in a file that is open."""
    tree, chance = stored.store.sources.get_tree(stored.revision), random.Random(7)
    n_records, times = len(tree.children(tree.root)), []
    for _ in range(20 + N_POINTERS):
        stored.store.core.recent.forget()
        pointer = f"/{chance.randrange(n_records)}" + chance.choice(("", "/more/1/n"))
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
    if sys.argv[3]:
        tree.source(resolve(tree, sys.argv[3]))
    else:
        from evidence_store.documents.outline import outline
        outline(tree, tree.root, 0, 500)
    print(peak() - before, peak())
"""


def memory_of_read(stored: Stored, pointer: str) -> tuple[int, int]:
    """Growth of the peak by one read (of the root: its outline), and the peak of the whole process; in a process of its own."""
    stored.store.sources.put(PutRequest(ResourceName("warm.json")), [b'{"a": [1, 2, 3]}'])
    words = [sys.executable, "-c", MEMORY, str(stored.folder), stored.revision.resource, pointer]
    growth, peak = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return int(growth), int(peak)


INGEST = f"""
import sys
from pathlib import Path
from evidence_store.store import open_store
{PEAK}
from evidence_store.store.put_request import PutRequest
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


def lines_rows(folder: Path) -> Sequence[Row]:
    few, many = keep(folder, "few.jsonl", json_lines(FEW_LINES_BYTES)), keep(folder, "many.jsonl", json_lines(LOG_BYTES))
    return [
        Row(
            "read a record of JSON Lines: 60 MB against 2 MB, s",
            record_seconds(many),
            record_seconds(few),
            Bound("<=", 1.5),
            frame_floor_seconds(many),
        ),
        Row(
            "memory to read a record of the 60 MB JSON Lines against 2 MB, bytes",
            max(memory_of_read(many, "/100000/more/1/n")[0], 1),
            2_000_000,
            Bound("<=", 1),
        ),
    ]


def wide_rows(folder: Path) -> Sequence[Row]:
    wide = orjson.dumps({str(n): n for n in range(WIDE_MEMBERS)})
    members = keep(folder, "wide.json", wide)
    return [
        Row(
            "memory to outline a document of a million members against 4 MB, bytes",
            max(memory_of_read(members, "")[0], 1),
            4_000_000,
            Bound("<=", 1),
        ),
        Row(
            "memory to take in a document of a million members against its size, bytes",
            memory_of_ingest(folder, "w.json", wide),
            len(wide),
            Bound("<=", 20),
            len(wide),
        ),
    ]


@dataclass(frozen=True)
class Samples:
    """What all lines are measured on, each in a store of its own."""

    folder: Path
    small: Stored
    middle: Stored
    large: Stored
    log: Stored
    few: Stored
    many: Stored
    wide: Stored


def samples(folder: Path) -> Samples:
    github, deref, box = (corpus.read(corpus.versions(f)[0]) for f in ("github-json", "github-deref-json", "box-json"))
    return Samples(
        folder,
        keep(folder, "box.json", box),
        keep(folder, "github.json", github),
        keep(folder, "deref.json", deref),
        keep(folder, "ci.log", corpus.long_log(LOG_BYTES)),
        keep(folder, "few.jsonl", json_lines(FEW_LINES_BYTES)),
        keep(folder, "many.jsonl", json_lines(LOG_BYTES)),
        keep(folder, "wide.json", orjson.dumps({str(n): n for n in range(WIDE_MEMBERS)})),
    )


def time_rows(at: Samples) -> Sequence[Row]:
    """Reading and taking in, in processor time."""
    middle, loads = at.middle, loads_seconds(at.middle.raw)
    cold, warm = read_seconds(middle, cold=True), read_seconds(middle, cold=False)
    large, small = read_seconds(at.large, cold=True), read_seconds(at.small, cold=True)
    floor, many = frame_floor_seconds, at.many
    taken, least = ingest_seconds(at.folder, middle.raw), ingest_floor_seconds(middle.raw)
    records = record_seconds(many), record_seconds(at.few)
    return [
        Row("read a node of at most 8 KB: 62 MB against 2 MB, s", large, small, Bound("<=", 1.5), floor(at.large)),
        Row("read a node of the 12 MB document against orjson.loads of it, s", cold, loads, Bound("<=", 1 / 400), floor(middle)),
        Row("the same with frames kept (warm), s", warm, loads, Bound("<=", 1 / 400)),
        log_lines(at.log),
        Row("take in the 12 MB document against orjson.loads of it, s", taken, loads, Bound("<=", 5), least),
        Row("read a record of JSON Lines: 60 MB against 2 MB, s", *records, Bound("<=", 1.5), floor(many)),
    ]


def memory_rows(at: Samples) -> Sequence[Row]:
    """Growth of the peak, each measured in a process of its own."""
    growth, peak = memory_of_read(at.large, pointers_of(at.large.raw)[0])
    record, outline = memory_of_read(at.many, "/100000/more/1/n")[0], memory_of_read(at.wide, "")[0]
    middle, wide = at.middle.raw, at.wide.raw
    taken = {name: memory_of_ingest(at.folder, name, raw) for name, raw in (("g.json", middle), ("w.json", wide), ("c.log", at.log.raw))}
    members = "a document of a million members"
    return [
        Row("memory to read a node of the 62 MB document against 2 MB, bytes", max(growth, 1), 2_000_000, Bound("<=", 1)),
        Row("whole process of that read against 60 MB, bytes", peak, 60_000_000, Bound("<=", 1)),
        Row("memory to read a record of the 60 MB JSON Lines against 2 MB, bytes", max(record, 1), 2_000_000, Bound("<=", 1)),
        Row(f"memory to outline {members} against 4 MB, bytes", max(outline, 1), 4_000_000, Bound("<=", 1)),
        Row("memory to take in the 12 MB document against its size, bytes", taken["g.json"], len(middle), Bound("<=", 5), len(middle)),
        Row(f"memory to take in {members} against its size, bytes", taken["w.json"], len(wide), Bound("<=", 20), len(wide)),
        Row("memory to take in the 60 MB log against 16 MB, bytes", taken["c.log"], 16_000_000, Bound("<=", 1)),
    ]


def size_rows(at: Samples) -> Sequence[Row]:
    """What is on disk."""
    rows = []
    for name, stored in (("12 MB document", at.middle), ("60 MB log", at.log), ("2 MB document", at.small)):
        whole, tight = (len(zstandard.compress(stored.raw, level)) for level in (LEVEL, 9))
        rows.append(
            Row(f"stored bytes of the {name} against one zstd stream of that level", stored_bytes(stored), whole, Bound("<=", 2.2), tight)
        )
    return rows + [
        Row(f"index of the {name} against its size, bytes", index_bytes(stored, at.folder), len(stored.raw), Bound("<=", 0.05))
        for name, stored in (("12 MB document", at.middle), ("62 MB document", at.large))
    ]


def measure(folder: Path) -> Sequence[Row]:
    at = samples(folder)
    families = ("discord-json",) if is_quick() else ("stripe-spec3-json", "openai-yaml", "discord-json", "github-json")
    rows = [*time_rows(at), *memory_rows(at), *size_rows(at)]
    return [*rows, *(family_row(folder, family) for family in families)]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        return publish("store", measure(Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
