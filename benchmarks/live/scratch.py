"""A folder for a store of one run, gone afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A store may be made at the path that this gives."""
    with TemporaryDirectory(prefix="bench-live-") as folder:
        yield Path(folder) / "store"
