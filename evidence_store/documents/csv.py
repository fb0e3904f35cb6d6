"""What a table in CSV holds: its delimiter, its header and how many rows (RFC 4180). Rows are addressed by their lines.

A quoted field may hold line ends, so a row may take several lines. Quotes that nothing closes are ordinary characters, and noted.
"""

import re
from dataclasses import dataclass
from typing import Final

from evidence_store.documents.encoding import UTF8_MARK, unit_width
from evidence_store.documents.model import MAX_NAME_CHARS, Note

_DELIMITERS: Final = (b",", b";", b"\t", b"|")
MAX_HEADER_NAMES: Final = 20


@dataclass(frozen=True, slots=True)
class Table:
    """The shape of a table; the header is its first row."""

    delimiter: str
    header: tuple[str, ...]
    n_rows: int
    """Without the header; blank lines are none."""
    n_long_rows: int
    """Rows that take more than one line."""
    n_ragged_rows: int
    """Rows with another number of fields than the header."""
    open_quote_line: int | None = None
    """Of the first field that begins with a quote that nothing closes."""


def csv_notes(raw: bytes, encoding: str) -> tuple[Note, ...]:
    """A note on the shape of the table; none in an encoding with wide code units, and none for an empty text."""
    table = None if unit_width(encoding) > 1 else read_table(raw, encoding)
    if table is None:
        return ()
    names = ", ".join(repr(name[:MAX_NAME_CHARS]) for name in table.header[:MAX_HEADER_NAMES])
    more = f" and {len(table.header) - MAX_HEADER_NAMES} more" if len(table.header) > MAX_HEADER_NAMES else ""
    text = f"{table.n_rows} rows below the header, {len(table.header)} columns apart by {table.delimiter!r}: {names}{more}"
    notes = [Note("table", text, line=1)]
    if table.n_long_rows:
        notes.append(Note("long_rows", f"{table.n_long_rows} rows take more than one line, since a quoted field holds a line end"))
    if table.n_ragged_rows:
        notes.append(Note("ragged_rows", f"{table.n_ragged_rows} rows have another number of fields than the header"))
    if table.open_quote_line is not None:
        text = f"a field on line {table.open_quote_line} begins with a quote that nothing closes; it is read as an ordinary character"
        notes.append(Note("open_quote", text, line=table.open_quote_line))
    return tuple(notes)


def read_table(raw: bytes, encoding: str = "utf-8") -> Table | None:
    """The shape of a table; None where there is no row."""
    text = raw.removeprefix(UTF8_MARK)
    delimiter = _delimiter(text)
    field, row = _patterns(delimiter)
    header: tuple[str, ...] | None = None
    n_rows = n_long = n_ragged = 0
    open_line: int | None = None
    for found in row.finditer(text):
        line = found[0].rstrip(b"\r\n")
        if not line.strip() and delimiter not in line:
            continue
        fields = [match[0] for match in field.finditer(line)]
        n_long += b"\n" in line
        if open_line is None and b'"' in line and any(_is_open(one) for one in fields):
            at = next(match.start() for match in field.finditer(line) if _is_open(match[0]))
            open_line = text.count(b"\n", 0, found.start() + at) + 1
        if header is None:
            header = tuple(_field_text(one, encoding) for one in fields)
            continue
        n_rows += 1
        n_ragged += len(fields) != len(header)
    return None if header is None else Table(delimiter.decode("ascii"), header, n_rows, n_long, n_ragged, open_line)


def _delimiter(text: bytes) -> bytes:
    """The one that stands most often in the first line that holds anything, quoted parts left out; a comma where none does.

    A tab goes before all others: names of columns may hold those, and hardly ever hold a tab.
    """
    first = next((line for line in text[: 1 << 16].split(b"\n") if line.strip()), b"")
    bare = re.sub(rb'"[^"]*+"', b"", first)
    return b"\t" if b"\t" in bare.strip() else max(_DELIMITERS, key=bare.count)


def _patterns(delimiter: bytes) -> "tuple[re.Pattern[bytes], re.Pattern[bytes]]":
    mark = re.escape(delimiter)
    # A quoted field ends where a delimiter or line end follows its quote; what only begins like one is read as it stands.
    content = rb'(?:"[^"]*+(?:""[^"]*+)*"(?=' + mark + rb"|\r?\n|\Z))?[^" + mark + rb"\n]*+"
    field = re.compile(rb"(?:(?<=\A)|(?<=" + mark + rb"))" + content)
    row = re.compile(content + rb"(?:" + mark + content + rb")*(?:\n|\Z)")
    return field, row


def _is_open(field: bytes) -> bool:
    """Whether a field begins with a quote that nothing closes; those within a quoted one stand twice."""
    return field.startswith(b'"') and field.count(b'"') % 2 == 1


def _field_text(field: bytes, encoding: str) -> str:
    text = field.decode(encoding, "replace").strip()
    return text[1:-1].replace('""', '"') if len(text) > 1 and text[0] == text[-1] == '"' else text
