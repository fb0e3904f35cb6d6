"""`records`: how many records a list has, which keys with which presence, least and greatest of numbers and times, small sets of values."""

import re
from collections import Counter
from typing import Final

from evidence_store.documents.model import NodeType
from evidence_store.model import Format
from evidence_store.summaries.model import Material, Subject, Summarizer, not_of_kind
from evidence_store.summaries.numbers import Extreme, Extremes, decimal_of
from evidence_store.summaries.tables import Field, Record, Table, find_table
from evidence_store.summaries.times import moment_of
from evidence_store.summaries.wording import counted, listed, name, pointer, quoted, section

KIND: Final = "records"
MAX_FIELDS: Final = 40
MAX_TOLD_FIELDS: Final = 1_000
"""Different fields that are counted; records with more have no columns."""
MAX_SET: Final = 12
SHOWN_VALUES: Final = 6
MAX_DISTINCT: Final = 10_000
_ANSWER_HEAD: Final = re.compile(
    rb"\{\s*(?:\"[^\"\\]{1,60}\"\s*:\s*(?:\"(?:[^\"\\]|\\.){0,1000}\"|[-+.\w]{1,60})\s*,\s*){0,20}\"[^\"\\]{1,60}\"\s*:\s*\[\s*\{"
)
"""An object whose first member that is no scalar is a list of objects, as in the answers of most APIs."""
_DESCRIPTION_HEAD: Final = re.compile(rb"\{\s*\"(?:openapi|swagger|asyncapi|\$schema)\"")
"""The same in a document that describes one."""


class _Column:
    """What is known of one field over all records that were looked at."""

    def __init__(self) -> None:
        self.types: Counter[NodeType] = Counter()
        self.numbers, self.times = Extremes(), Extremes()
        self.n_numbers = self.n_times = 0
        self.values: dict[str, int] = {}
        self.first: dict[str, int] = {}
        """Value to the place of the record where it stands first."""
        self.place = 0
        """Of the first record that has the field."""
        self.is_open = False
        """Whether there were more different values than are counted."""

    def add(self, field: Field, place: int) -> None:
        if not self.types:
            self.place = place
        self.types[field.type] += 1
        if field.type in ("object", "array", "null"):
            return
        text = "true" if field.value is True else "false" if field.value is False else str(field.value)
        self._count(text, place)
        number = decimal_of(text)
        if number is not None and field.type != "boolean":
            self.n_numbers += 1
            self.numbers.add(number, text, place)
        elif (moment := moment_of(text)) is not None:
            self.n_times += 1
            self.times.add(moment, text, place)

    def _count(self, text: str, place: int) -> None:
        if text in self.values:
            self.values[text] += 1
        elif len(self.values) < MAX_DISTINCT:
            self.values[text] = 1
            self.first[text] = place
        else:
            self.is_open = True

    @property
    def n_scalars(self) -> int:
        return sum(n for type_, n in self.types.items() if type_ not in ("object", "array", "null"))


