"""The command that serves HTTP and pages."""

from argparse import Namespace

from api.cli.output import Output
from api.errors import WrongUse
from api.server_settings import read_server_settings
from api.settings import read_settings
from api.wiring import open_services


def run_serve(arguments: Namespace, output: Output) -> int:
    try:
        from api.serving import Serving, serve  # start-up cost, and an extra
    except ImportError as why:
        raise WrongUse(f"`evidence serve` needs the extra: pip install 'evidence-store[server]' ({why.name} is missing)") from why
    how = Serving(
        arguments.port,
        arguments.host,
        arguments.unauthenticated,
        arguments.trusted_proxy,
        read_server_settings(),
        arguments.log,
        arguments.log_names,
    )
    with open_services(read_settings(arguments.store)) as services:
        serve(services, how, output.note)
    return 0
