"""A process that runs an agent and is killed at each point where something becomes durable, then goes on from the store alone.

Started as a program with a folder. For each n it forks a child that is killed (`kill -9`) right before its n-th transaction is
committed, or right after it, and then another that resumes. Prints one JSON line for each: where it was killed, and what the run came to.
"""

import json
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from api.settings import Settings
from api.wiring import open_services
from evidence_store.database import Database, WriteConnection
from tests.integration.loop_agents import KEYS, TASK, Objects, add_task, filled, reads_and_claims, runner

writing = Database.writing


def killed_at(number: int, *, before: bool) -> Callable[[Database], Any]:
    """A transaction like any other, but the n-th."""
    n_seen = 0

    @contextmanager
    def patched(self: Database) -> Iterator[WriteConnection]:
        nonlocal n_seen
        n_seen += 1
        with writing(self) as connection:
            yield connection
            if before and n_seen == number:
                os.kill(os.getpid(), signal.SIGKILL)
        if n_seen == number:
            os.kill(os.getpid(), signal.SIGKILL)

    return patched


def begin(folder: Path, number: int, before: bool) -> None:
    services = open_services(Settings(folder))
    task = services.store.tasks.get_revision(TASK)
    Database.writing = killed_at(number, before=before)  # type: ignore[method-assign, assignment]
    runner(services).run(task, "agent:a/1", "State the first maximum.", chat)


def chat(messages: Objects, tools: Objects) -> Any:
    return reads_and_claims(messages, tools, KEYS[:1])


def resume(folder: Path) -> None:
    inputs: list[Objects] = []

    def asked(messages: Objects, tools: Objects) -> Any:
        inputs.append(messages)
        return chat(messages, tools)

    with open_services(Settings(folder)) as services:
        made = runner(services)
        runs = services.store.histories.list_runs(TASK)
        if not runs:
            tell({"runs": 0})
            return
        interrupted = services.store.runs.list_open_calls(runs[0])
        report = made.resume(runs[0], asked)
        claims = [(claim.text, claim.standing) for claim in report.claims]
        found = {
            "runs": len(services.store.histories.list_runs(TASK)),
            "interrupted": len(interrupted),
            "how": report.how,
            "claims": claims,
            "open": list(services.store.runs.list_open_calls(runs[0])),
            "faults": len(services.store.checks.verify(deep=True).faults),
            "last": inputs[-1] if inputs else [],
            "n_steps": report.n_steps,
        }
    tell(found)


def tell(found: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()


def in_child(work: Callable[[], None]) -> int:
    """The signal that ended it, or 0."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise SystemExit(f"a child failed with {os.WEXITSTATUS(status)}")
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def main(folder: Path, before: bool) -> None:
    with filled(folder / "prepared") as services:
        add_task(services)
        services.counter()  # loaded once, for all children
    number = 0
    while True:
        number += 1
        store = folder / str(number)
        shutil.copytree(folder / "prepared", store)
        ended_by = in_child(lambda store=store, number=number: begin(store, number, before))  # type: ignore[misc]
        in_child(lambda store=store: resume(store))  # type: ignore[misc]
        if ended_by != signal.SIGKILL:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] == "before")
