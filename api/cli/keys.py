"""The commands of keys: making one for somebody who asks over HTTP, listing them, taking one out of use."""

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from api.cli.output import Output
from api.presenters import key_json
from api.settings import read_settings
from api.wiring import open_services
from evidence_store.access import ApiKey, Grant
from evidence_store.model import WorkspaceName
from evidence_store.store.core import microseconds_now
from evidence_store.store.keys import HOUR_US, KeyRequest, Keys

AUTHOR = "local"
DAY_US = 24 * HOUR_US


def run_create(arguments: Namespace, output: Output) -> int:
    expires_at = None if arguments.expires_in is None else microseconds_now() + arguments.expires_in * DAY_US
    clearances = None if arguments.all_clearances else frozenset(arguments.clearance)
    grants = frozenset(map(Grant, arguments.grant))
    with _keys(arguments) as keys:
        made = keys.create(KeyRequest(arguments.name, grants, clearances, arguments.sees_secrets, expires_at), AUTHOR)
    output.value({**key_json(made.key), "secret": made.secret}, f"{made.secret}\n")
    output.note(f"{made.key.id} for {made.key.name!r}; its secret is shown this once")
    return 0


def run_list(arguments: Namespace, output: Output) -> int:
    with _keys(arguments) as keys:
        found = keys.list_keys()
    output.value({"keys": [key_json(one) for one in found]}, "".join(map(_line, found)) or "no keys\n")
    return 0


def run_revoke(arguments: Namespace, output: Output) -> int:
    with _keys(arguments) as keys:
        keys.revoke(arguments.key, AUTHOR)
    output.value({"id": arguments.key, "revoked": True}, f"revoked {arguments.key}\n")
    return 0


@contextmanager
def _keys(arguments: Namespace) -> Iterator[Keys]:
    with open_services(read_settings(arguments.store)) as services:
        yield services.store.of_workspace(WorkspaceName(arguments.workspace)).keys


def _line(key: ApiKey) -> str:
    cleared = "all labels" if key.clearances is None else ", ".join(sorted(key.clearances)) or "no label"
    used = "never used" if key.used_hour is None else f"used {_time(key.used_hour * HOUR_US)}"
    ends = "revoked" if key.revoked else "no end" if key.expires_at is None else f"until {_time(key.expires_at)}"
    return f"{key.id}  {key.name!r}  {' '.join(sorted(key.grants))}  cleared for {cleared}  {ends}, {used}\n"


def _time(at: int) -> str:
    return datetime.fromtimestamp(at // 1_000_000, UTC).strftime("%Y-%m-%dT%H:%MZ")
