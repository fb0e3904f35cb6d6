"""Presenters: the JSON of the command line and of HTTP, whose names never change."""

import json
from dataclasses import replace

import orjson
import pytest

from api.presenters import dumps, packet_json, resource_json, revision_json, state_json
from evidence_store.canonical import digest_of
from evidence_store.documents.model import Note
from evidence_store.model import (
    Basis,
    Currency,
    Cut,
    EvidenceId,
    Format,
    Hop,
    Integrity,
    JudgementState,
    Kind,
    Lifecycle,
    LineRange,
    Outline,
    OutlineEntry,
    Packet,
    Pointer,
    ResourceName,
    Selector,
    Span,
)
from evidence_store.records.sources import Resource, Revision
from evidence_store.state import EvidenceState
from projector import packet_from_json

DIGEST = digest_of(b"")
PACKET = Packet(
    id=EvidenceId("ev_tpvnrht0mge4"),
    resource=ResourceName("stable-v2/openapi.json"),
    revision=1,
    selector=Selector("pointer", "/limit/maximum"),
    format=Format.JSON,
    excerpt="1.10",
    scope="stable API",
    status="observed",
    basis=Basis.OBSERVED,
    digest=DIGEST,
    span=Span(22, 26),
    lines=LineRange(1, 1),
    column=22,
    size=29,
    value=b"1.10",
)
STATE = EvidenceState(Basis.OBSERVED, Lifecycle.ACTIVE, Integrity.OK, Currency.MOVED, None)


def shown(packet: Packet) -> dict[str, object]:
    decoded: dict[str, object] = json.loads(dumps(packet_json(packet)), parse_float=str)
    return decoded


def test_a_packet_has_the_members_that_never_change() -> None:
    assert shown(PACKET) == {
        "id": "ev_tpvnrht0mge4",
        "resource": "stable-v2/openapi.json",
        "revision": 1,
        "pointer": "/limit/maximum",
        "format": "json",
        "excerpt": "1.10",
        "scope": "stable API",
        "status": "observed",
        "digest": DIGEST,
        "bytes": [22, 26],
        "lines": [1, 1],
        "column": 22,
        "size": 29,
        "cut": None,
        "outline": None,
        "transforms": [],
        "next": None,
        "value": "1.10",
    }


def test_a_number_keeps_its_spelling_in_the_value() -> None:
    assert b'"value":1.10}' in dumps(packet_json(PACKET))


def test_lines_and_bytes_stand_as_numbers_whatever_the_selector() -> None:
    for selector in (Selector("lines", "1-1"), Selector("bytes", "22-26")):
        one = shown(replace(PACKET, selector=selector))
        assert (one["lines"], one["bytes"]) == ([1, 1], [22, 26])
        assert "pointer" not in one
    assert shown(replace(PACKET, selector=Selector("quote", "1.10")))["quote"] == "1.10"


def test_the_root_pointer_is_told_apart_from_none() -> None:
    assert shown(replace(PACKET, selector=Selector("pointer", Pointer(""))))["pointer"] == ""


def test_hops_match_and_labels_stand_only_where_there_are_any() -> None:
    one = shown(replace(PACKET, hops=(Hop("alias", Span(0, 5)),), match=Span(23, 24), labels=("team",)))
    assert (one["hops"], one["match"], one["labels"]) == ([{"kind": "alias", "bytes": [0, 5]}], [23, 24], ["team"])
    assert not {"hops", "match", "labels"} & shown(PACKET).keys()


def test_a_reference_says_so() -> None:
    assert "kind" not in shown(PACKET)
    advice = replace(PACKET, kind=Kind.REFERENCE)
    assert shown(advice)["kind"] == "reference"
    assert packet_from_json(json.loads(dumps(packet_json(advice))), "/p").kind is Kind.REFERENCE


def test_a_packet_of_a_live_resource_says_when_it_was_seen() -> None:
    live = replace(PACKET, max_age_s=60, observed_at=17)
    assert not {"observed_at", "max_age_s"} & shown(PACKET).keys()
    assert (shown(live)["observed_at"], shown(live)["max_age_s"]) == (17, 60)
    read = packet_from_json(json.loads(dumps(packet_json(live))), "/p")
    assert (read.observed_at, read.max_age_s) == (17, 60)


def test_a_cut_says_what_is_shown() -> None:
    one = shown(replace(PACKET, cut=Cut(Span(22, 24), 9, 1), next="--bytes 24-26", value=None))
    assert one["cut"] == {"shown": [22, 24], "tokens": 9, "total_lines": 1}
    assert one["next"] == "--bytes 24-26"
    assert "value" not in one


