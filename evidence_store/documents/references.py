"""Local references: where the `$ref` of an object leads in its own document (RFC 6901 section 6, the fragment form)."""

from typing import Final

from evidence_store.documents.model import Document, Node
from evidence_store.documents.resolve import resolve
from evidence_store.errors import EvidenceStoreError
from evidence_store.model import Format, Hop, Pointer
from evidence_store.pointers import plain_form

REFERENCE: Final = "$ref"


def inner_hops(document: Document, node: Node) -> tuple[Hop, ...]:
    """What a node's meaning rests on beside its own bytes: in YAML, what the aliases and merge keys inside lead to."""
    if document.format is not Format.YAML or not node.is_container:
        return ()
    from evidence_store.documents.yaml import YamlDocument  # start-up cost: the YAML reader

    return document.inner_hops(node) if isinstance(document, YamlDocument) else ()


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
