"""How calls of wrapped tools end: sync, async, streaming; with errors, cancellations, time-outs; side by side; over a store that fails."""

import asyncio
import errno
import inspect
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from functools import partial
from pathlib import Path
from typing import get_type_hints

import pytest

from api.wrap import Treatment, wrap
from evidence_store.errors import EvidenceStoreError, StoreFault
from evidence_store.model import Outcome, ResourceName
from evidence_store.store import EvidenceStore
from projector import parse_errors, parse_packets
from tests.factories import make_store, open_step
from tests.fakes import Crash
from tests.integration.wrapping import ROOM, call_in, logs, n_tokens, rules_of, wrapper_of

LONG = logs(3_000)


def get_logs(pod: str) -> str:
    """Logs of a pod."""
    return LONG if pod == "api" else "short\n"


async def get_logs_soon(pod: str) -> str:
    await asyncio.sleep(0)
    return LONG if pod == "api" else "short\n"


def stream(pod: str) -> Iterator[str]:
    yield from LONG.splitlines(keepends=True) if pod == "api" else ("sh", "ort\n")


async def stream_soon(pod: str) -> AsyncIterator[str]:
    for line in stream(pod):
        yield line


def test_a_wrapped_function_returns_what_the_tool_returned_or_the_text(store: EvidenceStore) -> None:
    wrapped = wrap(wrapper_of(store), get_logs)
    assert wrapped("web") == "short\n"
    assert wrapped(pod="api").startswith("[offloaded get_logs: ")
    assert store.sources.get_bytes(ResourceName("get_logs?pod=api"), 1) == LONG.encode()


def test_a_wrapped_function_looks_like_the_tool_with_filters(store: EvidenceStore) -> None:
    wrapped = wrap(wrapper_of(store), get_logs)
    assert wrapped.__name__ == "get_logs"
    assert (wrapped.__doc__ or "").startswith("Logs of a pod.\n\nArgs:\n    grep: ")
    assert list(inspect.signature(wrapped).parameters) == ["pod", "grep", "tail_n", "fields", "pointer"]
    assert get_type_hints(wrapped)["tail_n"] == int | None
    assert "[filtered get_logs: the last 2 of" in wrapped("api", tail_n=2)


def test_wrap_is_a_decorator_once_it_knows_its_wrapper(store: EvidenceStore) -> None:
    @partial(wrap, wrapper_of(store))
    def get_events(pod: str) -> str:
        return LONG

    assert get_events("api").startswith("[offloaded get_events: ")


def test_wrapping_twice_is_wrapping_once(store: EvidenceStore) -> None:
    wrapper = wrapper_of(store)
    wrapped = wrap(wrapper, get_logs)
    assert wrap(wrapper, wrapped) is wrapped


def test_asynchronous_functions_stay_asynchronous(store: EvidenceStore) -> None:
    wrapped = wrap(wrapper_of(store), get_logs_soon)
    assert inspect.iscoroutinefunction(wrapped)
    assert asyncio.run(wrapped("web")) == "short\n"
    assert asyncio.run(wrapped("api")).startswith("[offloaded get_logs_soon: ")


class Pods:
    """A tool as an object, as clients are."""

    async def __call__(self, pod: str) -> str:
        return await get_logs_soon(pod)


def test_an_object_with_an_asynchronous_call_is_an_asynchronous_tool(store: EvidenceStore) -> None:
    wrapped = wrap(wrapper_of(store), Pods())
    assert asyncio.run(wrapped("web")) == "short\n"
    assert asyncio.run(wrapped("api")).startswith("[offloaded Pods: ")


def test_streams_are_joined_where_they_pass_and_stored_where_they_do_not(store: EvidenceStore) -> None:
    wrapper = wrapper_of(store)
    assert wrap(wrapper, stream)("web") == "short\n"
    assert asyncio.run(wrap(wrapper, stream_soon)("web")) == "short\n"
    assert wrap(wrapper, stream)("api").startswith("[offloaded stream: ")
    assert asyncio.run(wrap(wrapper, stream_soon)("api")).startswith("[offloaded stream_soon: ")
    for name in ("stream", "stream_soon"):
        assert store.sources.get_bytes(ResourceName(f"{name}?pod=api"), 1) == LONG.encode()


