"""The Markdown of a report as HTML."""

import pytest

from api.pages.markdown import MAX_CHARS, render_report_body
from tests.unit.api.pages.reader import Element, links, read_page


def render(text: str, claims: frozenset[str] = frozenset({"C1"})) -> Element:
    return read_page(str(render_report_body(text, "my task", claims).html))


def test_headings_get_anchors_that_differ() -> None:
    found = render_report_body("# Same\n\n## Same\n\n### `get /x`\n\n## 日志\n\n## !\n", "t", ())
    assert [(one.level, one.text, one.anchor) for one in found.headings] == [
        (1, "Same", "h-same"),
        (2, "Same", "h-same-2"),
        (3, "get /x", "h-get-x"),
        (2, "日志", "h-日志"),
        (2, "!", "h-section"),
    ]
    assert all(f'id="{one.anchor}"' in found.html for one in found.headings)


def test_a_claim_at_the_head_of_an_item_leads_to_its_trace() -> None:
    page = render("- **C1** verified\n- **C2** not of this report\n- also **C1** later\n\n**C1** no item\n")
    assert links(page) == ["/trace/my%20task/C1"]
    assert [one.attributes.get("id") for one in page.all("li")] == ["C1", None, None]


def test_a_table_is_captioned_with_its_heading() -> None:
    table = render("## Coverage <b>\n\n| a | b |\n|---|:-:|\n| `x` | y |\n").all("table")[0]
    assert table.children[0].tag == "caption"
    assert table.children[0].text == "Coverage <b>"
    assert [one.attributes["scope"] for one in table.all("th")] == ["col", "col"]


@pytest.mark.parametrize(
    "text", ["<script>x</script>", "a <img src=x onerror=y> b", "<div onclick=x>\n\n</div>", "![p](http://e.example/p.png)"]
)
def test_html_and_images_are_text(text: str) -> None:
    page = render(text)
    assert page.all("script", "img", "div") == []


@pytest.mark.parametrize("target", ["javascript:x", "JaVaScRiPt:x", "vbscript:x", "data:text/html,x", "file:///x", "&#106;avascript:x"])
def test_links_that_act_are_text(target: str) -> None:
    assert links(render(f"[a]({target})")) == []


def test_links_that_lead_elsewhere_say_so() -> None:
    page = render("[a](https://e.example/) [b](../evidence/ev_1) <http://f.example/> [c](//g.example/)")
    assert [one.attributes.get("class") for one in page.all("a")] == ["outside", None, "outside", "outside"]


def test_steering_characters_are_written_out_and_line_ends_are_line_ends() -> None:
    assert render("a\u202eb\r\n\r\nc").text.split() == ["a<U+202E>b", "c"]


def test_a_report_without_an_end_is_cut() -> None:
    assert render_report_body("x" * (MAX_CHARS + 1), "t", ()).cut
    assert not render_report_body("x", "t", ()).cut
