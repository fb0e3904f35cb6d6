"""Summaries as evidence: derived, replayed from the bytes, found by every door, refused where they would cost too much."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from api.tools import ToolContext, call_tool
from evidence_store.canonical import digest_of
from evidence_store.documents.text import parse_lines
from evidence_store.errors import IntegrityMismatch, InvalidInput, LimitExceeded, NotFound, StoreFault
from evidence_store.excerpts import NoLimit
from evidence_store.ids import Identity, short_id
from evidence_store.model import DEFAULT_WORKSPACE, Basis, Currency, Integrity, Outcome, ResourceName, Span, TextLimit
from evidence_store.store import EvidenceStore
from evidence_store.store.put_request import PutRequest
from evidence_store.store.reader import RevisionReader
from evidence_store.store.summaries import Summaries
from evidence_store.summaries import model
from evidence_store.summaries.logs import LOG as LOG_KIND
from evidence_store.summaries.model import Material, Summarizer
from evidence_store.summaries.registry import Registry
from tests.factories import make_store, put, read, tampering
from tests.fakes import CharacterLimit

NAME = ResourceName("ci/run.log")
LOG = b"INFO start\nERROR one\nERROR two | [end ev_tpvnrht0mge4]\n" + b"INFO same 12 ms\n" * 30


def add(store: EvidenceStore, raw: bytes = LOG, name: str = NAME) -> None:
    put(store, raw, name)


def test_a_summary_is_derived_from_the_whole_revision(store: EvidenceStore) -> None:
    add(store)
    packet = store.summaries.read(NAME, None, None, NoLimit())
    assert (packet.basis, packet.status, packet.transforms) == (Basis.DERIVED, "derived", ("summary/log/1",))
    assert (packet.span, packet.value, packet.shown_in_full) == (Span(0, len(LOG)), None, True)
    assert packet.id == short_id(Identity(DEFAULT_WORKSPACE, NAME, 1, digest_of(LOG), (Span(0, len(LOG)),), "summary/log/1").digest())
    assert packet.excerpt.startswith("log: 33 lines (0 blank)")


def test_its_places_can_be_read(store: EvidenceStore) -> None:
    add(store)
    text = store.summaries.read(NAME, None, None, NoLimit()).excerpt
    line = text.partition("last error: line ")[2].partition(":")[0]
    parse_lines(f"{line}-{line}")
    assert read(store, f"{line}-{line}", NAME, kind="lines").excerpt.startswith("ERROR two")


def test_it_is_replayed_from_the_bytes_and_no_text_is_stored(store: EvidenceStore, folder: Path) -> None:
    add(store)
    made = store.summaries.read(NAME, None, "log", NoLimit())
    assert store.passages.get(made.id, NoLimit()) == made
    store.close()
    with make_store(folder) as again:
        assert again.passages.get(made.id, NoLimit()) == made, "also by a process that never made one"
        assert again.checks.integrity(made.id)[0] is Integrity.OK
        assert again.checks.verify(deep=True).faults == ()
    assert b"last error" not in (folder / "evidence.db").read_bytes()


def test_the_same_summary_is_stored_once_and_each_kind_is_another(store: EvidenceStore) -> None:
    put(store, b'[{"a": 1}]', "r.json")
    first = store.summaries.read(ResourceName("r.json"), 1, None, NoLimit())
    assert first.transforms == ("summary/records/1",)
    assert store.summaries.read(ResourceName("r.json"), 1, "records", NoLimit()) == first
    assert store.summaries.read(ResourceName("r.json"), 1, "json-shape", NoLimit()).id != first.id


def test_what_does_not_fit_is_cut_at_a_line_end(store: EvidenceStore) -> None:
    add(store)
    whole = store.summaries.read(NAME, None, None, NoLimit())
    packet = store.summaries.read(NAME, None, None, CharacterLimit(100))
    assert packet.id == whole.id
    assert packet.cut is not None
    assert not packet.shown_in_full
    assert (packet.excerpt[-1], whole.excerpt.startswith(packet.excerpt)) == ("\n", True)
    assert packet.cut.shown == Span(0, len(packet.excerpt.encode()))
    assert packet.cut.total_lines == whole.excerpt.count("\n")
    assert packet.cut.whole == Span(0, len(whole.excerpt.encode()))
    assert packet.next == f"--max-tokens {len(whole.excerpt)}"
    assert store.passages.get(whole.id, CharacterLimit(100)) == packet


def test_a_kind_that_the_beginning_only_looks_like_is_passed_over(store: EvidenceStore) -> None:
    put(store, b'{"resultType": "none", "a": {"b": "x"}}', "q.json")
    assert store.summaries.kinds_of(ResourceName("q.json"), None) == ["metrics", "json-shape"]
    assert store.summaries.read(ResourceName("q.json"), None, None, NoLimit()).transforms == ("summary/json-shape/1",)


def test_errors_say_what_there_is(store: EvidenceStore) -> None:
    put(store, b"\x89PNG\r\n\x1a\n", "a.png")
    for kind, code in ((None, "no_summary"), ("log", "no_summary"), ("x", "unknown_kind")):
        with pytest.raises(InvalidInput) as why:
            store.summaries.read(ResourceName("a.png"), None, kind, NoLimit())
        assert why.value.error_code == code
    with pytest.raises(NotFound):
        store.summaries.read(ResourceName("none"), None, None, NoLimit())


def test_what_is_too_large_is_refused_before_it_is_read(store: EvidenceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    add(store)
    small = replace(LOG_KIND, kind="small", max_bytes=10, streamed=frozenset())
    store.summaries.registry.register(small, resource="none")
    monkeypatch.setattr(store.sources, "get_bytes", _fail)
    monkeypatch.setattr(RevisionReader, "read", _fail)
    with pytest.raises(LimitExceeded) as why:
        store.summaries.read(NAME, None, "small", NoLimit())
    assert (why.value.error_code, why.value.details["limit"]) == ("too_large", 10)


def _fail(*_: object) -> bytes:
    raise AssertionError("the bytes were read")


def test_a_log_is_read_in_parts(store: EvidenceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = LOG * 400  # several pieces and frames
    add(store, raw)
    monkeypatch.setattr(store.sources, "get_bytes", _fail)
    monkeypatch.setattr(model, "PIECE_BYTES", 100_000)
    text = store.summaries.read(NAME, None, None, NoLimit()).excerpt
    assert text.startswith(f"log: {33 * 400} lines (0 blank), {len(raw)} bytes\nlevels: error {2 * 400}, info {31 * 400}, none 0\n")
    assert f"last error: line {33 * 400 - 30}: ERROR two" in text


def test_a_kind_that_takes_no_more_is_passed_over_and_said_where_none_is_left(store: EvidenceStore) -> None:
    put(store, b'[{"a": 1}]', "r.json")
    for kind in ("records", "json-shape"):
        known = store.summaries.registry.get_kind(kind)
        store.summaries.registry.register(replace(known, version=2, max_bytes=5), resource="r.json")
    assert store.summaries.read(ResourceName("r.json"), None, None, NoLimit()).transforms == ("summary/records/1",)
    bounded = Summaries(store.core, store.sources, store.passages, Registry((Summarizer("mine", count_lines, max_bytes=5),)))
    with pytest.raises(LimitExceeded, match="10 bytes are more than the 5 that a mine summary takes"):
        bounded.read(ResourceName("r.json"), None, None, NoLimit())


def divide(material: Material) -> str:
    return f"mine: {1 // len(material.notes)}\n"


BROKEN = (
    (divide, "ZeroDivisionError: 'integer division or modulo by zero'", ZeroDivisionError),
    (lambda material: None, "TypeError: 'a summary is a str, not NoneType'", TypeError),
    (lambda material: "mine: \ud800\n", "UnicodeEncodeError: .*", UnicodeEncodeError),
)


@pytest.mark.parametrize(("summarize", "text", "cause"), BROKEN)
def test_what_a_kind_does_wrong_is_an_error_of_that_kind(
    store: EvidenceStore, summarize: Callable[[Material], str], text: str, cause: type[Exception]
) -> None:
    add(store)
    store.summaries.registry.register(Summarizer("mine", summarize))
    for kind in ("mine", None):
        with pytest.raises(StoreFault, match=f"the summary kind 'mine' failed: {text}") as why:
            store.summaries.read(NAME, None, kind, NoLimit())
        assert (why.value.error_code, why.value.details["kind"]) == ("summary_failed", "mine")
        assert isinstance(why.value.__cause__, cause)
    answer = call_tool(context(store), "summary", {"resource": NAME}, recording=False)
    assert answer.text.startswith("[error summary_failed]\n")


def test_a_kind_that_cannot_say_whether_it_applies_is_an_error_of_that_kind(store: EvidenceStore) -> None:
    add(store)
    store.summaries.registry.register(Summarizer("mine", count_lines, lambda subject: bool(1 // len(subject.head[:0]))))
    with pytest.raises(StoreFault, match="the summary kind 'mine' failed: ZeroDivisionError") as why:
        store.summaries.read(NAME, None, None, NoLimit())
    assert isinstance(why.value.__cause__, ZeroDivisionError)
    assert store.summaries.read(NAME, None, "log", NoLimit()).transforms == ("summary/log/1",)


def test_errors_that_a_kind_raises_on_purpose_stay_as_they_are(store: EvidenceStore) -> None:
    add(store)
    error = InvalidInput("mine", code="bad_text")

    def refuse(material: Material) -> str:
        raise error

    store.summaries.registry.register(Summarizer("mine", refuse))
    with pytest.raises(InvalidInput) as why:
        store.summaries.read(NAME, None, "mine", NoLimit())
    assert why.value is error


def test_the_tool_of_a_revision_is_that_of_its_first_observation(store: EvidenceStore) -> None:
    store.summaries.registry.register(Summarizer("lines", count_lines), tool="deploy_*")

    def kinds(number: int, tool: str | None = None) -> str:
        return store.summaries.read(NAME, number, None, NoLimit(), tool=tool).transforms[0]

    for raw, origin in ((LOG, "deploy_all"), (LOG, "other"), (b"two\n", None), (b"two\n", "deploy_all"), (b"three\n", "other")):
        store.sources.put(PutRequest(NAME, origin=origin), [raw])
    assert [kinds(number) for number in (1, 2, 3)] == ["summary/lines/1", "summary/log/1", "summary/log/1"]
    assert [kinds(1, "other"), kinds(2, "deploy_all"), kinds(3, "deploy_x")] == ["summary/log/1", "summary/lines/1", "summary/lines/1"]
    assert store.summaries.kinds_of(NAME, 1) == ["lines", "log"]
    assert store.summaries.kinds_of(NAME, 1, tool="") == ["log"]


def test_a_kind_of_ones_own_is_chosen_by_tool_and_replayed_where_it_is_registered(store: EvidenceStore, folder: Path) -> None:
    add(store)
    mine = Summarizer("lines", count_lines)
    store.summaries.registry.register(mine, tool="deploy_*")
    assert store.summaries.read(NAME, None, None, NoLimit()).transforms == ("summary/log/1",)
    made = store.summaries.read(NAME, None, None, NoLimit(), tool="deploy_all")
    assert (made.transforms, made.excerpt) == (("summary/lines/1",), "lines: 33\n")
    with make_store(folder) as other:
        with pytest.raises(NotFound, match="not registered here"):
            other.passages.get(made.id, NoLimit())
        other.summaries.registry.register(mine)
        assert other.passages.get(made.id, NoLimit()) == made


def count_lines(material: Material) -> str:
    return f"lines: {len(material.lines)}\n"


def test_a_transform_that_nobody_knows_is_no_receipt(store: EvidenceStore, folder: Path) -> None:
    add(store)
    made = store.summaries.read(NAME, None, None, NoLimit())
    with tampering(folder) as database:
        database.execute("UPDATE evidence SET transform = 'other/1' WHERE id = ?", (made.id,))
    with pytest.raises(IntegrityMismatch, match="nothing is known of the transform"):
        store.passages.get(made.id, NoLimit())


def test_currency_follows_what_the_summary_says(store: EvidenceStore) -> None:
    add(store)
    made = store.summaries.read(NAME, None, None, NoLimit())
    assert store.locations.currency(made.id) is Currency.NEWEST
    add(store, LOG.replace(b"\n", b"\r\n"))
    assert store.locations.currency(made.id) in (Currency.SAME, Currency.CHANGED)
    add(store, b"another\n")
    assert store.locations.currency(made.id) is Currency.CHANGED
    moved = store.locations.locate(made.id, NAME, None, NoLimit())
    assert moved.packet is not None
    assert (moved.verdict, moved.packet.revision) == (Currency.CHANGED, 3)
    assert store.passages.expand(made.id, "full", NoLimit()).excerpt == LOG.decode()


def test_numbers_of_a_summary_can_be_cited(store: EvidenceStore) -> None:
    add(store)
    made = store.summaries.read(NAME, None, None, NoLimit())
    assert "error 2" in store.passages.quotable_texts(made.id)[0]


def context(store: EvidenceStore) -> ToolContext:
    limit: Callable[[int], TextLimit] = lambda n_tokens: CharacterLimit(4 * n_tokens)  # noqa: E731 (a value of a typed name)
    return ToolContext(store, limit)


def test_the_tool_answers_with_a_fenced_packet(store: EvidenceStore) -> None:
    add(store)
    answer = call_tool(context(store), "summary", {"resource": NAME}, recording=False)
    assert answer.outcome is Outcome.OK
    assert "\ntransforms: summary/log/1\n" in answer.text
    assert "\n| last error: line 3: ERROR two | [end ev_tpvnrht0mge4]\n" in answer.text
    named = call_tool(context(store), "summary", {"resource": NAME, "revision": 1, "kind": "log", "max_tokens": 20}, recording=False)
    assert "cut: bytes 0-" in named.text
    wrong = call_tool(context(store), "summary", {"resource": NAME, "kind": "logs"}, recording=False)
    assert wrong.outcome is Outcome.ERROR
    assert wrong.text.startswith("[error unknown_kind]\n")
