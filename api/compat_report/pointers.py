"""JSON Pointers (RFC 6901) as far as a reader of API documents needs them, and local `$ref` texts."""

from urllib.parse import unquote


def split_pointer(pointer: str) -> tuple[str, ...]:
    """The tokens of a pointer in plain form, escapes undone."""
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:])


def join_pointer(tokens: tuple[str, ...]) -> str:
    """Inverse of `split_pointer`."""
    return "".join(f"/{escape_token(token)}" for token in tokens)


def escape_token(token: str) -> str:
    return token.replace("~", "~0").replace("/", "~1")


def parent_of(pointer: str) -> str:
    """The pointer of the container; the empty pointer is its own."""
    return pointer.rpartition("/")[0]


def find_target(ref: str) -> str | None:
    """The pointer that a `$ref` into the same document means, None when it leads elsewhere or names an anchor."""
    if not ref.startswith("#"):
        return None
    pointer = unquote(ref[1:])
    return pointer if pointer == "" or pointer.startswith("/") else None
