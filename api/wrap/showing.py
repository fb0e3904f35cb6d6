"""A stored output within so many tokens: its summary where a kind has one, else its outline, where it has nodes; of a text both ends, too.

What comes out never has more tokens than the room, counted as it stands. Where nothing else fits there is a reference.
"""

from collections.abc import Callable

from api.wrap.context import StoreContext
from api.wrap.marker import format_bytes_offload, format_offload, format_reading, format_reference, is_text
from api.wrap.preview import Preview, show_ends
from evidence_store.documents.detect import STRUCTURED
from evidence_store.documents.text import format_bytes
from evidence_store.errors import InvalidInput, StoreFault
from evidence_store.excerpts import NoLimit
from evidence_store.model import Packet, Pointer, Selector, Span, TextLimit
from evidence_store.records.sources import Revision
from evidence_store.store.passages import Place
from projector import format_packet

_MAX_ROUNDS = 8
_SMALL_TOKENS = 24
"""Of an excerpt, under which it says nothing."""
REFERENCE_TOKENS = 20


def show_stored(context: StoreContext, revision: Revision, tool: str, room: int) -> Preview:
    """What a model gets in place of an output. Raises StoreFault."""
    if not is_text(revision):
        text = format_bytes_offload(tool, revision)
        return Preview(text, ()) if context.fits(text, room) else show_reference(context, revision)
    if revision.format in STRUCTURED:
        found = _show_summary(context, revision, tool, room) or _show_outline(context, revision, tool, room)
    else:
        found = _show_text(context, revision, tool, room)
    return found or show_reference(context, revision)


def _show_text(context: StoreContext, revision: Revision, tool: str, room: int) -> Preview | None:
    """A summary of any text has little to say of some: both ends take the room that it leaves."""
    summary = _show_summary(context, revision, tool, room)
    if summary is None:
        return show_ends(context, revision, tool, room)
    packets = "".join(map(format_packet, summary.packets))
    return show_ends(context, revision, tool, room, Preview(packets, summary.packets)) or summary


def show_reference(context: StoreContext, revision: Revision) -> Preview:
    """The id of the whole; fits every room."""
    whole = Selector("bytes", format_bytes(Span(0, revision.size)))
    selector = Selector("pointer", Pointer("")) if revision.format in STRUCTURED else whole
    place = Place(revision.resource, revision.number, selector)
    packet = context.tools.store.passages.read(place, context.tools.limit(REFERENCE_TOKENS))
    return Preview(format_reference(revision, packet.id), ())


def show_whole(context: StoreContext, revision: Revision, room: int) -> Preview | None:
    """All of a text in one packet; None where it has not room enough, or is no text."""
    if not is_text(revision) or revision.size > room:
        return None
    whole = Selector("bytes", format_bytes(Span(0, revision.size)))
    packet = context.tools.store.passages.read(Place(revision.resource, revision.number, whole), NoLimit())
    return Preview(f"[whole: {revision.size:,} bytes]\n{format_packet(packet)}", (packet,))


def _show_summary(context: StoreContext, revision: Revision, tool: str, room: int) -> Preview | None:
    """None where the output is too large, where no kind takes it, or the one that does is broken: there is another way to show it."""
    if context.no_summary_over(tool, revision.size) is not None:
        return None
    summaries = context.tools.store.summaries

    def read(limit: TextLimit) -> tuple[Packet, ...]:
        return (summaries.read(revision.resource, revision.number, None, limit, tool=tool),)

    try:
        return show_fitting(context, read, _head(context, revision, tool, "shown: a summary"), room)
    except InvalidInput:
        return None
    except StoreFault as why:
        if why.error_code != "summary_failed":
            raise
        return None


def _show_outline(context: StoreContext, revision: Revision, tool: str, room: int) -> Preview | None:
    place = Place(revision.resource, revision.number, Selector("pointer", Pointer("")))
    passages = context.tools.store.passages
    head = _head(context, revision, tool, "shown: its outline")
    return show_fitting(context, lambda limit: (passages.read(place, limit),), head, room)


def show_fitting(
    context: StoreContext, read: Callable[[TextLimit], tuple[Packet, ...]], head: str, room: int, n_packets: int = 1
) -> Preview | None:
    """Packets behind their head lines, each read within ever less until the whole fits; None where that is too little to say anything."""
    n_tokens = room // n_packets
    for _ in range(_MAX_ROUNDS):
        if n_tokens < _SMALL_TOKENS:
            return None
        packets = read(context.tools.limit(n_tokens))
        text = head + "".join(map(format_packet, packets))
        if context.fits(text, room):
            return Preview(text, packets)
        over = max(1, context.counter().count(text) - room) // n_packets
        n_tokens = min(n_tokens - over - 8, n_tokens * 7 // 8)
    return None


def _head(context: StoreContext, revision: Revision, tool: str, said: str) -> str:
    n_lines = context.tools.store.passages.get_reader(revision).count_lines()
    return format_offload(tool, revision, n_lines, said, context.no_summary_over(tool, revision.size)) + format_reading(revision)
