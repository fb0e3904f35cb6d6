"""Figures of progress: each is larger than the one before, whoever tells it."""

import anyio
from anyio import to_thread
from hypothesis import given
from hypothesis import strategies as st

from api.mcp.progress import Progress, Told, beats, from_worker


@given(st.lists(st.one_of(st.none(), st.integers(0, 20)), max_size=40))
def test_each_figure_is_larger_than_the_one_before(steps: list[int | None]) -> None:
    progress = Progress("search")
    told = [progress.beat() if step is None else progress.reached(step, 20, "a") for step in steps]
    figures = [one.progress for one in told if one is not None]
    assert figures == sorted(set(figures))


def test_a_beat_says_what_was_told_last() -> None:
    progress = Progress("search")
    assert progress.beat() == Told(0.001, None, "search")
    assert progress.reached(1, 5, "b.log") == Told(1, 5, "b.log")
    assert progress.beat() == Told(1.001, 5, "b.log")
    assert progress.reached(1, 5, "b.log") is None


def test_a_worker_and_the_beat_report_through_the_event_loop() -> None:
    told: list[Told] = []

    async def main() -> None:
        beaten = anyio.Event()

        async def report(progress: float, total: float | None, message: str | None) -> None:
            told.append(Told(progress, None if total is None else int(total), message or ""))
            if len(told) == 3:
                beaten.set()

        progress = Progress("search")
        await to_thread.run_sync(from_worker(progress, report), 0, 2, "a.log")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(beats, progress, report, 0.0)
            await beaten.wait()
            tasks.cancel_scope.cancel()

    anyio.run(main)
    assert [(one.total, one.message) for one in told] == [(2, "a.log")] * 3
