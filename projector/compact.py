"""Results by reference: a tool result's body replaced by one line that says where it can be had again.

The same input gives the same output, and doing it twice is doing it once. The result itself, its place and its call id stay.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from evidence_store.errors import JsonValue
from evidence_store.model import EvidenceId, Packet
from projector.model import JsonObject
from projector.render.packets import format_packet

WITHHELD = "withheld"
"""What stands in place of a result that the principal may not see."""
_REFERENCE = re.compile(r"see evidence ev_[0-9a-z]+(?:, ev_[0-9a-z]+)*")
_PACKET_HEAD = re.compile(r"^\[evidence (ev_[0-9a-z]+)\]$", re.MULTILINE)


def reference(ids: Sequence[EvidenceId]) -> str:
    """The line that stands for a result."""
    return f"see evidence {', '.join(ids)}"


def is_reference(content: JsonValue) -> bool:
    """Whether a body is such a line already."""
    return isinstance(content, str) and _REFERENCE.fullmatch(content) is not None


def body_text(content: JsonValue) -> str:
    """The text of a content, its text parts joined."""
    if isinstance(content, str):
        return content
    if isinstance(content, list | tuple):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict) and part.get("type") == "text")
    return ""


def named_evidence(message: JsonObject) -> tuple[EvidenceId, ...]:
    """The packets and references that a result's body names."""
    text = body_text(message.get("content"))
    if is_reference(text):
        return tuple(map(EvidenceId, re.findall(r"ev_[0-9a-z]+", text)))
    return tuple(map(EvidenceId, _PACKET_HEAD.findall(text)))


def shown_in_full(message: JsonObject, packets: Iterable[Packet]) -> frozenset[EvidenceId]:
    """Those of the packets whose whole text form, nothing cut, stands in the message."""
    text = body_text(message.get("content"))
    return frozenset(
        packet.id for packet in packets if packet.shown_in_full and f"[evidence {packet.id}]" in text and format_packet(packet) in text
    )


def externalise(
    messages: Iterable[JsonObject], results: Mapping[str, tuple[Packet, ...]], calls: Iterable[str] | None = None
) -> tuple[JsonObject, ...]:
    """The messages with the results of these calls (of all, when None) replaced by references, where they have packets."""
    chosen = None if calls is None else frozenset(calls)
    return tuple(_externalised(message, results) if _concerns(message, chosen) else message for message in messages)


def _concerns(message: JsonObject, chosen: frozenset[str] | None) -> bool:
    return message.get("role") == "tool" and (chosen is None or message.get("tool_call_id") in chosen)


def _externalised(message: JsonObject, results: Mapping[str, tuple[Packet, ...]]) -> JsonObject:
    packets = results.get(str(message.get("tool_call_id")), ())
    if not packets or is_reference(message.get("content")):
        return message
    line = reference(tuple(dict.fromkeys(packet.id for packet in packets)))
    # a reference longer than what it stands for saves nothing
    return {**message, "content": line} if len(line) < len(body_text(message.get("content"))) else message


def withhold(message: JsonObject) -> JsonObject:
    """The result without its body, which the principal may not see."""
    return {**message, "content": WITHHELD}
