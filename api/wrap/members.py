"""Members of a stored output: of an object each as evidence of its own, of a list one JSON line for each item.

A line has `at`, the pointer of the item, and those of the members that the item has, as they are written. A member that is too large
for a line stands there as its type and size. Lines are there to choose from; what is to be cited is read by its pointer.
"""

from collections.abc import Iterator, Sequence

from api.tools.answers import json_line
from api.wrap.context import StoreContext
from api.wrap.marker import format_call, place_of
from api.wrap.preview import Preview
from api.wrap.showing import show_fitting
from evidence_store.documents.model import Document, Node
from evidence_store.documents.resolve import resolve
from evidence_store.documents.values import value_json
from evidence_store.errors import EvidenceStoreError, NotFound
from evidence_store.model import Pointer, Selector
from evidence_store.pointers import join, parse_pointer
from evidence_store.records.sources import Revision
from evidence_store.store.passages import Place
from evidence_store.store.reader import RevisionReader
from projector import escape_unseen

MAX_MEMBER_BYTES = 400


def show_members(
    context: StoreContext, revision: Revision, pointer: Pointer, fields: Sequence[str], head: str, room: int
) -> Preview | None:
    """The members that fit; None where there is no room for any. Raises NotFound, naming the keys, where an object has none of them."""
    document = context.tools.store.sources.get_tree(revision)
    node = resolve(document, pointer)
    if node.type == "array":
        return _show_lines(context, revision, document, node, pointer, fields, head, room)
    known = [field for field in fields if _find(document, node, field) is not None]
    if not known:
        resolve(document, join(pointer, *tokens_of(fields[0])))
        raise NotFound(f"{pointer!r} has none of the fields", {"pointer": pointer})
    absent = [field for field in fields if field not in known]
    after = f"absent: {json_line(absent)}\n" if absent else ""
    places = [Place(revision.resource, revision.number, Selector("pointer", join(pointer, *tokens_of(one)))) for one in known]
    return _show_packets(context, places, head, after, room)


def tokens_of(field: str) -> tuple[str, ...]:
    """A member's name, or the tokens of a pointer to one further down."""
    return parse_pointer(field) if field.startswith("/") else (field,)


def _find(document: Document, node: Node, field: str) -> Node | None:
    if not node.is_container:
        return None
    tokens = tokens_of(field)
    try:
        for token in tokens:
            node = document.child(node, token)
    except EvidenceStoreError:
        return None  # absent, or not to be told apart: neither is a member that could be shown
    return node


def _show_packets(context: StoreContext, places: Sequence[Place], head: str, after: str, room: int) -> Preview | None:
    read_all = context.tools.store.passages.read_all
    return show_fitting(context, lambda limit: read_all(places, limit), head + after, room, len(places))


def _show_lines(
    context: StoreContext,
    revision: Revision,
    document: Document,
    node: Node,
    pointer: Pointer,
    fields: Sequence[str],
    head: str,
    room: int,
) -> Preview | None:
    reader = context.tools.store.passages.get_reader(revision)
    n_items = len(document.children(node))
    lines: list[str] = []
    n_bytes = 0
    most = context.tools.limit(room).max_bytes or 2**62
    for line in _iter_lines(document, node, pointer, fields, reader):
        lines.append(line)
        n_bytes += len(line)
        if n_bytes > most:
            break

    def text(n: int) -> str:
        said = "items" if n == n_items else f"items: the first {n} of {n_items}"
        on = "" if n == n_items else format_call("read", "read_spec", place_of(revision, pointer=pointer, children=f"{n}-{n_items - 1}"))
        return f"{head}{said}\n{on}" + "".join(lines[:n])

    n = context.n_fitting(len(lines), text, room)
    return Preview(text(n), ()) if n or (not n_items and context.fits(text(n), room)) else None


def _iter_lines(document: Document, node: Node, pointer: Pointer, fields: Sequence[str], reader: RevisionReader) -> Iterator[str]:
    for child in document.children(node):
        members = [f'"at":{json_line(join(pointer, child.token))}']
        for field in fields:
            found = _find(document, child.node, field)
            if found is not None:
                members.append(f"{json_line(field)}:{_member(document, found, reader)}")
        yield "- {" + ",".join(members) + "}\n"


def _member(document: Document, node: Node, reader: RevisionReader) -> str:
    """The value on one line with its secrets masked, or what it is and how large."""
    value = value_json(document, node) if node.span.length <= MAX_MEMBER_BYTES else None
    if value is None:
        return json_line(f"[{node.type}, {node.span.length} bytes]")
    masking = reader.masking
    text = masking.text(value.json.decode("utf-8", "replace"), masking.masks(node.span))
    return escape_unseen(text.replace("\r", " ").replace("\n", " "))
