"""Pages made from the code: commands with their options, bounds, error codes with their classes; and `llms.txt`, from the navigation.

`python -m tests.docs.reference` writes them anew. What a code means and what to do is in docs/errors.md; here is what the code says of
itself.
"""

import argparse
from collections.abc import Iterator
from dataclasses import fields

import yaml

from api import settings
from api.cli.commands import add_commands
from api.cli.parser import Parser, Verbs
from evidence_store.documents.model import Limits
from tests.conftest import ROOT
from tests.docs.error_codes import collect_codes
from tests.docs.pages import DOCS

SITE = ROOT / "mkdocs.yml"
MADE = "<!-- made by tests/docs/reference.py -->"
HIDDEN = {"--help"}


def pages() -> dict[str, str]:
    """Text by the name of the file below `docs/`."""
    return {
        "reference/command-line.md": command_line(),
        "reference/settings.md": all_settings(),
        "reference/error-codes.md": error_codes(),
        "llms.txt": llms(),
    }


def llms() -> str:
    """The index for models: the navigation of the site with links to the pages as Markdown."""
    lines = ["# evidence-store", ""]
    lines += [
        "> Keeps every tool output of a long-running agent whole, and leads each conclusion back to the exact bytes that it rests on.",
        "",
    ]
    for entry in yaml.safe_load(SITE.read_text(encoding="utf-8"))["nav"]:
        ((title, inner),) = entry.items()
        if isinstance(inner, str):
            lines.append(f"- [{title}]({inner})")
            continue
        lines += ["", f"## {title}", "", *(f"- [{name}]({page})" for one in inner for name, page in one.items())]
    return "\n".join(lines) + "\n"


def command_line() -> str:
    parser = Parser(prog="evidence")
    add_commands(Verbs(parser))
    lines = ["# Command line", "", MADE, "", "Every command with its options. How they go together is in [cli.md](../cli.md)."]
    for name, command in _commands(parser, ""):
        lines += ["", f"## `evidence {name}`", "", _sentence(command.description or ""), "", "| option | |", "|---|---|"]
        lines += [_row(action) for action in command._actions if not HIDDEN & set(action.option_strings)]
    return "\n".join(lines) + "\n"


def _commands(parser: argparse.ArgumentParser, before: str) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield from list(_commands(inner, f"{before}{name} ")) or [(f"{before}{name}", inner)]


def _row(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else f" {action.metavar or action.dest.upper()}"
    name = f"{', '.join(action.option_strings)}{value}" if action.option_strings else str(action.metavar or action.dest)
    choices = f" One of {', '.join(f'`{one}`' for one in action.choices)}." if action.choices else ""
    default = "" if action.default in (None, False, argparse.SUPPRESS, []) else f" `{action.default}` without it."
    meaning = _sentence((action.help or "").replace("%(default)s", str(action.default)))
    return f"| `{name}` | {_cell(meaning + choices + default)} |"


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if not text or text.endswith(".") else f"{text}."


def _cell(text: str) -> str:
    return text.replace("|", "\\|").strip()


def all_settings() -> str:
    named = settings.LIMIT_VARIABLES
    lines = [
        "# Settings",
        "",
        MADE,
        "",
        "Variables of the environment that are bounds, with the field of `Limits` that each one sets. What each",
    ]
    lines += ["means, and the settings that are no bounds, are in [settings.md](../settings.md).", "", "| variable | field | without it |"]
    lines += ["|---|---|---:|"]
    defaults = {field.name: getattr(Limits(), field.name) for field in fields(Limits)}
    lines += [f"| `{named[name]}` | `{name}` | {value:,} |".replace(",", " ") for name, value in defaults.items() if name in named]
    return "\n".join(lines) + "\n"


def error_codes() -> str:
    lines = [
        "# Error codes",
        "",
        MADE,
        "",
        "Every code and the classes that carry it. When it comes, and what to do, is in [errors.md](../errors.md).",
        "",
    ]
    lines += ["| code | classes |", "|---|---|"]
    by_code: dict[str, list[str]] = {}
    for one in sorted(collect_codes().spelled):
        by_code.setdefault(one.code, []).append(f"`{one.error}`")
    lines += [f"| `{code}` | {', '.join(classes)} |" for code, classes in by_code.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")
