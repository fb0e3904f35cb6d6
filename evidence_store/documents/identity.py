"""What names an item of an array, so that it is recognised where its index has changed.

`keys/1` labels (docs/formats/keys.md), `diff` and `locate` share these rules.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from evidence_store.documents.model import Child, Document, Node, Number
from evidence_store.errors import Ambiguous, NotFound

_LABELS: tuple[tuple[str, ...], ...] = (("in", "name"), ("$ref",), ("name",), ("id",))
"""Members that together name an item of a list of objects, the stronger first."""
_IDENTITIES = (*_LABELS, ("key",), ("operationId",), ("url",))

Identity: TypeAlias = Callable[[Document, Node], str]


@dataclass(frozen=True, slots=True)
class Side:
    """The items of one array."""

    document: Document
    children: Sequence[Child]


def label(document: Document, child: Child) -> str:
    """The label of an array item under `keys/1`: what names it, a scalar's JSON text, else its index."""
    if not child.node.is_container:
        return scalar_text(document, child.node)
    for members in _LABELS:
        name = _named(document, child.node, members)
        if name is not None:
            return name
    return child.token


def scalar_text(document: Document, node: Node) -> str:
    """A scalar as JSON text; a number as it is spelled."""
    value = document.scalar(node)
    return str(value) if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)


def find_identity(sides: Sequence[Side]) -> Identity | None:
    """The rule under which every item of every side has a name and no two of a side share it; None where there is none."""
    items = [(side.document, child.node) for side in sides for child in side.children]
    if not items:
        return None
    if not any(node.is_container for _, node in items):
        rules: list[Identity] = [scalar_text]
    else:
        rules = [partial(_name_by, members) for members in _IDENTITIES if all(_named(*item, members) is not None for item in items)]
    return next((rule for rule in rules if all(_is_unique(rule, side) for side in sides)), None)


def _is_unique(rule: Identity, side: Side) -> bool:
    return len({rule(side.document, child.node) for child in side.children}) == len(side.children)


def _name_by(members: tuple[str, ...], document: Document, node: Node) -> str:
    name = _named(document, node, members)
    assert name is not None
    return name


def _named(document: Document, node: Node, members: tuple[str, ...]) -> str | None:
    """The text of these members together; None unless each is a string or a number."""
    if node.type != "object":
        return None
    texts = []
    for member in members:
        try:
            found = document.child(node, member)
        except (NotFound, Ambiguous):
            return None
        if found.type not in ("string", "number"):
            return None
        texts.append(str(document.scalar(found)))
    return " ".join(texts)
