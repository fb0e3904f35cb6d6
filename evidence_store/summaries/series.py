"""Series of measurements wherever they stand: query results, dashboards' arrays, records, CSV columns, the text of exporters.

A point is the spelling of a number and where it stands. Nothing here computes.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from evidence_store.documents.model import Document, Node
from evidence_store.model import Format
from evidence_store.summaries.model import Material
from evidence_store.summaries.numbers import decimal_of
from evidence_store.summaries.tables import Table, find_table
from evidence_store.summaries.times import moment_of
from evidence_store.summaries.walk import Placed, Walk, members, text_of
from evidence_store.summaries.wording import name, pointer, quoted

MAX_SERIES: Final = 5_000
MAX_POINTS: Final = 500_000
"""Of all series together."""
MAX_SAMPLE_CHARS: Final = 10_000
"""Of a line that can be a sample."""
_NAMED_BY: Final = ("metric", "name", "Label", "label", "target", "Id", "__name__", "legend", "title")
_POINTS_IN: Final = ("values", "Values", "datapoints", "Datapoints", "pointlist")
"""Members that hold the points of a series in the answers of metrics stores, also where there are none."""
_TIMES: Final = re.compile(r"(?i)(time|times|timestamp|timestamps|ts|t|date|dates|at|created_at|step|interval)")
_VALUE_FIRST: Final = "datapoints"
"""Member of Graphite's answer, whose pairs are value and time."""
_SAMPLE: Final = re.compile(
    r"([a-zA-Z_:][\w:]*)(\{(?:[^\"{}]|\"(?:[^\"\\]|\\.)*\")*\})?[ \t]+(\S+)(?:[ \t]+(-?[0-9.]+))?[ \t]*(?:#.*)?", re.ASCII
)
"""A line of the exposition formats of Prometheus and OpenMetrics."""


@dataclass(slots=True)
class Series:
    name: str
    where: str
    """A pointer or line to read on; for points that stand apart, that of the first."""
    points: list[tuple[int, str]] = field(default_factory=list)
    """Index of the point in `where`, or its line or record, and the spelling."""
    at: tuple[str, ...] | None = None
    """Tokens of the array that holds the points, where one does."""
    after: tuple[str, ...] = ()
    """Tokens from a point to its value."""

    def place(self, index: int) -> str:
        return f"line {index}" if self.at is None else pointer((*self.at, str(index), *self.after))


@dataclass(frozen=True, slots=True)
class Found:
    series: Sequence[Series]
    is_cut: bool
    """Whether a bound was met before the end."""

    @property
    def has_points(self) -> bool:
        return any(one.points for one in self.series)


def find_series(material: Material) -> Found:
    """All series in source order; none where there are none."""
    match material.format:
        case Format.TEXT:
            return _exposed(material.iter_lines(MAX_SAMPLE_CHARS + 1))
        case Format.CSV:
            return _of_table(find_table(material))
        case Format.JSONL:
            return _of_table(find_table(material))
        case Format.JSON | Format.YAML:
            found = _of_document(material.document)
            return found if found.has_points or found.is_cut else _of_table(find_table(material))
        case Format.JUNIT | Format.BYTES:
            return Found((), False)


def _exposed(lines: Iterable[str]) -> Found:
    """Samples of one name and labels are one series. A text of which most lines are no samples holds none."""
    by_name: dict[str, Series] = {}
    n_samples = n_others = 0
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        found = _SAMPLE.fullmatch(text) if len(text) <= MAX_SAMPLE_CHARS else None
        if found is None or not _is_value(found[3]):
            n_others += 1
            continue
        n_samples += 1
        key = f"{found[1]}{found[2] or ''}"
        if n_samples > MAX_POINTS or (key not in by_name and len(by_name) >= MAX_SERIES):
            return Found(tuple(by_name.values()) if n_samples > n_others else (), True)
        by_name.setdefault(key, Series(key, f"line {number}")).points.append((number, found[3]))
    return Found(tuple(by_name.values()) if n_samples > n_others else (), False)


def _is_value(text: str) -> bool:
    return decimal_of(text) is not None or text.lower().lstrip("+-") in ("nan", "inf", "infinity")


