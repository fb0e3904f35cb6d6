"""Ends to the time of synchronous tools, which cannot be ended from outside: such a tool works in a thread of its own.

Where it is late, whoever waits for it goes on, and the thread is left: nothing that it gives is taken any more, a stream of its own ends at
its next item, and the process does not wait for it. What else it does in the world it may still do.
"""

from collections.abc import Callable
from concurrent.futures import Future, wait
from contextvars import copy_context
from threading import Thread

from api.wrap.receiving import Received


def take_in_time(received: Received, take: Callable[[], None], timeout_s: float) -> None:
    """Lets `take` fill what is received. Raises what it raises, and TimeoutError where it has not ended after so many seconds."""
    ended: Future[None] = Future()

    def work() -> None:
        try:
            take()
        except BaseException as why:
            ended.set_exception(why)
        else:
            ended.set_result(None)

    Thread(target=copy_context().run, args=(work,), name="evidence-tool", daemon=True).start()
    if not wait([ended], timeout_s).done:
        received.end()
        raise TimeoutError(f"the tool did not end within {timeout_s:g} s")
    ended.result()
