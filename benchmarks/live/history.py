"""The usual way: a conversation that grows, whole or shortened before each call. The tools and the store are those of the projector's arm.

What the provider refuses as too long or torn ends the run: there is nothing that this way would do about it.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from api.loop import Bounds, Chat, FaultKind, ProviderError, RunReport, find_fault, report_of
from api.loop.conclusions import record_conclusions
from api.loop.replies import Reply, read_reply
from api.reopening import assistant_message, result_message
from api.sessions import ToolRequest
from api.tools import call_tool, definitions
from api.tools.answers import error_answer
from api.wiring import Services
from evidence_store.canonical import storable
from evidence_store.errors import InvalidInput, JsonValue
from evidence_store.model import TaskRevision
from evidence_store.records.runs import RunKey
from evidence_store.store.runs import ClosedCall, OpenCall, shown_of

Shorten = Callable[[Sequence[Mapping[str, Any]]], Sequence[Mapping[str, Any]]]
CLOSING = (
    "This is the last step: no tool can be called any more. Conclude from what is here. Name the evidence of each conclusion by its id."
)
_PASSING = (FaultKind.RATE_LIMITED, FaultKind.UNAVAILABLE, FaultKind.BAD_REPLY)


def run_history(
    services: Services, task: TaskRevision, system: str, request: str, chat: Chat, shorten: Shorten, bounds: Bounds
) -> RunReport:
    """A run to its end, with the whole conversation given to `shorten` before each call."""
    run = services.store.runs.start(task.task, "agent:history/1", request)
    opening = f"{system}\n\ngoal: {task.goal}\nexcluded: {', '.join(task.excluded)}"
    messages: list[dict[str, JsonValue]] = [{"role": "system", "content": opening}, {"role": "user", "content": request}]
    how, reason = "concluded", "the agent stopped"
    for number in range(1, bounds.max_steps + 2):
        closing = number > bounds.max_steps
        if closing:
            messages.append({"role": "user", "content": CLOSING})
        try:
            reply = _asked(chat, shorten(messages), () if closing else definitions(recording=True), bounds)
        except ProviderError as why:
            how, reason = ("closing_failed" if closing else "provider_failed"), why.fault.line
            break
        messages += _turn(services, run, number, reply, closing)
        if closing:
            how, reason = "closed", f"the limit of {bounds.max_steps} steps was reached"
        if closing or not reply.requests:
            break
    services.store.histories.end(run, how, reason)
    return report_of(services.store, run)


def _asked(chat: Chat, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], bounds: Bounds) -> Reply:
    for attempt in range(bounds.max_attempts):
        try:
            return read_reply(chat(messages, tools))
        except Exception as why:
            fault = find_fault(why)
            if fault is None:
                raise
            wait_s = fault.retry_after_s if fault.retry_after_s is not None else bounds.first_wait_s * 2**attempt
            if fault.kind not in _PASSING or attempt + 1 == bounds.max_attempts or wait_s > bounds.max_wait_s:
                raise ProviderError(fault.kind, fault.text) from why
        time.sleep(wait_s)
    raise AssertionError("bounds have an attempt")


def _turn(services: Services, run: RunKey, number: int, reply: Reply, closing: bool) -> list[dict[str, JsonValue]]:
    """The turn and its answers, kept in the store as a session keeps them."""
    step = services.store.runs.open_step(run)
    requests = () if closing else reply.requests
    calls = [_opened(f"call_{number}_{place}", one) for place, one in enumerate(requests, 1)]
    text = str(storable(reply.text))
    services.store.runs.open_calls(step, text, calls)
    made = [assistant_message(text, calls)]
    context, closed = services.tools(step, "agent:history/1"), []
    for call, request in zip(calls, requests, strict=True):
        fault = InvalidInput(f"{call.name[:80]}: {request.fault}", code="bad_argument")
        answer = error_answer(fault) if request.fault else call_tool(context, call.name, call.arguments, recording=True)
        closed.append(ClosedCall(call.call, answer.outcome, answer.text, True, tuple(map(shown_of, answer.packets))))
        made.append(result_message(call.call, answer.text))
    services.store.runs.close_calls(step, closed)
    if closing:
        record_conclusions(context, text, frozenset())
    return made


def _opened(call: str, request: ToolRequest) -> OpenCall:
    arguments = storable(request.arguments)
    assert isinstance(arguments, dict), "a mapping stays one"
    return OpenCall(call, str(storable(request.name)), arguments)