def _of_table(table: Table | None) -> Found:
    """Each field that holds numbers is a series; records with a name and a value are series by that name."""
    if table is None:
        return Found((), False)
    by_name: dict[tuple[str, tuple[str, ...]], Series] = {}
    n_records = 0
    for record in table.records:
        n_records += 1
        fields = {path: entry for path, entry in record.fields.items() if entry.type in ("number", "string")}
        label = next((str(fields[(key,)].value) for key in _NAMED_BY if (key,) in fields and fields[(key,)].type == "string"), None)
        for path, entry in fields.items():
            text = str(entry.value)
            if _TIMES.fullmatch(path[-1]) or moment_of(text) is not None or not _is_value(text):
                continue
            is_value = label is not None and path[-1] in ("value", "Value", "val")
            key = (label if is_value and label is not None else "", path)
            if key not in by_name:
                if len(by_name) >= MAX_SERIES:
                    return Found(tuple(by_name.values()), True)
                shown = name(key[0]) if key[0] else name("/".join(path)) if table.at is None else pointer(path)
                by_name[key] = Series(shown, table.place(record.place, path), at=table.at, after=path)
            by_name[key].points.append((record.place, text))
    return Found(tuple(by_name.values()), n_records < table.n_records)


def _of_document(document: Document) -> Found:
    walk = Walk(document)
    series: list[Series] = []
    above: dict[int, Placed] = {}
    n_points = 0
    taken: tuple[str, ...] | None = None
    """The array of the last series: what lies in it is said."""
    for one in walk:
        depth = len(one.tokens)
        above[depth] = one
        if one.node.type != "array" or (taken is not None and one.tokens[: len(taken)] == taken):
            continue
        n_points += len(document.children(one.node))
        if n_points > MAX_POINTS or len(series) >= MAX_SERIES:
            return Found(series, True)
        points = _points(document, one)
        if points is not None:
            points.name = _name(document, [above[n].node for n in range(depth - 1, -1, -1)], one.tokens)
            series.append(points)
            taken = one.tokens
    return Found(series, walk.is_cut)


def _points(document: Document, one: Placed) -> Series | None:
    """The series that an array is: numbers, pairs of time and value, or one such pair as Prometheus writes it."""
    items = document.children(one.node)
    here = one.tokens[-1] if one.tokens else ""
    if _TIMES.fullmatch(here):
        return None
    if not items:
        return Series("", pointer(one.tokens), at=one.tokens) if here in _POINTS_IN else None
    if _is_instant(document, here, [child.node for child in items[:3]]):
        # One sample: its value is the second item of this array.
        return Series("", pointer(one.tokens), [(1, str(document.scalar(items[1].node)))], one.tokens)
    if items[0].node.type == "array":
        return _pairs(document, one, 0 if here == _VALUE_FIRST else 1)
    if (len(items) < 2 and here not in _POINTS_IN) or any(child.node.type not in ("number", "null") for child in items):
        return None
    numbers = [(at, str(document.scalar(child.node))) for at, child in enumerate(items) if child.node.type == "number"]
    return Series("", pointer(one.tokens), numbers, one.tokens) if numbers or here in _POINTS_IN else None


def _is_instant(document: Document, here: str, nodes: list[Node]) -> bool:
    return (
        here == "value"
        and len(nodes) == 2
        and nodes[0].type == "number"
        and nodes[1].type == "string"
        and _is_value(str(document.scalar(nodes[1])))
    )


def _pairs(document: Document, one: Placed, value_at: int) -> Series | None:
    points = []
    for at, child in enumerate(document.children(one.node)):
        pair = document.children(child.node) if child.node.type == "array" else ()
        if len(pair) != 2 or pair[1 - value_at].node.type not in ("number", "string"):
            return None
        value = pair[value_at].node
        if value.type == "null":
            continue
        text = text_of(document, value)
        if text is None or not _is_value(text):
            return None
        points.append((at, text))
    is_series = points or (one.tokens and one.tokens[-1] in _POINTS_IN)
    return Series("", pointer(one.tokens), points, one.tokens, (str(value_at),)) if is_series else None


def _name(document: Document, above: list[Node], tokens: tuple[str, ...]) -> str:
    """What the nearest object above calls it, and the member in which it stands where that says something."""
    member = next((token for token in reversed(tokens) if not token.isdecimal()), "")
    for node in above:
        inside = members(document, node)
        for key in _NAMED_BY:
            found = inside.get(key)
            if found is not None and found.type == "object":
                return _labels(document, found)
            text = text_of(document, found)
            if text:
                plain = member in ("", "values", "Values", "value", "data", "points", "pointlist", "datapoints", "samples")
                return name(text) if plain else f"{name(text)} {name(member)}"
        if node.type == "object":
            break
    return name(member) if member else "series"


def _labels(document: Document, node: Node) -> str:
    """Labels as Prometheus writes them, in source order."""
    inside = members(document, node)
    own = text_of(document, inside.pop("__name__", None)) or ""
    labels = [f"{name(key)}={quoted(text)}" for key, one in list(inside.items())[:12] if (text := text_of(document, one)) is not None]
    return (name(own) if own else "") + (f"{{{','.join(labels)}}}" if labels or not own else "")
