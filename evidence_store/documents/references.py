"""Local references: where the `$ref` of an object leads in its own document (RFC 6901 section 6, the fragment form)."""

from typing import Final

from evidence_store.documents.model import Document, Node
from evidence_store.documents.resolve import resolve
from evidence_store.errors import EvidenceStoreError
from evidence_store.model import Pointer
from evidence_store.pointers import plain_form

REFERENCE: Final = "$ref"


def find_target(document: Document, node: Node) -> Pointer | None:
    """The place that the node's reference names; None for a node without one, one to another document, or to nowhere."""
    if node.type != "object":
        return None
    try:
        found = document.child(node, REFERENCE)
        text = None if found.is_container else document.scalar(found)
        if not isinstance(text, str) or not text.startswith("#"):
            return None
        resolve(document, text)
        return plain_form(text)
    except EvidenceStoreError:
        return None
