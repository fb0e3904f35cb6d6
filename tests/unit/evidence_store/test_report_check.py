"""Citations in a report: where they stand, what they quote, which sentences have none."""

import time

import pytest

from evidence_store.report_check import CitedPlace, Uncited, find_citations, find_task, find_uncited


def quotes(text: str) -> list[str | None]:
    return [place.quote for place in find_citations(text)]


def test_a_citation_has_its_place_and_the_quote_before_it() -> None:
    text = 'First line.\nThe limit is "50" [ev_tpvnrht0mge4] now.'
    assert find_citations(text) == (CitedPlace("ev_tpvnrht0mge4", "50", 2, 19),)


@pytest.mark.parametrize("quoted", ['"50 日"', "“50 日”", "「50 日」", "«50 日»"])
def test_all_four_kinds_of_quotation_marks_are_read(quoted: str) -> None:
    assert quotes(f"it is {quoted} [ev_tpvnrht0mge4]") == ["50 日"]


def test_a_citation_without_a_quote_has_none() -> None:
    assert quotes("it is 50 [ev_tpvnrht0mge4]") == [None]


def test_an_empty_quote_is_a_quote() -> None:
    """Otherwise a quote that was emptied would pass as a citation that quotes nothing."""
    assert quotes('it is "" [ev_tpvnrht0mge4]') == [""]


def test_the_last_quote_before_a_citation_counts() -> None:
    assert quotes('from "100" to "50" [ev_tpvnrht0mge4]') == ["50"]


def test_each_citation_takes_only_what_stands_after_the_one_before() -> None:
    text = 'from "100" [ev_yfnsa6eeyzy7] to "50" [ev_tpvnrht0mge4] and [ev_1y0bvf45yc9w]'
    assert quotes(text) == ["100", "50", None]


def test_a_quote_does_not_reach_over_a_line_end() -> None:
    assert quotes('it is "50\n" [ev_tpvnrht0mge4]') == [None]


def test_a_mark_that_nothing_closes_is_an_ordinary_character() -> None:
    assert quotes('5″ and “a "b" [ev_tpvnrht0mge4]') == ["b"]
    assert quotes("“a “b” c” [ev_tpvnrht0mge4]") == ["a “b"]


@pytest.mark.parametrize("mark", ['"', "“", "「", "«"])
def test_many_marks_that_nothing_closes_cost_a_few_passes(mark: str) -> None:
    """Looked for behind each of them, the closing mark took minutes; a report may have 64 MiB."""
    started = time.process_time()
    assert len(find_citations(f"{mark}a" * 200_001 + "[ev_tpvnrht0mge4]")) == 1
    assert time.process_time() - started < 5


def test_a_link_is_a_citation_too() -> None:
    text = '"50" [ev_tpvnrht0mge4](evidence/ev_tpvnrht0mge4.html)'
    assert [place.id for place in find_citations(text)] == ["ev_tpvnrht0mge4"]


def test_an_id_is_kept_as_it_was_written() -> None:
    assert [place.id for place in find_citations("[ev_TPVNRHTOMGE4] [ev_x]")] == ["ev_TPVNRHTOMGE4", "ev_x"]


@pytest.mark.parametrize("text", ["ev_tpvnrht0mge4", "(ev_tpvnrht0mge4)", "[ev tpvnrht0mge4]", "[rp_tpvnrht0mge4]", ""])
def test_what_is_not_in_brackets_is_no_citation(text: str) -> None:
    assert find_citations(text) == ()


def test_a_line_ends_at_line_feed_only() -> None:
    assert [place.line for place in find_citations("a\r\nb\u2028c\x0b[ev_tpvnrht0mge4]")] == [2]


def test_a_sentence_without_a_citation_is_named() -> None:
    text = "# Head.\n\nThe limit is lower.\nThe other is cited [ev_tpvnrht0mge4].\n"
    assert find_uncited(text) == (Uncited(3, "The limit is lower."),)


CITED = "[ev_tpvnrht0mge4]"


@pytest.mark.parametrize(
    ("line", "uncited"),
    [
        (f"The limit is lower {CITED}. The other is gone.", ["The other is gone."]),
        (f"It is so. The limit is lower. {CITED} The other is gone!", ["It is so.", "The other is gone!"]),
        (f"- It is so.{CITED}(evidence/x.html), [ev_x] And **this is not.**", ["And **this is not.**"]),
        (f"1. It is so? The limit is lower {CITED}.", ["It is so?"]),
        (f"它变低了。限制是五十{CITED}。", ["它变低了。"]),
        (f"It fell from 1.5 to 1.0, e.g. here, cf. No. 5 {CITED}.", []),
        (f'It said "It failed. Retrying." {CITED}.', []),
        (f"It said “It failed. Then” and `a. B` {CITED}", []),
        (f"It is so {CITED}. And more {CITED}", []),
    ],
)
def test_a_sentence_without_a_citation_is_named_beside_one_that_has_it(line: str, uncited: list[str]) -> None:
    assert [one.text for one in find_uncited(f"# A\n{line}")] == uncited
    assert {one.line for one in find_uncited(f"# A\n{line}")} <= {2}


def test_many_marks_that_nothing_closes_take_no_longer() -> None:
    assert find_uncited("“" * 50_000 + f" {CITED}. It is so.") == (Uncited(1, "It is so."),)


@pytest.mark.parametrize("line", ["# A title.", "| a cell. |", "> a goal.", "`code.`", "<b>x.</b>", "- no full stop", ""])
def test_headings_tables_quotes_and_code_need_no_citation(line: str) -> None:
    assert find_uncited(line) == ()


def test_what_stands_in_a_code_fence_needs_no_citation() -> None:
    assert find_uncited("```\nIt is so.\n```\nIt is not.") == (Uncited(4, "It is not."),)


def test_a_long_sentence_is_shown_in_part() -> None:
    assert [len(one.text) for one in find_uncited("x" * 300 + ".")] == [200]


def test_a_report_of_ours_names_its_task() -> None:
    assert find_task("# Report\n\n- Task: `compare/a`, revision 1\n") == "compare/a"
    assert find_task("# Report\n\nTask: `compare`\n") is None
