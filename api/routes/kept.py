"""Answers for one evidence that are given again from memory while nothing changed, before the framework is asked.

1. An answer belongs to what its caller sees, and to all that was asked for.
2. It is given again only while the workspace has no newer event, and the files that hold the bytes were not touched.
3. It grows old: `integrity` is as of then, and a medium may lose bytes by itself.
4. What is refused is not kept: who may not see something takes the same way as who asks for what is not there.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from api.auth import Caller, Gatekeeper
from api.presenters import Json, dumps
from api.routes.conditional import ASKED_AFTER, is_known, tag_of
from api.tools.context import DEFAULT_MAX_TOKENS
from evidence_store.ids import read_id
from evidence_store.model import Clearances, WorkspaceName
from evidence_store.store.moments import Files, Moment, is_untouched

KEPT_BYTES = 32 * 1024 * 1024
MAX_ANSWER_BYTES = 64 * 1024
OLDEST_S = 300
OLDEST_UNWATCHED_S = 5
"""Where something else was committed since, or the blob store cannot tell whether its files were touched."""
_PREFIX = "/v1/evidence/"


@dataclass(frozen=True, slots=True)
class Asked:
    """All that an answer depends on beside the store and its caller."""

    id: str
    """As it was written."""
    task: str | None = None
    max_tokens: int = DEFAULT_MAX_TOKENS


@dataclass(frozen=True, slots=True)
class _Sight:
    workspace: WorkspaceName
    clearances: Clearances
    shows_secrets: bool


@dataclass(frozen=True, slots=True)
class _Kept:
    body: bytes
    tag: str
    moment: Moment
    files: Files | None
    made_at_s: float
    """On the monotonic clock."""


class KeptEvidence:
    """The answers that were given last, at most 32 MiB of them."""

    def __init__(self, gatekeeper: Gatekeeper, clock: Callable[[], float] = time.monotonic) -> None:
        self._gatekeeper = gatekeeper
        self._clock = clock
        self._kept: OrderedDict[tuple[_Sight, Asked], _Kept] = OrderedDict()
        self._n_bytes = 0
        self._lock = Lock()

    def moment(self, caller: Caller) -> Moment:
        """How far the caller's workspace is."""
        return self._gatekeeper.moment(caller.services.store.core.workspace)

    def get(self, caller: Caller, asked: Asked, make: Callable[[], Mapping[str, Json]], moment: Moment | None = None) -> bytes:
        """The answer as JSON, made where it is not known. Raises what `make` raises.

        `moment` is one before the snapshot in which the caller is, where it is in one.
        """
        known = self.find(caller, asked)
        if known is not None:
            return known.body
        core, made_at_s = caller.services.store.core, self._clock()
        moment = moment or self.moment(caller)
        with core.database.snapshot():
            files = caller.services.store.passages.find_files(read_id(asked.id).id)
            body = dumps(make())
        if len(body) <= MAX_ANSWER_BYTES:
            self._keep((_sight(caller), asked), _Kept(body, tag_of(body), moment, files, made_at_s))
        return body

    def find(self, caller: Caller, asked: Asked) -> _Kept | None:
        """A known answer that still holds."""
        known = self._kept.get((_sight(caller), asked))
        if known is None:
            return None
        core = caller.services.store.core
        now, age_s = self._gatekeeper.moment(core.workspace), self._clock() - known.made_at_s
        is_watched = known.files is not None and now.mark == known.moment.mark
        if now.number != known.moment.number or age_s >= (OLDEST_S if is_watched else OLDEST_UNWATCHED_S):
            return None
        return known if known.files is None or is_untouched(core, known.files) else None

    def _keep(self, key: tuple[_Sight, Asked], new: _Kept) -> None:
        with self._lock:
            before = self._kept.pop(key, None)
            self._n_bytes += len(new.body) - (0 if before is None else len(before.body))
            self._kept[key] = new
            while self._n_bytes > KEPT_BYTES:
                self._n_bytes -= len(self._kept.popitem(last=False)[1].body)


class EvidenceFromMemory:
    """Answers `GET /v1/evidence/{id}` from memory; everything else, and what is not known, is for the application."""

    def __init__(self, app: ASGIApp, gatekeeper: Gatekeeper, kept: KeptEvidence) -> None:
        self._app, self._gatekeeper, self._kept = app, gatekeeper, kept

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        known = self._find(scope) if scope["type"] == "http" and scope["path"].startswith(_PREFIX) and scope["method"] == "GET" else None
        if known is None:
            await self._app(scope, receive, send)
            return
        is_there = is_known(known.tag, ",".join(Headers(scope=scope).getlist("if-none-match")))
        headers = [(b"etag", known.tag.encode()), (b"cache-control", ASKED_AFTER.encode())]
        if not is_there:
            headers += [(b"content-length", str(len(known.body)).encode()), (b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 304 if is_there else 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if is_there else known.body})

    def _find(self, scope: Scope) -> _Kept | None:
        asked = read_asked(scope["path"].removeprefix(_PREFIX), scope["query_string"])
        caller = None if asked is None else self._gatekeeper.admit_known(Headers(scope=scope).get("authorization"), "getEvidence")
        known = None if asked is None or caller is None else self._kept.find(caller, asked)
        if known is None or caller is None or self._gatekeeper.wait_s(caller):
            return None
        scope.setdefault("state", {}).update(operation="getEvidence", caller=caller)
        return known


def read_asked(id_: str, query: bytes) -> Asked | None:
    """What a request asks for; None for one that the framework has to look at."""
    if not query:
        return Asked(id_)
    given = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    named = dict(given)
    tokens = named.pop("max_tokens", str(DEFAULT_MAX_TOKENS))
    task = named.pop("task", None)
    if named or len(given) > 2 or not (tokens.isascii() and tokens.isdecimal() and len(tokens) < 7):
        return None
    return Asked(id_, task, int(tokens))


def _sight(caller: Caller) -> _Sight:
    core = caller.services.store.core
    return _Sight(core.workspace, core.clearances, core.show_secrets)
