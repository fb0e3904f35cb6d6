"""Evidence with its `$ref`s followed, inside the store only: no file is opened and no address is asked.

A reference within the document is resolved there; one with a relative name resolves to the resource of that name, at its
newest revision. Everything else stays as it is written and is named as unresolved, with the reason. What closes a circle
stays as it is written and is named as circular. Members beside `$ref` are dropped in OpenAPI 3.0, and that is said. There
are bounds on how many are followed, and on the size and depth of what comes of it: as many are followed as these allow, in
the order in which they stand, and the rest stay as they are written, named and counted.
"""

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from evidence_store.documents.depth import measure
from evidence_store.documents.detect import STRUCTURED
from evidence_store.documents.model import DEFAULT_LIMITS, Child, Document, Node
from evidence_store.documents.openapi import openapi_version
from evidence_store.documents.references import REFERENCE
from evidence_store.documents.resolve import resolve
from evidence_store.documents.values import minified_json, name_json, scalar_json
from evidence_store.errors import EvidenceStoreError, InvalidInput, LimitExceeded, NotFound
from evidence_store.model import EvidenceId, Hop, Packet, ResourceName, TextLimit
from evidence_store.pointers import parse_pointer, plain_form
from evidence_store.records.sources import Revision
from evidence_store.secrets import SECRETS_MASKED
from evidence_store.store.passages import Passages
from evidence_store.store.sources import Sources

MAX_REFS = 200
"""References that are looked up in one expansion."""
MAX_BYTES = 256 * 1024
"""Of the value with its references followed."""
MAX_DEPTH = DEFAULT_LIMITS.max_depth
"""Containers inside one another in it."""
MAX_NAMED = 20
"""References that were not followed and are named; all are counted."""
SHOWN_CHARS = 200


@dataclass(frozen=True, slots=True)
class _Target:
    revision: Revision
    pointer: str


@dataclass(frozen=True, slots=True)
class _Here:
    """A node on the way, with the places that led to it; in data no reference is followed."""

    revision: Revision
    document: Document
    node: Node
    path: tuple[str, ...]
    names: bool
    """Whether its members are names that somebody chose, as those of `properties` are, and not words of the description."""
    is_data: bool = False


@dataclass(frozen=True, slots=True)
class _Level:
    """A container that is being written."""

    here: _Here
    children: Iterator[Child]


@dataclass(frozen=True, slots=True)
class _Weight:
    """What a value adds when it is put in place of a reference to it."""

    n_bytes: int
    depth: int


class References:
    """Follows references in the evidence of one workspace."""

    def __init__(self, sources: Sources, passages: Passages) -> None:
        self._sources = sources
        self._passages = passages

    def expand(self, id_: EvidenceId, limit: TextLimit) -> Packet:
        """The packet of an evidence whose value has its references followed; each hop is a transform, and so is what was not followed.

        What was followed within the revision is a further part, so that a change at the far end is seen: an evidence of its own.

        Raises InvalidInput for an evidence that is no node of a document, LimitExceeded (`too_large`) for one whose own value is.
        """
        packet = self._passages.get(id_, limit)
        self._sources.require_unmasked(packet.resource)
        if packet.pointer is None or packet.format not in STRUCTURED:
            raise InvalidInput(f"{id_} is no node of a document, so there is no $ref to follow", code="no_structure")
        start = _Target(self._sources.get_revision(packet.resource, packet.revision), packet.pointer)
        walk = _Walk(self._sources, start.revision)
        value = walk.value(start)
        masking = self._passages.get_reader(start.revision).masking
        shown = masking.text(value.decode(), masking.masks(packet.span)).encode()
        if walk.hops:
            packet = self._passages.read_with(id_, walk.hops, limit)
        masked = (SECRETS_MASKED,) if shown != value and SECRETS_MASKED not in packet.transforms else ()
        return replace(packet, value=shown, transforms=(*packet.transforms, *map(masking.text, walk.transforms), *masked))


_NAMED = frozenset(
    ("properties", "patternProperties", "dependentSchemas", "definitions", "$defs", "schemas", "responses", "parameters", "headers")
)
"""Members of JSON Schema and OpenAPI that hold descriptions by name, `default` and `example` among them."""


def _holds_names(tokens: Sequence[str]) -> bool:
    """Whether the object at the end of a pointer holds descriptions by name. One that is itself a name is none of these words."""
    names = False
    for token in tokens:
        names = not names and token in _NAMED
    return names


def _is_data(child: Child) -> bool:
    """Whether what stands under this word is a value of a schema and not a part of it (JSON Schema 2020-12, sections 6 and 9)."""
    return child.token in ("example", "default", "const", "enum") or (child.token == "examples" and child.node.type != "object")