def test_streamed_objects_are_json_lines(store: EvidenceStore) -> None:
    def rows() -> Iterator[dict[str, int]]:
        yield from ({"n": n} for n in range(3_000))

    result = wrapper_of(store).call("rows", rows, {})
    assert result.revision is not None
    assert result.revision.format.value == "jsonl"


def test_an_asynchronous_tool_is_not_called_as_a_synchronous_one(store: EvidenceStore) -> None:
    for function in (get_logs_soon, stream_soon):
        result = wrapper_of(store).call("get_logs", function, {"pod": "web"})
        assert isinstance(result.failure, TypeError)


# -- errors


def test_the_error_of_a_tool_is_its_own(store: EvidenceStore) -> None:
    def failing() -> str:
        raise KeyError("no such pod")

    wrapper = wrapper_of(store)
    result = wrapper.call("get_logs", failing, {})
    (error,) = parse_errors(result.text)
    assert (error.code, error.message, dict(error.details)) == ("tool_failed", "'no such pod'", {"type": "KeyError"})
    assert (result.outcome, result.treatment) == (Outcome.ERROR, Treatment.FAILED)
    with pytest.raises(KeyError, match="no such pod"):
        wrap(wrapper, failing)()


def test_what_came_before_a_stream_broke_off_is_stored_and_named(store: EvidenceStore) -> None:
    def breaking() -> Iterator[str]:
        yield "first\n"
        raise ConnectionError("reset")

    wrapper = wrapper_of(store)
    result = wrapper.call("follow", breaking, {})
    assert parse_errors(result.text)[0].code == "tool_failed"
    assert "stored as far as it came" in result.text
    revision = store.sources.get_revision(ResourceName("follow"), 1)
    assert (store.sources.get_bytes(ResourceName("follow"), 1), revision.complete) == (b"first\n", False)
    with pytest.raises(ConnectionError) as caught:
        wrap(wrapper, breaking, "follow")()
    assert caught.value.__notes__ == ["what came before is stored as follow@1"]


def test_long_words_of_an_error_are_cut(store: EvidenceStore) -> None:
    def failing() -> str:
        raise ValueError("why " * 50_000)

    assert n_tokens(wrapper_of(store).call("get_logs", failing, {}).text) <= ROOM


def test_no_secret_stands_in_the_error_of_a_tool(store: EvidenceStore) -> None:
    token = "ghp_" + "a1B2" * 9

    def failing() -> str:
        raise ValueError(f"bad token {token}")

    assert token not in wrapper_of(store).call("get_logs", failing, {}).text


def test_a_long_answer_that_says_that_it_failed_is_no_observation_of_the_resource(store: EvidenceStore) -> None:
    answer = {"content": [{"type": "text", "text": LONG}], "isError": True}
    result = wrapper_of(store).call("get_logs", lambda: answer, {})
    assert (result.outcome, result.treatment) == (Outcome.ERROR, Treatment.OFFLOADED)
    assert result.revision is not None
    assert result.revision.resource == "get_logs#error"


def test_a_cancelled_tool_and_one_that_took_too_long_are_told_apart(store: EvidenceStore) -> None:
    def raising(why: Exception) -> str:
        raise why

    wrapper = wrapper_of(store)
    cancelled = wrapper.call("a", raising, {"why": CancelledError()})
    late = wrapper.call("b", raising, {"why": TimeoutError()})
    assert (cancelled.outcome, parse_errors(cancelled.text)[0].code) == (Outcome.CANCELLED, "tool_cancelled")
    assert (late.outcome, parse_errors(late.text)[0].code) == (Outcome.TIMED_OUT, "tool_timed_out")


