"""What stands in an input, in the order of its text: opening, kept dialogue, one user message with the sections, an open exchange.

The opening holds what does not change from step to step and is byte-stable; what changes stands at the end, so that a provider's
prompt cache holds. The results of an open exchange are appended behind it by the caller. The form is the dialect's.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evidence_store.model import Packet, ProgressItem, TaskRevision
from projector.dialects.forms import Dialect, Opening, Part
from projector.evidence_blocks import evidence_block
from projector.model import Candidate, JsonObject, NeedLine
from projector.render.sections import (
    EVIDENCE_END,
    EVIDENCE_HEAD,
    UPDATE,
    BackgroundLine,
    ClaimSection,
    ClaimsText,
    ProgressText,
    format_background,
    format_claims,
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
GAP = "[turns left out]"
"""Stands for a user turn where the form wants one and those that stood there are left out."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What stands in an input."""

    opening: Opening
    dialogue: tuple[tuple[JsonObject, ...], ...]
    """Group by group."""
    progress: ProgressText
    facts: ClaimsText
    open: ClaimsText
    excluded: ClaimsText
    needs: tuple[NeedLine, ...]
    packets: tuple[Packet, ...]
    background: tuple[Candidate, ...]
    request: str
    open_exchange: tuple[JsonObject, ...]


def system_text(system: str, task: TaskRevision) -> str:
    """The system text and the task section behind it."""
    return f"{system.rstrip()}\n\n{format_task(task)}" if system.strip() else format_task(task)


def render_messages(layout: Layout, dialect: Dialect) -> tuple[JsonObject, ...]:
    """The message list in the provider's form."""
    blocks = [evidence_block(packet) for packet in layout.packets]
    return (
        *layout.opening.messages,
        *with_gaps(layout.dialogue, dialect),
        dialect.sections(sections_head(layout), blocks, sections_tail(layout)),
        *layout.open_exchange,
    )


@dataclass(frozen=True, slots=True)
class Update:
    """What is new since the input before; what is None is as it was."""

    progress: ProgressText | None
    claims: Mapping[ClaimSection, ClaimsText | None]
    needs: tuple[NeedLine, ...] | None
    packets: tuple[Packet, ...]
    background: tuple[Candidate, ...]
    request: str


def update_message(update: Update, dialect: Dialect) -> JsonObject:
    """The user message that is appended to an input."""
    head = [UPDATE, format_progress(update.progress) if update.progress is not None else ""]
    head += [format_claims(name, text) for name, text in update.claims.items() if text is not None]
    head += [format_needs(update.needs, always=True) if update.needs is not None else "", EVIDENCE_HEAD if update.packets else ""]
    tail = [EVIDENCE_END if update.packets else "", format_background(map(background_line, update.background))]
    return dialect.sections(
        "".join(head), [evidence_block(one) for one in update.packets], "".join((*tail, format_request(update.request)))
    )


def gap(dialect: Dialect) -> JsonObject:
    """A user turn in place of those left out."""
    return dialect.write("user", (Part("text", GAP),))[0]


def with_gaps(groups: Iterable[tuple[JsonObject, ...]], dialect: Dialect) -> tuple[JsonObject, ...]:
    """The groups in a row; where the form wants a user turn before one of the assistant and none stands there, a gap."""
    found: list[JsonObject] = []
    for group in groups:
        if dialect.traits.user_between and group and dialect.read(group[0], 0).side == "assistant":
            before = dialect.read(found[-1], 0).side if found else "assistant"
            found += [gap(dialect)] if before == "assistant" else []
        found += group
    return tuple(found)


def sections_head(layout: Layout) -> str:
    """The sections before the evidence, and its first line."""
    claims = (format_claims("facts", layout.facts), format_claims("open", layout.open), format_claims("excluded", layout.excluded))
    return "".join((format_progress(layout.progress), *claims, format_needs(layout.needs), EVIDENCE_HEAD))


def sections_tail(layout: Layout) -> str:
    """The last line of the evidence, and the sections after it."""
    return "".join((EVIDENCE_END, format_background(map(background_line, layout.background)), format_request(layout.request)))


def background_line(candidate: Candidate) -> BackgroundLine:
    """A candidate as its line says it."""
    return BackgroundLine(candidate.text, candidate.source, candidate.at)


def progress_counts(items: tuple[ProgressItem, ...]) -> tuple[tuple[str, int], ...]:
    """How many items there are of each state, all states named."""
    counts = {"todo": 0, "doing": 0, "done": 0, "excluded": 0, "blocked": 0}
    for item in items:
        counts[item.state.value] += 1
    return tuple(counts.items())
