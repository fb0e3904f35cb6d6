"""The addresses of what is stored: `evidence://…`, as text and as values.

`parse_address` and the `format_` functions are inverses. The resource's name is one segment of the path, percent-encoded; a pointer stands
in the fragment (RFC 6901 section 6).
"""

import re
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import quote, unquote

from evidence_store.errors import NotFound
from evidence_store.model import Digest, Pointer, ResourceName

SCHEME = "evidence://"
ITEM_TEMPLATE = "evidence://items/{id}"
RESOURCE_TEMPLATE = "evidence://resources/{resource}"
REVISION_TEMPLATE = "evidence://resources/{resource}/revisions/{revision}"
NODE_TEMPLATE = "evidence://resources/{resource}/revisions/{revision}{#pointer}"
BLOB_TEMPLATE = "evidence://blobs/{digest}"
_FORM = re.compile(
    r"evidence://(?:items/(?P<id>[^/#]+)|blobs/(?P<digest>[^/#]+)|resources/(?P<resource>[^/#]+)(?:/revisions/(?P<revision>[^/#]+))?)(?P<rest>#.*)?"
)
_NUMBER = re.compile(r"[1-9][0-9]{0,14}")


@dataclass(frozen=True, slots=True)
class ItemAddress:
    """An evidence, by its id as it was written."""

    id: str


@dataclass(frozen=True, slots=True)
class RevisionAddress:
    """A revision, or a node of it."""

    resource: ResourceName
    revision: int | None
    """None: the newest."""
    pointer: Pointer | None = None
    """In fragment or plain form."""


@dataclass(frozen=True, slots=True)
class BlobAddress:
    digest: Digest


Address: TypeAlias = ItemAddress | RevisionAddress | BlobAddress


def parse_address(text: str) -> Address:
    """Raises NotFound for what is none of the addresses."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise _unknown(text)
    id_, digest, name, number, rest = found.group("id", "digest", "resource", "revision", "rest")
    if rest is not None and number is None:
        raise _unknown(text)
    if id_ is not None:
        return ItemAddress(unquote(id_))
    if digest is not None:
        return BlobAddress(Digest(unquote(digest)))
    if number is not None and not _NUMBER.fullmatch(number):
        raise _unknown(text)
    return RevisionAddress(ResourceName(unquote(name)), None if number is None else int(number), None if rest is None else Pointer(rest))


def format_item(id_: str) -> str:
    return f"{SCHEME}items/{id_}"


def format_resource(name: str) -> str:
    return f"{SCHEME}resources/{_segment(name)}"


def format_revision(name: str, number: int) -> str:
    return f"{format_resource(name)}/revisions/{number}"


def format_blob(digest: str) -> str:
    return f"{SCHEME}blobs/{digest}"


def _segment(name: str) -> str:
    """Names of dots alone would be taken for steps of a path."""
    written = quote(name, safe="")
    return written.replace(".", "%2E") if set(name) == {"."} else written


def _unknown(text: str) -> NotFound:
    known = [ITEM_TEMPLATE, RESOURCE_TEMPLATE, NODE_TEMPLATE, BLOB_TEMPLATE]
    return NotFound(f"nothing has the address {text[:200]!r}", {"known": known})
