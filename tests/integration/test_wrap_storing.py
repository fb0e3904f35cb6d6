"""How outputs are kept: whatever their encoding and format, however long, and under a name that is taken."""

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.wrap import Output, Treatment, spool_of
from api.wrap.receiving import Received
from api.wrap.storing import keep
from evidence_store.documents.charset import encoding_of
from evidence_store.documents.model import Limits
from evidence_store.documents.text import parse_lines
from evidence_store.errors import JsonValue, LimitExceeded
from evidence_store.model import Format, Outcome, ResourceName
from evidence_store.store import EvidenceStore, open_store
from evidence_store.summaries.model import Summarizer
from projector import parse_errors, parse_packets
from tests.factories import make_store, put
from tests.integration.wrapping import ROOM, call_in, logs, n_tokens, read_on, wrapper_of

MIB = 1024 * 1024


@pytest.mark.parametrize("encoding", ["utf-16", "gb18030", "utf-32"])
def test_texts_in_other_encodings_are_shown_in_their_own_characters(store: EvidenceStore, encoding: str) -> None:
    text = "".join(f"{n} 服务器错误日志:请求超时\n" for n in range(3_000))
    wrapper = wrapper_of(store)
    result = wrapper.call("read_file", lambda: text.encode(encoding), {})
    *_, head, tail = parse_packets(result.text)
    assert (head.excerpt or "").startswith("0 服务器")
    assert (tail.excerpt or "").rstrip("\n").endswith("2999 服务器错误日志:请求超时")
    assert n_tokens(result.text) <= ROOM
    tool, arguments = call_in(result.text)
    assert parse_lines(str(arguments["lines"])).first == head.lines.last + 1
    assert tool == "read_log"


def test_values_that_are_nested_deep_or_cannot_be_looked_at_pass_or_are_stored(store: EvidenceStore) -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    deep: list[object] = ["x" * ROOM * 8]
    for _ in range(900):
        deep = [deep]
    rows: list[object] = ["y" * ROOM * 8]
    rows.append(rows)
    wrapper, broken = wrapper_of(store), Broken()
    assert wrapper.call("small", lambda: broken, {}).value is broken
    for tool, value in (("deep", deep), ("rows", rows), ("objects", [broken] * 3_000)):
        result = wrapper.call(tool, lambda about: about, {"about": value})
        assert result.treatment is Treatment.OFFLOADED
        assert n_tokens(result.text) <= ROOM
        assert result.revision is not None
        assert store.sources.get_bytes(result.revision.resource, 1).count(b"x" * ROOM * 8) == (tool == "deep")


def test_line_ends_and_terminal_colours_cost_no_line(store: EvidenceStore) -> None:
    text = "".join(f"\x1b[32m{n}\x1b[0m ok\r\n" for n in range(5_000))
    wrapper = wrapper_of(store)
    result = wrapper.call("run", lambda: text, {})
    *_, head, tail = parse_packets(result.text)
    tool, arguments = call_in(result.text)
    middle = read_on(wrapper.context.tools, tool, arguments)
    assert ((head.excerpt or "") + middle + (tail.excerpt or "")).count("ok") == 5_000


def test_bytes_that_are_stored_already_as_something_else_are_taken_as_that(store: EvidenceStore) -> None:
    value: JsonValue = [{"n": n} for n in range(3_000)]
    raw = ("[" + ",".join(f'{{"n":{n}}}' for n in range(3_000)) + "]").encode()
    put(store, raw, "rows", format=Format.TEXT)
    result = wrapper_of(store).call("rows", lambda: value, {})
    assert result.treatment is Treatment.OFFLOADED
    assert result.revision is not None
    assert (result.revision.number, result.revision.format) == (1, Format.TEXT)


def test_a_document_past_the_limits_is_kept_as_text(store: EvidenceStore) -> None:
    deep = "[" * 2_000 + "]" * 2_000
    result = wrapper_of(store).call("read_file", lambda path: deep + " " * 9_000, {"path": "deep.json"})
    assert result.revision is not None
    assert result.revision.format is Format.TEXT


