"""Completion of what a template asks for: names of resources, numbers of revisions, JSON Pointers, ids of evidence."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any

import mcp_types as types
from anyio import to_thread
from mcp.server.context import ServerRequestContext

from api.mcp.addresses import ITEM_TEMPLATE, NODE_TEMPLATE, RESOURCE_TEMPLATE, REVISION_TEMPLATE
from api.mcp.faults import answered
from api.mcp.runs import Connection
from api.wiring import Services
from evidence_store.documents.resolve import resolve
from evidence_store.errors import EvidenceStoreError, NotFound, StoreFault
from evidence_store.ids import read_id
from evidence_store.model import Pointer, ResourceName
from evidence_store.pointers import join

MAX_VALUES = 100
"""The protocol's bound."""
TEMPLATES = (ITEM_TEMPLATE, RESOURCE_TEMPLATE, REVISION_TEMPLATE, NODE_TEMPLATE)
ASKED_FOR = {template: frozenset(re.findall(r"{#?(\w+)}", template)) for template in TEMPLATES}


class Completion:
    """The handler of `completion/complete`. What cannot be completed has no values: that is no error to who types."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def complete(self, context: ServerRequestContext[Connection, Any], params: types.CompleteRequestParams) -> types.CompleteResult:
        found = await to_thread.run_sync(answered, "completion/complete", lambda: self._values(params))
        return types.CompleteResult(completion=types.Completion(values=found[:MAX_VALUES], has_more=len(found) > MAX_VALUES))

    def _values(self, params: types.CompleteRequestParams) -> list[str]:
        """Up to one more than may be given."""
        if not isinstance(params.ref, types.ResourceTemplateReference) or params.argument.name not in ASKED_FOR.get(params.ref.uri, ()):
            return []
        known = (params.context and params.context.arguments) or {}
        try:
            return list(islice(self._iter_values(params.argument.name, params.argument.value, known), MAX_VALUES + 1))
        except StoreFault:
            raise
        except EvidenceStoreError:
            return []

    def _iter_values(self, name: str, value: str, known: Mapping[str, str]) -> Iterable[str]:
        if name == "resource":
            return self._iter_names(value)
        if name == "id":
            beginning = "ev_" if "ev_".startswith(value.strip().lower()) else read_id(value).id
            return self._services.store.passages.list_ids(beginning, MAX_VALUES + 1)
        if "resource" not in known:
            return ()
        resource = ResourceName(known["resource"])
        if name == "revision":
            numbers = [str(one.number) for one in self._services.store.sources.list_revisions(resource)]
            return [one for one in reversed(numbers) if one.startswith(value)]
        asked = known.get("revision", "")
        return self._iter_pointers(resource, int(asked) if asked.isascii() and asked.isdecimal() and len(asked) <= 15 else None, value)

    def _iter_names(self, value: str) -> Iterator[str]:
        """Names that begin so: the name itself, and those that follow it."""
        sources = self._services.store.sources
        with suppress(NotFound):
            yield sources.get_revision(ResourceName(value), None).resource
        for resource, _ in sources.list_resources(value, MAX_VALUES + 1):
            if not resource.name.startswith(value):
                return
            yield resource.name

    def _iter_pointers(self, resource: ResourceName, number: int | None, value: str) -> Iterator[str]:
        """The children of the deepest place that is written out, those that begin so."""
        sources = self._services.store.sources
        revision = sources.get_revision(resource, number)
        sources.require_unmasked(resource)
        document, masking = sources.get_tree(revision), sources.get_reader(revision).masking
        base = Pointer(value.rpartition("/")[0])
        for child in document.children(resolve(document, base)):
            pointer = join(base, child.token)
            if pointer.startswith(value) and masking.text(child.token) == child.token:
                yield pointer
