"""JSON Pointers (RFC 6901) as far as a reader of API documents needs them, and where a `$ref` leads.

A place in the document itself is its pointer. A place in another file of the same upload is an address, `RESOURCE#POINTER`: a pointer is
empty or begins with a slash, the name of a resource does neither, so the two are told apart by their first character.
"""

import posixpath
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True, slots=True)
class Located:
    """An address taken apart."""

    resource: str
    """Empty for the document itself."""
    pointer: str


def locate(address: str) -> Located:
    """Inverse of `format_address`."""
    if not address or address[0] == "/":
        return Located("", address)
    resource, _, pointer = address.partition("#")
    return Located(resource, pointer)


def format_address(resource: str, pointer: str) -> str:
    return f"{resource}#{pointer}" if resource else pointer


def is_root(address: str) -> bool:
    """Whether the address is a whole document."""
    return not address or (address[0] != "/" and address.find("#") == len(address) - 1)


def split_pointer(address: str) -> tuple[str, ...]:
    """The tokens of a pointer in plain form or of that in an address, escapes undone."""
    return tuple(map(unescape_token, locate(address).pointer.split("/")[1:]))


def escape_token(token: str) -> str:
    return token.replace("~", "~0").replace("/", "~1")


def unescape_token(token: str) -> str:
    return token.replace("~1", "/").replace("~0", "~") if "~" in token else token


def last_token(address: str) -> str:
    """The name of the place in its container; empty for a whole document."""
    return "" if is_root(address) else unescape_token(address.rpartition("/")[2])


def parent_of(address: str) -> str:
    """The address of the container; a whole document is its own."""
    return address if is_root(address) else address.rpartition("/")[0]


def ancestor_of(address: str, depth: int) -> str:
    """The place that so many tokens lead to."""
    found = locate(address)
    return format_address(found.resource, "/".join(found.pointer.split("/")[: depth + 1]))


def find_target(ref: str, home: str, root: str) -> str | None:
    """The address that a `$ref` standing at `home` means; None when it leads out of the store or names an anchor.

    `root` names the resource of the document itself. A relative name leads to the resource of that name beside the one that holds the
    reference; an absolute one, an address of the network and a way out above the first folder lead nowhere.
    """
    name, hash_, fragment = ref.partition("#")
    pointer = unquote(fragment)
    if not (hash_ or name) or (pointer and not pointer.startswith("/")):
        return None
    here = locate(home).resource
    if not name:
        return format_address(here, pointer)
    if name.startswith("/") or "\\" in name or urlsplit(name).scheme:
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(here or root), name))
    if path in (".", "..") or path.startswith("../"):
        return None
    return format_address("" if path == root else path, pointer)
