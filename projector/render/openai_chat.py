"""Messages for OpenAI Chat: one system message, the kept dialogue, one user message with the sections, an open exchange.

The system message holds what does not change from step to step and is byte-stable; what changes stands at the end, so that a
provider's prompt cache holds. The results of an open exchange are appended behind it by the caller.
"""

from dataclasses import dataclass

from evidence_store.model import Packet, ProgressItem, TaskRevision
from projector.model import Candidate, JsonObject, NeedLine
from projector.render.packets import format_packet
from projector.render.sections import (
    BackgroundLine,
    ClaimsText,
    ProgressText,
    format_background,
    format_claims,
    format_evidence,
    format_needs,
    format_progress,
    format_request,
    format_task,
)

CLOSING_REQUEST = (
    "This is the last step: no tool can be called any more. Conclude from what is here. Name the evidence of each conclusion by its id; "
    "what lacks evidence stays open, and what is excluded stays excluded."
)
DEFAULT_REQUEST = "Go on with the task."


@dataclass(frozen=True, slots=True)
class Layout:
    """What stands in an input, in the order of the text."""

    system: str
    task: TaskRevision
    instructions: tuple[JsonObject, ...]
    """Further system and developer messages of the caller."""
    dialogue: tuple[JsonObject, ...]
    progress: ProgressText
    facts: ClaimsText
    open: ClaimsText
    excluded: ClaimsText
    needs: tuple[NeedLine, ...]
    packets: tuple[Packet, ...]
    background: tuple[Candidate, ...]
    request: str
    open_exchange: tuple[JsonObject, ...]


def role_first(message: JsonObject) -> JsonObject:
    """The message with `role` as its first member, where pieces are counted from."""
    if next(iter(message), None) == "role":
        return message
    return {"role": message.get("role"), **{name: value for name, value in message.items() if name != "role"}}


def system_message(system: str, task: TaskRevision) -> JsonObject:
    """The system text and the task section behind it."""
    return {"role": "system", "content": f"{system.rstrip()}\n\n{format_task(task)}" if system.strip() else format_task(task)}


def render_messages(layout: Layout) -> tuple[JsonObject, ...]:
    """The messages, `role` first in each."""
    user: JsonObject = {"role": "user", "content": render_sections(layout)}
    return (
        system_message(layout.system, layout.task),
        *map(role_first, layout.instructions),
        *map(role_first, layout.dialogue),
        user,
        *map(role_first, layout.open_exchange),
    )


def render_sections(layout: Layout) -> str:
    """The content of the user message: all sections that change from step to step."""
    return "".join(
        (
            format_progress(layout.progress),
            format_claims("facts", layout.facts),
            format_claims("open", layout.open),
            format_claims("excluded", layout.excluded),
            format_needs(layout.needs),
            format_evidence(map(format_packet, layout.packets)),
            format_background(map(background_line, layout.background)),
            format_request(layout.request),
        )
    )


def background_line(candidate: Candidate) -> BackgroundLine:
    """A candidate as its line says it."""
    return BackgroundLine(candidate.text, candidate.source, candidate.at)


def progress_counts(items: tuple[ProgressItem, ...]) -> tuple[tuple[str, int], ...]:
    """How many items there are of each state, all states named."""
    counts = {"todo": 0, "doing": 0, "done": 0, "excluded": 0, "blocked": 0}
    for item in items:
        counts[item.state.value] += 1
    return tuple(counts.items())
