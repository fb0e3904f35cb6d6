"""Settings of the command line, read once from the environment and the arguments. Nothing below `api` reads either."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from api.errors import WrongUse

DEFAULT_STORE = "./.evidence"
STORE_VARIABLE = "EVIDENCE_STORE_URL"


@dataclass(frozen=True, slots=True)
class Settings:
    store: Path
    """Folder of the embedded store."""


def read_settings(store: str | None, environment: Mapping[str, str] = os.environ) -> Settings:
    """The argument, else the variable, else the default. Raises WrongUse for an address of another kind."""
    address = store or environment.get(STORE_VARIABLE) or DEFAULT_STORE
    return Settings(folder_of(address))


def folder_of(address: str) -> Path:
    """A folder, or a `file:` URL of one. Raises WrongUse."""
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
