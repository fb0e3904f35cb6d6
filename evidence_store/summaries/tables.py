"""Lists of records wherever they stand: JSON Lines, an array of objects in a document, rows of CSV.

A record is a mapping from a relative pointer to a scalar of the source; objects within are flattened, arrays are counted.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from evidence_store.documents.charset import UTF8, encoding_of
from evidence_store.documents.csv import read_table
from evidence_store.documents.encoding import UTF8_MARK, unit_width
from evidence_store.documents.model import Child, Document, Node, NodeType, Scalar
from evidence_store.model import Format
from evidence_store.summaries.model import Material
from evidence_store.summaries.walk import MAX_NODES, Placed
from evidence_store.summaries.wording import pointer

MAX_FLATTENED: Final = 3
"""Objects within one another that are looked into."""
_SEARCHED: Final = 20_000
"""Members among which the list of a document is looked for."""
_SEARCHED_DEPTH: Final = 5
MAX_FIELD_CHARS: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Field:
    type: NodeType
    value: Scalar
    """None for arrays."""


@dataclass(frozen=True, slots=True)
class Record:
    place: int
    """0-based index in its list; for CSV the line, 1-based."""
    fields: dict[tuple[str, ...], Field]


@dataclass(frozen=True, slots=True)
class Table:
    """Where a list of records stands, and the records one by one."""

    at: tuple[str, ...] | None
    """Tokens of the list; None for CSV."""
    n_records: int
    records: Iterator[Record]

    def place(self, record: int, path: Sequence[str]) -> str:
        """Where a field of a record stands: a pointer, or a line."""
        return f"line {record}" if self.at is None else pointer((*self.at, str(record), *path))


def find_table(material: Material) -> Table | None:
    """The longest list of records in reach of the root; None where there is none."""
    if material.format is Format.CSV:
        return _csv_table(material)
    if material.format not in (Format.JSON, Format.YAML, Format.JSONL):
        return None
    document = material.document
    found = _find_list(document)
    if found is None:
        return None
    items = document.children(found.node)
    return Table(found.tokens, len(items), _iter_records(document, items))


def _find_list(document: Document) -> Placed | None:
    """The root where it is a list of objects, else the array with the most items of which the first is an object."""
    if _is_list(document, document.root):
        return Placed((), document.root)
    best, n_best = None, 0
    pending, n_seen = [Placed((), document.root)], 0
    while pending and n_seen < _SEARCHED:
        one = pending.pop(0)
        if one.node.type != "object" or len(one.tokens) >= _SEARCHED_DEPTH:
            continue
        children = document.children(one.node)
        n_seen += len(children)
        if n_seen > _SEARCHED:
            break
        for child in children:
            placed = Placed((*one.tokens, child.token), child.node)
            n_items = len(document.children(child.node)) if child.node.type == "array" else 0
            if n_items > n_best and _is_list(document, child.node):
                best, n_best = placed, n_items
            elif child.node.type == "object":
                pending.append(placed)
    return best


def _is_list(document: Document, node: Node) -> bool:
    items = document.children(node) if node.type == "array" else ()
    return len(items) > 0 and items[0].node.type == "object"


def _iter_records(document: Document, items: Sequence[Child]) -> Iterator[Record]:
    """Records until all nodes that a walk may look at are used up; items that are no objects have no fields."""
    n_left = MAX_NODES
    for index in range(len(items)):
        fields: dict[tuple[str, ...], Field] = {}
        n_left -= 1 + _flatten(document, items[index].node, (), fields)
        if n_left < 0:
            return
        yield Record(index, fields)


def _flatten(document: Document, node: Node, path: tuple[str, ...], fields: dict[tuple[str, ...], Field]) -> int:
    n_nodes = 0
    for child in document.children(node) if node.type == "object" else ():
        n_nodes += 1
        inner = (*path, child.token)
        value = None if child.node.is_container or child.node.span.length > MAX_FIELD_CHARS else document.scalar(child.node)
        fields.setdefault(inner, Field(child.node.type, value))
        if child.node.type == "object" and len(path) + 1 < MAX_FLATTENED:
            n_nodes += _flatten(document, child.node, inner, fields)
    return n_nodes


def _csv_table(material: Material) -> Table | None:
    encoding = encoding_of(material.notes)
    shape = None if unit_width(encoding) > 1 else read_table(material.raw, encoding)
    if shape is None or not shape.n_rows:
        return None
    raw = material.raw.removeprefix(UTF8_MARK) if encoding == UTF8 else material.raw
    return Table(None, shape.n_rows, _iter_rows(raw.decode(encoding, "replace"), shape.delimiter, shape.header))


def _iter_rows(text: str, delimiter: str, header: tuple[str, ...]) -> Iterator[Record]:
    n_left = MAX_NODES
    seen_header = False
    reader = csv.reader((line.removesuffix("\r") + "\n" for line in text.split("\n")), delimiter=delimiter)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error:
            return  # what the reader takes for no row; the rows before it were looked at, and that is said
        if row is None:
            return
        if not any(cell.strip() for cell in row):
            continue
        if not seen_header:
            seen_header = True
            continue
        n_left -= 1 + len(row)
        if n_left < 0:
            return
        fields: dict[tuple[str, ...], Field] = {}
        for column, cell in zip(header, row, strict=False):
            if cell.strip():  # an empty cell is a field that the record does not have
                fields.setdefault((column,), Field("string", cell.strip()))
        yield Record(line, fields)
