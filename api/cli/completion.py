"""The command that prints a completion script: commands, their options and the words that an option takes; else files.

Made from the parser, so that it cannot lag behind it. Nothing is run when a word is completed.
"""

import argparse
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from api.cli.commands import add_commands
from api.cli.output import Output
from api.cli.parser import Parser, Verbs, add_common

TOP = ""
"""Stands for `evidence` itself, where a command is named by its words."""


@dataclass(frozen=True, slots=True)
class _Command:
    help: str
    options: tuple[argparse.Action, ...]
    words: tuple[str, ...]
    """Of its arguments, where only some words are taken; empty: files."""
    below: tuple[str, ...] = ()
    """The commands of a group, by their last word."""


def run_completion(arguments: Namespace, output: Output) -> int:
    make = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}[arguments.shell]
    script = make(_commands())
    output.value({"shell": arguments.shell, "script": script}, script)
    return 0


def _commands() -> dict[str, _Command]:
    """By their words: `put`, `mcp`, `mcp serve`; a group before what is below it."""
    parser = Parser(prog="evidence")
    verbs = Verbs(parser)
    add_common(parser)
    add_commands(verbs)
    parser.add_argument("--version", action="store_true", help="the version")
    return {TOP: _command(parser, tuple(verbs.parsers)), **_below(TOP, verbs)}


def _below(group: str, verbs: Verbs) -> dict[str, _Command]:
    found = {}
    for name, parser in verbs.parsers.items():
        words = f"{group} {name}".strip()
        inner = verbs.groups.get(name)
        found[words] = _command(parser, tuple(inner.parsers) if inner else ())
        if inner:
            found |= _below(words, inner)
    return found


def _command(parser: Parser, below: tuple[str, ...]) -> _Command:
    options = tuple(action for action in parser.added if action.option_strings)
    words = dict.fromkeys(str(one) for action in parser.added if not action.option_strings for one in action.choices or ())
    return _Command(parser.description or "", options, tuple(words), below)


def _name(action: argparse.Action) -> str:
    return action.option_strings[-1]


def _words(action: argparse.Action) -> str:
    """That an option takes, with blanks between them; empty where it takes anything."""
    return " ".join(map(str, action.choices or ()))


def bash_script(commands: Mapping[str, _Command]) -> str:
    """For `source <(evidence completion bash)`. Written for bash 3.2, which macOS has."""
    values, lines = [], []
    for name, command in commands.items():
        words = (*command.below, *command.words, *map(_name, command.options))
        lines.append(f"    '{name}') words='{' '.join(words)}' files={'' if command.below else 'yes'};;")
        taking = [one for one in command.options if one.nargs != 0]
        values += [f"    '{name}:{_name(one)}') words='{_words(one)}' files={'' if one.choices else 'yes'};;" for one in taking]
    return "\n".join(
        [
            "_evidence() {",
            "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb= last= words= files= word",
            '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
            "    [[ $word == -- ]] && { verb=--; break; }",
            '    [[ $last == --store ]] || case "${verb:+$verb }$word" in',
            f'      {_alternatives(commands)}) verb="${{verb:+$verb }}$word";;',
            "    esac",
            "    last=$word",
            "  done",
            '  case "$verb" in',
            *lines,
            "    --) files=yes;;",
            "  esac",
            '  case "$verb:$prev" in',
            *values,
            "  esac",
            '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
            "  [[ -z $files || $cur == -* ]] && return",
            "  local IFS=$'\\n'",
            '  COMPREPLY+=($(compgen -f -- "$cur"))',
            "}",
            "complete -o filenames -F _evidence evidence\n",
        ]
    )


def _alternatives(commands: Mapping[str, _Command], between: str = "|") -> str:
    return between.join(f"'{name}'" for name in commands if name != TOP)


def zsh_script(commands: Mapping[str, _Command]) -> str:
    """For a file `_evidence` in a folder of `fpath`, or `source <(evidence completion zsh)`."""
    groups = [_zsh_group(name, commands) for name, command in commands.items() if command.below]
    return "\n".join(["#compdef evidence", *groups, "compdef _evidence evidence\n"])


def _zsh_group(name: str, commands: Mapping[str, _Command]) -> str:
    cases, verbs = [], []
    for one in commands[name].below:
        words = f"{name} {one}".strip()
        verbs.append(f"      {_quoted(f'{one}:{commands[words].help}')}")
        cases.append(f"    {one}) {_zsh_function(words)};;" if commands[words].below else _zsh_case(one, commands[words]))
    return "\n".join(
        [
            f"{_zsh_function(name)}() {{",
            "  local curcontext=$curcontext state line",
            "  local -a verbs",
            *_zsh_arguments("  ", commands[name].options, "'1: :->verb' '*:: :->rest'", "-C "),
            "  case $state in",
            "  verb)",
            "    verbs=(",
            *verbs,
            "    )",
            "    _describe command verbs;;",
            "  rest) case $words[1] in",
            *cases,
            "    esac;;",
            "  esac",
            "}",
        ]
    )


def _zsh_function(group: str) -> str:
    return "_evidence" + "".join(f"_{word}" for word in group.split())


def _zsh_case(name: str, command: _Command) -> str:
    rest = f"'*:word:({' '.join(command.words)})'" if command.words else "'*:file:_files'"
    return "\n".join([f"    {name})", *_zsh_arguments("      ", command.options, rest), "      ;;"])


def _zsh_arguments(indent: str, options: Sequence[argparse.Action], rest: str, flags: str = "") -> list[str]:
    return [f"{indent}_arguments {flags}\\", *(f"{indent}  {_zsh_option(action)} \\" for action in options), f"{indent}  {rest}"]


def _zsh_option(action: argparse.Action) -> str:
    takes = "" if action.nargs == 0 else f":{action.dest}:" + (f"({_words(action)})" if action.choices else "_files")
    help_ = (action.help or "").replace("[", "(").replace("]", ")").replace(":", " ")
    return _quoted(f"*{_name(action)}[{help_}]{takes}")


def fish_script(commands: Mapping[str, _Command]) -> str:
    """For `evidence completion fish > ~/.config/fish/completions/evidence.fish`."""
    lines = [
        "function __evidence_at --description 'Whether these are the words of the command so far'",
        "  set -l verb",
        "  set -l last",
        "  for word in (commandline -opc)[2..-1]",
        '    test "$word" = --; and return 1',
        f'    if test "$last" != --store; and contains -- (string join -- " " $verb $word) {_alternatives(commands, " ")}',
        "      set -a verb $word",
        "    end",
        "    set last $word",
        "  end",
        '  test "$verb" = "$argv"',
        "end",
    ]
    for name, command in commands.items():
        here = f"complete -c evidence -n {_quoted(f'__evidence_at {name}'.strip())}"
        below = [(one, commands[f"{name} {one}".strip()].help) for one in command.below]
        lines += [f"{here} -f -a {one} -d {_quoted(help_)}" for one, help_ in below]
        lines += [f"{here} -f -a {_quoted(' '.join(command.words))}"] if command.words else []
        lines += [f"{here} {_fish_option(action)}" for action in command.options]
    return "\n".join(lines) + "\n"


def _fish_option(action: argparse.Action) -> str:
    takes = "" if action.nargs == 0 else f" -x -a {_quoted(_words(action))}" if action.choices else " -r"
    return f"-l {_name(action).removeprefix('--')}{takes} -d {_quoted(action.help or '')}"


def _quoted(text: str) -> str:
    """In single quotes, for all three shells; a quote within is left out."""
    return "'" + text.replace("'", "").replace("\\", "") + "'"
