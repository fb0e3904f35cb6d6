"""A small reference runner over `api.sessions.Session`, for those without an agent framework (docs/loop.md).

    Runner     runs a chat function in the form of OpenAI Chat to its end: sync, async, several side by side; resumes from the store
    Bounds     steps, attempts, waits
    RunReport  how a run ended, its claims, whether it is empty and why
    WrappedTools  tools of the program, their results wrapped

No framework and no HTTP client is imported: the chat function is the caller's.
"""

from api.loop.faults import Fault, FaultKind, ProviderError, find_fault
from api.loop.model import Bounds, Chat, How, RunReport
from api.loop.reporting import format_reports, report_of
from api.loop.runner import Agent, Runner
from api.loop.wrapped_tools import WrappedTools

__all__ = [
    "Agent",
    "Bounds",
    "Chat",
    "Fault",
    "FaultKind",
    "How",
    "ProviderError",
    "RunReport",
    "Runner",
    "WrappedTools",
    "find_fault",
    "format_reports",
    "report_of",
]
