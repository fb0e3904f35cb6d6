"""Results of tools that are not ours: what is over a budget is stored whole, and the model gets a packet in its place.

    offload      the core: an output, rules and tokens give what the model gets (values in, values out)
    ToolWrapper  runs tools and applies the core to what they give; steps, filters, our own reading tools
    wrap         a tool function in its own place

No agent framework is imported; adapters of frameworks stand on these names (docs/wrapping.md).
"""

from api.wrap.arguments import resource_name
from api.wrap.budget import ResultBudget, StepRoom
from api.wrap.context import WrapContext
from api.wrap.decorating import wrap
from api.wrap.display import Wanted, show_here
from api.wrap.endings import answer_refusal, take_or_refuse
from api.wrap.filters import Filters, Taken, offer, offered_filters, take_filters, taken_names, with_filters
from api.wrap.forms import Encoded, encode
from api.wrap.offloading import offload
from api.wrap.preview import Preview
from api.wrap.result import Output, Treatment, WrappedResult
from api.wrap.rules import Switches, ToolRules, WrapRules
from api.wrap.spool import Spool, spool_of
from api.wrap.wrapper import ToolWrapper, is_async

__all__ = [
    "Encoded",
    "Filters",
    "Output",
    "Preview",
    "ResultBudget",
    "Spool",
    "StepRoom",
    "Switches",
    "Taken",
    "ToolRules",
    "ToolWrapper",
    "Treatment",
    "Wanted",
    "WrapContext",
    "WrapRules",
    "WrappedResult",
    "answer_refusal",
    "encode",
    "is_async",
    "offer",
    "offered_filters",
    "offload",
    "resource_name",
    "show_here",
    "spool_of",
    "take_filters",
    "take_or_refuse",
    "taken_names",
    "with_filters",
    "wrap",
]
