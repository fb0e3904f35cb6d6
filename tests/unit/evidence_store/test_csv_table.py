"""CSV: the shape of a table, with rows that take several lines."""

import csv
import io
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_store.documents.csv import Table, read_table
from evidence_store.documents.detect import detect, inspect
from evidence_store.model import Format


@pytest.mark.parametrize(
    ("raw", "table"),
    [
        (b"a,b\n1,2\n3,4", Table(",", ("a", "b"), 2, 0, 0)),
        (b'\xef\xbb\xbfa;b\r\n1;"x;\r\ny"\r\n', Table(";", ("a", "b"), 1, 1, 0)),
        (b"a\tb\n\n1\t2\t3\n", Table("\t", ("a", "b"), 1, 0, 1)),
        (b'"na,me","says ""so"""\n,\n', Table(",", ("na,me", 'says "so"'), 1, 0, 0)),
        (b'size,note\n5" pipe,"open\n6,x\n', Table(",", ("size", "note"), 2, 0, 0, 2)),
        (b'a,b\n"x\n\ny",1\n2,"z\n3,4', Table(",", ("a", "b"), 3, 1, 0, 5)),
        (b'a,b\n"x" y,"""z"""\n', Table(",", ("a", "b"), 1, 0, 0)),
        (b"name, first\tage, now\n\t\n", Table("\t", ("name, first", "age, now"), 1, 0, 0)),
        (b"one\ntwo\n", Table(",", ("one",), 1, 0, 0)),
    ],
)
def test_the_shape_of_a_table(raw: bytes, table: Table) -> None:
    assert read_table(raw) == table


def test_no_row_is_no_table() -> None:
    assert read_table(b"\n \n") is None
    assert inspect(b"", detect(b"", "t.csv")).notes == ()


def test_notes_name_header_rows_and_delimiter() -> None:
    notes = {note.code: note.text for note in inspect(b'a;b\n1;"x\ny"\n2\n', detect(b"", "t.csv")).notes}
    assert notes["table"] == "2 rows below the header, 2 columns apart by ';': 'a', 'b'"
    assert notes["long_rows"].startswith("1 rows")
    assert notes["ragged_rows"].startswith("1 rows")


def test_a_quote_that_nothing_closes_is_noted_with_its_line() -> None:
    notes = inspect(b'a,b\n1,"open\n2,3\n4,"again\n', detect(b"", "t.csv")).notes
    (note,) = (note for note in notes if note.code == "open_quote")
    assert note.line == 2
    assert "line 2" in note.text
    assert all(note.code != "open_quote" for note in inspect(b'a,b\n1,"x ""y"""\n', detect(b"", "t.csv")).notes)


@pytest.mark.parametrize(("name", "media_type"), [("t.tsv", None), ("t.TSV", None), ("t", "text/tab-separated-values; charset=utf-8")])
def test_tables_set_apart_by_tabs_are_read_as_such(name: str, media_type: str | None) -> None:
    raw = b"a,b\tc\n1\t2\n"
    found = inspect(raw, detect(raw, name, media_type))
    assert found.format is Format.CSV
    assert found.notes[0].text == "1 rows below the header, 2 columns apart by '\\t': 'a,b', 'c'"


def test_header_names_are_bounded() -> None:
    (note,) = inspect(b",".join(b"x" * 500 for _ in range(500)) + b"\n", detect(b"", "t.csv")).notes
    assert len(note.text) < 2500
    assert "and 480 more" in note.text


def test_the_header_is_decoded_as_declared() -> None:
    raw = "größe,b\n".encode("latin-1")
    notes = inspect(raw, detect(raw, "t.csv", "text/csv; charset=iso-8859-1")).notes
    assert "größe" in notes[-1].text


@settings(max_examples=200, deadline=None, database=None)
@given(st.lists(st.lists(st.text("ab\",\n ;'", max_size=4), min_size=2, max_size=2), min_size=1, max_size=5))
def test_rows_of_a_written_table_are_counted(rows: list[list[str]]) -> None:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([["h1", "h2"], *rows])
    table = read_table(text.getvalue().encode())
    assert table == Table(",", ("h1", "h2"), len(rows), sum("\n" in "".join(row) for row in rows), 0)


@pytest.mark.parametrize("raw", [b'"' * 300_001, b'"x,' * 100_000, b'",""' * 80_000, b'""",' * 80_000, b'"\n' * 100_000])
def test_quotes_that_nothing_closes_cost_no_more_than_others(raw: bytes) -> None:
    started = time.monotonic()
    read_table(raw)
    assert time.monotonic() - started < 5
