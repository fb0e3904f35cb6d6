"""Where a stored output is shown: here over a store, or on the server that keeps it. What comes out is the same."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from api.tools import ToolContext
from api.wrap.context import StoreContext, WrapContext
from api.wrap.filtering import show_filtered
from api.wrap.filters import Filters
from api.wrap.preview import Preview
from api.wrap.rules import SUMMARY_BYTES
from api.wrap.showing import show_reference, show_stored
from evidence_store.records.sources import Revision

WHOLE = Filters()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of a stored output is to be shown, and within how many tokens; none: its reference, which fits every room."""

    tool: str
    n_tokens: int | None
    summary_bytes: int = SUMMARY_BYTES
    filters: Filters = WHOLE


@runtime_checkable
class ShowsElsewhere(Protocol):
    """A server that shows what it keeps."""

    def show(self, revision: Revision, wanted: Wanted) -> Preview:
        """See `show`. Raises StoreUnavailable, NotPermitted besides."""


def show(context: WrapContext, revision: Revision, wanted: Wanted) -> Preview:
    """What a model gets of a stored output. Raises NotFound and InvalidInput for a filter that leads nowhere, and StoreFault."""
    tools = context.tools
    if isinstance(tools, ShowsElsewhere):
        return tools.show(revision, wanted)
    assert isinstance(tools, ToolContext), "what is stored is shown here or elsewhere"
    here = StoreContext(tools, context.rules, context.counter)
    if wanted.n_tokens is None:
        return show_reference(here, revision)
    if wanted.filters:
        return show_filtered(here, revision, wanted.tool, wanted.filters, wanted.n_tokens)
    return show_stored(here, revision, wanted.tool, wanted.n_tokens)


def refer(context: WrapContext, revision: Revision, tool: str) -> Preview:
    """The id of the whole."""
    return show(context, revision, Wanted(tool, None))