class _Walk:
    """One expansion, without recursion: what was written and followed so far, and what has to be said about it."""

    def __init__(self, sources: Sources, home: Revision) -> None:
        self._sources, self._home = sources, home
        self._pieces: list[bytes] = []
        self._levels: list[_Level] = []
        self._n_refs = 0
        self._n_bytes = 0
        """Of the value at which the walk began, and of all that was put in place of references in it."""
        self._weights: dict[str, _Weight] = {}
        self.hops: list[Hop] = []
        """What was followed within the revision at which the walk began."""
        self._said: dict[str, None] = {}
        self._n_left = 0
        self._left: dict[str, None] = {}

    @property
    def transforms(self) -> tuple[str, ...]:
        """What was followed and what was not, each place once."""
        if not self._n_left:
            return tuple(self._said)
        named = [f"ref_not_followed/1 {ref}" for ref in self._left]
        return (*self._said, *named, f"refs_not_followed/1={self._n_left}")

    def value(self, target: _Target) -> bytes:
        """The value at a place with references followed, as JSON."""
        document = self._document(target.revision)
        node = resolve(document, target.pointer)
        self._n_bytes = len(minified_json(document, node, MAX_BYTES).json)
        self._open(_Here(target.revision, document, node, (self._place(target),), _holds_names(parse_pointer(target.pointer))))
        while self._levels:
            level = self._levels[-1]
            child = next(level.children, None)
            is_object = level.here.node.type == "object"
            if child is None:
                self._levels.pop()
                self._pieces.append(b"}" if is_object else b"]")
                continue
            if self._pieces[-1] not in (b"{", b"["):
                self._pieces.append(b",")
            if is_object:
                self._pieces.append(name_json(child.token))
            self._open(_inside(level.here, child))
        return b"".join(self._pieces)

    def _open(self, here: _Here) -> None:
        """Writes a scalar, or begins to write a container; where it is a reference, what that leads to."""
        while not here.is_data and (ref := _reference(here)) is not None:
            # What is not followed stays as it is written, with all that stands in it.
            here = self._follow(ref, here) or replace(here, is_data=True)
        if here.node.is_container:
            self._pieces.append(b"{" if here.node.type == "object" else b"[")
            self._levels.append(_Level(here, iter(here.document.children(here.node))))
            return
        scalar = scalar_json(here.document.scalar(here.node))
        self._pieces.append(scalar.json)
        for transform in scalar.transforms:
            self._say(transform)

    def _follow(self, ref: str, here: _Here) -> _Here | None:
        """What a reference leads to; None where it is not followed, which is said."""
        self._n_refs += 1
        if self._n_refs > MAX_REFS:
            self._leave(ref)
            return None
        try:
            target = self._target(ref, here.revision)
            place = self._place(target)
            if place in here.path:
                self._say(f"ref_circular/1 {ref[:SHOWN_CHARS]}")
                return None
            document = self._document(target.revision)
            node = resolve(document, target.pointer)
            weight = self._weight(place, document, node)
        except EvidenceStoreError as why:
            self._say(f"ref_unresolved/1 {ref[:SHOWN_CHARS]}: {why.message[:SHOWN_CHARS]}")
            return None
        if self._n_bytes + weight.n_bytes > MAX_BYTES or len(self._levels) + weight.depth > MAX_DEPTH:
            self._leave(ref)
            return None
        self._n_bytes += weight.n_bytes
        self._say(f"ref_followed/1 {place}")
        if target.revision == self._home:
            self.hops.append(Hop("ref", node.span))
        self._say_dropped(here)
        return _Here(target.revision, document, node, (*here.path, place), _holds_names(parse_pointer(target.pointer)))

    def _leave(self, ref: str) -> None:
        self._n_left += 1
        if len(self._left) < MAX_NAMED:
            self._left[ref[:SHOWN_CHARS]] = None

    def _weight(self, place: str, document: Document, node: Node) -> _Weight:
        """Raises RefusedDocument for a value that repeats members."""
        known = self._weights.get(place)
        if known is None:
            try:
                text = minified_json(document, node, MAX_BYTES).json
                known = _Weight(len(text), measure(text).depth)
            except LimitExceeded:
                known = _Weight(MAX_BYTES + 1, 0)
            self._weights[place] = known
        return known

    def _document(self, revision: Revision) -> Document:
        return self._sources.get_document(revision)

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
        self._said[text] = None

    def _say_dropped(self, here: _Here) -> None:
        beside = sorted({child.token for child in here.document.children(here.node)} - {REFERENCE})
        if beside and (openapi_version(here.document) or "").startswith("3.0"):
            self._say(f"ref_siblings_ignored/1 {', '.join(beside)[:SHOWN_CHARS]}")


def _inside(here: _Here, child: Child) -> _Here:
    is_word = here.node.type == "object" and not here.names
    return replace(here, node=child.node, names=is_word and child.token in _NAMED, is_data=here.is_data or (is_word and _is_data(child)))


def _reference(here: _Here) -> str | None:
    """The text of a node's reference. A number is a text of its own kind, and is no reference."""
    if here.node.type != "object":
        return None
    try:
        found = here.document.child(here.node, REFERENCE)
    except NotFound:
        return None
    value = None if found.is_container else here.document.scalar(found)
    return value if type(value) is str else None
