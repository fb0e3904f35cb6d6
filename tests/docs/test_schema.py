"""What is stored is what the format pages say: tables with their keys, kinds of events, names of transforms."""

import ast
import re

import pytest

from evidence_store import tables
from evidence_store.tables import whole
from tests.architecture.modules import list_sources
from tests.docs.pages import DOCS, iter_rows, read_page, spans_in

ROWS = {spans_in(row[0])[0]: row for row in iter_rows(read_page("formats/schema.md"))}
KIND = re.compile(r"[a-z]+\.[a-z]+")
TRANSFORM = re.compile(r"^([a-z][a-z0-9_]*/[0-9]+)(?:[ =]|$)")


def constants_of_packages() -> list[str]:
    """Text constants of the packages, also those that begin an f-string."""
    trees = [source.tree for source in list_sources("evidence_store", "projector", "api")]
    found = [node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return [value for value in found if isinstance(value, str)]


def event_kinds() -> set[str]:
    """The third argument of each `append_event`."""
    found = set()
    for source in list_sources("evidence_store"):
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "append_event":
                kind = node.args[2]
                assert isinstance(kind, ast.Constant), f"{source.path}:{node.lineno}: the kind of an event is a constant"
                found.add(str(kind.value))
    return found


def test_every_table_is_described_and_no_other() -> None:
    assert sorted(ROWS) == sorted(whole.metadata.tables)


@pytest.mark.parametrize("name", sorted(whole.metadata.tables))
def test_the_key_is_that_of_the_table(name: str) -> None:
    workspace, *key = [column.name for column in whole.metadata.tables[name].primary_key]
    assert workspace == "workspace"
    assert spans_in(ROWS[name][1]) == key


def test_the_rebuildable_tables_are_those_that_the_code_names() -> None:
    """The docstring of `evidence_store.tables` is where the code says it."""
    sentence = " ".join((tables.__doc__ or "").split()).partition("Truth is in every table but")[2].partition("made again")[0]
    named = set(re.findall(r"`([a-z_]+)`", sentence))
    assert {name for name, row in ROWS.items() if row[3] == "rebuildable"} == named
    assert {row[3] for row in ROWS.values()} == {"truth", "rebuildable", "kept"}


def test_every_kind_of_event_is_described_and_no_other() -> None:
    described = {name for row in iter_rows(read_page("formats/event.md")) for name in spans_in(row[0]) if KIND.fullmatch(name)}
    assert described == event_kinds()


def test_every_transform_has_its_place_in_the_format_pages() -> None:
    names = {found[1] for text in constants_of_packages() if (found := TRANSFORM.match(text))}
    assert {"keys/1", "search/1", "ansi_removed/1"} <= names, "the pattern finds what is known to be there"
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (DOCS / "formats").glob("*.md"))
    assert sorted(name for name in names if f"`{name}" not in pages) == []
