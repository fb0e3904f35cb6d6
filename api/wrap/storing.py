"""Keeping an output whole, before anything is put in its place. What cannot be kept is an error, and never a shorter answer."""

from collections.abc import Iterator
from dataclasses import replace

from api.wrap.arguments import ERROR_SUFFIX
from api.wrap.context import WrapContext
from api.wrap.forms import JSON, TEXT
from api.wrap.result import Output
from evidence_store.documents.charset import UTF8
from evidence_store.errors import Conflict, EvidenceStoreError, RefusedDocument
from evidence_store.errors import LimitExceeded as OverLimit
from evidence_store.model import Format, Outcome, ResourceName
from evidence_store.records.runs import step_name
from evidence_store.records.sources import Revision
from evidence_store.store.put_request import PutRequest


def keep(context: WrapContext, output: Output) -> Revision:
    """Stores an output under the name that the rules give. Raises what the store raises.

    What does not hold to the format that its media type, name or content promises is kept as text, else as bytes.
    """
    why: EvidenceStoreError | None = None
    for request in _requests(context, output):
        try:
            return context.tools.store.sources.put(request, output.received.pieces()).revision
        except (RefusedDocument, OverLimit) as refused:
            if refused.error_code == "too_large":
                raise
            why = why or refused
        except Conflict as differs:
            if differs.error_code != "format_differs":
                raise
            why = why or differs
    assert why is not None, "one way of storing is tried at least"
    raise why


def name_of(context: WrapContext, output: Output) -> ResourceName:
    """The resource of an output."""
    name = context.rules.name(output.tool, output.arguments)
    return ResourceName(f"{name}{ERROR_SUFFIX}") if output.outcome is Outcome.ERROR else name


def _requests(context: WrapContext, output: Output) -> Iterator[PutRequest]:
    rules, step = context.rules.of(output.tool), context.tools.step
    key = None if step is None or output.call is None else f"{step_name(step)}/{output.call}"
    request = PutRequest(
        name_of(context, output),
        rules.kind,
        rules.scope,
        rules.labels,
        media_type=rules.media_type or (None if output.media_type == TEXT else output.media_type),
        charset=UTF8 if output.media_type in (TEXT, JSON) else None,
        origin=output.tool,
        complete=output.complete,
        idempotency_key=key,
        max_age_s=rules.max_age_s,
    )
    yield request
    yield replace(request, media_type=None)
    yield replace(request, media_type=None, format=Format.TEXT)
    yield replace(request, media_type=None, format=Format.BYTES)
