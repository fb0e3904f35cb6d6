"""JUnit XML: exact places of cases, names that repeat, counts, and what is refused."""

import time
import xml.etree.ElementTree as ET
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_store.documents.charset import encoding_of
from evidence_store.documents.counts import Counts, format_counts, parse_counts
from evidence_store.documents.detect import Detection, detect, inspect, open_document
from evidence_store.documents.encoding import Transcoded
from evidence_store.documents.junit import JunitDocument, find_case, require_report
from evidence_store.documents.model import Limits, Note
from evidence_store.documents.outline import outline
from evidence_store.documents.resolve import resolve
from evidence_store.documents.values import plain_value
from evidence_store.errors import Ambiguous, LimitExceeded, NotContainer, NotFound, RefusedDocument
from evidence_store.model import Format

REPORT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="all">
  <testsuite name="api" tests="4"><properties><property name="a" value="b"/></properties>
    <testcase name="größe" classname="m.T" time='0.1'/>
    <testcase name="twice"/><testcase name="twice"><skipped/></testcase>
    <testcase name="late[a/b]" classname="m.T">
      <failure message="4 &lt; 5" type="X">trace &amp; <![CDATA[<!DOCTYPE html> a > b]]></failure>
      <system-out>one
two</system-out>
    </testcase>
    <testsuite name="inner"><testcase name="boom" classname="m.U"><error/></testcase></testsuite>
  </testsuite>
  <testsuite name="empty"/>
