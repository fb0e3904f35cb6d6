"""Whether two nodes are the same value: by type and, for numbers, by spelling. Not by layout, quotes or member order."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from evidence_store.documents.model import Child, Document, Node
from evidence_store.errors import EvidenceStoreError


def same_text(old: Document, new: Document) -> bool:
    """Whether two documents are the same bytes: then nothing differs, also where a member is repeated or an alias stands."""
    return old.format is new.format and old.raw == new.raw


def same_slice(old: Document, old_node: Node, new: Document, new_node: Node) -> bool:
    """Whether two nodes are the same bytes, which means the same value where neither rests on another place."""
    if old.format is not new.format or old_node.span.length != new_node.span.length:
        return False
    if old.has_aliases(old_node) or new.has_aliases(new_node):
        return False
    return old.source(old_node) == new.source(new_node)


UNORDERED: Final = frozenset(("required", "enum", "type", "tags", "consumes", "produces", "schemes"))
"""Members of API documents and JSON Schemas whose lists of scalars are sets (JSON Schema 2020-12 validation 6, OpenAPI)."""


def is_unordered(name: str, old: Document, mine: Sequence[Child], new: Document, its: Sequence[Child]) -> bool:
    """Whether the order of these items under this name says nothing."""
    if name not in UNORDERED or any(child.node.is_container for child in (*mine, *its)):
        return False
    return _has_schemas(old) and _has_schemas(new)


def _has_schemas(document: Document) -> bool:
    """Whether the document says that it is an API document or a JSON Schema: in others a list of that name is a list."""
    if document.root.type != "object":
        return False
    for name in ("openapi", "swagger", "$schema"):
        try:
            document.child(document.root, name)
        except EvidenceStoreError:
            continue
        return True
    return False


def same_value(old: Document, old_node: Node, new: Document, new_node: Node, name: str = "") -> bool:
    """Whether two nodes are equal; `name` is the member that they stand under. Where a member is repeated, only equal bytes are."""
    pending = [(old_node, new_node, name)]
    while pending:
        one, other, under = pending.pop()
        if same_slice(old, one, new, other):
            continue
        if one.type != other.type:
            return False
        if not one.is_container:
            if old.scalar(one) != new.scalar(other):
                return False
            continue
        old_children, new_children = old.children(one), new.children(other)
        if len(old_children) != len(new_children) or old.repeated(one) or new.repeated(other):
            return False
        if one.type == "array":
            if is_unordered(under, old, old_children, new, new_children):
                if Counter(scalar_key(old, c.node) for c in old_children) != Counter(scalar_key(new, c.node) for c in new_children):
                    return False
                continue
            pending += [(mine.node, its.node, "") for mine, its in zip(old_children, new_children, strict=True)]
            continue
        its_members = {child.token: child.node for child in new_children}
        for child in old_children:
            if child.token not in its_members:
                return False
            pending.append((child.node, its_members[child.token], child.token))
    return True


def scalar_key(document: Document, node: Node) -> tuple[str, object]:
    """A scalar with its type, so that `1` is not `"1"`; a number by its spelling."""
    return node.type, document.scalar(node)
