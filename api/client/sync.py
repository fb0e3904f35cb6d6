"""The client that blocks: one method for each operation of the service."""

import random
import ssl
import time
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Generic, ParamSpec, TypeVar, overload

import httpx2

from api.client import claims, documents, evidence, keys, runs, sources, steps, tasks, tools
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
    list_tasks = ListMethod(tasks.list_tasks)
    create_task = Method(tasks.create_task)
    get_task = Method(tasks.get_task)
    list_task_revisions = ListMethod(tasks.list_task_revisions)
    add_task_revision = Method(tasks.add_task_revision)
    get_task_revision = Method(tasks.get_task_revision)
    list_proposals = ListMethod(tasks.list_proposals)
    propose_constraint = Method(tasks.propose_constraint)
    accept_proposal = Method(tasks.accept_proposal)
    decline_proposal = Method(tasks.decline_proposal)
    list_progress = ListMethod(tasks.list_progress)
    record_progress = Method(tasks.record_progress)
    list_judgements = ListMethod(tasks.list_judgements)
    record_judgements = Method(tasks.record_judgements)
    list_runs = ListMethod(runs.list_runs)
    start_run = Method(runs.start_run)
    get_run = Method(runs.get_run)
    take_run = Method(runs.take_run)
    end_run = Method(runs.end_run)
    rule_on_claims = Method(runs.rule_on_claims)
    list_messages = ListMethod(runs.list_messages)
    add_message = Method(runs.add_message)
    list_steps = ListMethod(runs.list_steps)
    open_step = Method(runs.open_step)
    list_usages = Method(runs.list_usages)
    list_run_exposures = ListMethod(runs.list_run_exposures)
    list_run_projections = ListMethod(runs.list_run_projections)
    store_projection = Method(steps.store_projection)
    list_projections = ListMethod(steps.list_projections)
    get_receipt = Method(steps.get_receipt)
    replay_step = Method(steps.replay_step)
    confirm_sent = Method(steps.confirm_sent)
    report_usage = Method(steps.report_usage)
    record_compaction = Method(steps.record_compaction)
    open_calls = Method(steps.open_calls)
    close_calls = Method(steps.close_calls)
    call_tool = Method(steps.call_tool)
    project = Method(steps.project)
    call_reading_tool = Method(tools.call_reading_tool)
    preview_revision = Method(tools.preview_revision)
    list_claims = ListMethod(claims.list_claims)
    record_claim = Method(claims.record_claim)
    get_claim = Method(claims.get_claim)
    dispute_claim = Method(claims.dispute_claim)
    publish_report = Method(claims.publish_report)
