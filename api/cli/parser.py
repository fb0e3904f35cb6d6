"""The parser of the command line: wrong use is an error like any other, and common options stand before or after a command."""

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from api.cli.output import Output
from api.errors import WrongUse

Run = Callable[[argparse.Namespace, Output], int]


class Parser(argparse.ArgumentParser):
    """Raises instead of ending the process. `added` are its own arguments, in order; without `-h`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.added: list[argparse.Action] = []
        super().__init__(*args, **kwargs)
        self.added.clear()

    def add_argument(self, *args: Any, **kwargs: Any) -> argparse.Action:
        """As the parser of the library, and keeps it."""
        action = super().add_argument(*args, **kwargs)
        self.added.append(action)
        return action

    def error(self, message: str) -> NoReturn:
        raise WrongUse(f"{message}; see `{self.prog} --help`")


def wants_json(words: Sequence[str]) -> bool:
    """Whether `--json` is asked for, also where the rest cannot be parsed."""
    options = words[: words.index("--")] if "--" in words else words
    return "--json" in options


class Verbs:
    """Where commands are added, each with the options that all of them have."""

    def __init__(self, parser: Parser) -> None:
        self.parsers: dict[str, Parser] = {}
        """Commands by name; of a group, the group's own."""
        self.groups: dict[str, Verbs] = {}
        self._verbs = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=Parser)

    def group(self, name: str, help_: str) -> "Verbs":
        """A command with commands of its own."""
        parser = self._verbs.add_parser(name, help=help_, description=help_, allow_abbrev=False)
        add_common(parser, argparse.SUPPRESS)
        self.parsers[name] = parser
        self.groups[name] = Verbs(parser)
        return self.groups[name]

    def add(self, name: str, help_: str, run: str) -> Parser:
        """`run` names the function as `MODULE:FUNCTION` within `api.cli`."""
        parser = self._verbs.add_parser(name, help=help_, description=help_, allow_abbrev=False)
        parser.set_defaults(run=run)
        add_common(parser, argparse.SUPPRESS)
        self.parsers[name] = parser
        return parser


def add_common(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """May stand before the command and after it."""
    parser.add_argument("--store", metavar="URL", default=default, help="folder of the store (default ./.evidence or EVIDENCE_STORE_URL)")
    parser.add_argument("--json", action="store_true", default=default or False, help="JSON on stdout, also for errors on stderr")


def whole_number(low: int, high: int | None = None) -> Callable[[str], int]:
    """A type of argument: a whole number of at least `low`, and at most `high`."""

    def read(text: str) -> int:
        if not text.isascii() or not text.isdecimal() or len(text) > 15 or int(text) < low:
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is no whole number of at least {low}")
        if high is not None and int(text) > high:
            raise argparse.ArgumentTypeError(f"{text} is more than {high}")
        return int(text)

    return read


def read_place(text: str) -> tuple[str, int | None]:
    """RESOURCE or RESOURCE@REV: the last `@` followed by digits only is the revision."""
    name, at, number = text.rpartition("@")
    if at and number.isascii() and number.isdecimal() and len(number) <= 15:
        return name, int(number)
    return text, None
