"""The pages of the documentation, and the parts of them that tests look at."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT

DOCS = ROOT / "docs"
_CELL_BORDER = re.compile(r"(?<!\\)\|")


def list_pages() -> list[Path]:
    """Every Markdown file that is ours, in a fixed order."""
    folders = ("docs", "examples", "benchmarks")
    return sorted([*ROOT.glob("*.md"), *(page for folder in folders for page in (ROOT / folder).rglob("*.md"))])


def read_page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def without_code_blocks(text: str) -> str:
    """The text with fenced blocks emptied, its lines kept where they are."""
    lines, fenced = [], False
    for line in text.split("\n"):
        is_fence = line.startswith("```")
        lines.append("" if fenced or is_fence else line)
        fenced ^= is_fence
    return "\n".join(lines)


def code_block(text: str, language: str) -> str:
    """The only block in this language."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(found) == 1, f"{len(found)} blocks in {language}"
    return str(found[0])


def iter_rows(text: str) -> Iterator[tuple[str, ...]]:
    """Cells of all table rows, heads and rules left out."""
    lines = without_code_blocks(text).split("\n")
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith("|") and not line.startswith("|---") and not after.startswith("|---"):
            yield tuple(cell.strip() for cell in _CELL_BORDER.split(line)[1:-1])


def spans_in(cell: str) -> list[str]:
    """The code spans of a cell."""
    return re.findall(r"`([^`]+)`", cell)
