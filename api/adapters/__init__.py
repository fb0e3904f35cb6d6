"""Hooks for agent frameworks: what their tools give over a budget is stored whole, and their models get packets in its place.

One module a framework, which imports it; nothing here does before it is asked for. What they have in common stands on `api.wrap`:

    results   a result on its way to the model
    history   results that stand in a saved history already; the history itself is never changed
    tools     our reading tools, as any framework can take them

They stand in `api` and not in `projector`, which knows no store (docs/adr/0014-adapters.md).
"""

from api.adapters.history import History, Told
from api.adapters.results import Call, Results, evidence_json
from api.adapters.tools import open_wrapper, reading_tools

__all__ = ["Call", "History", "Results", "Told", "evidence_json", "open_wrapper", "reading_tools"]
