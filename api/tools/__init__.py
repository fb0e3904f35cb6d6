"""The tools, one set for all doors. Read-only towards every source.

What an application outside may use: call a tool by name, the definitions that a model is given, and the value of an excerpt.
"""

from api.tools.context import ToolAnswer, ToolContext, Tools
from api.tools.definitions import call_tool, definitions
from api.tools.values import value_of
from evidence_store.documents.model import Number, PlainValue

__all__ = ["Number", "PlainValue", "ToolAnswer", "ToolContext", "Tools", "call_tool", "definitions", "value_of"]
