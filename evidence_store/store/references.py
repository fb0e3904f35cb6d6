"""Evidence with its `$ref`s followed, inside the store only: no file is opened and no address is asked.

A reference within the document is resolved there; one with a relative name resolves to the resource of that name, at its
newest revision. Everything else stays as it is written and is named as unresolved, with the reason. What closes a circle
stays as it is written and is named as circular. Members beside `$ref` are dropped in OpenAPI 3.0, and that is said.
"""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import orjson

from evidence_store.documents.detect import STRUCTURED
from evidence_store.documents.model import Document, PlainValue
from evidence_store.documents.openapi import openapi_version
from evidence_store.documents.resolve import resolve
from evidence_store.documents.values import plain_value
from evidence_store.errors import EvidenceStoreError, InvalidInput, LimitExceeded
from evidence_store.model import EvidenceId, Hop, Packet, ResourceName, TextLimit
from evidence_store.pointers import plain_form
from evidence_store.records.sources import Revision
from evidence_store.store.passages import Passages
from evidence_store.store.sources import Sources

MAX_HOPS = 200
MAX_BYTES = 256 * 1024
SHOWN_CHARS = 200


@dataclass(frozen=True, slots=True)
class _Target:
    revision: Revision
    pointer: str


class References:
    """Follows references in the evidence of one workspace."""

    def __init__(self, sources: Sources, passages: Passages) -> None:
        self._sources = sources
        self._passages = passages

    def expand(self, id_: EvidenceId, limit: TextLimit) -> Packet:
        """The packet of an evidence whose value has its references followed; each hop is a transform.

        What was followed within the revision is a further part, so that a change at the far end is seen: an evidence of its own.

        Raises InvalidInput for an evidence that is no node of a document, LimitExceeded where there is no end to it.
        """
        packet = self._passages.get(id_, limit)
        if packet.pointer is None or packet.format not in STRUCTURED:
            raise InvalidInput(f"{id_} is no node of a document, so there is no $ref to follow", code="no_structure")
        start = _Target(self._sources.get_revision(packet.resource, packet.revision), packet.pointer)
        walk = _Walk(self._sources, start.revision)
        value = walk.value(start)
        text = orjson.dumps(value, default=_number, option=orjson.OPT_PASSTHROUGH_SUBCLASS)
        if len(text) > MAX_BYTES:
            raise LimitExceeded(f"with its references followed it has more than {MAX_BYTES} bytes", {"limit": MAX_BYTES}, code="too_large")
        if walk.hops:
            packet = self._passages.read_with(id_, walk.hops, limit)
        return replace(packet, value=text, transforms=(*packet.transforms, *walk.said))


def _number(value: object) -> orjson.Fragment | str:
    """A number as it was written, where that is a number of JSON."""
    try:
        orjson.loads(str(value))
    except orjson.JSONDecodeError:
        return str.__str__(str(value))
    return orjson.Fragment(str(value))


def _is_data(name: str, value: PlainValue) -> bool:
    """Whether what stands under this name is a value of a schema and not a part of it (JSON Schema 2020-12, sections 6 and 9)."""
    return name in ("example", "default", "const", "enum") or (name == "examples" and not isinstance(value, Mapping))


class _Walk:
    """One expansion: what was followed so far, and what has to be said about it."""

    def __init__(self, sources: Sources, home: Revision) -> None:
        self._sources, self._home = sources, home
        self._n_hops = 0
        self.hops: list[Hop] = []
        """What was followed within the revision at which the walk began."""
        self.said: list[str] = []

    def value(self, target: _Target) -> PlainValue:
        """The value at a place with references followed."""
        return self._follow(self._plain(target), target.revision, (self._place(target),))

    def _plain(self, target: _Target) -> PlainValue:
        document = self._document(target.revision)
        return plain_value(document, resolve(document, target.pointer))

    def _document(self, revision: Revision) -> Document:
        return self._sources.get_document(revision)

    def _follow(self, value: PlainValue, home: Revision, path: tuple[str, ...]) -> PlainValue:
        if isinstance(value, Mapping):
            # A number is a text of its own kind, and is no reference.
            if type(value.get("$ref")) is str:
                return self._hop(value, str(value["$ref"]), home, path)
            return {name: one if _is_data(name, one) else self._follow(one, home, path) for name, one in value.items()}
        if isinstance(value, list | tuple):
            return [self._follow(one, home, path) for one in value]
        return value

    def _hop(self, value: Mapping[str, PlainValue], ref: str, home: Revision, path: tuple[str, ...]) -> PlainValue:
        self._n_hops += 1
        if self._n_hops > MAX_HOPS:
            raise LimitExceeded(f"more than {MAX_HOPS} references would have to be followed", {"limit": MAX_HOPS}, code="too_many_refs")
        try:
            target = self._target(ref, home)
            place = self._place(target)
            if place in path:
                self._say(f"ref_circular/1 {ref[:SHOWN_CHARS]}")
                return value
            found = self._plain(target)
        except EvidenceStoreError as why:
            self._say(f"ref_unresolved/1 {ref[:SHOWN_CHARS]}: {why.message[:SHOWN_CHARS]}")
            return value
        self._say(f"ref_followed/1 {place}")
        if target.revision == self._home:
            self.hops.append(Hop("ref", resolve(self._document(self._home), target.pointer).span))
        self._say_dropped(value, home)
        return self._follow(found, target.revision, (*path, place))

    def _target(self, ref: str, home: Revision) -> _Target:
        """Where a reference leads. Raises InvalidInput for what lies outside the store."""
        name, hash_, fragment = ref.partition("#")
        pointer = plain_form(f"#{fragment}") if hash_ else ""
        if not name:
            return _Target(home, pointer)
        if urlsplit(name).scheme or name.startswith("/"):
            raise InvalidInput("it leads out of the store")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(home.resource), name))
        if path.startswith("../") or path == "..":
            raise InvalidInput("it leads out of the store")
        return _Target(self._sources.get_revision(ResourceName(path), None), pointer)

    def _place(self, target: _Target) -> str:
        return f"{target.revision.resource}@{target.revision.number} {target.pointer}"

    def _say(self, text: str) -> None:
        if text not in self.said:
            self.said.append(text)

    def _say_dropped(self, value: Mapping[str, PlainValue], home: Revision) -> None:
        beside = sorted(set(value) - {"$ref"})
        if beside and (openapi_version(self._document(home)) or "").startswith("3.0"):
            self._say(f"ref_siblings_ignored/1 {', '.join(beside)[:SHOWN_CHARS]}")
