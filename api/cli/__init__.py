"""The command `evidence`: results on stdout, talk on stderr, an exit code for each kind of end (docs/cli.md).

Exit codes: 0 done, 1 the check says no, 2 wrong use or refused input, 3 not found or not permitted, 4 store fault.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from api.cli.commands import add_commands
from api.cli.output import Output
from api.cli.parser import Parser, Run, Verbs, add_common, wants_json
from api.errors import EXIT_STORE_FAULT, exit_code
from api.settings import AT_URL, is_server, read_address
from evidence_store import VERSION
from evidence_store.errors import EvidenceStoreError, StoreUnavailable


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit code."""
    words = [os.fsencode(word).decode("utf-8", "surrogateescape") for word in sys.argv[1:]] if arguments is None else list(arguments)
    output = Output(json=wants_json(words))
    try:
        parsed = _parser().parse_args(words)
        return _runner(parsed.run, parsed.store)(parsed, output)
    except EvidenceStoreError as why:
        output.error(why)
        return exit_code(why)
    except BrokenPipeError:
        _drop_unwritten()  # the reader of our output has gone: nothing is left to say
        return 0
    except KeyboardInterrupt:
        return 130
    except OSError as why:
        output.error(StoreUnavailable(f"{why.strerror or why}: {why.filename}" if why.filename else str(why)))
        _drop_unwritten()
        return EXIT_STORE_FAULT


def _drop_unwritten() -> None:
    """What stdout does not take now, Python must not try to write again at its exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> Parser:
    parser = Parser(prog="evidence", description="Keeps tool outputs whole, and leads conclusions to their bytes.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"evidence-store {VERSION}")
    add_common(parser)
    add_commands(Verbs(parser))
    return parser


def _runner(name: str, store: str | None) -> Run:
    """The function behind `MODULE:FUNCTION`: each command loads what it needs, and no more. A store behind a server has its own."""
    module, _, function = name.partition(":")
    if is_server(read_address(store)) and function.removeprefix("run_") in AT_URL:
        module = "remote"
    run: Run = getattr(import_module(f"api.cli.{module}"), function)
    return run
