"""The only place that puts the parts together: store, token counters, tools."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from api.settings import Settings
from api.stores import AgentStore
from api.tools import ToolContext, Tools
from evidence_store.model import TextLimit
from evidence_store.records.runs import StepKey
from evidence_store.store import EvidenceStore, init_store, open_store
from projector import TokenCounter, TokenLimit, counter_for

DEFAULT_COUNTER = "o200k_base"


class AgentServices(Protocol):
    """What an agent's side works with, wherever the store is."""

    @property
    def store(self) -> AgentStore: ...
    @property
    def counter(self) -> Callable[[], TokenCounter]:
        """Counts here, whatever the server counts with."""

    def limit(self, n_tokens: int) -> TextLimit: ...
    def tools(self, step: StepKey | None = None, author: str = "agent") -> Tools: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Services:
    """What the doors work with. Close the store."""

    store: EvidenceStore
    counter: Callable[[], TokenCounter]
    """Loaded when it is first asked for: most reads need none."""
    folder: Path | None = None
    """Where database and blobs are, for a store in a folder."""

    def limit(self, n_tokens: int) -> TextLimit:
        """A limit of so many tokens."""
        return TokenLimit(self.counter, n_tokens)

    def tools(self, step: StepKey | None = None, author: str = "agent") -> ToolContext:
        return ToolContext(self.store, self.limit, step, author)

    def close(self) -> None:
        self.store.close()

    def __enter__(self) -> "Services":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_services(settings: Settings, *, create: bool = False) -> Services:
    """Services over the store of these settings; with `create`, one is made where there is none. Raises StoreFault."""
    if create:
        init_store(settings.store)
    return Services(
        open_store(settings.store, limits=settings.limits, show_secrets=settings.show_secrets, claim_labels=settings.claim_labels),
        lambda: counter_for(DEFAULT_COUNTER),
        settings.store,
    )
