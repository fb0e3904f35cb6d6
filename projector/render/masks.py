"""Masked packets: where a passage stands and how large it is, and nothing of what it says (docs/formats/packet-text.md, "Mask")."""

from dataclasses import replace

from evidence_store.model import MASKED, Digest, Packet, Selector

MASK = "[masked]"
"""What stands in place of an excerpt."""


def masked_packet(packet: Packet) -> Packet:
    """The packet without a byte of its source, and with an excerpt that is never longer. Doing it twice is doing it once.

    A quote is a piece of the source, and the digest of a small one can be guessed from: both go. A mask longer than the excerpt would
    be stays away as a whole.
    """
    excerpt = MASK if packet.outline is not None or len(packet.excerpt) >= len(MASK) else ""
    selector = Selector("lines", f"{packet.lines.first}-{packet.lines.last}") if packet.selector.kind == "quote" else packet.selector
    return replace(
        packet,
        selector=selector,
        excerpt=excerpt,
        digest=Digest(""),
        hops=(),
        cut=None,
        outline=None,
        transforms=(MASKED,),
        next=None,
        value=None,
        match=None,
    )
