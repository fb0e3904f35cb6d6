"""How a call ends: with a result, with nothing, with an error, a cancellation or a time-out; each of them told apart.

What came before a tool broke off is stored as an incomplete revision, and the error names it. A store that fails is an error of the
tool: its answer says so, and holds nothing of the output.
"""

import asyncio
import concurrent.futures
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from api.errors import message_of
from api.tools.answers import error_answer
from api.tools.context import ToolAnswer
from api.wrap.arguments import plain_arguments
from api.wrap.context import WrapContext
from api.wrap.display import refer
from api.wrap.filters import Filters, Taken, take_filters
from api.wrap.guarding import is_cleared
from api.wrap.marker import spelled_tool
from api.wrap.offloading import labels_of, log, offload
from api.wrap.reading import bounded
from api.wrap.receiving import Received
from api.wrap.result import Output, Treatment, WrappedResult
from api.wrap.rules import FilterName
from api.wrap.storing import keep
from evidence_store.errors import EvidenceStoreError, StoreFault
from evidence_store.model import Outcome
from evidence_store.records.sources import Revision
from evidence_store.secrets import mask_text
from projector import format_error

_ERRORS = {Outcome.ERROR: "tool_failed", Outcome.CANCELLED: "tool_cancelled", Outcome.TIMED_OUT: "tool_timed_out"}
_SAID = {Outcome.CANCELLED: "the call was cancelled", Outcome.TIMED_OUT: "the call took too long and was ended"}
MAX_MESSAGE_CHARS = 400


def finish(
    context: WrapContext,
    tool: str,
    arguments: Mapping[str, object],
    received: Received,
    room: int,
    filters: Filters,
    call: str | None,
) -> WrappedResult:
    """The end of a call that came to its end."""
    if isinstance(received.value, ToolAnswer | WrappedResult):
        return _finish_own(context, tool, received.value, room)
    output = Output(
        tool,
        received.spool,
        plain_arguments(arguments),
        received.value,
        received.media_type,
        Outcome.ERROR if received.is_error else Outcome.OK,
        call=call,
        beside=received.beside,
    )
    try:
        return offload(context, output, room, filters)
    except EvidenceStoreError as why:
        return store_failed(why)


def finish_failed(
    context: WrapContext, tool: str, arguments: Mapping[str, object], received: Received, room: int, why: BaseException, call: str | None
) -> WrappedResult:
    """The end of a call that broke off. What came is kept; long words of an error are offloaded like a result."""
    outcome = outcome_of(why)
    output = Output(tool, received.spool, plain_arguments(arguments), None, received.media_type, outcome, complete=False, call=call)
    try:
        if isinstance(received.fault, StoreFault):
            return store_failed(received.fault)
        came = keep(context, replace(output, outcome=Outcome.OK)) if received.spool.size else None
        return _failed(context, output, why, came, room, received.fault)
    except EvidenceStoreError as fault:
        fault.__cause__ = fault.__cause__ or why
        return store_failed(fault)


def _failed(
    context: WrapContext, output: Output, why: BaseException, came: Revision | None, room: int, fault: EvidenceStoreError | None
) -> WrappedResult:
    cleared = is_cleared(context, labels_of(context, output))
    code, said = _ERRORS[output.outcome], _SAID.get(output.outcome) or (said_of(why) if cleared else "the tool failed")
    if fault is not None:
        code, said = fault.error_code, message_of(fault)
    rest = ""
    if came is not None:
        log.warning("%s broke off after %d bytes, stored as %s@%d", spelled_tool(output.tool), came.size, came.resource, came.number)
        rest = context.names.spelled(refer(context, came, output.tool).text)
    for n_chars in (len(said), MAX_MESSAGE_CHARS, 0):
        short = said if n_chars >= len(said) else f"{said[:n_chars]}…"
        text = format_error(code, short, {"type": type(why).__name__[:80]}, retry=False) + rest
        if context.fits(text, room):
            break
    if n_chars < len(said):
        log.warning("cut the error of %s: %d characters, %d shown", spelled_tool(output.tool), len(said), n_chars)
    return WrappedResult(text, text, Treatment.FAILED, output.outcome, revision=came, failure=why)


def _finish_own(context: WrapContext, tool: str, value: Any, room: int) -> WrappedResult:
    """What our own tools answered, bounded and never stored again."""
    if isinstance(value, WrappedResult):
        value = ToolAnswer(value.text, value.packets, value.outcome)
    answer = bounded(context, tool, value, room)
    return WrappedResult(answer.text, answer.text, Treatment.OWN, answer.outcome, answer.packets)


def store_failed(why: EvidenceStoreError) -> WrappedResult:
    """A result that could not be kept: nothing of it is shown."""
    log.warning("a result could not be stored: %s", why.error_code)
    text = format_error(why.error_code, f"the result could not be stored: {message_of(why)[:MAX_MESSAGE_CHARS]}", {}, retry=False)
    return WrappedResult(text, text, Treatment.FAILED, Outcome.ERROR, failure=why)


def answer_refusal(why: EvidenceStoreError) -> WrappedResult:
    """Arguments of ours that are wrong, before the tool was called; another call can do better."""
    answer = error_answer(why)
    return WrappedResult(answer.text, answer.text, Treatment.FAILED, answer.outcome)


def take_or_refuse(arguments: Mapping[str, object], offered: Sequence[FilterName]) -> Taken | WrappedResult:
    """The arguments of a call divided into filters and the tool's own; an answer where they are wrong."""
    try:
        return take_filters(arguments, offered)
    except EvidenceStoreError as why:
        return answer_refusal(why)


def outcome_of(why: BaseException) -> Outcome:
    if isinstance(why, asyncio.CancelledError | concurrent.futures.CancelledError):
        return Outcome.CANCELLED
    return Outcome.TIMED_OUT if isinstance(why, TimeoutError) else Outcome.ERROR


def said_of(why: BaseException) -> str:
    """What an exception says, its secrets masked."""
    return mask_text(f"{why}") or type(why).__name__
