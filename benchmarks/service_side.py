"""A server to be measured, in a process of its own: ours over a store, or a bare Starlette route that reads the same row.

`python -m benchmarks.service_side ours|bare FOLDER` says its port in one line, and serves until it is ended.
"""

import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from api.app import create_app
from api.listening import listening
from api.settings import Settings
from api.wiring import open_services
from evidence_store.store import DATABASE_NAME

_ROW = "SELECT id, digest, resource, revision, blob, transform, excerpt_digest FROM evidence WHERE workspace = 'default' AND id = ?"


def bare(folder: Path) -> Starlette:
    """One route, one statement, one JSON answer. The statement is on the event loop: no thread has to be asked for it."""
    connection = sqlite3.connect(folder / DATABASE_NAME)

    async def get_evidence(request: Request) -> Response:
        row = connection.execute(_ROW, (request.path_params["id"],)).fetchone()
        return Response(orjson.dumps(row), media_type="application/json")

    return Starlette(routes=[Route("/v1/evidence/{id}", get_evidence)])


def serve(app: ASGIApp, note: Callable[[str], None]) -> None:
    with listening(0) as listener:
        note(str(listener.getsockname()[1]))
        config = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off", server_header=False, backlog=2048)
        uvicorn.Server(config).run(sockets=[listener])


def main() -> int:
    side, folder = sys.argv[1], Path(sys.argv[2])

    def note(text: str) -> None:
        print(text, flush=True)

    if side == "bare":
        serve(bare(folder), note)
    else:
        with open_services(Settings(folder)) as services:
            serve(create_app(services), note)
    return 0


if __name__ == "__main__":
    sys.exit(main())
