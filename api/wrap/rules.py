"""What is done with the results of tools that are not ours: budgets, switches, names and labels. Values only; nothing is read here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias

from api.wrap.arguments import resource_name
from api.wrap.budget import ResultBudget, require_room
from evidence_store.errors import JsonValue
from evidence_store.model import Kind, ResourceName

FilterName = Literal["grep", "tail_n", "fields", "pointer"]
FILTERS: tuple[FilterName, ...] = ("grep", "tail_n", "fields", "pointer")
SHOWN_TOKENS = 2_000
"""As the reading tools answer with by default."""
SUMMARY_BYTES = 32 * 1024 * 1024
"""Of a log this takes about 5 s of one core; a CI log of 28 MB is within."""
NameRule: TypeAlias = Callable[[str, Mapping[str, JsonValue]], ResourceName]
"""The resource of a tool and its arguments. The same call gives the same name, so that its outputs are revisions of one resource."""


@dataclass(frozen=True, slots=True)
class Switches:
    """What may be done at all, each on its own."""

    filters: bool = True
    """Offer the model arguments that filter a result where it is stored."""
    offload: bool = True
    """Store what is over the budget and hand out a packet. Off: every result passes as it is."""
    closing_step: bool = True
    """Offer no tools in a closing step."""


@dataclass(frozen=True, slots=True)
class ToolRules:
    """What holds for one tool."""

    tokens: int | None = None
    """Of one result; None: as the budget says."""
    shown_tokens: int = SHOWN_TOKENS
    """Of what stands in place of an offloaded result, at most; filters may take all of its budget."""
    summary_bytes: int = SUMMARY_BYTES
    """Of an output that is summarised while its call waits; of a larger one a summary is named, and made when it is asked for."""
    keep_small: bool = False
    """Store results, too, that pass unchanged."""
    filters: tuple[FilterName, ...] = FILTERS
    """Those that are offered where the tool has no argument of the name."""
    media_type: str | None = None
    """None: as the form of the result says, else told by the content."""
    kind: Kind | None = None
    scope: str | None = None
    labels: tuple[str, ...] = ()
    """Access labels of the resources that are made of its results."""
    max_age_s: int | None = None
    timeout_s: float | None = None
    """After which an asynchronous call is ended, and a synchronous one, at work in a thread of its own then, no longer waited for."""

    def __post_init__(self) -> None:
        require_room(self.shown_tokens)
        if self.tokens is not None:
            require_room(self.tokens)


@dataclass(frozen=True, slots=True)
class WrapRules:
    """What holds for all tools that a wrapper wraps."""

    budget: ResultBudget
    switches: Switches = field(default_factory=Switches)
    tools: Mapping[str, ToolRules] = field(default_factory=lambda: MappingProxyType({}))
    """By name of the tool."""
    others: ToolRules = field(default_factory=ToolRules)
    """Of tools that are not named."""
    name: NameRule = resource_name
    clearances: frozenset[str] | None = None
    """Of who the results are shown to. None: labels are kept and nobody asks, as within the process that owns the store."""

    def of(self, tool: str) -> ToolRules:
        return self.tools.get(tool, self.others)

    def tokens_of(self, tool: str) -> int:
        """Of one result of this tool."""
        own = self.of(tool).tokens
        return self.budget.one if own is None else own
