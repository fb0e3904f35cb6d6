"""What both clients send besides operations: the address of the server, the key, the time-outs."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from api.errors import WrongUse
from evidence_store import VERSION

TIMEOUT_S = 60.0
"""How long the server may be silent; a connection has to stand within `CONNECT_S`."""
CONNECT_S = 10.0


@dataclass(frozen=True, slots=True)
class Server:
    """Where the service is, and who asks."""

    url: str
    """Without a slash at its end."""
    headers: Mapping[str, str]


def server_of(url: str, key: str | None) -> Server:
    """Raises WrongUse for what is no address of HTTP, or one that holds a password."""
    try:
        parts = urlsplit(url)
        bad = parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None or parts.query or parts.fragment
    except ValueError:
        bad = True
    if bad:
        raise WrongUse("the address of a server is http://HOST or https://HOST, without user, query and fragment")
    headers = {"User-Agent": f"evidence-store/{VERSION}", "Accept": "application/json, application/problem+json, */*"}
    if key is not None:
        if not key.isascii() or not key.isprintable() or " " in key or not key:
            raise WrongUse("a key is printable ASCII characters, such as es_…")
        headers["Authorization"] = f"Bearer {key}"
    return Server(url.rstrip("/"), headers)
