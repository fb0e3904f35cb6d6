"""The value of an excerpt, for a reader that is given packets as text."""

from evidence_store.documents.model import PlainValue
from evidence_store.documents.values import parse_excerpt
from projector import PacketText


def value_of(packet: PacketText) -> PlainValue:
    """The excerpt of a JSON or YAML node as plain data; numbers are `Number`, text with the spelling of the source.

    Raises RefusedDocument for an excerpt that is no whole node, and ValueError for a packet without an excerpt.
    """
    if packet.excerpt is None or packet.cut is not None:
        raise ValueError(f"{packet.id} is not shown whole")
    return parse_excerpt(packet.excerpt, packet.format, packet.column or 0)
