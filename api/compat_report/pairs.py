"""Two schemas in one direction, with all that applies on each side."""

from dataclasses import dataclass

from api.compat_report.model import Direction
from api.compat_report.view import Node


@dataclass(frozen=True, slots=True)
class Schemas:
    """Two schemas in one direction, with the parts that all apply on each side."""

    old: Node
    new: Node
    old_parts: tuple[Node, ...]
    new_parts: tuple[Node, ...]
    direction: Direction
    types: frozenset[str] | None = None
    """Set where only values of these types are compared."""
