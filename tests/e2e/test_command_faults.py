"""The command as a program where the machine fails it: full disk, read-only store, killed half-way, nobody reading, an old locale."""

import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evidence_store.canonical import digest_of
from evidence_store.model import Format, ResourceName
from evidence_store.store import BLOBS_NAME
from tests.e2e.command import PROGRAM, Done, environment, run_program
from tests.factories import API, API_BYTES, make_store, put

BIG = random.Random(11).randbytes(3_000_000)
FULL = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))"
# Root may write where nobody may: without CAP_DAC_OVERRIDE (prctl PR_CAPBSET_DROP, then exec) it is bound by modes like everybody.
UNPRIVILEGED = """
import ctypes, os
if os.geteuid() == 0 and "UNPRIVILEGED" not in os.environ:
    for override in (1, 2):  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: root as anybody
        assert ctypes.CDLL(None).prctl(24, override, 0, 0, 0) == 0
    os.execve(sys.executable, [sys.executable, "-c", CODE, *sys.argv[1:]], {**os.environ, "UNPRIVILEGED": "1"})
"""


@pytest.fixture
def store(folder: Path) -> Path:
    """A store that holds the golden document."""
    with make_store(folder) as made:
        put(made)
    return folder


def run(store: Path, *words: str | Path, stdin: bytes = b"", before: str = "", env: dict[str, str] | None = None) -> Done:
    return run_program([*words, "--json", "--store", store], stdin=stdin, before=before, env=env)


def leftovers(store: Path) -> list[Path]:
    return [path for path in (store / BLOBS_NAME).rglob("*") if path.is_file()]


def require_sound(store: Path, n_revisions: int) -> None:
    with make_store(store) as made:
        found = made.checks.verify(deep=True)
    assert (found.faults, dict(found.counts)["revisions"]) == ((), n_revisions)


def put_again(store: Path) -> None:
    """The same bytes go in as if nothing had been."""
    with make_store(store) as made:
        assert put(made, BIG, "a", format=Format.BYTES).revision.number == 1
        assert made.sources.get_bytes(ResourceName("a"), None) == BIG
    require_sound(store, 2)


# -- input and output


def test_bytes_come_from_standard_input(store: Path) -> None:
    answer = run(store, "put", "-", "--resource", "a", "--format", "bytes", stdin=BIG).answer()
    assert (answer["digest"], answer["size"]) == (digest_of(BIG), len(BIG))
    assert run(store, "cat", "a").out == BIG


def test_a_closed_standard_input_is_told(store: Path) -> None:
    error = run(store, "put", "-", "--resource", "a", before="import sys; sys.stdin = None").error(2)
    assert error["code"] == "unreadable_file"


def test_a_file_name_that_no_file_can_have_is_told(store: Path, tmp_path: Path) -> None:
    """The JSON answer of `evidence demo` names its report; one that was edited may name anything."""
    (tmp_path / "answer.json").write_text('{"report": "a\\u0000b"}')
    assert run(store, "check", tmp_path / "answer.json").error(2)["code"] == "unreadable_file"


def test_an_empty_standard_input_is_an_empty_revision(store: Path) -> None:
    assert run(store, "put", "-", "--resource", "a", "--format", "text").answer()["size"] == 0
    done = run(store, "cat", "a")
    assert (done.code, done.out) == (0, b"")


@pytest.mark.parametrize(
    "env", [{"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"}]
)
def test_output_is_utf_8_whatever_the_locale(store: Path, env: dict[str, str]) -> None:
    run(store, "put", "-", "--resource=a.txt", "--scope=日志", stdin="Größe: 日志\n".encode()).answer()
    assert run(store, "read", "a.txt", "--lines", "1-1", env=environment(**env)).answer()["excerpt"] == "Größe: 日志\n"
    people = run_program(["read", "a.txt", "--lines", "1-1", "--store", store], env=environment(**env))
    assert "scope: 日志\n" in people.out.decode()
    assert "| Größe: 日志\n" in people.out.decode()
    missing = run_program(["cat", "日志", "--store", store], env=environment(**env))
    assert missing.code in (2, 3)
    assert (missing.err.count(b"\n"), b"Traceback" in missing.err) == (1, False)


