"""The command that prints a completion script: commands, their options and the words that an option takes; else files.

Made from the parser, so that it cannot lag behind it. Nothing is run when a word is completed.
"""

import argparse
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass

from api.cli.commands import add_commands
from api.cli.output import Output
from api.cli.parser import Parser, Verbs


@dataclass(frozen=True, slots=True)
class _Command:
    help: str
    options: tuple[argparse.Action, ...]
    """Of a group, those of all its commands."""
    words: tuple[str, ...]
    """Of its first arguments, where only some words are taken; of a group, its commands."""


def run_completion(arguments: Namespace, output: Output) -> int:
    make = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}[arguments.shell]
    script = make(_commands())
    output.value({"shell": arguments.shell, "script": script}, script)
    return 0


def _commands() -> dict[str, _Command]:
    verbs = Verbs(Parser(prog="evidence"))
    add_commands(verbs)
    found = {}
    for name, parser in verbs.parsers.items():
        below = verbs.groups[name].parsers if name in verbs.groups else {}
        added = [action for one in (parser, *below.values()) for action in one.added]
        options = {action.option_strings[-1]: action for action in added if action.option_strings}
        words = (str(one) for action in parser.added if not action.option_strings for one in action.choices or ())
        found[name] = _Command(parser.description or "", tuple(options.values()), tuple(dict.fromkeys((*below, *words))))
    return found


def _options(command: _Command) -> list[str]:
    return [name for action in command.options for name in action.option_strings if name.startswith("--")]


def _choices(command: _Command) -> dict[str, tuple[str, ...]]:
    """Option to the words that it takes."""
    return {action.option_strings[-1]: tuple(map(str, action.choices)) for action in command.options if action.choices}


def bash_script(commands: Mapping[str, _Command]) -> str:
    """For `source <(evidence completion bash)`."""
    values = [
        f"    {name}:{option}) COMPREPLY=($(compgen -W '{' '.join(words)}' -- \"$cur\")); return;;"
        for name, command in commands.items()
        for option, words in _choices(command).items()
    ]
    words = [f"    {name}) words='{' '.join((*command.words, *_options(command)))}';;" for name, command in commands.items()]
    return "\n".join(
        [
            "_evidence() {",
            "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb= words= word",
            '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
            f"    case $word in {'|'.join(commands)}) verb=$word; break;; esac",
            "  done",
            "  case $verb:$prev in",
            *values,
            "  esac",
            "  case $verb in",
            f"    '') words='{' '.join(commands)} --store --json --version --help';;",
            *words,
            "  esac",
            '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
            '  [[ $cur == -* || -z $verb ]] || COMPREPLY+=($(compgen -f -- "$cur"))',
            "}",
            "complete -o filenames -F _evidence evidence\n",
        ]
    )


def zsh_script(commands: Mapping[str, _Command]) -> str:
    """For a file `_evidence` in a folder of `fpath`, or `source <(evidence completion zsh)`."""
    verbs = [f"    {_quoted(f'{name}:{command.help}')}" for name, command in commands.items()]
    cases = []
    for name, command in commands.items():
        specs = [_zsh_option(action) for action in command.options]
        words = f"'*:word:({' '.join(command.words)})'" if command.words else "'*:file:_files'"
        cases.append("\n".join([f"    {name}) _arguments \\", *(f"      {spec} \\" for spec in specs), f"      {words};;"]))
    return "\n".join(
        [
            "#compdef evidence",
            "_evidence() {",
            "  local -a verbs",
            "  verbs=(",
            *verbs,
            "  )",
            "  if (( CURRENT == 2 )); then _describe command verbs; return; fi",
            "  shift words; (( CURRENT-- ))",
            "  case $words[1] in",
            *cases,
            "  esac",
            "}",
            "compdef _evidence evidence\n",
        ]
    )


def _zsh_option(action: argparse.Action) -> str:
    takes = "" if action.nargs == 0 else f":{action.dest}:" + (f"({' '.join(map(str, action.choices))})" if action.choices else "_files")
    help_ = (action.help or "").replace("[", "(").replace("]", ")").replace(":", " ")
    return _quoted(f"*{action.option_strings[-1]}[{help_}]{takes}")


def fish_script(commands: Mapping[str, _Command]) -> str:
    """For `evidence completion fish > ~/.config/fish/completions/evidence.fish`."""
    lines = []
    for name, command in commands.items():
        lines.append(f"complete -c evidence -n __fish_use_subcommand -f -a {name} -d {_quoted(command.help)}")
        here = f"complete -c evidence -n '__fish_seen_subcommand_from {name}'"
        if command.words:
            lines.append(f"{here} -f -a {_quoted(' '.join(command.words))}")
        for action in command.options:
            takes = "" if action.nargs == 0 else " -x -a " + _quoted(" ".join(map(str, action.choices))) if action.choices else " -r"
            lines.append(f"{here} -l {action.option_strings[-1].removeprefix('--')}{takes} -d {_quoted(action.help or '')}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """In single quotes, for all three shells; a quote within is left out."""
    return "'" + text.replace("'", "").replace("\\", "") + "'"
