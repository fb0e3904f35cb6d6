"""What endpoints are handed: the services that `create_app` was given."""

from typing import Annotated

from fastapi import Depends, Request

from api.wiring import Services


async def get_services(request: Request) -> Services:
    found = request.app.state.services
    assert isinstance(found, Services)
    return found


ServicesDep = Annotated[Services, Depends(get_services)]