def test_an_asynchronous_tool_is_ended_after_its_time_and_what_came_is_kept(store: EvidenceStore) -> None:
    async def never() -> AsyncIterator[str]:
        yield "first\n"
        await asyncio.Event().wait()

    result = asyncio.run(wrapper_of(store, rules_of(timeout_s=0.0)).acall("follow", never, {}))
    assert (result.outcome, parse_errors(result.text)[0].code) == (Outcome.TIMED_OUT, "tool_timed_out")
    assert store.sources.get_bytes(ResourceName("follow"), 1) == b"first\n"


def test_a_synchronous_tool_that_is_late_is_left_and_what_it_gives_later_is_dropped(store: EvidenceStore) -> None:
    go_on, closed = threading.Event(), threading.Event()

    def follow() -> Iterator[str]:
        try:
            go_on.wait()
            yield "late\n"
            yield "later\n"
        finally:
            closed.set()

    wrapper = wrapper_of(store, rules_of(timeout_s=0.0))
    result = wrapper.call("follow", follow, {})
    assert (result.outcome, parse_errors(result.text)[0].code) == (Outcome.TIMED_OUT, "tool_timed_out")
    with pytest.raises(TimeoutError, match="within 0 s"):
        wrap(wrapper, follow)()
    go_on.set()
    closed.wait()
    assert store.sources.list_resources() == []


def test_a_synchronous_tool_in_its_time_ends_as_it_does_without_one(store: EvidenceStore) -> None:
    """In another thread, with the context of who called it."""
    named = ContextVar("named", default="nobody")
    named.set("the caller")
    wrapper = wrapper_of(store, rules_of(timeout_s=3_600.0))
    assert wrapper.call("name", named.get, {}).text == "the caller"
    assert wrapper.call("thread", threading.get_ident, {}).value != threading.get_ident()
    assert wrapper.call("get_logs", get_logs, {"pod": "api"}).treatment is Treatment.OFFLOADED
    assert wrap(wrapper, stream)("web") == "short\n"

    def failing() -> str:
        raise KeyError("no such pod")

    with pytest.raises(KeyError, match="no such pod"):
        wrap(wrapper, failing)()


def test_a_cancelled_task_stays_cancelled_and_what_came_is_kept(store: EvidenceStore) -> None:
    closed = []

    async def run() -> None:
        started = asyncio.Event()

        async def follow() -> AsyncIterator[str]:
            try:
                yield "first\n"
                started.set()
                await asyncio.Event().wait()
            finally:
                closed.append(True)

        task = asyncio.create_task(wrapper_of(store).acall("follow", follow, {}))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert closed == [True]
    assert store.sources.get_bytes(ResourceName("follow"), 1) == b"first\n"


def test_what_a_tool_waited_for_may_be_cancelled_without_the_task(store: EvidenceStore) -> None:
    async def tool() -> str:
        inner = asyncio.create_task(asyncio.Event().wait())
        inner.cancel()
        await inner
        return ""

    assert asyncio.run(wrapper_of(store).acall("tool", tool, {})).outcome is Outcome.CANCELLED


# -- a store that fails


def test_an_output_that_cannot_be_taken_in_is_no_fault_of_the_tool(store: EvidenceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **kwargs: object) -> object:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    result = wrapper_of(store).call("get_logs", lambda: "x" * 2_000_000, {})
    (error,) = parse_errors(result.text)
    assert (error.code, result.outcome, result.treatment) == ("store_unwritable", Outcome.ERROR, Treatment.FAILED)
    assert store.sources.list_resources() == []


class FailingClock:
    """Fails when rows are written: bytes carry no time."""

    def __call__(self) -> int:
        raise StoreFault("no space is left for the store", code="store_unwritable")


