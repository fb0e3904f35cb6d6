"""Which format bytes are read in: named, by media type, by suffix, by content, in this order."""

import random
import subprocess
import sys
import zlib

import pytest

from evidence_store.documents.detect import MEDIA_TYPES, detect, inspect, open_document
from evidence_store.documents.model import Limits
from evidence_store.errors import InvalidInput, LimitExceeded, NotFound, RefusedDocument
from evidence_store.model import Format

RANDOM = random.Random(5).randbytes(5_000)
SUITE = b'<?xml version="1.0"?>\n<testsuite tests="1"/>'


@pytest.mark.parametrize(
    ("name", "media_type", "head", "format"),
    [
        ("a.json", None, b"x: 1", Format.JSON),
        ("a.json", "application/yaml; charset=utf-8", b"{}", Format.YAML),
        ("a.yaml", "application/vnd.api+json", b"", Format.JSON),
        ("a.JSON", "application/octet-stream", b"", Format.JSON),
        ("deep/a.yml", None, b"", Format.YAML),
        ("run.log", None, b'{"a":1}', Format.TEXT),
        ("run", "text/plain", b'{"a":1}', Format.TEXT),
        ("a", "application/openapi+yaml", b"", Format.YAML),
        ("rows.ndjson", None, b"", Format.JSONL),
        ("t.csv", None, b"", Format.CSV),
        ("r.xml", None, SUITE, Format.JUNIT),
        ("r.xml", None, b"<html/>", Format.TEXT),
        ("r", "application/xml", SUITE, Format.JUNIT),
        ("p", "image/png", b"", Format.BYTES),
    ],
)
def test_who_names_a_format_is_believed(name: str, media_type: str | None, head: bytes, format: Format) -> None:
    found = detect(head, name, media_type)
    assert (found.format, found.named) == (format, True)
    assert found.media_type == (media_type or MEDIA_TYPES[format])


@pytest.mark.parametrize(
    ("head", "format"),
    [
        (b'  {"a":1}', Format.JSON),
        (b"\xef\xbb\xbf[1]", Format.JSON),
        (b'{"a":1}\n{"a":2}\n', Format.JSONL),
        (b'{"a":\n{"b":2}}', Format.JSON),
        (b"# c\n\nopenapi: 3.0.3\n", Format.YAML),
        (b"---\na: 1\n", Format.YAML),
        (SUITE, Format.JUNIT),
        (b"<html>", Format.TEXT),
        (b"ERROR: no\nWARN: so\n", Format.TEXT),
        (b"\x89PNG\r\n", Format.BYTES),
        (b"", Format.TEXT),
        (RANDOM, Format.BYTES),
        (RANDOM[:200], Format.BYTES),
        (zlib.compress(SUITE + RANDOM), Format.BYTES),
        (b"{" + RANDOM, Format.BYTES),
        (b"name".ljust(257, b"\0") + b"ustar\x0000", Format.BYTES),
        (b"ding\x07\n", Format.TEXT),
        (b"\x01\n", Format.TEXT),
        (b"\x07\x07\x07\x07", Format.TEXT),
        (b"8=FIX.4.2\x0135=A\x0134=1\x01\n" * 50, Format.TEXT),
        (b"\x1b[1mbold\x1b[0m\x08\x0c\r\n\0\0\0\0", Format.TEXT),
        (b"plain text\n" * 500 + RANDOM[:200], Format.TEXT),
        ("一个测试：失败。\u0101\u0102\u0103\u0104\u0105\u0106".encode("utf-16"), Format.TEXT),
        ("größe, übel\n".encode("utf-16le"), Format.TEXT),
        (b"gr\xf6\xdfe \x80\x93\x94\n", Format.TEXT),
        (SUITE.decode().encode("utf-16"), Format.JUNIT),
        (SUITE.decode().encode("utf-16be"), Format.JUNIT),
        ("<html/>".encode("utf-16le"), Format.TEXT),
    ],
)
def test_content_is_looked_at_where_nobody_says(head: bytes, format: Format) -> None:
    found = detect(head, "resource")
    assert (found.format, found.named) == (format, False)


