"""Denials for the journal. All of it is done after the answer was sent, so that its time tells nothing.

Whether something absent is there unseen is found by asking once more as somebody who is cleared for everything; only reading is asked
again, and of the second answer nothing but the status is looked at. Both are kept, with that difference: an event makes the requests that
follow it slower, and must not tell the two apart.
"""

import asyncio
from logging import getLogger

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Scope

from api.auth import WHOLE, Caller
from api.rates import Rates
from evidence_store.canonical import digest_of
from evidence_store.errors import EvidenceStoreError, NotFound, NotPermitted
from evidence_store.model import WorkspaceName
from evidence_store.store.denials import Denial, record_denial


class Denials:
    """Keeps so many of a principal in a minute."""

    def __init__(self, per_minute: int) -> None:
        self._rates = Rates[tuple[WorkspaceName, str]](per_minute / 60, per_minute) if per_minute else None

    def watch(self, request: Request, why: Exception, answer: Response) -> Response:
        """The answer, with what is to be done once it is sent."""
        caller = request.scope["state"].get("caller")
        if self._rates is not None and isinstance(caller, Caller) and WHOLE not in request.scope["state"]:
            hides = isinstance(why, NotFound) and caller.principal.clearances is not None and request.method in ("GET", "HEAD")
            if isinstance(why, EvidenceStoreError) and (isinstance(why, NotPermitted) or hides):
                answer.background = BackgroundTask(self._keep, request, caller, why)
        return answer

    async def _keep(self, request: Request, caller: Caller, why: EvidenceStoreError) -> None:
        principal = caller.principal
        if self._rates is None or self._rates.take((principal.workspace, principal.name)):
            return
        there = not isinstance(why, NotFound) or await self._is_there(request, caller)
        asked = f"{request.method} ".encode() + (request.scope.get("raw_path") or b"").partition(b"?")[0]
        denial = Denial(principal.name, request.scope["state"].get("operation", ""), why.error_code, digest_of(asked), there)
        try:
            await run_in_threadpool(record_denial, caller.services.store.core, denial)
        except EvidenceStoreError as fault:
            getLogger("api.denials").warning("a denial could not be kept: %s", fault.error_code)

    async def _is_there(self, request: Request, caller: Caller) -> bool:
        """Whether the same request finds something for who is cleared for everything."""
        whole = request.app.state.gatekeeper.cleared(caller)
        scope: Scope = {**request.scope, "state": {"request_id": "", WHOLE: whole}}
        status, asked = 0, False

        async def no_body() -> Message:
            nonlocal asked
            if asked:
                # Who streams waits here for the client to leave.
                await asyncio.Event().wait()
            asked = True
            return {"type": "http.request", "body": b"", "more_body": False}

        async def look(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                raise _SeenError

        try:
            await request.app.router(scope, no_body, look)
        except Exception:
            # Whatever it is that goes wrong in asking again, the caller has its answer.
            return status not in (0, 404) and status < 500
        return False


class _SeenError(Exception):
    """The status is known: no more of the answer is made."""
