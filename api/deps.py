"""What endpoints are handed: who asks, and the services as it sees them."""

from typing import Annotated

from fastapi import Depends, Header, Request
from starlette.concurrency import run_in_threadpool

from api.auth import Caller, admit, admit_known
from api.wiring import Services


async def get_caller(request: Request) -> Caller:
    """From memory where the caller is known there, else in a thread: it reads the store. Raises Unauthenticated, NotPermitted."""
    known = admit_known(request)
    return await run_in_threadpool(admit, request) if known is None else known


CallerDep = Annotated[Caller, Depends(get_caller)]


async def get_services(caller: CallerDep) -> Services:
    """Not in a thread: there is nothing to wait for."""
    return caller.services


ServicesDep = Annotated[Services, Depends(get_services)]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="The same request with the same key is done once; for two days it gets the first answer again",
        examples=["7f9c2ba4-claims-12"],
    ),
]
