"""docs/tools.md says of each tool what its definition says, and nothing else."""

from api.tools import definitions
from tests.docs.pages import iter_rows, spans_in
from tests.docs.tool_reference import BEGIN, END, PAGE, reference, split_page


def test_the_reference_is_what_the_definitions_give() -> None:
    """Red after a change of a tool: `python -m tests.docs.tool_reference` writes the page anew."""
    _, body, _ = split_page(PAGE.read_text(encoding="utf-8"))
    assert body == reference()


def test_the_markers_stand_once() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert (text.count(BEGIN), text.count(END)) == (1, 1)


def test_every_tool_has_its_answer_described() -> None:
    names = {tool["function"]["name"] for tool in definitions(recording=True)}  # type: ignore[call-overload, index]
    head, _, tail = split_page(PAGE.read_text(encoding="utf-8"))
    described = {name for row in iter_rows(head + tail) for name in spans_in(row[0])}
    assert names <= described