def test_a_stream_of_any_size_costs_no_more_memory(store: EvidenceStore) -> None:
    """Taken in and stored: 48 MiB through a few."""
    piece = logs(20_000)

    def follow() -> Iterator[str]:
        for _ in range(48 * MIB // len(piece)):
            yield piece

    context = wrapper_of(store).context
    received = Received(256 * MIB, 4 * MIB)
    tracemalloc.start()
    try:
        for one in follow():
            received.add(one)
        revision = keep(context, Output("follow", received.spool))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        received.close()
    assert revision.size > 46 * MIB
    assert peak < 12 * MIB


def test_a_stream_is_ended_where_it_is_longer_than_a_store_takes() -> None:
    received = Received(1_000, None)
    received.add("x" * 999)
    with pytest.raises(LimitExceeded):
        received.add("xx")
    assert received.spool.size == 999
    received.close()


def test_what_came_of_a_stream_that_is_too_long_is_kept_and_named(folder: Path) -> None:
    make_store(folder).close()
    with open_store(folder, limits=Limits(max_bytes=1_000)) as store:
        result = wrapper_of(store).call("follow", lambda: iter(["x" * 900, "y" * 900]), {})
        (error,) = parse_errors(result.text)
        assert (error.code, result.outcome) == ("too_large", Outcome.ERROR)
        assert store.sources.get_bytes(ResourceName("follow"), 1) == b"x" * 900
    assert "stored as far as it came" in result.text


def test_a_spool_gives_its_bytes_as_often_as_it_is_asked() -> None:
    with spool_of(b"ab" * MIB) as spool:
        assert b"".join(spool.pieces()) == b"".join(spool.pieces()) == b"ab" * MIB


def test_the_tool_is_named_as_the_origin_so_that_a_summary_of_ones_own_is_chosen(store: EvidenceStore) -> None:
    made = Summarizer("pump", lambda material: f"{material.size} bytes of pumps\n")
    store.summaries.registry.register(made, tool="get_pumps")
    result = wrapper_of(store).call("get_pumps", lambda: logs(3_000), {})
    assert f"| {len(logs(3_000))} bytes of pumps\n" in result.text


@pytest.mark.parametrize(
    "text",
    [
        "a\0b\n" * 50_000,
        "a\0\n" * 9_000,
        "\x01\x02\x03\x04\x05\x06\x0e\x0f" * 9_000,
        "%PDF-1.7 was asked for\n" * 9_000,
        "\ud83d half\n" * 9_000,
    ],
    ids=["NULs", "as UTF-16", "controls", "as a PDF", "half a pair"],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_text_is_text_in_utf8_whatever_it_holds(store: EvidenceStore, text: str, streamed: bool) -> None:
    given_back = (lambda: iter([text[:10], text[10:]])) if streamed else (lambda: text)
    revision = wrapper_of(store).call("get", given_back, {}).revision
    assert revision is not None
    assert (revision.format, revision.media_type, encoding_of(revision.notes)) == (Format.TEXT, "text/plain; charset=utf-8", "utf-8")
    assert store.sources.get_bytes(revision.resource, 1) == text.encode("utf-8", "surrogatepass")


def test_of_bytes_the_encoding_is_told_as_ever(store: EvidenceStore) -> None:
    raw = ("a line of text\n" * 9_000).encode("utf-16le")
    for given_back in (lambda: raw, lambda: iter([raw[:10], raw[10:]])):
        revision = wrapper_of(store).call("get", given_back, {}).revision
        assert revision is not None
        assert encoding_of(revision.notes) == "utf-16le"


def test_text_in_a_form_with_nodes_keeps_them(store: EvidenceStore) -> None:
    revision = wrapper_of(store).call("get", lambda: "[" + "1," * 9_000 + "1]", {}).revision
    assert revision is not None
    assert (revision.format, revision.media_type) == (Format.JSON, "application/json")
    broken = wrapper_of(store).call("other", lambda: '{"a\0b":' * 9_000, {}).revision
    assert broken is not None
    assert (broken.format, encoding_of(broken.notes)) == (Format.TEXT, "utf-8")
