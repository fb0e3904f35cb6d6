"""Services at an address: a folder of this machine, or a server."""

from pathlib import Path
from typing import TYPE_CHECKING

from api.errors import WrongUse
from api.settings import Settings, is_server
from api.wiring import AgentServices, open_services

if TYPE_CHECKING:
    from api.client import EvidenceClient


def open_agent_services(address: Path | str, key: str | None = None) -> AgentServices:
    """Services over the store in a folder, made where there is none, or over the server at a URL, which a key opens. Close them.

    Raises WrongUse for a key beside a folder, StoreFault.
    """
    if isinstance(address, str) and is_server(address):
        client = open_client(address, key)
        from api.client import remote_services  # an extra

        return remote_services(client)
    if key is not None:
        raise WrongUse("a key opens a server, http://HOST or https://HOST; a folder needs none")
    return open_services(Settings(Path(address)), create=True)


def open_client(url: str, key: str | None) -> "EvidenceClient":
    """Raises WrongUse where the extra is not installed, and for what is no address."""
    try:
        from api.client import EvidenceClient  # an extra
    except ImportError as why:
        raise WrongUse(f"a store at a URL needs the extra: pip install 'evidence-store[client]' ({why.name} is missing)") from why
    return EvidenceClient(url, key)
