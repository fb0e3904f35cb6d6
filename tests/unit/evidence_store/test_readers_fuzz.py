"""Any bytes under any format: an answer, or an error of ours, in bounded time. What a reader takes in, it can read out.

`READERS_FUZZ_EXAMPLES` sets how many inputs each reader is given (default 150).
"""

import os
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evidence_store.documents.detect import MEDIA_TYPES, Detection, detect, inspect, open_document
from evidence_store.documents.model import Document, Limits
from evidence_store.documents.outline import keys_text, outline
from evidence_store.documents.resolve import resolve
from evidence_store.documents.shown import shown_text
from evidence_store.documents.values import value_json
from evidence_store.errors import Ambiguous, EvidenceStoreError
from evidence_store.excerpts import NoLimit, show_node
from evidence_store.model import Format
from evidence_store.pointers import ROOT, join

LIMITS = Limits(max_bytes=100_000, max_depth=40, max_alias_nodes=2_000, max_merge_depth=8, max_repeats=20)
MAX_SECONDS = 2.0
MAX_NODES = 200
EXAMPLES = int(os.environ.get("READERS_FUZZ_EXAMPLES", "150"))
PIECES = {
    Format.JSON: [
        b"{", b"}", b"[", b"]", b'"a"', b'"\\ud800"', b":", b",",
        b"1.10", b"-", b"NaN", b"true", b"\n", b'"', b"\xff", b"\xef\xbb\xbf",
    ],
    Format.JSONL: [b'{"a":1}', b'{"a":1,"a":2}', b"\n", b"\r\n", b" ", b"[1]", b"{", b'"x', b"1", b"\x00", b"\xef\xbb\xbf", b"nul"],
    Format.YAML: [
        b"a: ", b"- ", b"&x ", b"*x", b"<<: ", b"\n", b"  ", b"{", b"}", b"[", b"]", b",",
        b"|\n", b"'", b'"', b"!!int ", b"? ", b"#", b"\t",
    ],
    Format.JUNIT: [
        b"<testsuites>", b"</testsuites>", b"<testsuite name='s'>", b"</testsuite>", b"<testcase name='t'/>", b"<testcase name='t'>",
        b"</testcase>", b"<failure message='&lt;'>", b"</failure>", b"<skipped/>", b"&amp;", b"&e;", b"<![CDATA[<x>]]>", b"<!DOCTYPE t>",
        b"<!-- c -->", b"<?p d?>", b"<p a='>' b=\"'\"/>", b"text ", b"\xc3\xa9", b"\xff", b"]]>",
    ],
    Format.CSV: [b"a", b",", b";", b'"', b'""', b"\n", b"\r\n", b"\xff", b"\t", b"\xef\xbb\xbf"],
    Format.TEXT: [
        b"a", b"\n", b"\r", b"\x1b[31m", b"\x1b]8;;", b"\x00", b"\xff\xfe", b"\xfe\xff", 
        "上".encode("gb18030"), "テ".encode("cp932"), b"\xc3",
    ],
    Format.BYTES: [b"\x00", b"\xff", b"a"],
}  # fmt: skip
CHARSETS = ["", "; charset=utf-16", "; charset=utf-16le", "; charset=gb18030", "; charset=shift_jis", "; charset=latin-1", "; charset=x"]
MEDIA = [None, "text/plain; charset=big5"]
WRAPS = {Format.JUNIT: (b"<testsuite>", b"</testsuite>"), Format.JSON: (b"[", b"]"), Format.YAML: (b"r:\n", b"\n")}


def inputs(format: Format) -> st.SearchStrategy[bytes]:
    made = st.lists(st.sampled_from(PIECES[format]), max_size=25).map(b"".join)
    before, after = WRAPS.get(format, (b"", b""))
    return st.binary(max_size=200) | made | made.map(lambda inside: before + inside + after)


@pytest.mark.parametrize("format", list(Format))
def test_any_bytes_are_taken_or_refused_by_name(format: Format) -> None:
    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(inputs(format), st.sampled_from(CHARSETS), st.booleans())
    def check(raw: bytes, charset: str, named: bool) -> None:
        started = time.monotonic()
        read(raw, Detection(format, MEDIA_TYPES[format] + charset, named))
        assert time.monotonic() - started < MAX_SECONDS

    check()


@settings(max_examples=EXAMPLES, deadline=None, database=None)
@given(
    st.one_of(*map(inputs, Format)),
    st.sampled_from(["", "a.json", "a.xml", "a.csv", "a.log"]),
    st.sampled_from([None, "text/plain; charset=big5"]),
)
def test_what_nobody_names_is_told_from_its_content(raw: bytes, name: str, media_type: str | None) -> None:
    read(raw, detect(raw, name, media_type))


def read(raw: bytes, detection: Detection) -> None:
    """Takes bytes in as `put` does, and reads all of them as `read` does."""
    try:
        found = inspect(raw, detection, LIMITS)
    except EvidenceStoreError:
        assert detection.named, "what nobody named is kept as text"
        return
    shown_text(raw)
    if found.format not in (Format.TEXT, Format.CSV, Format.BYTES):
        walk(open_document(raw, found.format, found.notes))


def walk(document: Document) -> None:
    """Every node lies in the bytes, is led to by its pointer, and is shown with a value and an outline."""
    pending = [(ROOT, document.root)]
    for _ in range(MAX_NODES):
        if not pending:
            return
        pointer, node = pending.pop()
        assert document.base <= node.span.start <= node.span.end <= document.base + len(document.raw)
        try:
            assert resolve(document, pointer) == node
        except Ambiguous:
            assert document.may_repeat
            continue
        show_node(document, node, NoLimit())
        value_json(document, node, max_bytes=100_000)
        if node.is_container:
            outline(document, node)
            keys_text(document, node)
            pending += [(join(pointer, child.token), child.node) for child in document.children(node)]
        else:
            document.scalar(node)
