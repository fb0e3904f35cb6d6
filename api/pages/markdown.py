"""The Markdown of a published report as HTML.

What a report says is data: no HTML in it counts, images are not loaded, links lead to pages here or say where else they lead.
Headings get anchors and a table of contents, tables their caption, and a claim's id at the head of its item leads to its trace.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from api.pages.links import trace_path
from api.pages.visible import visible

MAX_CHARS = 2_000_000
"""Of a report's text; what is longer is cut, and the page says so."""
_CLAIM = re.compile(r"C[1-9][0-9]{0,14}")
_NO_LETTERS = re.compile(r"[^\w]+")


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class RenderedReport:
    html: Markup
    headings: tuple[Heading, ...]
    cut: bool


def render_report_body(body: str, task: str, claims: Collection[str]) -> RenderedReport:
    """HTML of a report of this task that published these claims (`C1`, …)."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    text = visible(body[:MAX_CHARS].replace("\r\n", "\n"))
    tokens = parser.parse(text)
    headings = _anchor_headings(tokens)
    _dress_tables(tokens)
    for at, token in enumerate(tokens):
        if token.type == "inline" and token.children:
            _mark_outside_links(token.children)
            _link_claim(tokens, at, task, claims)
    html = parser.renderer.render(tokens, parser.options, {})
    return RenderedReport(Markup(html), headings, len(body) > MAX_CHARS)


def _anchor_headings(tokens: list[Token]) -> tuple[Heading, ...]:
    found: list[Heading] = []
    taken: set[str] = set()
    for opening, inline in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        words = "".join(child.content for child in inline.children or ())
        slug = _NO_LETTERS.sub("-", words.lower()).strip("-")[:60] or "section"
        anchor = next(name for name in (slug, *(f"{slug}-{n}" for n in range(2, len(tokens) + 2))) if name not in taken)
        taken.add(anchor)
        # A prefix, so that no heading takes the anchor of a claim or of a part of the page.
        opening.attrSet("id", f"h-{anchor}")
        found.append(Heading(int(opening.tag[1:]), words, f"h-{anchor}"))
    return tuple(found)


def _dress_tables(tokens: list[Token]) -> None:
    """Each table is captioned with the heading that it stands under; header cells say what they head."""
    heading = ""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.type == "heading_open":
            heading = tokens[at + 1].content
        elif token.type == "th_open":
            token.attrSet("scope", "col")
        elif token.type == "table_open":
            # Made here, not parsed: the renderer gives it out as it stands.
            tokens.insert(at + 1, Token("html_block", "", 0, content=f"<caption>{escape(heading or 'Table')}</caption>\n"))
        at += 1


def _mark_outside_links(children: list[Token]) -> None:
    for child in children:
        target = str(child.attrGet("href") or "") if child.type == "link_open" else ""
        if "://" in target or target.startswith("//"):
            child.attrSet("rel", "noopener noreferrer nofollow")
            child.attrSet("class", "outside")


def _link_claim(tokens: list[Token], at: int, task: str, claims: Collection[str]) -> None:
    """`- **C1** …`: the item gets the anchor `C1`, and the id leads to the claim's trace."""
    children = tokens[at].children or []
    strong = next((n for n, child in enumerate(children) if child.content or child.type == "strong_open"), None)
    if at < 2 or tokens[at - 2].type != "list_item_open" or strong is None or children[strong].type != "strong_open":
        return
    name = children[strong + 1].content
    if not _CLAIM.fullmatch(name) or name not in claims:
        return
    tokens[at - 2].attrSet("id", name)
    link = Token("link_open", "a", 1, attrs={"href": trace_path(f"{task}/{name}"), "class": "claim", "title": f"Trace {name} to the bytes"})
    children.insert(strong, link)
    children.insert(strong + 4, Token("link_close", "a", -1))
