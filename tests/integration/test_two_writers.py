"""Several writers at once: every revision number exactly once, no gap, nothing lost."""

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from evidence_store.errors import Conflict
from evidence_store.model import ProgressItem, ProgressState
from evidence_store.store import EvidenceStore
from tests.conftest import ROOT
from tests.factories import API, TASK, claim, make_store, open_step, put, read, task_revision

N_WRITERS = 8


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(ROOT / "tests" / "integration" / "writers.py"), str(folder), *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env={"PYTHONPATH": str(ROOT)}, cwd=ROOT)


def finish(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate("go\n", timeout=60)
    assert process.returncode == 0, err
    return out


def test_eight_processes_at_once_give_eight_revisions(store: EvidenceStore, folder: Path) -> None:
    bodies = [json.dumps({"writer": n}) for n in range(N_WRITERS)]
    processes = [start(folder, "put", body) for body in bodies]
    numbers = [int(finish(process)) for process in processes]
    assert sorted(numbers) == list(range(1, N_WRITERS + 1))
    kept = {one.number: store.sources.get_bytes(API, one.number).decode() for one in store.sources.list_revisions(API)}
    assert kept == dict(zip(numbers, bodies, strict=True))
    assert store.checks.verify(deep=True).faults == ()


def test_eight_processes_with_the_same_bytes_give_one_revision(store: EvidenceStore, folder: Path) -> None:
    processes = [start(folder, "put", "[1]") for _ in range(N_WRITERS)]
    assert [finish(process) for process in processes] == ["1\n"] * N_WRITERS
    events = dict(store.checks.verify(deep=True).counts)["events"]
    assert events == 2 + N_WRITERS - 1


def test_threads_of_one_store_give_every_number_once(store: EvidenceStore) -> None:
    with ThreadPoolExecutor(N_WRITERS) as pool:
        numbers = list(pool.map(lambda n: put(store, f"[{n}]".encode()).revision.number, range(24)))
    assert sorted(numbers) == list(range(1, 25))
    assert store.checks.verify(deep=True).faults == ()


def test_of_two_puts_on_the_same_newest_revision_one_is_refused(store: EvidenceStore) -> None:
    put(store, b"[0]")

    def attempt(n: int) -> bool:
        try:
            put(store, f"[{n}]".encode(), if_newest=1)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(attempt, range(1, 5))) == [False, False, False, True]


def test_the_same_passage_found_by_many_at_once_is_one_evidence(store: EvidenceStore) -> None:
    put(store)
    with ThreadPoolExecutor(N_WRITERS) as pool:
        ids = set(pool.map(lambda _: read(store, "/limit/maximum").id, range(16)))
    assert ids == {"ev_tpvnrht0mge4"}
    assert dict(store.checks.verify(deep=True).counts)["evidence"] == 1


def test_calls_of_one_run_at_once_are_pinned_to_one_revision(store: EvidenceStore) -> None:
    """The first call pins; one that looked before the pin was there must not pin what came in between."""
    put(store, b"[0]")
    run = open_step(store).run
    ready = threading.Barrier(8)

    def use(n: int) -> int:
        ready.wait(timeout=30)
        put(store, f"[{n}]".encode(), "other" if n % 2 else API)
        return store.runs.pinned(run, API, None)

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(use, range(1, 9)))) == 1


def test_runs_steps_claims_and_progress_of_many_at_once_are_numbered_without_gaps(store: EvidenceStore) -> None:
    store.tasks.add_revision(task_revision(), "human:ann")

    def work(n: int) -> tuple[int, str]:
        step = open_step(store)
        store.tasks.record_progress(TASK, [ProgressItem(f"s{n}", ProgressState.DONE)], step)
        return step.run.number, claim(store, step, "It is so.").id

    with ThreadPoolExecutor(N_WRITERS) as pool:
        done = list(pool.map(work, range(12)))
    assert sorted(run for run, _ in done) == list(range(1, 13))
    assert sorted(id_ for _, id_ in done) == sorted(f"C{n}" for n in range(1, 13))
    assert len(store.tasks.list_progress(TASK)) == 12


def test_of_two_task_revisions_at_once_one_is_refused(store: EvidenceStore) -> None:
    store.tasks.add_revision(task_revision(), "human:ann")

    def attempt(n: int) -> bool:
        try:
            store.tasks.add_revision(task_revision(2, goal=f"goal {n}"), "human:ann")
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(attempt, range(4))) == [False, False, False, True]


def test_reading_goes_on_while_another_process_writes(store: EvidenceStore, folder: Path) -> None:
    put(store)
    read(store, "/limit/maximum")
    holder = start(folder, "hold")
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert read(store, "/limit/maximum").excerpt == "50"
        assert store.checks.verify(deep=True).faults == ()
    finally:
        finish(holder)


def test_stores_made_at_once_in_one_folder_are_one_store(tmp_path: Path) -> None:
    processes = [start(tmp_path / "store", "init") for _ in range(4)]
    assert [finish(process) for process in processes] == [""] * 4
    with make_store(tmp_path / "store") as store:
        assert put(store).revision.number == 1


@pytest.mark.parametrize("workspaces", [("first", "second")])
def test_writers_of_two_workspaces_do_not_count_together(folder: Path, workspaces: tuple[str, str]) -> None:
    stores = [make_store(folder, workspace=name) for name in workspaces]
    with ThreadPoolExecutor(4) as pool:
        numbers = list(pool.map(lambda n: put(stores[n % 2], f"[{n}]".encode()).revision.number, range(12)))
    assert sorted(numbers) == sorted([1, 2, 3, 4, 5, 6] * 2)
    for store in stores:
        assert store.checks.verify(deep=True).faults == ()
        store.close()
