"""The command that puts the store before another MCP server."""

from argparse import Namespace

from api.cli.mcp import tell_of_new_store
from api.cli.output import Output
from api.errors import WrongUse
from api.settings import read_settings, whole_environment
from api.wiring import open_services


def run_wrap(arguments: Namespace, output: Output) -> int:
    try:
        from api.mcp.proxy.catalog import Naming
        from api.mcp.proxy.serving import START_TIMEOUT_S, WINDOW, ProxyOptions, serve_proxy  # start-up cost, and an extra
        from api.mcp.proxy.upstream import Address, Command, Upstream, parse_header
        from api.mcp.runs import parse_run
    except ImportError as why:
        raise WrongUse(f"`evidence mcp wrap` needs the extra: pip install 'evidence-store[mcp]' ({why.name} is missing)") from why
    if bool(arguments.words) == (arguments.url is not None):
        raise WrongUse("give the command of a server after --, or the address of one with --url")
    if arguments.header and arguments.url is None:
        raise WrongUse("--header goes with --url")
    environment = whole_environment()
    upstream: Upstream = Command(tuple(arguments.words), environment)
    if arguments.url is not None:
        upstream = Address(arguments.url, dict(parse_header(one, environment) for one in arguments.header))
    options = ProxyOptions(
        arguments.window or WINDOW,
        arguments.tokens,
        tuple(map(_tool_tokens, arguments.tool_tokens)),
        not arguments.no_filters,
        not arguments.no_offload,
        arguments.keep_all,
        None if arguments.run_name is None else parse_run(arguments.run_name),
        arguments.start_timeout or START_TIMEOUT_S,
        Naming(arguments.prefix, not arguments.no_tools),
    )
    settings = read_settings(arguments.store)
    tell_of_new_store(settings.store, output)
    with open_services(settings, create=True) as services:
        serve_proxy(services, upstream, options, output.note)
    return 0


def _tool_tokens(text: str) -> tuple[str, int]:
    """`TOOL=N`."""
    tool, equals, n_tokens = text.rpartition("=")
    if not (equals and tool and n_tokens.isascii() and n_tokens.isdecimal() and len(n_tokens) <= 9):
        raise WrongUse(f"--tool-tokens takes TOOL=N, not {text[:80]!r}")
    return tool, int(n_tokens)