def test_an_outline_shows_children_with_keys_or_scalar() -> None:
    entries = (
        OutlineEntry("get", "object", 2300, 5, ("parameters",), None),
        OutlineEntry("n", "number", 4, None, (), "1.10"),
        OutlineEntry("s", "string", 900, None, (), None),
    )
    one = shown(replace(PACKET, outline=Outline("object", 120, 40, entries), excerpt="", value=None))
    assert one["outline"] == {
        "type": "object",
        "n_children": 120,
        "first": 40,
        "children": [
            {"token": "get", "type": "object", "size": 2300, "n_children": 5, "keys": ["parameters"]},
            {"token": "n", "type": "number", "size": 4, "scalar": "1.10"},
            {"token": "s", "type": "string", "size": 900},
        ],
    }


def test_an_empty_excerpt_is_shown_as_one() -> None:
    assert shown(replace(PACKET, excerpt=""))["excerpt"] == ""


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\udc00\ud800"])
def test_half_a_surrogate_pair_comes_out_as_a_replacement_character(text: str) -> None:
    """An answer is well-formed UTF-8, whatever a caller or a source brought."""
    out = dumps({"message": text, text: [text]})
    assert "�" in json.loads(out)["message"]
    assert "\\ud" not in out.decode("utf-8")


def test_a_whole_pair_stays_one_character() -> None:
    assert json.loads(dumps({"a": "\ud83d\ude9a" + "\ud800"}))["a"] == "🚚�"


def test_json_ends_with_one_line_end_and_keeps_its_characters() -> None:
    assert dumps({"a": "Größe 日志"}) == '{"a":"Größe 日志"}\n'.encode()


def test_a_fragment_beside_a_repaired_text_is_kept() -> None:
    assert dumps({"value": orjson.Fragment(b"1.10"), "text": "\ud800"}) == '{"value":1.10,"text":"�"}\n'.encode()


def test_a_revision_shows_its_notes_with_what_is_known() -> None:
    notes = (Note("duplicate_key", "twice", 7, (3, 7), Pointer("/a")), Note("not_utf8", "bad", byte=9))
    revision = Revision(ResourceName("a"), 2, DIGEST, 10, "application/json", Format.JSON, None, True, notes, 1)
    assert json.loads(dumps(revision_json(revision))) == {
        "resource": "a",
        "revision": 2,
        "digest": DIGEST,
        "size": 10,
        "media_type": "application/json",
        "format": "json",
        "complete": True,
        "notes": [
            {"code": "duplicate_key", "text": "twice", "line": 7, "lines": [3, 7], "pointer": "/a"},
            {"code": "not_utf8", "text": "bad", "byte": 9},
        ],
    }
    assert revision_json(replace(revision, version_label="v2"))["version_label"] == "v2"


def test_a_resource_shows_its_newest_revision() -> None:
    revision = Revision(ResourceName("a"), 2, DIGEST, 10, "text/plain", Format.TEXT, None, True, (), 1)
    assert resource_json(Resource(ResourceName("a"), Kind.REFERENCE, "stable", ("team",)), revision) == {
        "resource": "a",
        "kind": "reference",
        "scope": "stable",
        "labels": ["team"],
        "newest": 2,
        "digest": DIGEST,
    }


def test_the_questions_about_an_evidence_stand_apart() -> None:
    assert state_json(STATE) == {"basis": "observed", "lifecycle": "active", "integrity": "ok", "currency": "moved"}
    assert state_json(replace(STATE, judgement=JudgementState.STALE))["judgement"] == "stale"


@pytest.mark.parametrize(
    ("state", "status"),
    [
        (STATE, "observed"),
        (replace(STATE, basis=Basis.DERIVED), "derived"),
        (replace(STATE, judgement=JudgementState.APPLIES), "observed"),
        (replace(STATE, judgement=JudgementState.STALE), "stale"),
        (replace(STATE, judgement=JudgementState.REJECTED), "rejected"),
        (replace(STATE, lifecycle=Lifecycle.SUPERSEDED, judgement=JudgementState.REJECTED), "superseded"),
        (replace(STATE, lifecycle=Lifecycle.ERASED, judgement=JudgementState.STALE), "erased"),
    ],
)
def test_the_short_status_is_the_basis_until_something_speaks_against_it(state: EvidenceState, status: str) -> None:
    assert state.status == status
