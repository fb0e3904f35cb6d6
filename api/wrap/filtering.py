"""A stored output through a filter, within so many tokens: lines that match, the last lines, a place, members."""

from collections.abc import Callable, Sequence

from api.wrap.context import StoreContext
from api.wrap.filters import Filters
from api.wrap.marker import format_call, place_of, spelled_tool
from api.wrap.members import show_members
from api.wrap.preview import Preview, show_tail
from api.wrap.showing import show_fitting, show_reference
from evidence_store.documents.text import format_lines
from evidence_store.model import LineRange, Packet, Selector
from evidence_store.pointers import plain_form
from evidence_store.records.sources import Revision
from evidence_store.store.comparisons import SearchAnswer, SearchRequest
from evidence_store.store.passages import Place
from projector import format_packet
from projector.render.packets import format_hit

MAX_HITS = 200
HIT_TOKENS = 90
"""About what a short hit takes with its packet."""
MIN_HIT_TOKENS = 60
"""That a long line is shown with."""
MAX_SMALL_PACKETS = 5
"""Hits that are packets however short they are."""
MAX_FRAMES = 5
"""Times that packets may be longer than a list of what they show."""


def show_filtered(context: StoreContext, revision: Revision, tool: str, filters: Filters, room: int) -> Preview:
    """What a filter lets through, as far as it fits. Raises NotFound and InvalidInput for a place that is not there, and StoreFault."""
    if filters.grep is not None:
        return _show_hits(context, revision, tool, filters.grep, room)
    if filters.tail_n is not None:
        return _show_tail(context, revision, tool, filters.tail_n, room)
    pointer = plain_form(filters.pointer or "")
    if filters.fields:
        head = _head(tool, revision, "fields")
        return show_members(context, revision, pointer, filters.fields, head, room) or _too_large(context, revision, tool, room)
    place = Place(revision.resource, revision.number, Selector("pointer", pointer))
    head = _head(tool, revision, "the place at a pointer")
    read = context.tools.store.passages.read
    return show_fitting(context, lambda limit: (read(place, limit),), head, room) or _too_large(context, revision, tool, room)


def _head(tool: str, revision: Revision, said: str) -> str:
    kept = "stored whole" if revision.complete else "stored as far as it came"
    return f"[filtered {spelled_tool(tool)}: {said}; of {revision.size:,} bytes, {kept}]\n"


def _show_hits(context: StoreContext, revision: Revision, tool: str, pattern: str, room: int) -> Preview:
    n_packets = max(1, min(MAX_HITS, room // HIT_TOKENS))
    found = _search(context, revision, pattern, n_packets, room)
    if not found.packets:
        n_lines = context.tools.store.passages.get_reader(revision).count_lines()
        head = _head(tool, revision, f"no line of {n_lines:,} matches")
        return _fitting(context, lambda _: head, found.receipts, room) or Preview(head, ())
    listed = is_listed(found.packets)
    if listed and found.more and n_packets < MAX_HITS:
        found = _search(context, revision, pattern, MAX_HITS, room)

    def head_of(n: int) -> str:
        said = _matching(found.packets[:n])
        read = format_call("read", "read_log", place_of(revision, lines="LINE-LINE")) if listed else ""
        if not found.more and n == len(found.packets):
            return _head(tool, revision, said) + read
        on = place_of(revision, pattern=pattern, regex=True, after=found.reached[n - 1])
        return _head(tool, revision, f"the first {said}, and there are more") + read + format_call("find", "search", on)

    if listed:
        return _list_hits(context, head_of, found.packets, room) or _too_large(context, revision, tool, room)
    return _fitting(context, head_of, found.packets, room) or _too_large(context, revision, tool, room)


def _search(context: StoreContext, revision: Revision, pattern: str, n_hits: int, room: int) -> SearchAnswer:
    per_hit = max(MIN_HIT_TOKENS, room // (2 * n_hits))
    request = SearchRequest(pattern, regex=True, limit=n_hits)
    return context.tools.store.comparisons.search([(revision.resource, revision.number)], request, context.tools.limit(per_hit))


def is_listed(packets: Sequence[Packet]) -> bool:
    """Whether hits are so many and so short that a packet of each would be frames for the most part."""
    n_chars, n_listed = (sum(map(len, map(form, packets))) for form in (format_packet, format_hit))
    return len(packets) > MAX_SMALL_PACKETS and n_chars > MAX_FRAMES * n_listed


def _list_hits(context: StoreContext, head_of: Callable[[int], str], packets: Sequence[Packet], room: int) -> Preview | None:
    """As many lines as fit, `- LINE "TEXT"`, to choose from; what is to be cited is read by its line. None where not one fits."""
    lines = list(map(format_hit, packets))

    def text_of(n: int) -> str:
        return head_of(n) + "".join(lines[:n])

    n = context.n_fitting(len(lines), text_of, room)
    return Preview(text_of(n), ()) if n else None


def _too_large(context: StoreContext, revision: Revision, tool: str, room: int) -> Preview:
    """Where not even one thing that a filter lets through fits."""
    whole = show_reference(context, revision)
    text = _head(tool, revision, "what it lets through does not fit") + whole.text
    return Preview(text, ()) if context.fits(text, room) else whole


def _matching(packets: Sequence[Packet]) -> str:
    """What hits are: lines, or places where a long line has several."""
    n = len(packets)
    if n > len({packet.span for packet in packets}):
        return f"{n} places that match"
    return "1 line that matches" if n == 1 else f"{n} lines that match"


def _fitting(context: StoreContext, head_of: Callable[[int], str], packets: Sequence[Packet], room: int) -> Preview | None:
    """As many packets as fit behind their head; None where there is no room for one."""

    def text_of(n: int) -> str:
        return head_of(n) + "".join(map(format_packet, packets[:n]))

    n = context.n_fitting(len(packets), text_of, room)
    return Preview(text_of(n), tuple(packets[:n])) if n else None


def _show_tail(context: StoreContext, revision: Revision, tool: str, n_lines: int, room: int) -> Preview:
    def head_of(shown: LineRange) -> str:
        n_shown = shown.last - shown.first + 1
        if n_shown >= min(n_lines, shown.last):
            return _head(tool, revision, f"the last {n_shown} of {shown.last:,} lines")
        left = LineRange(max(1, shown.last - n_lines + 1), shown.first - 1)
        said = _head(tool, revision, f"of the last {n_lines} lines the last {n_shown}")
        return said + format_call("read", "read_log", place_of(revision, lines=format_lines(left)))

    if revision.size == 0:
        return Preview(_head(tool, revision, "there are no lines"), ())
    return show_tail(context, revision, n_lines, room, head_of) or _too_large(context, revision, tool, room)
