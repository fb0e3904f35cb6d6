"""Texts of which no hit proves nothing: torn, broken and mixed encodings are searched, and give no receipt."""

import codecs

import pytest

from evidence_store.excerpts import NoLimit
from evidence_store.model import Currency, ResourceName
from evidence_store.store import EvidenceStore
from evidence_store.store.comparisons import SearchAnswer, SearchRequest
from evidence_store.store.doubts import Doubt
from evidence_store.store.put_request import PutRequest

LOG = ResourceName("run.log")
TEXT = "hello world\r\nERROR disk full\r\n"
LE = codecs.BOM_UTF16_LE


def find(store: EvidenceStore, pattern: str) -> SearchAnswer:
    return store.comparisons.search([(LOG, None)], SearchRequest(pattern), NoLimit())


def stored(store: EvidenceStore, raw: bytes, media_type: str | None = None, *, complete: bool = True) -> None:
    store.sources.put(PutRequest(LOG, media_type=media_type, complete=complete), [raw])


def doubts(answer: SearchAnswer) -> list[Doubt]:
    assert answer.receipts == answer.packets == ()
    return [one.doubt for one in answer.unproven]


BROKEN = {
    "marked, torn": (LE + TEXT.encode("utf-16le")[:-1], None),
    "no mark, torn": (TEXT.encode("utf-16le")[:-1], None),
    "big-endian, torn": (TEXT.encode("utf-16be") + b"\0", None),
    "declared, torn": (TEXT.encode("utf-16le") + b"x", "text/plain; charset=utf-16"),
    "UTF-32, torn": (codecs.BOM_UTF32_LE + TEXT.encode("utf-32le")[:-3], None),
    "half of a pair": (LE + "ERROR disk full ".encode("utf-16le") + b"\x00\xd8" + "x\r\n".encode("utf-16le"), None),
    "half of a pair, no mark": ("ERROR disk full ".encode("utf-16be") + b"\xdc\x00" + "x\r\n".encode("utf-16be"), None),
}


@pytest.mark.parametrize(("raw", "media_type"), BROKEN.values(), ids=BROKEN)
def test_a_wide_text_with_what_does_not_fit_is_searched_and_proves_nothing(
    store: EvidenceStore, raw: bytes, media_type: str | None
) -> None:
    stored(store, raw, media_type)
    (hit,) = find(store, "ERROR disk").packets
    assert "ERROR disk full" in (hit.excerpt or "")
    assert doubts(find(store, "panic")) == [Doubt.NOT_ENCODED]
    notes = {note.code: note for note in store.sources.get_revision(LOG, None).notes}
    assert "U+FFFD" in notes["not_encoded"].text


def test_a_hit_may_end_in_a_torn_unit(store: EvidenceStore) -> None:
    raw = LE + "ab".encode("utf-16le") + b"c"
    stored(store, raw)
    (hit,) = find(store, "b\ufffd").packets
    assert hit.match is not None
    assert (hit.match.start, hit.match.end) == (4, len(raw))


def test_a_wide_text_that_is_still_written_may_break_off_in_a_character(store: EvidenceStore) -> None:
    stored(store, LE + "ok \U0001f600".encode("utf-16le")[:-1], complete=False)
    assert doubts(find(store, "zz")) == [Doubt.INCOMPLETE]
    assert [note.code for note in store.sources.get_revision(LOG, None).notes] == ["encoding"]


def test_the_receipt_of_an_earlier_revision_is_unknown_in_a_torn_one(store: EvidenceStore) -> None:
    raw = LE + "abc\ndef\n".encode("utf-16le")
    stored(store, raw)
    (receipt,) = find(store, "zz").receipts
    stored(store, raw + b"x")
    assert store.locations.currency(receipt.id) is Currency.UNKNOWN
    assert store.locations.locate(receipt.id, LOG, None, NoLimit()).verdict is Currency.UNKNOWN


MIXED = {
    "a mark that nothing fits": (codecs.BOM_UTF32_BE + b"plain text\n", Doubt.WIDE),
    "UTF-16 behind UTF-8": (b"a line of plain text\n" * 9 + TEXT.encode("utf-16le"), Doubt.WIDE),
    "UTF-32 without a mark": ("ERROR disk full\n".encode("utf-32le"), Doubt.WIDE),
    "UTF-8 behind UTF-16": (LE + "hello\r\n".encode("utf-16le") + b"ERROR x12\n", Doubt.NARROW),
    "UTF-16 behind an odd line": (b"old line\n" + TEXT.encode("utf-16le"), Doubt.WIDE),
}


@pytest.mark.parametrize(("raw", "doubt"), MIXED.values(), ids=MIXED)
def test_a_text_in_two_encodings_proves_nothing(store: EvidenceStore, raw: bytes, doubt: Doubt) -> None:
    stored(store, raw)
    assert doubts(find(store, "panic")) == [doubt]


def test_other_nuls_leave_the_proof(store: EvidenceStore) -> None:
    stored(store, b"\0" * 64 + b"start\nname\0value\0other\n")
    assert len(find(store, "ERROR").receipts) == 1


def test_what_is_declared_and_does_not_fit_is_the_reason(store: EvidenceStore) -> None:
    stored(store, "你好世界".encode("gb18030")[:-1], "text/plain; charset=gb18030")
    assert doubts(find(store, "zz")) == [Doubt.CHARSET_MISMATCH]


def test_a_secret_beside_half_of_a_surrogate_pair_is_masked(store: EvidenceStore) -> None:
    secret = "ghp_" + "0123456789abcdefghij0123456789abcdef"
    stored(store, LE + b"\x00\xd8" + f"token {secret} ERROR\n".encode("utf-16le") + b"x")
    (hit,) = find(store, "ERROR").packets
    assert "[masked github-token]" in (hit.excerpt or "")
    assert secret not in (store.summaries.read(LOG, None, "log", NoLimit()).excerpt or "")
