"""A store behind a server, with the names and the meaning of the one that is here (`api.stores`): sessions, loops, wrapped tools and the
projector work over either.

Our tools are called on the server, the projector runs here. What the key may not see is not there, or comes as masks.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from api.client.remote_parts import (
    RemoteClaims,
    RemoteHistories,
    RemotePassages,
    RemotePermissions,
    RemoteRuns,
    RemoteSources,
    RemoteTasks,
)
from api.client.sync import EvidenceClient
from api.tools import ToolAnswer
from api.wiring import DEFAULT_COUNTER
from api.wrap import Preview, Wanted
from evidence_store.documents.model import DEFAULT_LIMITS
from evidence_store.errors import JsonValue
from evidence_store.model import TextLimit
from evidence_store.records.runs import StepKey
from evidence_store.records.sources import Revision
from evidence_store.store.core import microseconds_now
from projector import TokenCounter, TokenLimit, counter_for


class RemoteStore:
    """One workspace behind a server, as its key sees it. Close it."""

    def __init__(self, client: EvidenceClient) -> None:
        self.client = client
        self.clock: Callable[[], int] = microseconds_now
        self.max_bytes = DEFAULT_LIMITS.max_bytes
        self.sources = RemoteSources(client)
        self.passages = RemotePassages(client)
        self.tasks = RemoteTasks(client)
        self.runs = RemoteRuns(client)
        self.histories = RemoteHistories(client)
        self.claims = RemoteClaims(client)
        self.permissions = RemotePermissions(client)

    def close(self) -> None:
        self.client.close()


@dataclass(frozen=True, slots=True)
class RemoteTools:
    """Our tools, called on the server: within a step in the name of its run's agent, else outside of any run."""

    store: RemoteStore
    limit: Callable[[int], TextLimit]
    step: StepKey | None = None

    def at(self, step: StepKey) -> "RemoteTools":
        return replace(self, step=step)

    def call(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolAnswer:
        """See `api.tools.context.CallsElsewhere`."""
        client = self.store.client
        return client.call_reading_tool(name, arguments) if self.step is None else client.call_tool(self.step, name, arguments)

    def show(self, revision: Revision, wanted: Wanted) -> Preview:
        """See `api.wrap.display.ShowsElsewhere`."""
        return self.store.client.preview_revision(revision.resource, revision.number, wanted)


@dataclass(frozen=True, slots=True)
class RemoteServices:
    """What an agent's side works with where the store is behind a server. Close it."""

    store: RemoteStore
    counter: Callable[[], TokenCounter]

    def limit(self, n_tokens: int) -> TextLimit:
        """A limit of so many tokens."""
        return TokenLimit(self.counter, n_tokens)

    def tools(self, step: StepKey | None = None, author: str = "agent") -> RemoteTools:
        """The author of what is recorded is the agent of the run, whatever is said here."""
        return RemoteTools(self.store, self.limit, step)

    def close(self) -> None:
        self.store.close()

    def __enter__(self) -> "RemoteServices":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def remote_services(client: EvidenceClient) -> RemoteServices:
    """Services over the server that a client asks; closing them closes the client."""
    return RemoteServices(RemoteStore(client), lambda: counter_for(DEFAULT_COUNTER))
