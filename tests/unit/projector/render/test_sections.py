"""The sections of an input: exact inverses, alone and together, whatever their texts hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.model import About, EvidenceId, Pointer, ProgressItem, ProgressState, ResourceName, TaskName, TaskRevision
from projector.errors import MalformedText
from projector.model import NeedLine
from projector.render.packets import PacketText, format_packet_text
from projector.render.sections import (
    CLAIM_SECTIONS,
    ClaimLine,
    ClaimsText,
    ProgressText,
    format_claims,
    format_evidence,
    format_needs,
    format_progress,
    format_request,
    format_task,
    parse_claims,
    parse_needs,
    parse_progress,
    parse_request,
    parse_sections,
    parse_task,
)
from tests.unit.projector.render.strategies import claims_texts, need_lines, packet_texts, progress_texts, tasks, text


def test_a_task_reads_as_the_grammar_page_shows_it() -> None:
    task = TaskRevision(TaskName("compare"), 1, "find breaks", ("all paths",), ("tag=Beta",), ("read only",), ("also /x?",))
    assert format_task(task) == (
        "[task compare revision 1]\ngoal: find breaks\nin scope: all paths\nexcluded: tag=Beta\n"
        "constraint: read only\nproposed: also /x?\n[end task]\n"
    )


def test_progress_reads_as_the_grammar_page_shows_it() -> None:
    item = ProgressItem("get /orders", ProgressState.DOING, (EvidenceId("ev_tpvnrht0mge4"),), "read the new side")
    assert format_progress(ProgressText((item,), (("todo", 12), ("doing", 1)))) == (
        '[progress]\n- {"subject":"get /orders","state":"doing","evidence":["ev_tpvnrht0mge4"],"next":"read the new side"}\n'
        'counts: {"todo":12,"doing":1}\n[end progress]\n'
    )


def test_facts_read_as_the_grammar_page_shows_them() -> None:
    about = About(ResourceName("api"), Pointer("/limit"), "maximum")
    line = ClaimLine("C1", "100 → 50", (EvidenceId("ev_tpvnrht0mge4"),), about)
    assert format_claims("facts", ClaimsText((line,), (("verified", 12),), (("api", 11),), (("C2-C14", 11),))) == (
        '[facts]\n- {"claim":"C1","text":"100 → 50","evidence":["ev_tpvnrht0mge4"],'
        '"about":{"resource":"api","pointer":"/limit","aspect":"maximum"}}\n'
        'counts: {"verified":12}\nnot listed: {"api":11}\npages: {"C2-C14":11}\n[end facts]\n'
    )


@given(tasks)
def test_parsing_gives_back_every_task(task: TaskRevision) -> None:
    assert parse_task(format_task(task)) == task


@given(progress_texts)
def test_parsing_gives_back_all_progress(section: ProgressText) -> None:
    assert parse_progress(format_progress(section)) == section


@given(st.sampled_from(CLAIM_SECTIONS), claims_texts)
def test_parsing_gives_back_every_claim(name: str, section: ClaimsText) -> None:
    assert parse_claims(name, format_claims(name, section)) == section  # type: ignore[arg-type]


@given(st.lists(need_lines, max_size=3))
def test_parsing_gives_back_every_need(needs: list[NeedLine]) -> None:
    assert parse_needs(format_needs(needs)) == tuple(needs)


@given(text)
def test_parsing_gives_back_every_request(request: str) -> None:
    assert parse_request(format_request(request)) == request


@given(text)
def test_no_request_has_a_line_of_the_grammar_whatever_ends_lines(request: str) -> None:
    for lines in (format_request(request).split("\n"), format_request(request).splitlines()):
        assert [line for line in lines if line.startswith("[")] == ["[request]", "[end request]"]


@given(tasks, progress_texts, claims_texts, st.lists(need_lines, max_size=2), st.lists(packet_texts(), max_size=2), text)
def test_sections_do_not_disturb_each_other(
    task: TaskRevision, progress: ProgressText, claims: ClaimsText, needs: list[NeedLine], packets: list[PacketText], request: str
) -> None:
    joined = (
        format_task(task)
        + format_progress(progress)
        + "".join(format_claims(name, claims) for name in CLAIM_SECTIONS)
        + format_needs(needs)
        + format_evidence(map(format_packet_text, packets))
        + format_request(request)
    )
    found = parse_sections(joined)
    assert (found.task, found.progress, found.request) == (task, progress, request)
    assert (found.facts, found.open, found.excluded) == (claims, claims, claims)
    assert (found.needs, found.evidence) == (tuple(needs), tuple(packets))


@pytest.mark.parametrize(
    "broken",
    [
        "[progress]\n- {\n[end progress]",
        '[progress]\n- {"subject":"a","state":"&doing"}\ncounts: {}\n[end progress]',
        "[progress]\n",
        "[facts]\n- []\n[end facts]",
        "[needs]\n- {}\n[end needs]",
    ],
)
def test_a_broken_section_is_refused(broken: str) -> None:
    with pytest.raises(MalformedText):
        parse_sections(broken)
