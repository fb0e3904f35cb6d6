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
    """A folder, or a `file:` URL of one."""
    parts = urlsplit(address)
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return Path(unquote(parts.path))
    if "://" in address:
        raise WrongUse(f"a store is a folder or a file: URL, not {parts.scheme}:", {"known": ["file"]})
    return Path(address)
