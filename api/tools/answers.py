"""Tool answers as text, in the grammar of docs/formats/packet-text.md; and errors, which say whether another input can succeed."""

from collections.abc import Mapping, Sequence

import orjson

from api.errors import details_of, message_of
from api.tools.context import ToolAnswer
from evidence_store.errors import EvidenceStoreError, InvalidInput, JsonValue, NotFound
from evidence_store.model import Outcome, Packet
from projector import escape_unseen, format_error, format_packet

NO_FACTS: Mapping[str, JsonValue] = {}


def json_line(value: object) -> str:
    """Minified JSON that no reader sees as more than one line."""
    return escape_unseen(orjson.dumps(value).decode())


def packets_answer(packets: Sequence[Packet], *lines: str, facts: Mapping[str, JsonValue] = NO_FACTS) -> ToolAnswer:
    """Packets one after the other, then lines that say something of all of them; `facts` is what the lines say, as values."""
    text = "".join(format_packet(packet) for packet in packets) + "".join(f"{line}\n" for line in lines)
    return ToolAnswer(text or "nothing\n", tuple(packets), facts=facts)


def list_answer(name: str, rows: Sequence[tuple[str, JsonValue]], after: str | None, nothing: str) -> ToolAnswer:
    """A line for each row, with its value under `name`; `after` is the argument that continues, where more follows."""
    lines = [line for line, _ in rows] + ([f"next: {json_line({'after': after})}"] if after is not None else [])
    following: JsonValue = None if after is None else {"after": after}
    return packets_answer((), *(lines or [nothing]), facts={name: [value for _, value in rows], "next": following})


def error_answer(why: EvidenceStoreError) -> ToolAnswer:
    """An error as a model reads it. Wrong input and absence can be mended by another call; a fault of the store cannot."""
    retry, message, details = isinstance(why, InvalidInput | NotFound), message_of(why), details_of(why)
    facts: dict[str, JsonValue] = {"code": why.error_code, "message": message, "retry": retry, "details": details}
    return ToolAnswer(format_error(why.error_code, message, details, retry=retry), outcome=Outcome.ERROR, facts=facts)
