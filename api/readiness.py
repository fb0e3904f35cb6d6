"""Whether the server can do its work now: the store answers and can be written, and there is space left."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from api.wiring import Services
from evidence_store.errors import StoreFault, StoreUnavailable


class NotReady(StoreUnavailable):
    """Something that the server needs is not there; `failed` names it."""

    code = "not_ready"


def require_ready(services: Services, min_free_bytes: int) -> None:
    """Raises NotReady, naming what failed of `database`, `schema`, `blobs` and `space`."""
    failed = [*_database_faults(services), *_folder_faults(services.folder, min_free_bytes)]
    if failed:
        raise NotReady(f"not ready: {', '.join(failed)}", {"failed": failed})


def _database_faults(services: Services) -> Sequence[str]:
    try:
        services.store.core.database.require_schema()
    except StoreFault as why:
        return ["schema" if why.error_code == "schema_mismatch" else "database"]
    return []


def _folder_faults(folder: Path | None, min_free_bytes: int) -> Sequence[str]:
    """Of the folder that holds database and blobs; of a store that is elsewhere, none."""
    if folder is None:
        return []
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return ["blobs"]
    places = [one for one in (folder, folder / "blobs") if one.exists()]
    writable = all(os.access(one, os.W_OK | os.X_OK) for one in places)
    return [*([] if writable else ["blobs"]), *([] if free >= min_free_bytes else ["space"])]
