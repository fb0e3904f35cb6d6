"""Tool answers as text, in the grammar of docs/formats/packet-text.md; and errors, which say whether another input can succeed."""

from collections.abc import Sequence

from api.errors import details_of, message_of
from api.tools.context import ToolAnswer
from evidence_store.errors import EvidenceStoreError, InvalidInput, NotFound
from evidence_store.model import Outcome, Packet
from projector import format_error, format_packet


def packets_answer(packets: Sequence[Packet], *lines: str) -> ToolAnswer:
    """Packets one after the other, then lines that say something of all of them."""
    text = "".join(format_packet(packet) for packet in packets) + "".join(f"{line}\n" for line in lines)
    return ToolAnswer(text or "nothing\n", tuple(packets))


def error_answer(why: EvidenceStoreError) -> ToolAnswer:
    """An error as a model reads it. Wrong input and absence can be mended by another call; a fault of the store cannot."""
    retry = isinstance(why, InvalidInput | NotFound)
    return ToolAnswer(format_error(why.error_code, message_of(why), details_of(why), retry=retry), outcome=Outcome.ERROR)