class _Columns:
    def __init__(self, table: Table) -> None:
        self.table = table
        self.found: dict[tuple[str, ...], _Column] = {}
        self.n_records = 0
        self.n_untold = 0
        """Fields past those that are told apart, each time they stand."""

    def read(self) -> None:
        for record in self.table.records:
            self.n_records += 1
            self._add(record)

    def _add(self, record: Record) -> None:
        for path, field in record.fields.items():
            column = self.found.get(path)
            if column is None:
                if len(self.found) >= MAX_TOLD_FIELDS:
                    self.n_untold += 1
                    continue
                column = self.found[path] = _Column()
            column.add(field, record.place)

    def line(self, path: tuple[str, ...], column: _Column) -> str:
        shown = name(path[0]) if self.table.at is None else pointer(path)
        n_present = column.types.total()
        missing = (
            "" if n_present == self.n_records else f" in {n_present} of {self.n_records} (first {self.table.place(column.place, path)})"
        )
        types = "|".join(type_ for type_, _ in sorted(column.types.items(), key=lambda one: (-one[1], one[0])))
        said = self._values(path, column)
        return f"{shown} {types}{missing}" + (f": {said}" if said else "")

    def _values(self, path: tuple[str, ...], column: _Column) -> str:
        """The one thing that tells most of a column: its range where all are numbers or times, else its set or an example."""
        if not column.n_scalars:
            return ""
        for n, extremes in ((column.n_numbers, column.numbers), (column.n_times, column.times)):
            if n == column.n_scalars and len(column.values) > 1:
                assert extremes.least is not None and extremes.greatest is not None, "each value was added to them"
                return f"{self._at(extremes.least, path)} to {self._at(extremes.greatest, path)}" + _few(column)
        if len(column.values) > MAX_SET and 2 * column.n_numbers > column.n_scalars:
            return self._mostly_numbers(column, path)
        if len(column.values) <= MAX_SET and not column.is_open:
            by_count = sorted(column.values.items(), key=lambda one: -one[1])
            shown = str if column.n_numbers == column.n_scalars else quoted
            return listed([f"{shown(text)} ×{n} {self._mark(column.first[text])}" for text, n in by_count], MAX_SET)
        text = next(iter(column.values))
        n_different = f"more than {MAX_DISTINCT}" if column.is_open else str(len(column.values))
        return f"{n_different} different, such as {quoted(text)} {self._mark(column.first[text])}"

    def _mostly_numbers(self, column: _Column, path: tuple[str, ...]) -> str:
        """The range of the numbers, and one of the other values, such as `N/A`."""
        least, greatest = column.numbers.least, column.numbers.greatest
        assert least is not None and greatest is not None, "most of the values are numbers"
        other = next((text for text in column.values if decimal_of(text) is None), None)
        such = "" if other is None else f" such as {quoted(other)} {self._mark(column.first[other])}"
        n_others = column.n_scalars - column.n_numbers
        return f"{self._at(least, path)} to {self._at(greatest, path)} in {column.n_numbers}; {n_others} no numbers{such}"

    def _at(self, one: Extreme, path: tuple[str, ...]) -> str:
        return f"{one.spelling} {self._mark(one.place)}"

    def _mark(self, place: int) -> str:
        return f"@{place}"


def _few(column: _Column) -> str:
    """The set of a numeric column that has few values, such as exit codes."""
    if len(column.values) > SHOWN_VALUES or column.n_scalars == len(column.values):
        return ""
    return f" ({', '.join(f'{text} ×{n}' for text, n in sorted(column.values.items(), key=lambda one: -one[1]))})"


def summarize(material: Material) -> str:
    """Raises InvalidInput (`no_summary`) where there is no list of objects and no table."""
    table = find_table(material)
    if table is None:
        raise not_of_kind(KIND, "it holds no list of objects and no table")
    columns = _Columns(table)
    columns.read()
    if not columns.n_records:
        raise not_of_kind(KIND, "its first record has more nodes than are looked at")
    lines = [columns.line(path, column) for path, column in list(columns.found.items())[:MAX_FIELDS]]
    n_fields = len(columns.found)
    title = f"fields ({'@N is line N' if table.at is None else f'@N is record N, at {pointer((*table.at, chr(78)))}'}):"
    more = "more fields than are told apart\n" if columns.n_untold else ""
    return _head(table, columns) + section(title, lines, MAX_FIELDS, n_fields) + more


def _head(table: Table, columns: _Columns) -> str:
    where = "in CSV" if table.at is None else f"at {pointer(table.at)}"
    looked = "" if columns.n_records == table.n_records else f", the first {columns.n_records} looked at"
    return f"{KIND}: {counted(table.n_records, 'record')} {where}{looked}, {counted(len(columns.found), 'field')}\n"


def applies(subject: Subject) -> bool:
    """A list at the root, or what can only be told by reading."""
    return subject.format in (Format.JSONL, Format.CSV) or (
        subject.format in (Format.JSON, Format.YAML) and _begins_with_list(subject.head)
    )


def _begins_with_list(head: bytes) -> bool:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:1] == b"[":
        return start[1:].lstrip()[:1] == b"{"
    return _ANSWER_HEAD.match(start) is not None and _DESCRIPTION_HEAD.match(start) is None


RECORDS: Final = Summarizer(KIND, summarize, applies)
