"""Digests in headers (RFC 9530), and in ours."""

import base64
import re

from api.errors import WrongUse
from evidence_store.model import Digest

_SHA256 = re.compile(r"(?:^|,)\s*sha-256=:([A-Za-z0-9+/=]{44}):")


def read_content_digest(header: str | None) -> Digest | None:
    """The SHA-256 that a `Content-Digest` names; None without one, other algorithms are not looked at. Raises WrongUse."""
    if header is None:
        return None
    found = _SHA256.search(header)
    if found is None:
        if "sha-256=" in header:
            raise WrongUse("Content-Digest is not as RFC 9530 has it: sha-256=:BASE64:", code="bad_digest")
        return None
    try:
        return Digest("sha256:" + base64.b64decode(found[1], validate=True).hex())
    except ValueError as why:
        raise WrongUse("Content-Digest is not as RFC 9530 has it: sha-256=:BASE64:", code="bad_digest") from why


def content_digest(digest: Digest) -> str:
    """A digest of ours as the header has it."""
    return f"sha-256=:{base64.b64encode(bytes.fromhex(digest.removeprefix('sha256:'))).decode()}:"
