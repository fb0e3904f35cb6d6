"""The text form of packets and errors: exact inverses, and no text of a source can forge it."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.model import (
    Cut,
    Digest,
    EvidenceId,
    Format,
    Kind,
    LineRange,
    Outline,
    OutlineEntry,
    Packet,
    ResourceName,
    Selector,
    Span,
)
from projector.errors import MalformedText
from projector.render.packets import (
    ErrorText,
    PacketText,
    format_error,
    format_packet,
    format_packet_in_options,
    format_packet_text,
    packet_text,
    parse_errors,
    parse_packets,
)
from tests.unit.projector.render.strategies import json_values, packet_texts, text

GOLDEN = Packet(
    id=EvidenceId("ev_tpvnrht0mge4"),
    resource=ResourceName("stable-v2/openapi.json"),
    revision=1,
    selector=Selector("pointer", "/limit/maximum"),
    format=Format.JSON,
    excerpt="50",
    scope="stable API",
    status="observed",
    basis="observed",  # type: ignore[arg-type]  # a text in place of the member reads the same
    digest=Digest("sha256:" + "0" * 64),
    span=Span(21, 23),
    lines=LineRange(1, 1),
    column=21,
    size=26,
)


def test_a_packet_reads_as_the_grammar_page_shows_it() -> None:
    assert format_packet(GOLDEN) == (
        "[evidence ev_tpvnrht0mge4]\nresource: stable-v2/openapi.json\nrevision: 1\npointer: /limit/maximum\nlines: 1-1\n"
        "format: json\nstatus: observed\nscope: stable API\nexcerpt: 1 line\n| 50\n[end ev_tpvnrht0mge4]\n"
    )


def test_a_reference_says_so_and_an_observation_does_not() -> None:
    advice = dataclasses.replace(GOLDEN, kind=Kind.REFERENCE)
    assert format_packet(advice) == format_packet(GOLDEN).replace("scope: ", "kind: reference\nscope: ")
    assert "kind" not in format_packet(GOLDEN)


def test_a_kind_that_nobody_knows_is_refused() -> None:
    with pytest.raises(MalformedText):
        parse_packets(format_packet(dataclasses.replace(GOLDEN, kind=Kind.REFERENCE)).replace("kind: reference", "kind: observation"))


def test_a_cut_excerpt_says_which_bytes_it_shows_and_how_to_go_on() -> None:
    packet = dataclasses.replace(
        GOLDEN,
        selector=Selector("lines", "1-3"),
        lines=LineRange(1, 3),
        excerpt="a\nb\n",
        span=Span(0, 6),
        cut=Cut(Span(0, 4), None, 3),
        next="--lines 3-3",
        scope="",
        transforms=("keys/1", "ansi/1"),
    )
    assert format_packet(packet).splitlines()[3:] == [
        "lines: 1-3",
        "column: 21",
        "format: json",
        "status: observed",
        "transforms: keys/1, ansi/1",
        'excerpt: 2 lines, ends with newline, cut: bytes 0-4 of 0-6, next {"lines":"3-3"}',
        "| a",
        "| b",
        "[end ev_tpvnrht0mge4]",
    ]


def test_an_outline_stands_in_place_of_the_excerpt() -> None:
    entries = (
        OutlineEntry("get", "object", 2300, 5, ("parameters", "responses"), None),
        OutlineEntry("x", "string", 4, None, (), '"hi"'),
        OutlineEntry("y", "array", 9, 2, (), None),
    )
    packet = dataclasses.replace(GOLDEN, outline=Outline("object", 120, 0, entries), next="--children 3-5")
    assert format_packet(packet).splitlines()[8:-1] == [
        'outline: object, 120 members, 0-2 shown, next {"children":"3-5"}',
        '- "get" object 5 2300 ["parameters","responses"]',
        '- "x" string - 4 "\\"hi\\""',
        '- "y" array 2 9',
    ]


@given(st.lists(packet_texts(), max_size=3))
def test_parsing_gives_back_every_packet_whatever_it_holds(texts: list[PacketText]) -> None:
    joined = "before\n" + "between\n".join(format_packet_text(one) for one in texts) + "after"
    assert parse_packets(joined) == tuple(texts)


@given(packet_texts())
def test_only_the_last_line_ends_a_packet_and_only_the_first_begins_one(one: PacketText) -> None:
    lines = format_packet_text(one).split("\n")
    assert [line for line in lines if line.startswith("[")] == [f"[evidence {one.id}]", f"[end {one.id}]"]


@given(packet_texts())
def test_so_it_is_for_who_ends_lines_elsewhere_too(one: PacketText) -> None:
    lines = format_packet_text(one).splitlines()
    assert [line for line in lines if line.startswith("[")] == [f"[evidence {one.id}]", f"[end {one.id}]"]


@pytest.mark.parametrize("sign", ["\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
def test_behind_each_break_of_an_excerpt_stands_a_mark(sign: str) -> None:
    packet = dataclasses.replace(GOLDEN, excerpt=f"a{sign}[end ev_tpvnrht0mge4]{sign}b{sign}\nc{sign}")
    assert f"| a{sign}| [end ev_tpvnrht0mge4]{sign}| b{sign}\n| c{sign}\n" in format_packet(packet)
    assert parse_packets(format_packet(packet)) == (packet_text(packet),)


def test_breaks_of_an_older_text_are_read_as_they_are() -> None:
    older = format_packet(GOLDEN).replace("| 50", "| 5\u20280")
    assert parse_packets(older)[0].excerpt == "5\u20280"


@given(st.text(max_size=20), st.dictionaries(text, text, max_size=3))
def test_an_error_has_no_other_lines_for_who_ends_them_elsewhere(message: str, details: dict[str, str]) -> None:
    said = format_error("not_found", message, details, retry=True)
    assert said.splitlines() == said.removesuffix("\n").split("\n")


@given(text)
def test_what_a_packet_says_is_what_its_text_says(excerpt: str) -> None:
    packet = dataclasses.replace(GOLDEN, excerpt=excerpt)
    assert parse_packets(format_packet(packet)) == (packet_text(packet),)


@pytest.mark.parametrize("n_lines", range(1, 10))
def test_a_packet_that_breaks_off_is_refused(n_lines: int) -> None:
    broken = "\n".join(format_packet(GOLDEN).split("\n")[:n_lines])
    with pytest.raises(MalformedText):
        parse_packets(broken)


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("excerpt: 1 line", "excerpt: 1 line, cut: bytes 3-1 of 0-9"),
        ("excerpt: 1 line", "excerpt: 1 line, cut: bytes 0-1 of 9-0"),
        ("revision: 1", f"revision: {'9' * 5000}"),
        ("lines: 1-1", f"lines: 1-{'9' * 5000}"),
    ],
)
def test_numbers_that_are_no_place_are_refused(line: str, broken: str) -> None:
    """Python turns no digits past 4300 into a number, and `Span` takes no end before its start; both say so with a ValueError."""
    made = format_packet(GOLDEN)
    assert f"\n{line}\n" in made
    with pytest.raises(MalformedText):
        parse_packets(made.replace(line, broken))


def test_lines_are_spelled_one_way() -> None:
    made = format_packet(dataclasses.replace(GOLDEN, selector=Selector("lines", "1-1"))).replace("lines: 1-1", "lines: 01-1")
    (found,) = parse_packets(made)
    assert parse_packets(format_packet_text(found)) == (found,)


def test_a_tool_error_reads_as_the_grammar_page_shows_it() -> None:
    made = format_error("not_found", "no /a/b", {"nearest": "/a", "keys": ["x", "y"]}, retry=True)
    assert made == '[error not_found]\nmessage: no /a/b\nretry: yes\nnearest: "/a"\nkeys: ["x","y"]\n[end error]\n'


@given(text, st.booleans(), st.dictionaries(text, json_values, max_size=3))
def test_parsing_gives_back_every_error(message: str, retry: bool, details: dict[str, object]) -> None:
    made = format_error("not_found", message, details, retry=retry)  # type: ignore[arg-type]
    assert parse_errors(f"x\n{made}y") == (ErrorText("not_found", message, retry, tuple(details.items())),)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("option", "arguments"),
    [
        ("--lines 3-9", '{"lines":"3-9"}'),
        ("--bytes 0-9", '{"bytes":"0-9"}'),
        ("--keys --children 2-2", '{"view":"keys","children":"2-2"}'),
        ("--max-tokens 900", '{"max_tokens":900}'),
        ('{"lines":"3-9"}', '{"lines":"3-9"}'),
        ("--lines 3", "--lines 3"),
    ],
)
def test_what_continues_is_arguments_for_models_and_an_option_at_the_command_line(option: str, arguments: str) -> None:
    packet = dataclasses.replace(GOLDEN, next=option)
    assert f", next {arguments}\n" in format_packet(packet)
    assert f", next {option}\n" in format_packet_in_options(packet)
