"""The stored span index of one blob."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence

from evidence_store.documents.span_rows import Container, Entry
from evidence_store.model import Digest
from evidence_store.records import blobs
from evidence_store.store.core import Core, require_blob

MAX_KEPT_ENTRIES = 4096
"""Members of an object up to which all of them are read at once and kept; in a larger one each is asked for."""
MAX_KEPT_CONTAINERS = 64


class StoredIndex:
    """Implements `evidence_store.documents.span_rows.SpanReader` over the database."""

    def __init__(self, core: Core, digest: Digest) -> None:
        self._core = core
        with core.database.reading() as connection:
            self._blob = require_blob(core, connection, digest).number
        self._containers: dict[int, Container | None] = {}
        self._members: OrderedDict[int, Mapping[str, Entry]] = OrderedDict()

    def find_container(self, number: int) -> Container | None:
        if number not in self._containers:
            with self._core.database.reading() as connection:
                self._containers[number] = blobs.find_container(connection, self._core.workspace, self._blob, number)
        return self._containers[number]

    def find_entry(self, container: int, token: str) -> Entry | None:
        members = self._members.get(container)
        if members is None:
            found = self.find_container(container)
            if found is None or found.n_children > MAX_KEPT_ENTRIES:
                return self._ask(container, token, run=False)
            members = self._members[container] = {entry.token: entry for entry in self.list_entries(container)}
            if len(self._members) > MAX_KEPT_CONTAINERS:
                self._members.popitem(last=False)
        return members.get(token)

    def find_run(self, container: int, token: str) -> Entry | None:
        return self._ask(container, token, run=True)

    def _ask(self, container: int, token: str, *, run: bool) -> Entry | None:
        with self._core.database.reading() as connection:
            return blobs.find_entry(connection, self._core.workspace, self._blob, container, token, run=run)

    def list_entries(self, container: int) -> Sequence[Entry]:
        with self._core.database.reading() as connection:
            return blobs.list_entries(connection, self._core.workspace, self._blob, container)