def test_a_store_that_fails_is_an_error_of_the_tool_and_shows_nothing(folder: Path) -> None:
    make_store(folder).close()
    with make_store(folder, clock=FailingClock()) as store:
        wrapper = wrapper_of(store)
        result = wrapper.call("get_logs", get_logs, {"pod": "api"})
        (error,) = parse_errors(result.text)
        assert (error.code, error.retry, result.outcome) == ("store_unwritable", False, Outcome.ERROR)
        assert "request" not in result.text
        with pytest.raises(StoreFault):
            wrap(wrapper, get_logs)("api")
        assert wrap(wrapper, get_logs)("web") == "short\n"


def test_a_small_result_that_must_be_kept_and_cannot_does_not_pass(folder: Path) -> None:
    make_store(folder).close()
    with make_store(folder, clock=FailingClock()) as store:
        result = wrapper_of(store, rules_of(keep_small=True)).call("get_logs", get_logs, {"pod": "web"})
    assert (result.treatment, result.value) == (Treatment.FAILED, result.text)


def test_what_breaks_off_over_a_store_that_fails_keeps_both_reasons(folder: Path) -> None:
    def breaking() -> Iterator[str]:
        yield "first\n"
        raise ConnectionError("reset")

    make_store(folder).close()
    with make_store(folder, clock=FailingClock()) as store, pytest.raises(EvidenceStoreError) as caught:
        wrap(wrapper_of(store), breaking)()
    assert isinstance(caught.value.__cause__, ConnectionError)


def test_a_crash_leaves_no_row_and_no_answer(folder: Path) -> None:
    def crashing() -> int:
        raise Crash

    make_store(folder).close()
    with make_store(folder, clock=crashing) as store, pytest.raises(Crash):
        wrapper_of(store).call("get_logs", get_logs, {"pod": "api"})
    with make_store(folder) as again:
        assert again.sources.list_resources() == []


# -- calls of one step


def test_calls_of_a_step_share_its_budget(store: EvidenceStore) -> None:
    wrapper = wrapper_of(store)
    with wrapper.calls(8):
        results = [wrapper.call("get_logs", lambda n: LONG, {"n": n}) for n in range(8)]
    assert sum(n_tokens(result.text) for result in results) <= wrapper.rules.budget.step
    assert all(parse_packets(result.text) or call_in(result.text) for result in results)


def test_threads_that_take_the_context_along_share_it_too(store: EvidenceStore) -> None:
    wrapper = wrapper_of(store)
    with wrapper.calls(12), ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(copy_context().run, wrapper.call, "get_logs", lambda n: LONG, {"n": n}) for n in range(12)]
        texts = [one.result().text for one in waiting]
    assert sum(map(n_tokens, texts)) <= wrapper.rules.budget.step
    assert len(store.sources.list_resources()) == 12


def test_tasks_side_by_side_share_it_and_each_is_stored(store: EvidenceStore) -> None:
    wrapper = wrapper_of(store)

    async def run() -> list[str]:
        async def one(n: int) -> str:
            await asyncio.sleep(0)
            return LONG

        with wrapper.calls(6):
            results = await asyncio.gather(*(wrapper.acall("get_logs", one, {"n": n}) for n in range(6)))
        return [result.text for result in results]

    assert sum(map(n_tokens, asyncio.run(run()))) <= wrapper.rules.budget.step
    assert len(store.sources.list_resources()) == 6


def test_the_calls_of_one_wrapper_are_none_of_another(store: EvidenceStore) -> None:
    """A step belongs to its store, and so does its room."""
    one, another = wrapper_of(store), wrapper_of(store)
    with one.calls(100, open_step(store)):
        assert one.context.tools.step is not None
        assert another.context.tools.step is None
        assert n_tokens(another.call("get_logs", get_logs, {"pod": "api"}).text) > 300
        assert n_tokens(one.call("get_logs", get_logs, {"pod": "api"}).text) <= 160


def test_a_failing_call_gives_its_room_back(store: EvidenceStore) -> None:
    def failing() -> str:
        raise KeyError("x")

    wrapper = wrapper_of(store)
    with wrapper.calls(2) as shared:
        wrapper.call("a", failing, {})
        assert shared.claim(10_000) > wrapper.rules.budget.step - 100
