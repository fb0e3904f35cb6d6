"""A packet as a text showed it, read back from that text."""

from dataclasses import replace

from evidence_store.model import Cut, Packet
from projector.render.packets import PacketText, format_packet_text, packet_text


def packet_as_shown(text: PacketText, now: Packet) -> Packet:
    """The packet in the form that the text gives, with all that the text does not say as it is in `now`.

    Where the two do not give the text again, as when the evidence is another one by now, it is `now`.
    """
    shown = replace(
        now,
        selector=text.selector,
        lines=text.lines,
        column=now.column if text.column is None else text.column,
        excerpt=text.excerpt or "",
        scope=text.scope,
        status=text.status,
        transforms=text.transforms,
        cut=None if text.cut is None else Cut(text.cut.shown, None, text.lines.last - text.lines.first + 1),
        outline=text.outline,
        next=text.next,
        value=None,
        match=None,
        age_s=None if text.age is None else text.age.age_s,
    )
    return shown if format_packet_text(packet_text(shown)) == format_packet_text(text) else now