</testsuites>
""".encode()
NAMED = Detection(Format.JUNIT, "application/xml", named=True)


@pytest.fixture
def report() -> JunitDocument:
    return JunitDocument(REPORT)


def source(report: JunitDocument, pointer: str) -> str:
    return report.source(resolve(report, pointer)).decode()


def test_counts_are_of_the_cases_themselves() -> None:
    assert inspect(REPORT, NAMED).notes == (Note("counts", "tests=5 failures=1 errors=1 skipped=1"),)
    counts = Counts(5, 1, 1, 1)
    assert parse_counts(format_counts(counts)) == counts
    assert parse_counts("tests=x") is None


def test_a_case_is_its_element_to_the_byte(report: JunitDocument) -> None:
    assert source(report, find_case(report, "api/größe")) == '<testcase name="größe" classname="m.T" time=\'0.1\'/>'
    late = source(report, find_case(report, "api/late[a/b]"))
    assert late.startswith('<testcase name="late[a/b]"')
    assert late.endswith("</testcase>")
    assert late.count("testcase") == 2


def test_what_stands_in_a_case_is_read_with_entities_undone(report: JunitDocument) -> None:
    pointer = find_case(report, "api/late[a/b]")
    assert plain_value(report, resolve(report, pointer)) == {
        "name": "late[a/b]",
        "classname": "m.T",
        "failure": {"message": "4 < 5", "type": "X", "text": "trace & <!DOCTYPE html> a > b"},
        "system-out": "one\ntwo",
    }
    assert source(report, pointer + "/failure/message") == "4 &lt; 5"
    assert source(report, pointer + "/system-out") == "one\ntwo"
    with pytest.raises(NotContainer):
        resolve(report, pointer + "/system-out/text")


def test_suites_hold_their_cases_and_those_that_failed_stand_first(report: JunitDocument) -> None:
    assert [entry.token for entry in outline(report, report.root).entries] == ["api", "api/inner", "empty"]
    cases = outline(report, resolve(report, "/api")).entries
    assert [case.token for case in cases] == ["late[a/b]", "größe", "twice#1", "twice#2"]
    assert cases[0].keys == ("name", "classname", "failure", "system-out")


@pytest.mark.parametrize(
    ("name", "pointer"),
    [
        ("api/late[a/b]", "/api/late[a~1b]"),
        ("m.T/late[a/b]", "/api/late[a~1b]"),
        ("late[a/b]", "/api/late[a~1b]"),
        ("api/twice#2", "/api/twice#2"),
        ("twice#1", "/api/twice#1"),
        ("api/inner/boom", "/api~1inner/boom"),
        ("inner/boom", "/api~1inner/boom"),
    ],
)
def test_a_case_is_found_by_suite_class_or_name(report: JunitDocument, name: str, pointer: str) -> None:
    assert find_case(report, name) == pointer


def test_equal_names_are_ambiguous_with_their_places(report: JunitDocument) -> None:
    with pytest.raises(Ambiguous) as caught:
        find_case(report, "api/twice")
    first, second = (resolve(report, f"/api/twice#{n}").span for n in (1, 2))
    assert caught.value.details["places"] == [[first.start, first.end], [second.start, second.end]]
    assert caught.value.details["known"] == ["api/twice#1", "api/twice#2"]
    with pytest.raises(Ambiguous) as by_pointer:
        resolve(report, "/api/twice")
    assert by_pointer.value.details["lines"] == [5, 5]


@pytest.mark.parametrize("name", ["api/none", "twice#3", "", "api/", "twice#0"])
def test_a_case_that_is_not_there_is_answered_with_those_that_failed_first(report: JunitDocument, name: str) -> None:
    with pytest.raises(NotFound) as caught:
        find_case(report, name)
    known = caught.value.details["known"]
    assert isinstance(known, list)
    assert known[:2] == ["api/late[a/b]", "api/inner/boom"]
    assert {"api/twice#1", "api/twice#2"} < set(known)
    assert len({find_case(report, one) for one in known}) == len(known)


def test_another_document_has_no_cases() -> None:
    from evidence_store.documents.json import JsonDocument

    with pytest.raises(NotFound) as caught:
        require_report(JsonDocument(b"{}"))
    assert caught.value.error_code == "no_structure"


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b'<?xml version="1.0"?>\n<!DOCTYPE t [<!ENTITY e "v">]>\n<testsuite/>', "doctype"),
        (b"<!-- " + b"x" * 70_000 + b" -->\n<!doctype t>\n<testsuite/>", "doctype"),
        (b"<testsuite><!DOCTYPE t></testsuite>", "doctype"),
        (b"<testsuite>&undefined;</testsuite>", "syntax"),
        (b"<testsuite><testcase></testsuite>", "syntax"),
        (b"<testsuite/><testsuite/>", "syntax"),
        (b"<html/>", "not_junit"),
        (b"", "syntax"),
        (b"<testsuite name='\xff'/>", "not_utf8"),
    ],
)
def test_what_is_no_report_is_refused_by_code_and_line(raw: bytes, code: str) -> None:
    with pytest.raises(RefusedDocument) as caught:
        inspect(raw, NAMED)
    assert caught.value.error_code == code
    assert "line" in caught.value.details
    assert ("DOCTYPE" in caught.value.message) == (code == "doctype")


def test_what_only_looks_like_a_report_is_kept_as_text_with_the_reason() -> None:
    raw = b"<testsuite>&e;</testsuite>"
    found = inspect(raw, detect(raw, "stdout"))
    assert (found.format, found.notes[0].code) == (Format.TEXT, "not_junit")


def test_depth_is_bounded_and_many_escapes_are_fine() -> None:
    with pytest.raises(LimitExceeded):
        inspect(b"<testsuite>" * 20 + b"</testsuite>" * 20, NAMED, Limits(max_depth=10))
    raw = b"<testsuite><testcase name='t'><failure>" + b"&lt;&#10;" * 50_000 + b"</failure></testcase></testsuite>"
    started = time.monotonic()
    document = JunitDocument(raw)
    assert document.scalar(resolve(document, "/testsuite/t/failure")) == "<\n" * 50_000
    assert time.monotonic() - started < 5


def test_a_report_with_a_byte_order_mark_keeps_its_places() -> None:
    raw = b"\xef\xbb\xbf" + REPORT
    assert [note.code for note in inspect(raw, NAMED).notes] == ["bom", "counts"]
    marked = JunitDocument(raw)
    assert source(marked, "/api/twice#1") == '<testcase name="twice"/>'


DECLARED = """<?xml version='1.0' encoding='{name}' standalone='yes'?>
<testsuites><testsuite name="Größe"><testcase name="prüfe é" classname="m.Ä"><failure message="4 &lt; ü" type='ß'>Spur: ö
zwei</failure></testcase><testcase name="b&#8211;c"/><testcase name="b"/><testcase name="b"/></testsuite></testsuites>
"""
ENCODINGS = [
    ("ISO-8859-1", "iso8859-1"), ("iso_8859-1", "iso8859-1"), ("latin1", "iso8859-1"), ("ISO-8859-15", "iso8859-15"),
    ("windows-1252", "cp1252"), ("UTF-16", "utf-16le"), ("UTF-16", "utf-16be"), ("GB18030", "gb18030"),
]  # fmt: skip


@pytest.mark.parametrize("marked", [False, True])
@pytest.mark.parametrize(("label", "encoding"), ENCODINGS)
def test_a_report_in_the_encoding_that_it_declares_stands_where_it_stands(label: str, encoding: str, marked: bool) -> None:
    text = ("\ufeff" if marked and encoding.startswith("utf-16") else "") + DECLARED.format(name=label)
    raw = text.encode(encoding)
    found = inspect(raw, detect(raw, "r.xml"))
    assert (found.format, encoding_of(found.notes)) == (Format.JUNIT, encoding)
    assert [note.code for note in found.notes] == ["encoding", "counts"]
    document = open_document(raw, found.format, found.notes)
    assert isinstance(document, JunitDocument)
    assert document.raw == raw
    expected = {
        "/Größe/prüfe é/failure/message": "4 &lt; ü",
        "/Größe/prüfe é/failure/text": "Spur: ö\nzwei",
        "/Größe/b–c": '<testcase name="b&#8211;c"/>',
        "/Größe/b#2/name": "b",
        "": text[text.index("<testsuites") : -1],
    }
    for pointer, source_text in expected.items():
        node = resolve(document, pointer)
        assert document.source(node) == raw[node.span.start : node.span.end] == source_text.encode(encoding)
    value = plain_value(document, resolve(document, "/Größe/prüfe é"))
    failure = {"message": "4 < ü", "type": "ß", "text": "Spur: ö\nzwei"}
    assert value == {"name": "prüfe é", "classname": "m.Ä", "failure": failure}
    assert find_case(document, "m.Ä/prüfe é") == "/Größe/prüfe é"
    with pytest.raises(Ambiguous) as caught:
        find_case(document, "b")
    places = caught.value.details["places"]
    assert isinstance(places, list)
    assert [raw[start:end] for start, end in places] == ['<testcase name="b"/>'.encode(encoding)] * 2
    with pytest.raises(NotContainer):
        resolve(document, "/Größe/b#1/name/x")


def test_a_report_that_is_utf_8_is_read_as_such_whatever_it_declares() -> None:
    for label in ("ISO-8859-1", "UTF-16", "US-ASCII", "klingon"):
        raw = DECLARED.format(name=label).encode()
        assert [note.code for note in inspect(raw, NAMED).notes] == ["counts"]
        document = open_document(raw, Format.JUNIT)
        assert plain_value(document, resolve(document, "/Größe/b–c/name")) == "b–c"


@pytest.mark.parametrize(
    "raw",
    [
        DECLARED.format(name="US-ASCII").encode("latin-1"),
        DECLARED.format(name="UTF-8").encode("latin-1"),
        DECLARED.format(name="klingon").encode("latin-1"),
        DECLARED.format(name="rot13").encode("latin-1"),
        DECLARED.format(name="UTF-16").encode("latin-1"),
        DECLARED.format(name="windows-1252").encode("latin-1") + b"\x81",
        b"\n" + DECLARED.format(name="ISO-8859-1").encode("latin-1"),
        DECLARED.format(name="UTF-16").encode("utf-16") + b"x",
        DECLARED.format(name="UTF-32").encode("utf-32"),
    ],
)
def test_a_report_in_an_encoding_that_is_not_known_or_does_not_fit_is_refused(raw: bytes) -> None:
    with pytest.raises(RefusedDocument) as caught:
        inspect(raw, NAMED)
    assert caught.value.error_code == "not_utf8"
    assert "line" in caught.value.details


@pytest.mark.parametrize("encoding", ["utf-16le", "iso8859-1"])
@pytest.mark.parametrize(("fault", "code"), [("<!DOCTYPE t>", "doctype"), ("&e;", "syntax")])
def test_faults_of_a_report_in_another_encoding_have_the_byte_of_the_source(encoding: str, fault: str, code: str) -> None:
    text = DECLARED.format(name=encoding).replace("<testsuites>", f"<!-- ü -->{fault}<testsuites>")
    raw = text.encode(encoding)
    with pytest.raises(RefusedDocument) as caught:
        inspect(raw, NAMED)
    assert (caught.value.error_code, caught.value.details["line"]) == (code, 2)
    at = caught.value.details["byte"]
    assert isinstance(at, int)
    start = len(text[: text.index(fault)].encode(encoding))
    assert start <= at < start + len(fault.encode(encoding))


@settings(max_examples=100, deadline=None, database=None)
@given(st.text(st.characters(codec="utf-8"), max_size=3000), st.sampled_from(["utf-16le", "utf-16be", "gb18030", "utf-32le"]))
def test_places_of_a_text_in_utf_8_lead_back_to_its_source(text: str, encoding: str) -> None:
    raw = text.encode(encoding)
    there = Transcoded(raw, encoding)
    for n in {0, len(text) // 3, len(text) // 2, len(text)}:
        assert there.source_of(len(text[:n].encode())) == len(text[:n].encode(encoding))
    assert there.utf8 == text.encode()


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"), max_size=6)


@settings(max_examples=100, deadline=None, database=None)
@given(st.lists(st.tuples(NAMES, NAMES, st.sampled_from(["", "failure", "error", "skipped"])), max_size=6))
def test_every_case_is_listed_once_with_its_own_element(cases: list[tuple[str, str, str]]) -> None:
    parts = []
    for name, text, state in cases:
        inside = f"<{state}>{escape(text)}</{state}>" if state else ""
        parts.append(f"<testcase name={quoteattr(name)}>{inside}</testcase>")
    raw = f"<testsuite name='s'>{' '.join(parts)}</testsuite>".encode()
    document = JunitDocument(raw)
    children = document.children(resolve(document, "/s"))
    found = sorted((child.node.span.start, document.source(child.node).decode()) for child in children)
    assert [element for _, element in found] == parts
    assert len({child.token for child in children}) == len(cases)
    for _, element in found:
        ET.fromstring(element)
