"""Where a stored output is shown: here over a store, or on the server that keeps it. What comes out is the same."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from api.tools import ToolContext
from api.wrap.budget import ResultBudget
from api.wrap.context import StoreContext, WrapContext
from api.wrap.filtering import show_filtered
from api.wrap.filters import Filters
from api.wrap.preview import Preview
from api.wrap.rules import SUMMARY_BYTES, ToolRules, WrapRules
from api.wrap.showing import show_reference, show_stored, show_whole
from evidence_store.records.sources import Revision
from projector import TokenCounter

WHOLE = Filters()
_NO_BUDGET = ResultBudget(1_000_000)
"""Of rules of which only the bound of summaries is asked."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of a stored output is to be shown, and within how many tokens; none: its reference, which fits every room."""

    tool: str
    n_tokens: int | None
    summary_bytes: int | None = None
    """See `ToolRules`; None as there."""
    filters: Filters = WHOLE
    whole: bool = False
    """All of a text in one packet, where there is room enough; else its reference."""


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
    return show_here(tools, context.counter, revision, wanted)


def show_here(tools: ToolContext, counter: Callable[[], TokenCounter], revision: Revision, wanted: Wanted) -> Preview:
    """The same over a store that is here."""
    bound = SUMMARY_BYTES if wanted.summary_bytes is None else wanted.summary_bytes
    here = StoreContext(tools, WrapRules(_NO_BUDGET, others=ToolRules(summary_bytes=bound)), counter)
    if wanted.n_tokens is None:
        return show_reference(here, revision)
    if wanted.whole:
        return show_whole(here, revision, wanted.n_tokens) or show_reference(here, revision)
    if wanted.filters:
        return show_filtered(here, revision, wanted.tool, wanted.filters, wanted.n_tokens)
    return show_stored(here, revision, wanted.tool, wanted.n_tokens)


def refer(context: WrapContext, revision: Revision, tool: str) -> Preview:
    """The id of the whole."""
    return show(context, revision, Wanted(tool, None))