@pytest.mark.parametrize(
    ("name", "file_name", "format"),
    [
        ("g.jsonl", "gotest.out", Format.JSONL),
        ("ci/run.log", "a.json", Format.TEXT),
        ("ci/run", "a.json", Format.JSON),
        ("api-3.1", "a.yaml", Format.YAML),
        ("r.xml", "a.json", Format.JUNIT),
        ("run", "out", Format.TEXT),
    ],
)
def test_the_name_decides_before_the_name_that_the_bytes_came_under(name: str, file_name: str, format: Format) -> None:
    assert detect(SUITE if format is Format.JUNIT else b"", name, file_name=file_name).format is format


def test_random_bytes_that_someone_calls_text_are_text() -> None:
    assert detect(RANDOM, "a.log").format is Format.TEXT
    assert inspect(RANDOM, detect(RANDOM, "a")).notes == ()


def test_an_explicit_format_wins() -> None:
    assert detect(b"{}", "a.json", "application/json", Format.TEXT).format is Format.TEXT


def test_bytes_that_do_not_fit_a_named_format_are_refused() -> None:
    with pytest.raises(RefusedDocument):
        inspect(b"{", detect(b"{", "a.json"))
    with pytest.raises(LimitExceeded):
        inspect(b"[[1]]", detect(b"", "a.json"), Limits(max_depth=1))


@pytest.mark.parametrize("raw", [b"[ERROR] not json\n", b"[" * 600, b"--- \x01", b'{"a":1} {'])
def test_bytes_that_only_looked_like_a_format_are_kept_as_text(raw: bytes) -> None:
    found = inspect(raw, detect(raw))
    assert (found.format, found.media_type) == (Format.TEXT, "text/plain")
    assert found.notes[0].code in ("not_json", "not_yaml")


def test_notes_on_text_say_where() -> None:
    raw = b"\xef\xbb\xbfone\r\ntwo \x1b[0m\ncaf\xe9 \x00"
    notes = {note.code: note for note in inspect(raw, detect(raw, "a.log")).notes}
    assert set(notes) == {"bom", "not_utf8", "nul", "ansi", "crlf_mixed", "incomplete_line"}
    assert (notes["not_utf8"].byte, notes["not_utf8"].line) == (raw.index(b"\xe9"), 3)
    assert (notes["ansi"].line, notes["nul"].line, notes["incomplete_line"].line) == (2, 3, 3)
    assert inspect(b"a\r\nb\r\n", detect(b"", "a.log")).notes == ()
    assert inspect("log\n".encode("utf-16"), detect(b"", "a.log")).notes[0].text.startswith("utf-16le, detected")


def test_a_document_type_declaration_is_refused_wherever_it_stands() -> None:
    raw = b"<!--" + b"x" * 70_000 + b"-->\n<!DOCTYPE t><testsuite/>"
    with pytest.raises(RefusedDocument, match="DOCTYPE") as caught:
        inspect(raw, detect(raw, "a.xml", None, Format.JUNIT))
    assert caught.value.details["line"] == 2
    assert inspect(raw[-30:], detect(raw[-30:], "unnamed")).format is Format.TEXT


def test_formats_with_lines_only_have_no_document() -> None:
    for format in (Format.TEXT, Format.CSV, Format.BYTES):
        with pytest.raises(NotFound) as caught:
            open_document(b"x", format)
        assert caught.value.error_code == "no_structure"
        assert inspect(b"x", detect(b"x", format=format)).format is format


def test_what_an_inspection_found_decides_whether_repeats_are_looked_for() -> None:
    for raw, format in ((b'{"a":1,"a":2}', Format.JSON), (b"{a: 1, a: 2}", Format.YAML)):
        notes = inspect(raw, detect(raw, format=format)).notes
        assert open_document(raw, format, notes).may_repeat
        assert not open_document(raw, format, ()).may_repeat
        assert open_document(raw, format).may_repeat


def test_a_slice_of_json_is_a_document_of_its_own_and_one_of_yaml_is_not() -> None:
    assert open_document(b"[1]", Format.JSON, (), base=7).root.span.start == 7
    with pytest.raises(InvalidInput):
        open_document(b"[1]", Format.YAML, (), base=7)


def test_no_parser_is_loaded_before_a_document_is_opened() -> None:
    """A listing command pays for no format (start-up cost)."""
    code = (
        "import sys, evidence_store, evidence_store.documents.detect, evidence_store.search, evidence_store.diff, evidence_store.locate;"
        "print(sorted({'yaml', 'msgspec', 're2'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
