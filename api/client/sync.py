"""The client that blocks: one method for each operation of the service."""

import random
import ssl
import time
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Generic, ParamSpec, TypeVar, overload

import httpx2

from api.client import documents, evidence, keys, sources
from api.client.operation import Answer, Operation, Pages
from api.client.retrying import Attempts, Retry
from api.client.sending import CONNECT_S, TIMEOUT_S, server_of
from api.client.upload import PIECE_BYTES, Upload
from evidence_store.model import Digest, Span

P = ParamSpec("P")
T = TypeVar("T")


class Method(Generic[P, T]):
    """An operation as a method."""

    def __init__(self, made: Callable[P, Operation[T]]) -> None:
        self._made, self.__doc__ = made, made.__doc__

    @overload
    def __get__(self, client: None, owner: object) -> "Method[P, T]": ...
    @overload
    def __get__(self, client: "EvidenceClient", owner: object) -> Callable[P, T]: ...
    def __get__(self, client: "EvidenceClient | None", owner: object) -> "Method[P, T] | Callable[P, T]":
        if client is None:
            return self

        @wraps(self._made)
        def method(*args: P.args, **kwargs: P.kwargs) -> T:
            return client.send(self._made(*args, **kwargs))

        return method


class ListMethod(Generic[P, T]):
    """A list as a method: its rows, a page asked for when it is needed."""

    def __init__(self, made: Callable[P, Pages[T]]) -> None:
        self._made, self.__doc__ = made, made.__doc__

    @overload
    def __get__(self, client: None, owner: object) -> "ListMethod[P, T]": ...
    @overload
    def __get__(self, client: "EvidenceClient", owner: object) -> Callable[P, Iterator[T]]: ...
    def __get__(self, client: "EvidenceClient | None", owner: object) -> "ListMethod[P, T] | Callable[P, Iterator[T]]":
        if client is None:
            return self

        @wraps(self._made)
        def method(*args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
            return client.rows(self._made(*args, **kwargs))

        return method


class EvidenceClient:
    """Asks a server. Close it. May be used by several threads at once.

    `tls` is for servers whose certificate another authority signed; certificates are always checked. `wait` and `chance` are
    what a test replaces.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        retry: Retry = Retry(),  # noqa: B008 - a frozen value
        timeout_s: float = TIMEOUT_S,
        tls: ssl.SSLContext | None = None,
        transport: httpx2.BaseTransport | None = None,
        wait: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        server = server_of(url, key)
        self.url = server.url
        self._retry, self._wait, self._chance = retry, wait, chance
        self._http = httpx2.Client(
            headers=dict(server.headers),
            timeout=httpx2.Timeout(timeout_s, connect=CONNECT_S),
            verify=tls or True,
            transport=transport,
        )

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> "EvidenceClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, operation: Operation[T]) -> T:
        """The value of an operation. Raises what the server raised; StoreUnavailable (`unreachable`) where it cannot be asked."""
        attempts = Attempts(operation, self._retry, self._chance)
        while True:
            try:
                response = self._http.send(self._request(operation))
            except httpx2.TransportError as why:
                self._wait(attempts.after_fault(why))
                continue
            answer = Answer(response.status_code, response.headers, response.content)
            wait_s = attempts.after(answer)
            if wait_s is None:
                return operation.taken(answer)
            self._wait(wait_s)

    def rows(self, asked: Pages[T]) -> Iterator[T]:
        """All rows of a list."""
        page = self.send(asked.first)
        yield from page.rows
        while page.cursor is not None:
            page = self.send(asked.after(page.cursor))
            yield from page.rows

    def stream_blob(self, digest: Digest, span: Span | None = None) -> Iterator[bytes]:
        """Stored bytes, piece by piece; once the first piece is there, a fault is not mended. Raises as `get_blob` does, at the end."""
        operation = sources.stream_blob(digest, span)
        attempts = Attempts(operation, self._retry, self._chance)
        while True:
            try:
                response = self._http.send(self._request(operation), stream=True)
            except httpx2.TransportError as why:
                self._wait(attempts.after_fault(why))
                continue
            try:
                whole = b"" if response.is_success else response.read()
                wait_s = attempts.after(Answer(response.status_code, response.headers, whole))
                if wait_s is None:
                    yield from self._pieces(response, operation)
                    return
            finally:
                response.close()
            self._wait(wait_s)

    def _pieces(self, response: httpx2.Response, operation: Operation[sources.BlobCheck]) -> Iterator[bytes]:
        check = operation.taken(Answer(response.status_code, response.headers, b""))
        try:
            for piece in response.iter_bytes(PIECE_BYTES):
                check.add(piece)
                yield piece
        except httpx2.TransportError as why:
            raise sources.broken_off(why) from why
        check.finish()

    def _request(self, operation: Operation[object]) -> httpx2.Request:
        content = operation.content
        sent = (content.whole() or content.pieces()) if isinstance(content, Upload) else content
        return self._http.build_request(
            operation.method, self.url + operation.path, params=operation.query, headers=dict(operation.headers), content=sent
        )

    list_resources = ListMethod(sources.list_resources)
    get_resource = Method(sources.get_resource)
    list_revisions = ListMethod(sources.list_revisions)
    get_revision = Method(sources.get_revision)
    list_observations = ListMethod(sources.list_observations)
    put_revision = Method(sources.put_revision)
    get_blob = Method(sources.get_blob)
    head_blob = Method(sources.head_blob)
    read_document = Method(documents.read_document)
    search_document = Method(documents.search_document)
    search = Method(documents.search)
    summarize_document = Method(documents.summarize_document)
    diff = Method(documents.diff)
    get_evidence = Method(evidence.get_evidence)
    expand_evidence = Method(evidence.expand_evidence)
    locate_evidence = Method(evidence.locate_evidence)
    list_exposures = ListMethod(evidence.list_exposures)
    verify_evidence = Method(evidence.verify_evidence)
    resolve_evidence = Method(evidence.resolve_evidence)
    check_citations = Method(evidence.check_citations)
    list_reports = ListMethod(evidence.list_reports)
    get_report = Method(evidence.get_report)
    get_trace = Method(evidence.get_trace)
    list_policies = Method(keys.list_policies)
    set_policy = Method(keys.set_policy)
    add_labels = Method(keys.add_labels)
    list_keys = Method(keys.list_keys)
    create_key = Method(keys.create_key)
    revoke_key = Method(keys.revoke_key)