def test_names_in_any_script_are_arguments(store: Path) -> None:
    run(store, "put", "-", "--resource=日志/Größe.txt", stdin=b"one\n", env=environment(LC_ALL="C")).answer()
    assert run(store, "cat", "日志/Größe.txt", env=environment(LC_ALL="POSIX")).out == b"one\n"


def test_a_reader_that_goes_away_ends_the_command_quietly(store: Path) -> None:
    run(store, "put", "-", "--resource", "a", "--format", "bytes", stdin=BIG).answer()
    command = [*PROGRAM, "cat", "a", "--store", str(store)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(10) == BIG[:10]
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=30) == 0


def test_output_that_cannot_be_written_is_a_fault(store: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [*PROGRAM, "resources", "--json", "--store", str(store)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment(), timeout=30, check=False)
    assert done.returncode == 4
    assert b"Traceback" not in done.stderr
    assert json.loads(done.stderr.splitlines()[-1])["code"]


# -- a full disk


@pytest.mark.parametrize("limit", [1_000, 100_000, 1_000_000])
def test_a_blob_that_does_not_fit_is_a_fault_and_leaves_nothing(store: Path, limit: int) -> None:
    run(store, "put", "-", "--resource", "a", "--format", "bytes", stdin=BIG, before=FULL.format(limit=limit)).error(4)
    assert leftovers(store) == []
    require_sound(store, 1)
    put_again(store)


def test_rows_that_do_not_fit_are_a_fault_and_the_store_goes_on(store: Path) -> None:
    """The write-ahead log finds no room: no revision is claimed, and none is half there."""
    for n in range(3):
        run(store, "put", "-", "--resource", "a", "--format", "text", stdin=b"%d" % n, before=FULL.format(limit=34_000)).error(4)
    require_sound(store, 1)
    assert run(store, "put", "-", "--resource", "a", "--format", "text", stdin=b"0").answer()["revision"] == 1


def test_a_store_that_cannot_be_made_is_a_fault_and_can_be_made_later(tmp_path: Path) -> None:
    run(tmp_path / "new", "init", before=FULL.format(limit=20_000)).error(4)
    run(tmp_path / "new", "resources").error(4)
    run(tmp_path / "new", "init").answer()
    require_sound(tmp_path / "new", 0)


# -- a read-only store


@pytest.fixture
def read_only(store: Path) -> Iterator[Path]:
    folders = [store, *(path for path in store.rglob("*") if path.is_dir())]
    files = [path for path in store.rglob("*") if path.is_file()]
    for path in files:
        path.chmod(0o444)
    for path in folders:
        path.chmod(0o555)
    yield store
    for path in (*folders, *files):
        path.chmod(0o755)


def run_unprivileged(store: Path, *words: str, stdin: bytes = b"") -> Done:
    code = f"{UNPRIVILEGED}\n{PROGRAM[2]}"
    return run(store, *words, stdin=stdin, before=f"import sys\nCODE = {code!r}\n{UNPRIVILEGED}")


@pytest.mark.parametrize("data", [b"small", BIG], ids=["row", "file"])
def test_a_put_into_a_read_only_store_is_a_fault(read_only: Path, data: bytes) -> None:
    error = run_unprivileged(read_only, "put", "-", "--resource", "a", "--format", "bytes", stdin=data).error(4)
    assert error["code"] in ("store_unwritable", "store_unavailable")


def test_a_read_only_store_can_be_read(read_only: Path) -> None:
    for words in (("resources",), ("cat", API), ("verify", "--deep")):
        done = run_unprivileged(read_only, *words)
        assert done.code == 0
        if words[0] == "cat":
            assert done.out == API_BYTES


READS = [
    ("read", API, "--pointer", "/limit"),
    ("read", API, "--pointer", "", "--keys"),
    ("search", API, "maximum"),
    ("search", API, "nowhere"),
    ("diff", f"{API}@1", f"{API}@1"),
    ("summary", API),
]


def _packets(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return [*answer.get("packets", []), *([answer["receipt"]] if "receipt" in answer else []), *([answer] if "id" in answer else [])]


@pytest.mark.parametrize("words", READS, ids=" ".join)
def test_what_is_read_of_an_archive_is_what_a_store_gives_and_says_that_it_is_not_stored(read_only: Path, words: tuple[str, ...]) -> None:
    given = _packets(run_unprivileged(read_only, *words).answer())
    for path in (read_only, *read_only.rglob("*")):
        path.chmod(0o755)
    stored = _packets(run(read_only, *words).answer())
    assert given == [{**one, "transforms": [*one["transforms"], "not_stored/1"]} for one in stored]


def test_evidence_of_an_archive_is_shown_with_what_stands_round_it_and_in_other_revisions(store: Path) -> None:
    id_ = run(store, "read", API, "--pointer", "/limit/maximum").answer()["id"]
    for path in (store, *store.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        shown = run_unprivileged(store, "get", id_).answer()
        wider = run_unprivileged(store, "get", id_, "--expand", "parent").answer()
        located = run_unprivileged(store, "locate", id_, "--in", API).answer()
        unknown = run_unprivileged(store, "get", wider["id"]).error(3)
        init = run_unprivileged(store, "init")
    finally:
        for path in (store, *store.rglob("*")):
            path.chmod(0o755)
    assert "not_stored/1" not in shown["transforms"]
    assert (wider["pointer"], wider["integrity"], wider["transforms"]) == ("/limit", "ok", ["not_stored/1"])
    assert located["packet"]["id"] == id_
    assert unknown["code"] == "unknown_id"
    assert init.code == 0
    require_sound(store, 1)


def test_a_read_only_store_with_a_log_left_behind_says_so(store: Path) -> None:
    """What stands in the log could not be seen."""
    (store / "evidence.db-wal").write_bytes(b"left by a process that was killed")
    for path in (store, *store.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    error = run_unprivileged(store, "resources").error(4)
    for path in (store, *store.rglob("*")):
        path.chmod(0o755)
    assert "was not closed" in str(error["message"])


def test_a_read_only_store_is_sound_again_once_it_is_writable(store: Path) -> None:
    for path in (store, *store.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    run_unprivileged(store, "put", "-", "--resource", "a", "--format", "bytes", stdin=BIG).error(4)
    for path in (store, *store.rglob("*")):
        path.chmod(0o755)
    require_sound(store, 1)


def test_a_folder_that_cannot_be_entered_is_a_fault(store: Path) -> None:
    store.chmod(0o000)
    try:
        done = run_unprivileged(store, "resources")
    finally:
        store.chmod(0o755)
    assert done.code == 4
    assert b"Traceback" not in done.err


# -- killed


@pytest.mark.parametrize("n_bytes", [10, 100_000, 2_900_000])
def test_a_put_that_is_killed_leaves_a_store_that_verifies(store: Path, n_bytes: int) -> None:
    command = [*PROGRAM, "put", "-", "--resource", "a", "--format", "bytes", "--store", str(store)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()) as process:
        assert process.stdin is not None
        process.stdin.write(BIG[:n_bytes])
        process.stdin.flush()
        process.kill()
        process.stdin.close()
        assert process.wait(timeout=30) == -9
    require_sound(store, 1)
    put_again(store)


KILLED = """
import os
from evidence_store.database import Database
calls = []
def dying(function):
    def call(*given, **named):
        calls.append(function)
        return os.kill(os.getpid(), 9) if len(calls) == {nth} else function(*given, **named)
    return call
{place} = dying({place})
"""


@pytest.mark.parametrize(
    ("place", "nth"), [("os.fsync", 1), ("os.fsync", 3), ("os.link", 1), ("os.fsync", 6), ("Database.reading", 2), ("Database.writing", 1)]
)
def test_a_put_that_is_killed_at_an_awkward_moment_leaves_a_store_that_verifies(store: Path, place: str, nth: int) -> None:
    """While folders are made, before the bytes are durable, before and after they have their name, and before the rows."""
    done = run(store, "put", "-", "--resource", "a", "--format", "bytes", stdin=BIG, before=KILLED.format(place=place, nth=nth))
    assert (done.code, done.out) == (-9, b"")
    require_sound(store, 1)
    put_again(store)
