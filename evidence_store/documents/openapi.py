"""Places in an OpenAPI or Swagger document by the words that people use for them.

Models write `~1` badly, so an operation is named `get /orders`; the answer is the exact pointer. Templates are matched by
shape where the path as written is absent: `/users/{id}` and `/users/{userId}` are one endpoint. Local references are
followed once, inside the document only.
"""

import re
from dataclasses import dataclass
from typing import NoReturn

from evidence_store.documents.model import Document
from evidence_store.documents.resolve import nearest_details, resolve
from evidence_store.errors import Ambiguous, BadIndex, EvidenceStoreError, InvalidInput, NotFound
from evidence_store.model import Pointer
from evidence_store.pointers import ROOT, SHOWN_CHARS, join, parent, parse_pointer, plain_form

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_OPERATION = re.compile(r"([A-Za-z]+)\s+(/\S*|\S+)")
_TEMPLATE = re.compile(r"\{[^{}/]*\}")
_SCHEMA_CONTAINERS = (("components", "schemas"), ("definitions",))


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands."""

    pointer: Pointer
    exact_path: bool = True
    """False where another path of the same shape was taken."""


def shape_of(path: str) -> str:
    """A path with the names in its braces left out."""
    return _TEMPLATE.sub("{}", path)


def find_operation(document: Document, words: str) -> Place:
    """The operation named `METHOD PATH`.

    Raises InvalidInput for other words, Ambiguous where several paths have the shape, NotFound with `nearest` and `container`: the
    pointer whose keys show that the operation is absent.
    """
    found = _OPERATION.fullmatch(words.strip())
    if not found or found[1].lower() not in METHODS:
        raise InvalidInput(f"{words[:SHOWN_CHARS]!r} names no operation: write it as 'get /orders'")
    method, path = found[1].lower(), found[2]
    paths = _descend(document, ROOT, "paths")
    matching = _matching_paths(document, paths, path)
    if not matching:
        _refuse(document, paths, f"there is no path {path[:SHOWN_CHARS]!r}")
    items = {name: _path_item(document, join(paths, name), method) for name in matching}
    having = [name for name, item in items.items() if _has(document, item, method)]
    if len(having) > 1:
        raise Ambiguous(f"several paths have the shape of {path[:SHOWN_CHARS]!r}", {"places": [join(items[one], method) for one in having]})
    if not having:
        _refuse(document, items[matching[0]], f"{matching[0][:SHOWN_CHARS]!r} has no operation {method!r}")
    return Place(join(items[having[0]], method), exact_path=having[0] == path)


def _path_item(document: Document, pointer: Pointer, method: str) -> Pointer:
    """Where the operations of a path stand: at the path, or where its reference leads within the document.

    Raises NotFound, with the reference, where it leads elsewhere: then nothing is known of the operation here.
    """
    if _has(document, pointer, method):
        return pointer
    item = _followed(document, pointer)
    reference = _text(document, item, "$ref")
    if reference is not None:
        raise NotFound(
            f"the operations of {pointer!r} stand elsewhere, at {reference[:SHOWN_CHARS]!r}: read them there", {"reference": reference}
        )
    return item


def find_schema(document: Document, name: str) -> Place:
    """The schema of this name among the document's components or definitions. Raises NotFound."""
    for container in _SCHEMA_CONTAINERS:
        pointer = join(ROOT, *container)
        if _has(document, parent(pointer), container[-1]):
            if _has(document, pointer, name):
                return Place(join(pointer, name))
            _refuse(document, pointer, f"there is no schema {name[:SHOWN_CHARS]!r}")
    _refuse(document, ROOT, "the document has no schemas")


def find_parameter(document: Document, operation: Place, name: str, location: str | None = None) -> Place:
    """The parameter of an operation, its own before its path's, a local `$ref` followed once.

    Raises NotFound, or Ambiguous where several locations have the name and `location` (query, header, path, …) is not given.
    """
    containers = (join(operation.pointer, "parameters"), join(parent(operation.pointer), "parameters"))
    found: dict[str | None, Pointer] = {}
    for container in containers:
        for pointer in _parameters_in(document, container, name):
            found.setdefault(_text(document, pointer, "in"), pointer)
    if location is not None:
        found = {where: pointer for where, pointer in found.items() if where == location}
    if len(found) > 1:
        text = f"several parameters are named {name[:SHOWN_CHARS]!r}; say where it stands (query, header, …)"
        raise Ambiguous(text, {"places": list(found.values())})
    if not found:
        present = next((pointer for pointer in containers if _has(document, parent(pointer), "parameters")), operation.pointer)
        _refuse(document, present, f"the operation has no parameter {name[:SHOWN_CHARS]!r}")
    return Place(next(iter(found.values())), operation.exact_path)


def openapi_version(document: Document) -> str | None:
    """What the document says it is: `openapi` or `swagger` as spelled; None where it says neither."""
    return _text(document, ROOT, "openapi") or _text(document, ROOT, "swagger")


def _parameters_in(document: Document, container: Pointer, name: str) -> list[Pointer]:
    if not _has(document, parent(container), "parameters"):
        return []
    found = []
    for child in document.children(resolve(document, container)):
        pointer = _followed(document, join(container, child.token))
        if _text(document, pointer, "name") == name:
            found.append(pointer)
    return found


def _followed(document: Document, pointer: Pointer) -> Pointer:
    """The target of a local reference at this place; the place itself where there is none or it leads nowhere."""
    target = _text(document, pointer, "$ref")
    if target is None or not target.startswith("#"):
        return pointer
    try:
        resolve(document, target)
    except EvidenceStoreError:
        return pointer
    return plain_form(target)


def _text(document: Document, pointer: Pointer, member: str) -> str | None:
    if not _has(document, pointer, member):
        return None
    node = resolve(document, join(pointer, member))
    value = None if node.is_container else document.scalar(node)
    return value if isinstance(value, str) else None


def _matching_paths(document: Document, paths: Pointer, path: str) -> list[str]:
    if _has(document, paths, path):
        return [path]
    shape = shape_of(path)
    return [child.token for child in document.children(resolve(document, paths)) if shape_of(child.token) == shape]


def _has(document: Document, pointer: Pointer, member: str) -> bool:
    try:
        document.child(resolve(document, pointer), member)
    except (NotFound, BadIndex):
        return False
    return True


def _descend(document: Document, pointer: Pointer, member: str) -> Pointer:
    if not _has(document, pointer, member):
        _refuse(document, pointer, f"the document has no {member!r}")
    return join(pointer, member)


def _refuse(document: Document, container: Pointer, text: str) -> NoReturn:
    tokens = parse_pointer(container)
    raise NotFound(text, {**nearest_details(document, resolve(document, container), tokens), "container": container})
