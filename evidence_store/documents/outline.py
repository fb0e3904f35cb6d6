"""What is shown of a container without its content: an outline with sizes, and the `keys/1` text (docs/formats/keys.md)."""

import json
from collections.abc import Iterable, Sequence
from itertools import islice

from evidence_store.documents.identity import label
from evidence_store.documents.model import MAX_NAME_CHARS, Child, Document, Node
from evidence_store.errors import NotContainer, NotFound
from evidence_store.model import Outline, OutlineEntry

KEYS_TRANSFORM = "keys/1"
MAX_ENTRY_KEYS = 8
MAX_SCALAR_CHARS = 80


def outline(document: Document, node: Node, first: int = 0, n_entries: int | None = None, encoding: str = "utf-8") -> Outline:
    """Children `first` to `first + n_entries` (0-based) of a container; `encoding` is that of the whole text.

    Raises NotContainer for a scalar, NotFound when `first` is past the end.
    """
    if node.type not in ("object", "array"):
        raise NotContainer(f"a {node.type} has no children")
    children = document.children(node)
    if first and first >= len(children):
        raise NotFound(f"child {first} is past the end: there are {len(children)} children", {"n_children": len(children)})
    last = len(children) if n_entries is None else min(len(children), first + n_entries)
    entries = tuple(_entry(document, children[n], encoding) for n in range(first, last))
    return Outline("object" if node.type == "object" else "array", len(children), first, entries)


def keys_text(document: Document, node: Node) -> str:
    """`keys/1`: member names of an object or labels of an array's items, in source order, as minified JSON.

    Raises NotContainer for a scalar.
    """
    return joined_keys([key_text(document, node, child) for child in keyed_children(document, node)])


def keyed_children(document: Document, node: Node) -> Sequence[Child]:
    """The children that `keys/1` names. Raises NotContainer for a scalar."""
    if not node.is_container:
        raise NotContainer(f"a {node.type} has no keys")
    return document.children(node)


def key_text(document: Document, node: Node, child: Child) -> str:
    """What names one child in `keys/1`, as JSON."""
    return json.dumps(child.token if node.type == "object" else label(document, child), ensure_ascii=False)


def joined_keys(texts: Iterable[str]) -> str:
    return f"[{','.join(texts)}]"


def _entry(document: Document, child: Child, encoding: str) -> OutlineEntry:
    node = child.node
    size = node.span.length
    if not node.is_container:
        return OutlineEntry(child.token, node.type, size, None, (), _short_source(document, node, encoding))
    inside = document.children(node)
    keys = tuple(inner.token[:MAX_NAME_CHARS] for inner in islice(inside, MAX_ENTRY_KEYS)) if node.type == "object" else ()
    return OutlineEntry(child.token, node.type, size, len(inside), keys, None)


def _short_source(document: Document, node: Node, encoding: str) -> str | None:
    if node.span.length > 4 * MAX_SCALAR_CHARS:
        return None
    text = document.source(node).decode(encoding, "replace")
    return text if len(text) <= MAX_SCALAR_CHARS else None
