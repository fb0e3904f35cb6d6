"""The report: the same bytes for the same outcome, citations that a reader can check, and no text of a source that acts as more."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from api.compat_report import Head, Version, collect_outcome, list_conclusions, read_pair, render_report
from api.compat_report.memo import Memo, format_memo, parse_memo
from api.compat_report.report import find_quote
from api.compat_report.subjects import OperationSubject, PairSubject, format_operation, format_pair, parse_subject
from evidence_store.report_check import find_citations, find_task, find_uncited
from projector.render.sections import format_progress_item
from tests.unit.api.compat_report.harness import Run, run

HEAD = Head("depot", 1, "Find what breaks clients.", Version("old", 1), Version("new", 1), ("x-stability-level=beta",))


@pytest.fixture(scope="module")
def pair() -> Run:
    return run(read_pair("old").decode(), read_pair("new").decode())


def answer(done: Run, page: int = 3) -> Any:
    """Tools that read the run, a few lines a page."""

    def lines(name: str) -> list[tuple[str, str]]:
        if name == "get_progress":
            return [(item.subject, format_progress_item(item)) for item in done.progress.values()]
        return [
            (f"C{n}", "- " + json.dumps({"claim": f"C{n}", "standing": claim.get("standing", "verified"), **claim}))
            for n, claim in enumerate(done.claims, 1)
        ]

    def call(name: str, arguments: Mapping[str, Any]) -> str:
        if name == "get_evidence":
            return done.packets[arguments["id"]]
        every = lines(name)
        names = [one for one, _ in every]
        first = names.index(arguments["after"]) + 1 if "after" in arguments else 0
        shown = every[first : first + page]
        more = [f"next: {json.dumps({'after': shown[-1][0]})}"] if first + page < len(every) else []
        return "\n".join([*(line for _, line in shown), *more]) + "\n"

    return call


def test_the_report_reads_all_pages_and_is_the_same_each_time(pair: Run) -> None:
    outcome = collect_outcome(answer(pair))
    assert len(outcome.claims) == len(pair.claims)
    assert [subject.name for subject in outcome.subjects] == list(pair.progress)
    assert render_report(HEAD, outcome) == render_report(HEAD, collect_outcome(answer(pair, 100)))


def test_each_quote_stands_in_its_evidence(pair: Run) -> None:
    outcome = collect_outcome(answer(pair))
    report = render_report(HEAD, outcome)
    citations = find_citations(report)
    assert {one.id for one in citations} == {cited.evidence for claim in outcome.claims for cited in claim.citations}
    assert all(one.quote is not None and one.quote in (outcome.packets[one.id].excerpt or "") for one in citations)
    assert find_task(report) == "depot"
    assert find_uncited(report) == ()


def test_the_operations_that_a_shared_schema_affects_stand_beside_it(pair: Run) -> None:
    (conclusion,) = [one for one in list_conclusions(collect_outcome(answer(pair))) if one.claim.aspect == "response-property-removed"]
    assert conclusion.operations == ("get /orders", "post /orders", "get /orders/{id}")


def test_a_request_rule_does_not_touch_operations_that_only_answer_with_the_schema(pair: Run) -> None:
    (conclusion,) = [one for one in list_conclusions(collect_outcome(answer(pair))) if one.claim.aspect == "request-property-required"]
    assert conclusion.operations == ("post /orders",)


def test_the_coverage_lists_each_operation(pair: Run) -> None:
    report = render_report(HEAD, collect_outcome(answer(pair)))
    assert "- Operations: 6 compared, 1 left out, 0 not compared\n" in report
    assert "| `get /routes/preview` | left out |\n" in report


def test_links_are_relative(pair: Run) -> None:
    report = render_report(HEAD, collect_outcome(answer(pair)))
    assert "](../evidence/ev_" in report
    assert "://" not in report


@pytest.mark.parametrize(
    ("excerpt", "quote"),
    [
        ("50", '"50"'),
        ("first\nsecond", '"first"'),
        ('["a"]', '“["a"]”'),
        ("a <script> b", '"a"'),
        ("see [ev_000000000000]", '"see"'),
        ("`code`", ""),
        ("", ""),
        ("\x1b[31mred", ""),
        ("x" * 200, '"' + "x" * 80 + '"'),
        ('"“「«', ""),
    ],
)
def test_a_quote_is_the_beginning_of_the_excerpt_and_no_markup(excerpt: str, quote: str) -> None:
    assert find_quote(excerpt) == quote


@pytest.mark.parametrize("memo", [Memo(), Memo(tried=2), Memo(1, 3, 12, ("ev_tpvnrht0mge4", "ev_yfnsa6eeyzy7"), 40)])
def test_a_memo_is_read_back(memo: Memo) -> None:
    assert parse_memo(format_memo(memo)) == memo


def test_subjects_are_read_back() -> None:
    pointer = "/paths/~1a b%20{c}/get"
    assert parse_subject(format_pair("request", pointer, "")) == PairSubject("request", pointer, "")
    assert parse_subject(format_pair("response-value", "", "/ö -> x")) == PairSubject("response-value", "", "/ö -> x")
    assert parse_subject(format_operation("get", "/a b -> c")) == OperationSubject("get", "/a b -> c")
    assert parse_subject("operations") is None
