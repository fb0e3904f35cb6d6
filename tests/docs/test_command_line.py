"""docs/cli.md and docs/settings.md name every command, option, exit code and setting, and none that there is not."""

import argparse
import ast
import re
from collections.abc import Iterator
from dataclasses import fields

import pytest

from api import server_settings, settings
from api.cli.commands import DEFAULT_HITS, DEFAULT_MAX_TOKENS, DEFAULT_PORT, DIFF_PAIRS, add_commands
from api.cli.parser import Parser, Verbs
from tests.architecture.modules import list_sources
from tests.docs.pages import iter_rows, read_page, spans_in

PAGE = read_page("cli.md")
OPTION = re.compile(r"--[a-z]+(?:-[a-z]+)*")
COMMON = {"--store", "--json"}


def commands() -> dict[str, argparse.ArgumentParser]:
    """Parsers by the words of their command: two where a command has commands of its own."""
    parser = Parser(prog="evidence")
    add_commands(Verbs(parser))
    return dict(_iter_commands(parser, ""))


def _iter_commands(parser: argparse.ArgumentParser, before: str) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield from list(_iter_commands(inner, f"{before}{name} ")) or [(f"{before}{name}", inner)]


def _command_of(words: str) -> str:
    """The command at the head of a row, without what it takes."""
    two = " ".join(words.split()[:2])
    return two if two in commands() else words.split()[0]


ROWS = {_command_of(spans_in(row[0])[0]): row for row in iter_rows(PAGE) if spans_in(row[0])}


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    return {name for action in parser._actions for name in action.option_strings if name.startswith("--")} - {"--help"}


def test_every_command_is_described_and_no_other() -> None:
    assert list(ROWS.keys() ^ commands().keys()) == []


@pytest.mark.parametrize("name", sorted(commands()))
def test_the_row_of_a_command_names_its_options_and_no_others(name: str) -> None:
    described = set(OPTION.findall(" ".join(ROWS[name])))
    assert described == options_of(commands()[name]) - COMMON


def test_the_common_options_are_described() -> None:
    assert {option for option in COMMON if f"`{option}" in PAGE} == COMMON
    assert all(options_of(command) >= COMMON for command in commands().values())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("search", f"`--limit N` ({DEFAULT_HITS})"),
        ("diff", f"`--limit N` ({DIFF_PAIRS:_})".replace("_", " ")),
        ("serve", f"`--port N` ({DEFAULT_PORT};"),
        ("read", "`--max-tokens`"),
    ],
)
def test_defaults_are_those_of_the_code(name: str, words: str) -> None:
    assert words in ROWS[name][2]
    assert f"`--max-tokens` ({DEFAULT_MAX_TOKENS:_})".replace("_", " ") in PAGE


def test_exit_codes_are_those_of_the_doors() -> None:
    described = [row[0] for row in iter_rows(PAGE) if row[0].isdecimal()]
    source = next(source for source in list_sources("api") if source.name == "api.errors")
    (target,) = (node.targets[0] for node in source.tree.body if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple))
    assert isinstance(target, ast.Tuple)
    assert described == [*map(str, range(len(target.elts))), "130"]


def test_every_setting_is_described_and_no_other() -> None:
    """Variables are read in `api/settings.py` alone, each under a constant; benchmarks have one of their own."""
    constants = {value for name, value in vars(settings).items() if name.endswith("_VARIABLE")} | set(settings.LIMIT_VARIABLES.values())
    constants |= {*server_settings.SERVER_VARIABLES.values(), *server_settings.TOKEN_VARIABLES.values()}
    named = {spans_in(row[0])[0] for row in iter_rows(read_page("settings.md"))}
    assert named == constants | {"QUICK"} | {field.name for field in fields(settings.Settings)}


def test_nothing_else_reads_the_environment() -> None:
    readers = [
        source.path
        for source in list_sources("evidence_store", "projector", "api")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv")
    ]
    assert readers == ["api/settings.py"]
