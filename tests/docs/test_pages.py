"""All Markdown files: links lead somewhere, no place of a machine is named, lines stay readable, the glossary keeps its order."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.conftest import ROOT
from tests.docs.pages import DOCS, list_pages, read_page, without_code_blocks

PAGES = list_pages()
MAX_LINE_CHARS = 200
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
REGISTRIES = ("pypi.org", "pythonhosted.org", "npmjs", "anaconda.org", "ghcr.io", "docker.io", "proxy.golang.org", "crates.io")
MACHINE_PATH = re.compile(r"(?<![\w./-])/(?:root|home|work|tmp|Users|opt|mnt)/")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
TERM = re.compile(r"\*\*([a-z ]+)\*\*( \(of a [a-z]+\))?")
ENTRY = re.compile(rf"- {TERM.pattern}: .*\.")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def anchors_of(page: Path) -> set[str]:
    """Anchors of the headings as forges make them."""
    headings = HEADING.findall(without_code_blocks(page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def find_dead_links(page: Path) -> list[str]:
    """Relative links without a file, or with an anchor that the file does not have. Links to an ellipsis are samples."""
    dead = []
    for link in LINK.findall(without_code_blocks(page.read_text(encoding="utf-8"))):
        path, _, anchor = link.partition("#")
        if "://" in link or "…" in link:
            continue
        target = (page.parent / unquote(path)).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            dead.append(link)
    return dead


def test_the_pages_are_found() -> None:
    assert {"README.md", "CHANGELOG.md", "docs/design.md", "docs/formats/schema.md", "docs/adr/0001-truth-and-rebuildable-tables.md"} <= {
        name_of(page) for page in PAGES
    }


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_relative_links_lead_to_files(page: Path) -> None:
    assert find_dead_links(page) == []


def test_a_dead_link_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One thing\n[a](other.md) [b](#one-thing) [c](#two) [d](https://example.org) [e](page.md#one-thing)\n", encoding="utf-8"
    )
    assert find_dead_links(page) == ["other.md", "#two"]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_registry_and_no_path_of_a_machine_is_named(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [host for host in REGISTRIES if host in text] == []
    assert MACHINE_PATH.findall(text) == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_lines_stay_readable(page: Path) -> None:
    """Tables may be wide: a row cannot be broken."""
    lines = page.read_text(encoding="utf-8").split("\n")
    assert [n for n, line in enumerate(lines, 1) if len(line) > MAX_LINE_CHARS and not line.startswith(("|", "> "))] == []


def test_every_page_is_reached_from_the_readme_or_stands_in_a_folder_that_is() -> None:
    """A page that nobody links to is read by nobody."""
    links = [(page, link.partition("#")[0]) for page in PAGES for link in LINK.findall(page.read_text(encoding="utf-8"))]
    linked = {(page.parent / unquote(path)).resolve() for page, path in links}
    folders = {target for target in linked if target.is_dir()}
    lone = [page for page in PAGES if page.is_relative_to(DOCS) and page not in linked and page.parent not in folders]
    assert [name_of(page) for page in lone] == []


def test_decisions_are_numbered_without_gaps_and_have_their_parts() -> None:
    pages = sorted((DOCS / "adr").glob("*.md"))
    assert [int(page.name[:4]) for page in pages] == list(range(len(pages)))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert re.match(rf"# {page.name[:4] if page.name[:4] != '0000' else 'NNNN'}\. ", text), page.name
        assert "*Status: " in text
        assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Context", "Decision", "Consequences"], page.name


def glossary_groups() -> list[list[str]]:
    """Entries under each heading, one line each."""
    head, *groups = read_page("glossary.md").replace("\n  ", " ").split("\n## ")
    assert "\n- " not in head, "each entry stands under a heading"
    return [[line for line in group.split("\n")[1:] if line] for group in groups]


def test_a_glossary_term_stands_once() -> None:
    """`receipt (of a search)` and the like tell two meanings of one word apart."""
    terms = [f"{name}{of}" for group in glossary_groups() for entry in group for name, of in TERM.findall(entry)]
    assert len(terms) > 50
    assert sorted({term for term in terms if terms.count(term) > 1}) == []


def test_glossary_entries_have_one_form() -> None:
    groups = glossary_groups()
    assert all(groups)
    assert [entry for group in groups for entry in group if not ENTRY.fullmatch(entry)] == []
