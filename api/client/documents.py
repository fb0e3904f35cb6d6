"""Operations of documents: places of revisions as evidence, read, searched, summarised and compared."""

from collections.abc import Sequence
from typing import Literal

from api.client.operation import Given, Operation, flag, get, named
from api.client.reading import diff_of, found_packets_of, packet_of, search_of
from evidence_store.model import Packet
from evidence_store.store.comparisons import DiffAnswer, SearchAnswer


def read_document(
    resource: str,
    *,
    revision: int | None = None,
    pointer: str | None = None,
    lines: str | None = None,
    bytes: str | None = None,
    quote: str | None = None,
    prefix: str | None = None,
    suffix: str | None = None,
    case: str | None = None,
    operation: str | None = None,
    parameter: str | None = None,
    schema: str | None = None,
    fields: Sequence[str] = (),
    view: Literal["source", "keys"] | None = None,
    children: str | None = None,
    max_tokens: int | None = None,
) -> Operation[tuple[Packet, ...]]:
    """A place of a revision, the newest without a number; one packet, or with `fields` one for each. Raises NotFound, InvalidInput."""
    query: dict[str, Given] = {"revision": revision, "pointer": pointer, "lines": lines, "bytes": bytes, "quote": quote}
    query |= {"prefix": prefix, "suffix": suffix, "case": case, "operation": operation, "parameter": parameter, "schema": schema}
    query |= {"fields": fields, "view": view, "children": children, "max_tokens": max_tokens}
    return get(f"/v1/documents/{named(resource)}/read", found_packets_of, query)


def search_document(
    resource: str,
    pattern: str,
    *,
    revision: int | None = None,
    regex: bool = False,
    ignore_case: bool = False,
    limit: int | None = None,
    context: int | None = None,
    all_revisions: bool = False,
    max_tokens: int | None = None,
) -> Operation[SearchAnswer]:
    """Lines of a revision that hold a pattern; without any, a receipt. Raises NotFound, InvalidInput, LimitExceeded."""
    query = _searched(pattern, regex, ignore_case, limit, context, all_revisions, max_tokens)
    return get(f"/v1/documents/{named(resource)}/search", search_of, {"revision": revision, **query})


def search(
    resource: str,
    pattern: str,
    *,
    regex: bool = False,
    ignore_case: bool = False,
    limit: int | None = None,
    context: int | None = None,
    all_revisions: bool = False,
    max_tokens: int | None = None,
) -> Operation[SearchAnswer]:
    """The same in all resources whose names match, such as `ci/*.log`."""
    query = _searched(pattern, regex, ignore_case, limit, context, all_revisions, max_tokens)
    return get("/v1/search", search_of, {"resource": resource, **query})


def _searched(
    pattern: str, regex: bool, ignore_case: bool, limit: int | None, context: int | None, all_revisions: bool, max_tokens: int | None
) -> dict[str, Given]:
    flags = {"regex": flag(regex), "ignore_case": flag(ignore_case), "all_revisions": flag(all_revisions)}
    return {"pattern": pattern, **flags, "limit": limit, "context": context, "max_tokens": max_tokens}


def summarize_document(
    resource: str, *, revision: int | None = None, kind: str | None = None, tool: str | None = None, max_tokens: int | None = None
) -> Operation[Packet]:
    """What a revision holds, by its structure. Raises NotFound, InvalidInput."""
    query: dict[str, Given] = {"revision": revision, "kind": kind, "tool": tool, "max_tokens": max_tokens}
    return get(f"/v1/documents/{named(resource)}/summary", packet_of, query)


def diff(
    old: str,
    new: str,
    *,
    old_revision: int | None = None,
    new_revision: int | None = None,
    pointer: str | None = None,
    limit: int | None = None,
    max_tokens: int | None = None,
) -> Operation[DiffAnswer]:
    """What differs between two revisions, as evidence of both sides. Raises NotFound, InvalidInput."""
    query: dict[str, Given] = {"old": old, "new": new, "old_revision": old_revision, "new_revision": new_revision}
    return get("/v1/diff", diff_of, {**query, "pointer": pointer, "limit": limit, "max_tokens": max_tokens})
