"""The commands of MCP: serving it, and what a client is configured with."""

import shutil
import sys
from argparse import Namespace
from pathlib import Path

from api.cli.output import Output
from api.errors import WrongUse
from api.mcp.clients import Launch, snippet
from api.settings import read_settings
from api.wiring import open_services
from evidence_store.store import DATABASE_NAME


def tell_of_new_store(folder: Path, output: Output) -> None:
    """Before a store is made because a server needs one: a name that was mistyped would show nothing else."""
    if not (folder / DATABASE_NAME).exists():
        output.note(f"there is no store at {str(folder)!r}: one is made")


def run_serve(arguments: Namespace, output: Output) -> int:
    try:
        from api.mcp.runs import parse_run
        from api.mcp.server import McpOptions
        from api.mcp.serving import parse_http_place, serve_http, serve_stdio  # start-up cost, and an extra
    except ImportError as why:
        raise WrongUse(f"`evidence mcp serve` needs the extra: pip install 'evidence-store[mcp]' ({why.name} is missing)") from why
    run = None if arguments.run_name is None else parse_run(arguments.run_name)
    options = McpOptions(arguments.recording, run, arguments.links)
    place = None if arguments.http is None else parse_http_place(arguments.http, unprotected=arguments.unprotected)
    settings = read_settings(arguments.store)
    tell_of_new_store(settings.store, output)
    with open_services(settings, create=True) as services:
        if place is None:
            serve_stdio(services, options)
        else:
            serve_http(services, options, place, output.note)
    return 0


def find_command() -> str:
    """The `evidence` that a client can start, in full: that of this environment, else of the path, which clients do not share."""
    beside = Path(sys.executable).parent / "evidence"
    found = shutil.which(beside) or shutil.which("evidence")
    return "evidence" if found is None else str(Path(found).absolute())


def run_config(arguments: Namespace, output: Output) -> int:
    if arguments.url is not None and (arguments.recording or arguments.run_name is not None):
        raise WrongUse("--recording and --run are said to the server when it is started; with --url the client starts none")
    # A client starts the server in a folder of its own, so the store is named in full.
    store = Path(read_settings(arguments.store).store).absolute()
    words = ["mcp", "serve", "--store", str(store)]
    if arguments.recording:
        words.append("--recording")
    if arguments.run_name is not None:
        words += ["--run", arguments.run_name]
    found = snippet(arguments.client, Launch(arguments.command or find_command(), tuple(words), arguments.url))
    output.note(f"goes into {found.file}")
    output.value({"client": arguments.client, "file": found.file, "text": found.text}, found.text)
    return 0
