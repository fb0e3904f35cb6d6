"""Pointer text to node, with errors that help to repair the pointer.

An error names the nearest existing parent and at most twenty of its member names, each cut to eighty characters; it
holds nothing else of the document.
"""

from collections.abc import Mapping
from itertools import islice

from evidence_store.documents.model import Document, Node
from evidence_store.errors import Ambiguous, BadIndex, JsonValue, NotFound
from evidence_store.pointers import format_pointer, parse_pointer

MAX_KEYS = 20
MAX_KEY_CHARS = 80


def resolve(document: Document, pointer_text: str) -> Node:
    """The node at a pointer in plain or fragment form.

    Raises MalformedPointer, BadIndex, NotFound, NotContainer or Ambiguous; all but the first carry `nearest`, `keys`, `n_children`.
    """
    return resolve_tokens(document, parse_pointer(pointer_text))


def resolve_tokens(document: Document, tokens: tuple[str, ...]) -> Node:
    """As `resolve`, for tokens that are split already."""
    node = document.root
    for n_done, token in enumerate(tokens):
        try:
            node = document.child(node, token)
        except (BadIndex, NotFound, Ambiguous) as exc:
            help_ = nearest_details(document, node, tokens[:n_done])
            raise type(exc)(exc.message, {**exc.details, **help_}) from exc
    return node


def nearest_details(document: Document, node: Node, tokens: tuple[str, ...]) -> Mapping[str, JsonValue]:
    """What an error says of the nearest existing parent."""
    children = document.children(node)
    details: dict[str, JsonValue] = {"nearest": format_pointer(tokens), "n_children": len(children)}
    if node.type == "object":
        details["keys"] = [child.token[:MAX_KEY_CHARS] for child in islice(children, MAX_KEYS)]
    return details
