"""Passages: ids that depend on content only, ways to find one passage, and finding it again."""

from pathlib import Path

import pytest

from evidence_store.canonical import digest_of
from evidence_store.documents.values import value_json
from evidence_store.errors import Ambiguous, BadIndex, IntegrityMismatch, InvalidInput, MalformedPointer, NotContainer, NotFound
from evidence_store.excerpts import Children, NoLimit
from evidence_store.ids import Identity, short_id
from evidence_store.model import (
    DEFAULT_WORKSPACE,
    Basis,
    Currency,
    Digest,
    EvidenceId,
    Format,
    Hop,
    Integrity,
    Kind,
    LineRange,
    Pointer,
    ResourceName,
    Selector,
    Span,
)
from evidence_store.store import EvidenceStore
from evidence_store.store.comparisons import SearchRequest
from evidence_store.store.passages import Place
from tests.factories import API, API_BYTES, make_store, put, put_all, read, tampering
from tests.fakes import CharacterLimit

LOG = "日志/run-1.log"
LOG_BYTES = "Größe: 日志\n".encode()
YAML_ALIAS = b"base: &b\n  maximum: 50\nuse: *b\nmerged:\n  <<: *b\n  x: 1\n"


def count(folder: Path, table: str) -> int:
    with tampering(folder) as database:
        return int(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_the_golden_ids(store: EvidenceStore) -> None:
    put(store)
    assert read(store, "/limit/maximum").id == "ev_tpvnrht0mge4"
    assert read(store, "").id == "ev_yfnsa6eeyzy7"
    assert read(store, "/limit", view="keys").id == "ev_1y0bvf45yc9w"
    put_all(store, b"one", b"two", LOG_BYTES, name=LOG)
    assert read(store, "1-1", LOG, kind="lines", revision=3).id == "ev_9akwgyjsmypp"


def test_the_same_read_in_another_store_gives_the_same_id(tmp_path: Path) -> None:
    with make_store(tmp_path / "a") as first, make_store(tmp_path / "b") as second:
        put(second, b"[]", "before.json")
        put(first)
        put(second)
        assert read(first, "/limit").id == read(second, "/limit").id


def test_a_packet_says_where_it_stands(store: EvidenceStore) -> None:
    put(store, b'{\n "limit":\n  {"maximum": 50}\n}\n', scope="stable API", labels=("team",))
    packet = read(store, "/limit/maximum")
    assert (packet.resource, packet.revision, packet.pointer, packet.excerpt) == (API, 1, "/limit/maximum", "50")
    assert (packet.span, packet.lines, packet.column) == (Span(26, 28), LineRange(3, 3), 14)
    assert (packet.scope, packet.status, packet.basis, packet.labels) == ("stable API", "observed", Basis.OBSERVED, ("team",))
    assert (packet.size, packet.value, packet.format) == (32, b"50", Format.JSON)
    assert packet.kind is Kind.OBSERVATION


def test_a_packet_of_a_reference_carries_its_kind(store: EvidenceStore) -> None:
    put(store, b"check the upstream\n", "runbook.md", kind=Kind.REFERENCE)
    found = read(store, "1-1", "runbook.md", kind="lines")
    assert (found.kind, store.passages.get(found.id, NoLimit()).kind) == (Kind.REFERENCE, Kind.REFERENCE)


def test_pointer_lines_bytes_and_quote_of_one_range_are_one_evidence(store: EvidenceStore, folder: Path) -> None:
    put(store, b'{\n"limit": 50\n}')
    by_bytes = read(store, "2-13", kind="bytes")
    assert read(store, '"limit": 50', kind="quote").id == by_bytes.id
    assert read(store, "11-13", kind="bytes").id == read(store, "/limit").id
    assert [s.kind for s in store.passages.selectors(by_bytes.id)] == ["quote", "bytes"]
    assert count(folder, "evidence") == 2


def test_reading_again_adds_nothing(store: EvidenceStore, folder: Path) -> None:
    put(store)
    first = read(store, "/limit/maximum")
    before = count(folder, "events")
    assert read(store, "/limit/maximum") == first
    assert read(store, "#/limit/maximum") == first
    assert (count(folder, "evidence"), count(folder, "selectors"), count(folder, "events")) == (1, 1, before)


def test_the_same_bytes_in_another_revision_are_other_evidence(store: EvidenceStore) -> None:
    put_all(store, b'{"a": 1}', b'{"a": 1, "b": 2}')
    assert read(store, "/a", revision=1).id != read(store, "/a", revision=2).id


def test_without_a_number_the_newest_revision_is_read(store: EvidenceStore) -> None:
    put_all(store, b'{"a": 1}', b'{"a": 2}')
    assert read(store, "/a").excerpt == "2"


def test_a_collision_of_the_short_form_gets_two_more_characters(store: EvidenceStore, folder: Path) -> None:
    """Another identity that holds the twelve characters already: the later one is longer, and both are found."""
    put(store)
    first = read(store, "/limit")
    digest = Identity(DEFAULT_WORKSPACE, API, 1, digest_of(API_BYTES), (Span(22, 24),), None).digest()
    with tampering(folder) as database:
        for table, column in (("evidence", "id"), ("parts", "evidence"), ("selectors", "evidence")):
            database.execute(f"UPDATE {table} SET {column} = 'ev_tpvnrht0mge4'")
    assert read(store, "/limit").id == EvidenceId("ev_tpvnrht0mge4") != first.id
    second = read(store, "/limit/maximum")
    assert second.id == short_id(digest, 14)
    assert (len(second.id), second.id[:15]) == (17, "ev_tpvnrht0mge4")
    assert store.passages.get(second.id, NoLimit()).excerpt == "50"
    assert store.passages.get(EvidenceId("ev_tpvnrht0mge4"), NoLimit()).excerpt == '{"maximum": 50}'
    assert read(store, "/limit/maximum").id == second.id


def test_a_second_collision_gets_four_more_characters(store: EvidenceStore, folder: Path) -> None:
    put(store)
    digest = Identity(DEFAULT_WORKSPACE, API, 1, digest_of(API_BYTES), (Span(22, 24),), None).digest()
    with tampering(folder) as database:
        for length in (12, 14):
            row = (short_id(digest, length), f"sha256:{length}", API, digest_of(API_BYTES))
            database.execute("INSERT INTO evidence VALUES ('default', ?, ?, ?, 1, ?, NULL, 'sha256:0', 1, 0)", row)
            database.execute("INSERT INTO parts VALUES ('default', ?, 0, 0, 1, NULL)", row[:1])
    assert read(store, "/limit/maximum").id == short_id(digest, 16)


def test_keys_are_evidence_of_what_is_absent(store: EvidenceStore) -> None:
    put(store, b'{"parameters": [{"name": "limit", "in": "query"}, {"$ref": "#/x"}], "get": {}}')
    keys = read(store, "", view="keys")
    assert (keys.excerpt, keys.basis, keys.status, keys.transforms) == ('["parameters","get"]', Basis.DERIVED, "derived", ("keys/1",))
    assert read(store, "/parameters", view="keys").excerpt == '["query limit","#/x"]'
    assert keys.id != read(store, "").id


def test_keys_of_a_scalar_are_refused(store: EvidenceStore) -> None:
    put(store)
    with pytest.raises(NotContainer):
        read(store, "/limit/maximum", view="keys")


def test_an_alias_brings_its_far_end_along(store: EvidenceStore) -> None:
    """What `use` means stands at the anchor: the place is a part of its own, and the digest covers both."""
    put(store, YAML_ALIAS, "a.yaml")
    packet = read(store, "/use/maximum", "a.yaml")
    assert packet.excerpt == "50"
    assert [hop.kind for hop in packet.hops] == ["alias"]
    assert store.passages.find(packet.id).excerpt_digest == digest_of(
        b"".join(YAML_ALIAS[s.start : s.end] for s in (packet.span, *(hop.span for hop in packet.hops)))
    )
    assert packet.id != read(store, "/base/maximum", "a.yaml").id
    assert store.passages.get(packet.id, NoLimit()) == packet


def test_a_merged_member_brings_its_merge_key_along(store: EvidenceStore) -> None:
    put(store, YAML_ALIAS, "a.yaml")
    packet = read(store, "/merged/maximum", "a.yaml")
    assert isinstance(packet.hops[0], Hop)
    assert packet.hops[0].kind == "merge"


@pytest.mark.parametrize(
    ("pointer", "error", "code"),
    [
        ("limit", MalformedPointer, "malformed_pointer"),
        ("/limit~2", MalformedPointer, "malformed_pointer"),
        ("/list/01", BadIndex, "bad_index"),
        ("/list/-", NotFound, "not_found"),
        ("/gone", NotFound, "not_found"),
        ("/list/0/x", NotContainer, "not_container"),
    ],
)
def test_pointer_errors_are_told_apart(store: EvidenceStore, pointer: str, error: type[Exception], code: str) -> None:
    put(store, b'{"limit": 1, "list": [1]}')
    with pytest.raises(error) as caught:
        read(store, pointer)
    assert getattr(caught.value, "error_code", None) == code


def test_what_is_not_there_comes_with_the_nearest_place_and_its_keys(store: EvidenceStore) -> None:
    put(store)
    with pytest.raises(NotFound) as caught:
        read(store, "/limit/minimum/x")
    assert caught.value.details["nearest"] == "/limit"
    assert caught.value.details["keys"] == ["maximum"]


def test_a_text_has_lines_and_bytes_only(store: EvidenceStore) -> None:
    put(store, LOG_BYTES, LOG)
    with pytest.raises(NotFound) as caught:
        read(store, "/a", LOG)
    assert caught.value.error_code == "no_structure"


@pytest.mark.parametrize(("lines", "excerpt", "clipped"), [("1-1", "a\n", "1-1"), ("2-3", "b\r\nc", "2-3"), ("2-99", "b\r\nc", "2-3")])
def test_lines_end_at_line_feed_and_are_clipped(store: EvidenceStore, lines: str, excerpt: str, clipped: str) -> None:
    put(store, b"a\nb\r\nc", LOG)
    packet = read(store, lines, LOG, kind="lines")
    assert (packet.excerpt, packet.selector) == (excerpt, Selector("lines", clipped))


@pytest.mark.parametrize(("kind", "text"), [("lines", "4-5"), ("bytes", "6-7"), ("bytes", "99-100")])
def test_a_range_past_the_end_is_not_found(store: EvidenceStore, kind: str, text: str) -> None:
    put(store, b"a\nb\r\nc", LOG)
    with pytest.raises(NotFound):
        read(store, text, LOG, kind="lines" if kind == "lines" else "bytes")


@pytest.mark.parametrize("text", ["0-1", "2-1", "0", "-1", "a-b", "1-2-3", "1 - 2", "١-٢", ""])
def test_what_is_no_range_of_lines_is_refused(store: EvidenceStore, text: str) -> None:
    put(store, b"a\nb\nc\n", LOG)
    with pytest.raises(InvalidInput):
        read(store, text, LOG, kind="lines")


def test_a_quote_in_several_places_is_ambiguous_and_says_where(store: EvidenceStore) -> None:
    put(store, b"one two\none two\n", LOG)
    with pytest.raises(Ambiguous) as caught:
        read(store, "one", LOG, kind="quote")
    assert caught.value.details == {"places": [[0, 3], [8, 11]]}


def test_a_quote_within_a_node_is_the_one_in_that_node(store: EvidenceStore) -> None:
    put(store, b'{"a": "the limit", "b": "the limit"}')
    place = Place(API, None, Selector("quote", "the limit"), within=Pointer("/b"))
    assert store.passages.read(place, NoLimit()).span == Span(25, 34)


@pytest.mark.parametrize("quote", ["", "ab", "  a  "])
def test_a_quote_that_is_too_short_to_mean_a_place_is_refused(store: EvidenceStore, quote: str) -> None:
    put(store, b"abab  a  \n", LOG)
    with pytest.raises(InvalidInput) as caught:
        read(store, quote, LOG, kind="quote")
    assert caught.value.error_code == "quote_too_short"


def test_a_quote_that_stands_nowhere_is_not_found(store: EvidenceStore) -> None:
    put(store, b"one two\n", LOG)
    with pytest.raises(NotFound):
        read(store, "two one", LOG, kind="quote")


def test_children_are_shown_of_a_pointer_only(store: EvidenceStore) -> None:
    put(store)
    with pytest.raises(InvalidInput):
        store.passages.read(Place(API, None, Selector("lines", "1-1"), children=Children(0, 1)), NoLimit())
    with pytest.raises(InvalidInput):
        read(store, "1-1", kind="lines", view="keys")


def test_several_places_are_kept_together_or_not_at_all(store: EvidenceStore, folder: Path) -> None:
    put(store)
    places = [Place(API, None, Selector("pointer", pointer)) for pointer in ("/limit", "/gone")]
    with pytest.raises(NotFound):
        store.passages.read_all(places, NoLimit())
    assert count(folder, "evidence") == 0


def test_a_cut_excerpt_has_the_id_of_the_whole(store: EvidenceStore) -> None:
    """The limit decides what is shown, never what the evidence is."""
    put(store, b'{"a": "' + b"x" * 500 + b'"}')
    short, whole = read(store, "/a", limit=CharacterLimit(20)), read(store, "/a")
    assert (short.id, short.span, short.shown_in_full, whole.shown_in_full) == (whole.id, whole.span, False, True)


@pytest.mark.parametrize("view", ["source", "keys"])
def test_a_stored_evidence_is_shown_again_as_it_was(store: EvidenceStore, view: str) -> None:
    put_all(store, API_BYTES, b'{"other": 1}')
    packet = read(store, "/limit", revision=1, view="keys" if view == "keys" else "source")
    assert store.passages.get(packet.id, NoLimit()) == packet


def test_lines_and_quotes_are_shown_again_as_they_were(store: EvidenceStore) -> None:
    put(store, b"one\ntwo three\n", LOG)
    for packet in (read(store, "2-2", LOG, kind="lines"), read(store, "two thr", LOG, kind="quote")):
        assert store.passages.get(packet.id, NoLimit()) == packet


def test_an_unknown_id_is_not_found(store: EvidenceStore) -> None:
    with pytest.raises(NotFound) as caught:
        store.passages.get(EvidenceId("ev_000000000000"), NoLimit())
    assert caught.value.error_code == "unknown_id"


def test_what_stands_around_a_passage_is_evidence_of_its_own(store: EvidenceStore) -> None:
    put(store, b'{\n"limit": {\n"maximum": 50\n}\n}\n')
    id_ = read(store, "/limit/maximum").id
    assert store.passages.expand(id_, "parent", NoLimit()).pointer == "/limit"
    assert store.passages.expand(id_, "full", NoLimit()).pointer == ""
    around = store.passages.expand(id_, "lines:1", NoLimit())
    assert (around.lines, around.excerpt) == (LineRange(2, 4), '"limit": {\n"maximum": 50\n}\n')


@pytest.mark.parametrize("to", ["", "child", "lines:", "lines:-1", "lines:x", "lines:99999999"])
def test_an_unknown_expansion_says_which_there_are(store: EvidenceStore, to: str) -> None:
    put(store)
    with pytest.raises(InvalidInput) as caught:
        store.passages.expand(read(store, "/limit").id, to, NoLimit())
    assert caught.value.details == {"known": ["parent", "full", "lines:N"]}


def test_the_ways_to_a_passage_can_be_lost_without_losing_it(store: EvidenceStore, folder: Path) -> None:
    """Selectors can be made again; the range is the authority."""
    put_all(store, API_BYTES, b'{"limit": {"maximum": 20}}\n')
    id_ = read(store, "/limit/maximum", revision=1).id
    with tampering(folder) as database:
        database.execute("DELETE FROM selectors")
    assert store.checks.state(id_, None).currency is Currency.GONE
    assert store.locations.locate(id_, API, 2, NoLimit()).verdict is Currency.GONE
    again = store.passages.get(id_, NoLimit())
    assert (again.excerpt, again.selector) == ("50", Selector("bytes", "22-24"))


def test_located_lines_are_counted_in_the_revision_that_they_are_found_in(store: EvidenceStore) -> None:
    """Also where the passage keeps its bytes while the line ends before it change."""
    put_all(store, b"one\ntwo\n", b"0\n0\n0\none\ntwo\n", b"\n\n\n\ntwo\n", name=LOG)
    id_ = read(store, "2-2", LOG, kind="lines", revision=1).id
    for revision, verdict, line in ((2, Currency.MOVED, 5), (3, Currency.SAME, 5)):
        found = store.locations.locate(id_, ResourceName(LOG), revision, NoLimit())
        assert found.packet is not None
        assert (found.verdict, found.packet.lines, found.packet.excerpt) == (verdict, LineRange(line, line), "two\n")


def test_keys_whose_pointer_is_lost_are_not_shown_as_something_else(store: EvidenceStore, folder: Path) -> None:
    put(store)
    id_ = read(store, "/limit", view="keys").id
    with tampering(folder) as database:
        database.execute("DELETE FROM selectors")
    with pytest.raises(IntegrityMismatch):
        store.passages.get(id_, NoLimit())


def test_a_search_receipt_is_shown_again_as_it_was(store: EvidenceStore) -> None:
    put(store, b"one\n", LOG)
    (receipt,) = store.comparisons.search([(ResourceName(LOG), None)], SearchRequest("two"), NoLimit()).receipts
    assert (receipt.excerpt, receipt.value, receipt.status) == ("0 hits", None, "derived")
    assert store.passages.get(receipt.id, NoLimit()) == receipt


def test_a_record_without_its_parts_is_a_mismatch(store: EvidenceStore, folder: Path) -> None:
    put(store)
    id_ = read(store, "/limit/maximum").id
    with tampering(folder) as database:
        database.execute("DELETE FROM parts")
    with pytest.raises(IntegrityMismatch):
        store.passages.get(id_, NoLimit())


def test_a_claim_can_rest_on_text_value_and_pointer(store: EvidenceStore) -> None:
    put(store, b'{"paths": {"/orders": {"note": "Gr\\u00f6\\u00dfe"}}}')
    packet = read(store, "/paths/~1orders/note")
    assert set(store.passages.cited_texts(packet.id)) >= {'"Gr\\u00f6\\u00dfe"', "Größe", "paths", "/orders", "note"}


def test_the_value_of_a_node_is_its_json(store: EvidenceStore) -> None:
    put(store, b"limit: 0050\n", "a.yaml")
    document = store.sources.get_document(store.sources.get_revision(ResourceName("a.yaml"), None))
    packet = read(store, "", "a.yaml")
    made = value_json(document, document.root)
    assert made is not None
    assert packet.value == made.json
    assert Digest(packet.digest) == digest_of(b"limit: 0050\n")


def test_a_change_behind_an_alias_inside_a_passage_is_seen(store: EvidenceStore) -> None:
    """The bytes of the passage are the same; what it says is not."""
    name = ResourceName("a.yaml")
    put(store, b"a: &a {x: 1}\nm: {<<: *a, y: 3}\n", name)
    cited = read(store, "/m", name)
    assert [(hop.kind, hop.span) for hop in cited.hops] == [("merge", Span(6, 12))]
    put(store, b"a: &a {x: 2}\nm: {<<: *a, y: 3}\n", name)
    assert store.locations.currency(cited.id) is Currency.CHANGED


def test_a_reference_that_was_followed_is_a_part(store: EvidenceStore) -> None:
    name = ResourceName("a.json")
    put(store, b'{"a": {"$ref": "#/b", "example": {"$ref": "#/nowhere"}}, "b": {"maximum": 50}}', name)
    plain = read(store, "/a", name)
    followed = store.references.expand(plain.id, NoLimit())
    assert (followed.span, [hop.kind for hop in followed.hops]) == (plain.span, ["ref"])
    assert followed.id != plain.id
    assert store.passages.get(followed.id, NoLimit()).hops == followed.hops
    assert store.references.expand(followed.id, NoLimit()).id == followed.id
    assert store.checks.integrity(followed.id)[0] is Integrity.OK


def test_a_reference_that_is_no_text_is_a_member_like_any_other(store: EvidenceStore) -> None:
    put(store, b'{"a": {"$ref": 5}}', "a.json")
    assert store.references.expand(read(store, "/a", "a.json").id, NoLimit()).value == b'{"$ref":5}'
