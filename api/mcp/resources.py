"""What is stored, as resources of the protocol: listed in pages, addressed by templates, read.

Reading a resource is the application's doing, and none of it counts as shown to a run: what is to be cited is read with a tool.
"""

import base64
import binascii
from typing import Any

import mcp_types as types
from anyio import to_thread
from mcp.server.context import ServerRequestContext

from api.mcp import addresses
from api.mcp.addresses import BlobAddress, ItemAddress, RevisionAddress, parse_address
from api.mcp.faults import answered
from api.mcp.runs import Connection
from api.tools.context import DEFAULT_MAX_TOKENS
from api.wiring import Services
from evidence_store.documents.charset import encoding_of
from evidence_store.errors import InvalidInput, LimitExceeded
from evidence_store.ids import read_id
from evidence_store.model import Format, Packet, Selector, Span
from evidence_store.pointers import plain_form
from evidence_store.records.sources import Resource, Revision
from evidence_store.store.passages import Place
from projector import format_packet

Context = ServerRequestContext[Connection, Any]
PAGE = 100
"""Resources of one page."""
MAX_READ_BYTES = 1024 * 1024
"""Of a revision that is read as a whole. What is larger is there to be read in places."""
DAY_MS = 24 * 60 * 60 * 1000
"""How long a client may keep what never changes."""
PACKET_TYPE = "text/plain"

TEMPLATES = (
    types.ResourceTemplate(
        uri_template=addresses.ITEM_TEMPLATE,
        name="evidence",
        title="Evidence",
        description="A stored evidence: where it stands, and its excerpt.",
        mime_type=PACKET_TYPE,
    ),
    types.ResourceTemplate(
        uri_template=addresses.RESOURCE_TEMPLATE, name="resource", title="Resource", description="The newest revision of a resource."
    ),
    types.ResourceTemplate(
        uri_template=addresses.REVISION_TEMPLATE, name="revision", title="Revision", description="One revision of a resource, as it came."
    ),
    types.ResourceTemplate(
        uri_template=addresses.NODE_TEMPLATE,
        name="node",
        title="Node of a revision",
        description="The place that a JSON Pointer leads to, as evidence.",
        mime_type=PACKET_TYPE,
    ),
    types.ResourceTemplate(
        uri_template=addresses.BLOB_TEMPLATE, name="blob", title="Blob", description="Stored bytes, by their digest sha256:…."
    ),
)


class Resources:
    """The handlers of `resources/list`, `resources/templates/list` and `resources/read`."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def list_resources(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        return await to_thread.run_sync(answered, "resources/list", lambda: self._page(None if params is None else params.cursor))

    async def list_templates(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=list(TEMPLATES))

    async def read(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return await to_thread.run_sync(answered, "resources/read", lambda: self._read(str(params.uri)))

    def _page(self, cursor: str | None) -> types.ListResourcesResult:
        found = self._services.store.sources.list_resources("" if cursor is None else read_cursor(cursor), PAGE + 1)
        shown = [resource_type(resource, newest) for resource, newest in found[:PAGE]]
        following = write_cursor(found[PAGE - 1][0].name) if len(found) > PAGE else None
        return types.ListResourcesResult(resources=shown, next_cursor=following)

    def _read(self, uri: str) -> types.ReadResourceResult:
        store, limit = self._services.store, self._services.limit(DEFAULT_MAX_TOKENS)
        match parse_address(uri):
            case ItemAddress(id_):
                return _packet_result(uri, store.passages.get(read_id(id_).id, limit))
            case RevisionAddress(name, number, pointer) if pointer is not None:
                place = Place(name, number, Selector("pointer", plain_form(pointer)))
                return _packet_result(uri, store.passages.read(place, limit))
            case RevisionAddress(name, number):
                return self._bytes_result(uri, store.sources.get_revision(name, number), 0 if number is None else DAY_MS)
            case BlobAddress(digest):
                return self._bytes_result(uri, store.sources.get_revision_of(digest), DAY_MS)

    def _bytes_result(self, uri: str, revision: Revision, ttl_ms: int) -> types.ReadResourceResult:
        """All of a revision, with its secrets masked as in everything that is shown."""
        self._services.store.sources.require_unmasked(revision.resource)
        if revision.size > MAX_READ_BYTES:
            text = (
                f"{revision.resource!r} revision {revision.number} has {revision.size} bytes: read places of it, with read_spec or read_log"
            )
            raise LimitExceeded(text, {"limit": MAX_READ_BYTES}, code="too_large")
        reader = self._services.store.sources.get_reader(revision)
        raw = reader.read(Span(0, revision.size))
        encoding = encoding_of(revision.notes)
        shown = reader.masking.masks(Span(0, revision.size)).apply(raw, 0, encoding)
        meta = {"evidence/digest": revision.digest, "evidence/masked": shown != raw}
        try:
            if revision.format is Format.BYTES or encoding != "utf-8":
                raise ValueError
            content: types.TextResourceContents | types.BlobResourceContents = types.TextResourceContents(
                uri=uri, mime_type=revision.media_type, text=shown.decode(), _meta=meta
            )
        except ValueError:
            content = types.BlobResourceContents(uri=uri, mime_type=revision.media_type, blob=base64.b64encode(shown).decode(), _meta=meta)
        return types.ReadResourceResult(contents=[content], ttl_ms=ttl_ms, cache_scope="private")


def resource_type(resource: Resource, newest: Revision) -> types.Resource:
    return types.Resource(
        uri=addresses.format_resource(resource.name),
        name=resource.name,
        description=f"{resource.kind.value}, {newest.format.value}, revision {newest.number}"
        + (f", {resource.scope}" if resource.scope else ""),
        mime_type=newest.media_type,
        size=newest.size,
    )


def write_cursor(name: str) -> str:
    """Opaque for a client: the name behind which the next page begins."""
    return base64.urlsafe_b64encode(name.encode()).decode()


def read_cursor(cursor: str) -> str:
    """Raises InvalidInput for what no page gave."""
    try:
        return base64.b64decode(cursor.encode(), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError) as why:
        raise InvalidInput("not a cursor of a page; leave it out to begin", {"argument": "cursor"}, code="bad_argument") from why


def _packet_result(uri: str, packet: Packet) -> types.ReadResourceResult:
    """Its passage never changes; what is said of it can, so it is to be asked for again."""
    text = format_packet(packet).encode("utf-8", "replace").decode()
    content = types.TextResourceContents(uri=uri, mime_type=PACKET_TYPE, text=text)
    return types.ReadResourceResult(contents=[content], ttl_ms=0, cache_scope="private")
