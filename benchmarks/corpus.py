"""Real documents and logs for benchmarks, where a corpus is at hand: `CORPUS=DIR`, or `../shared/corpus` beside the checkout.

Nothing of it is committed. A benchmark without it says so and ends.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import zstandard

DEFAULT = Path(__file__).resolve().parent.parent.parent / "shared" / "corpus"


def folder() -> Path:
    """The corpus. Ends the program, saying what is missing, where there is none."""
    found = Path(os.environ.get("CORPUS", DEFAULT))
    if not found.is_dir():
        sys.exit(f"no corpus at {found}: set CORPUS to a folder with specs/ and logs/")
    return found


def versions(family: str) -> Sequence[Path]:
    """The stored versions of a family of documents, oldest first."""
    return sorted((folder() / "specs" / family).glob("*.zst"))


def read(path: Path) -> bytes:
    with path.open("rb") as file:
        return zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(file).read()


def long_log(n_bytes: int) -> bytes:
    """Continuous-integration logs one after the other, at least so long, cut at a line end."""
    logs = [read(path) for path in sorted((folder() / "logs" / "treeherder").glob("*.zst"))]
    whole = b"".join(logs)
    whole = whole * -(-n_bytes // len(whole))
    return whole[: whole.rindex(b"\n", 0, n_bytes) + 1]
