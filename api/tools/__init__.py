"""The tools, one set for all doors. Read-only towards every source.

What an application outside may use: call a tool by name, the definitions that a model is given, and the value of an excerpt.
"""

from api.tools.context import ToolAnswer, ToolContext
from api.tools.definitions import call_tool, definitions
from evidence_store.documents.model import Number, PlainValue
from evidence_store.documents.values import parse_excerpt
from projector import PacketText

__all__ = ["Number", "PlainValue", "ToolAnswer", "ToolContext", "call_tool", "definitions", "value_of"]


def value_of(packet: PacketText) -> PlainValue:
    """The excerpt of a JSON or YAML node as plain data; numbers are `Number`, text with the spelling of the source.

    Raises RefusedDocument for an excerpt that is no whole node, and ValueError for a packet without an excerpt.
    """
    if packet.excerpt is None or packet.cut is not None:
        raise ValueError(f"{packet.id} is not shown whole")
    return parse_excerpt(packet.excerpt, packet.format, packet.column or 0)
