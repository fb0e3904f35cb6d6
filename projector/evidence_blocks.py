"""Packets as blocks of their own, for forms that have such: made from a packet, or cut out of a text that shows packets."""

import re
from collections.abc import Container, Iterator

from evidence_store.model import EvidenceId, Packet
from projector.dialects.anthropic import search_result
from projector.dialects.forms import EvidenceBlock, is_blank_text
from projector.model import JsonObject
from projector.render.packets import PacketText, format_packet, parse_packets
from projector.render.scalars import format_value

_PACKET = re.compile(r"^\[evidence (ev_[0-9a-z]+)\]$.*?^\[end \1\]$", re.MULTILINE | re.DOTALL)


def evidence_block(packet: Packet) -> EvidenceBlock:
    """A packet as forms with blocks of their own for evidence name it."""
    return _block(packet, format_packet(packet))


def cited_content(text: str, shown: Container[EvidenceId]) -> str | list[JsonObject]:
    """A tool result for Anthropic: those packets of the text that are `shown` as `search_result` blocks, what stands between as texts.

    The texts joined are the text. Without such a packet it is the text itself. Raises MalformedText for such a packet that breaks off.
    """
    pieces = list(_pieces(text, shown))
    if not any(isinstance(one, EvidenceBlock) for one in pieces):
        return text
    return [search_result(one) if isinstance(one, EvidenceBlock) else {"type": "text", "text": one} for one in pieces]


def _pieces(text: str, shown: Container[EvidenceId]) -> Iterator[str | EvidenceBlock]:
    """Blank text goes with the packet before it: the provider refuses a block of it."""
    packets = [found for found in _PACKET.finditer(text) if EvidenceId(found[1]) in shown]
    if packets and not is_blank_text(text[: packets[0].start()]):
        yield text[: packets[0].start()]
    for at, found in enumerate(packets):
        start = 0 if at == 0 and is_blank_text(text[: found.start()]) else found.start()
        between = text[found.end() : packets[at + 1].start() if at + 1 < len(packets) else len(text)]
        is_blank = is_blank_text(between)
        (packet,) = parse_packets(found[0])
        yield _block(packet, text[start : found.end()] + (between if is_blank else ""))
        if not is_blank:
            yield between
    if not packets:
        yield text


def _block(packet: Packet | PacketText, text: str) -> EvidenceBlock:
    selector = packet.selector
    place = f"lines {packet.lines.first}-{packet.lines.last}" if selector.kind == "lines" else f"{selector.kind} {selector.text}"
    return EvidenceBlock(f"evidence://items/{packet.id}", format_value(f"{packet.resource}@{packet.revision} {place}"), text)
