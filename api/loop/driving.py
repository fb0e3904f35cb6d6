"""One run, step by step, as a generator: it yields what is to be done outside, a model to ask or a time to wait, and is sent the outcome.

It reads no clock, waits for nothing and knows no transport. All that it decides on stands in the store before it asks for more, so that a
process may end anywhere: opened again, the run goes on at the step that was not answered.
"""

import logging
from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeAlias

from api.loop.conclusions import record_conclusions
from api.loop.faults import Fault, FaultKind, ProviderError, find_fault
from api.loop.model import Ask, Bounds, How, Wait
from api.loop.replies import Reply, read_reply
from api.sessions import Session
from api.wiring import AgentServices
from evidence_store.errors import InvalidInput, LimitExceeded
from projector import Projection

log = logging.getLogger(__name__)

NO_CLAIM = "the agent ended without recording a claim"
Driving: TypeAlias = Generator[Ask | Wait, object, None]
"""Sent the answer to an `Ask`, or the exception that came instead; None after a `Wait`."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The run is at its end."""

    how: How
    reason: str = ""


class Driver:
    """Takes a session to its end."""

    def __init__(self, services: AgentServices, session: Session, bounds: Bounds) -> None:
        self._store = services.store
        self._session = session
        self._bounds = bounds

    def run(self) -> Driving:
        """Steps until the model calls no more tools, or the limit; then the closing step. Marks the run as ended."""
        stop = self._stopped_before()
        while stop is None:
            closing = self._session.next_step > self._bounds.max_steps
            if closing and not self._bounds.closing_step:
                stop = Stop("stopped", self._at_limit)
                break
            stop = yield from self._step(closing)
            if stop is not None and closing and stop.how != "closed":
                stop = Stop("closing_failed", f"at the limit of {self._bounds.max_steps} steps: {stop.reason}")
        reason = stop.reason or ("" if self._store.histories.list_claim_ids(self._session.run) else NO_CLAIM)
        self._store.histories.end(self._session.run, stop.how, reason, self._session.hold)

    def _stopped_before(self) -> Stop | None:
        """Where the last words of a run opened again are stored already, and only its end is not."""
        last = self._session.last_words
        if last is None:
            return None
        return self._closed(last) if self._session.n_steps > self._bounds.max_steps else Stop("concluded")

    def _step(self, closing: bool) -> Generator[Ask | Wait, object, Stop | None]:
        """One step; None where the run goes on."""
        session = self._session
        fault: Fault | None = None
        for attempt in range(self._bounds.max_attempts):
            try:
                if attempt == 0 or (fault is not None and fault.kind in (FaultKind.OVERFLOW, FaultKind.TORN_PAIRS)):
                    projection = session.next_input(closing=closing, again=attempt > 0)
            except LimitExceeded as why:
                said = f"{fault.line}; " if fault else ""
                return Stop("provider_failed" if fault else "over_budget", said + why.message)
            before, fault = fault, None
            answer = yield Ask(projection.messages, projection.tools)
            try:
                return self._took(_reply(answer), projection, closing)
            except ProviderError as why:
                fault = why.fault
            log.warning("step %d, attempt %d of %d: %s", session.n_steps, attempt + 1, self._bounds.max_attempts, fault.line)
            wait_s = self._wait_s(fault, before, attempt)
            if wait_s is None or attempt + 1 == self._bounds.max_attempts:
                break
            if wait_s:
                yield Wait(wait_s)
        assert fault is not None, "a step without an answer has a fault"
        return Stop("provider_failed", fault.line)

    def _wait_s(self, fault: Fault, before: Fault | None, attempt: int) -> float | None:
        """Seconds until the next attempt; None where there is to be none."""
        match fault.kind:
            case FaultKind.OVERFLOW:
                self._session.narrow()
                return 0.0
            case FaultKind.TORN_PAIRS:
                return None if before is not None and before.kind is fault.kind else 0.0
            case FaultKind.BAD_REPLY:
                return 0.0
            case FaultKind.RATE_LIMITED | FaultKind.UNAVAILABLE:
                own = min(self._bounds.first_wait_s * 2**attempt, self._bounds.max_wait_s)
                asked = own if fault.retry_after_s is None else fault.retry_after_s
                return asked if asked <= self._bounds.max_wait_s else None
            case FaultKind.REFUSED:
                return None

    def _took(self, reply: Reply, projection: Projection, closing: bool) -> Stop | None:
        """Keeps the agent's turn and makes its calls. Raises ProviderError for a turn that cannot be kept."""
        session = self._session
        session.confirm_sent()
        if reply.usage:
            self._report_usage(reply, projection)
        if closing and not reply.text.strip():
            raise ProviderError(FaultKind.BAD_REPLY, "calls in a closing step, and no words")
        try:
            session.act(reply.text, () if closing else reply.requests)
        except LimitExceeded as why:
            raise ProviderError(FaultKind.BAD_REPLY, why.message) from why
        if closing:
            return self._closed(reply.text)
        return None if reply.requests else Stop("concluded")

    def _report_usage(self, reply: Reply, projection: Projection) -> None:
        try:
            warning = self._session.report_usage(reply.usage or {})
        except InvalidInput as why:
            warning = why.message
        if warning:
            log.warning("step %d: %s", self._session.n_steps, warning)

    def _closed(self, text: str) -> Stop:
        session = self._session
        mine = frozenset(self._store.histories.list_claim_ids(session.run))
        claims = [claim for claim in self._store.claims.list_claims(session.run.task) if claim.id in mine]
        known = frozenset(citation.evidence for claim in claims for citation in claim.citations)
        for line in record_conclusions(session.tools(), text, known):
            log.warning("a conclusion was not recorded: %s", line)
        return Stop("closed", self._at_limit)

    @property
    def _at_limit(self) -> str:
        return f"the limit of {self._bounds.max_steps} steps was reached"


def _reply(answer: object) -> Reply:
    """The turn. Raises ProviderError for a fault of the provider, and any other exception as it is."""
    if not isinstance(answer, Exception):
        return read_reply(answer)
    fault = find_fault(answer)
    if fault is None:
        raise answer
    raise ProviderError(fault.kind, fault.text, fault.retry_after_s) from answer
