"""Settings of the command line, read once from the environment and the arguments. Nothing below `api` reads either."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from api.errors import WrongUse
from evidence_store.documents.model import DEFAULT_LIMITS, Limits
from evidence_store.model import ClaimLabels

DEFAULT_STORE = "./.evidence"
STORE_VARIABLE = "EVIDENCE_STORE_URL"
KEY_VARIABLE = "EVIDENCE_STORE_KEY"
AT_URL = ("cat", "check", "diff", "get", "locate", "put", "read", "resources", "search", "summary", "trace")
"""Commands that work on a store behind a server, too."""
SECRETS_VARIABLE = "EVIDENCE_STORE_SECRETS"
SECRETS = ("mask", "show")
"""What is done with secrets in what is shown; the first is the default."""
CLAIM_LABELS_VARIABLE = "EVIDENCE_STORE_CLAIM_LABELS"
LIMIT_VARIABLES = {
    "max_bytes": "EVIDENCE_STORE_MAX_BYTES",
    "max_depth": "EVIDENCE_STORE_MAX_DEPTH",
    "max_nodes": "EVIDENCE_STORE_MAX_NODES",
    "max_alias_nodes": "EVIDENCE_STORE_MAX_ALIAS_NODES",
    "max_merge_depth": "EVIDENCE_STORE_MAX_MERGE_DEPTH",
    "max_repeats": "EVIDENCE_STORE_MAX_REPEATS",
    "max_line_bytes": "EVIDENCE_STORE_MAX_LINE_BYTES",
    "max_seconds": "EVIDENCE_STORE_MAX_SECONDS",
}
"""Field of the limits to its variable."""


@dataclass(frozen=True, slots=True)
class Settings:
    store: Path
    """Folder of the embedded store."""
    limits: Limits = DEFAULT_LIMITS
    """Bounds that documents are held to."""
    show_secrets: bool = False
    """Whether secrets stand in what is shown as they stand in the source."""
    claim_labels: ClaimLabels = ClaimLabels.CITED
    """Which labels a new claim gets beside those of what it cites."""


_PROCESS: Mapping[str, str] = os.environ


def read_settings(store: str | None, environment: Mapping[str, str] = _PROCESS) -> Settings:
    """The argument, else the variable, else the default. Raises WrongUse for an address of another kind, or a bad variable."""
    address = read_address(store, environment)
    show_secrets = read_secrets(environment) == "show"
    return Settings(folder_of(address), read_limits(environment), show_secrets, read_claim_labels(environment))


def read_address(store: str | None, environment: Mapping[str, str] = _PROCESS) -> str:
    """The argument, else the variable, else the default."""
    return store or environment.get(STORE_VARIABLE) or DEFAULT_STORE


def read_key(environment: Mapping[str, str] = _PROCESS) -> str | None:
    """The key of a server."""
    return environment.get(KEY_VARIABLE) or None


def whole_environment() -> Mapping[str, str]:
    """All of it, for a process that is started in our place."""
    return dict(_PROCESS)


def read_secrets(environment: Mapping[str, str]) -> str:
    """`mask` or `show`. Raises WrongUse for any other word: a wrong one must not show what was meant to be masked."""
    word = environment.get(SECRETS_VARIABLE) or SECRETS[0]
    if word not in SECRETS:
        raise WrongUse(f"{SECRETS_VARIABLE} is {word[:40]!r}, and must be mask or show", {"known": list(SECRETS)})
    return word


def read_claim_labels(environment: Mapping[str, str]) -> ClaimLabels:
    """Raises WrongUse for any other word: with a wrong one claims would be seen by more than was meant."""
    word = environment.get(CLAIM_LABELS_VARIABLE) or ClaimLabels.CITED.value
    known = [one.value for one in ClaimLabels]
    if word not in known:
        raise WrongUse(f"{CLAIM_LABELS_VARIABLE} is {word[:40]!r}, and must be one of {', '.join(known)}", {"known": known})
    return ClaimLabels(word)


def read_limits(environment: Mapping[str, str]) -> Limits:
    """The limits with those that a variable gives. Raises WrongUse for what is no whole number."""
    given = {}
    for field, variable in LIMIT_VARIABLES.items():
        text = environment.get(variable, "")
        if text and not (text.isascii() and text.isdecimal() and 0 < int(text) < 2**53):
            raise WrongUse(f"{variable} is {text[:40]!r}, and must be a whole number above 0")
        if text:
            given[field] = int(text)
    return replace(DEFAULT_LIMITS, **given)


def is_server(address: str) -> bool:
    """Whether it is that of a store behind a server."""
    return address.lower().startswith(("http://", "https://"))


def folder_of(address: str) -> Path:
    """A folder, or a `file:` URL of one. Raises WrongUse."""
    if is_server(address):
        raise WrongUse(
            f"this works on a store in a folder; at a URL there are {', '.join(AT_URL)}, and api.client", {"known": list(AT_URL)}
        )
    try:
        parts = urlsplit(address)
    except ValueError as why:
        raise WrongUse(f"{address[:200]!r} is no address of a store: {why}") from why
    is_file_url = parts.scheme == "file" and parts.netloc in ("", "localhost")
    if "://" in address and not is_file_url:
        raise WrongUse(f"a store is a folder or a file: URL, not {parts.scheme}:", {"known": ["file"]})
    folder = unquote(parts.path) if is_file_url else address
    if "\0" in folder:
        raise WrongUse("the address of a store holds no NUL")
    return Path(folder)
