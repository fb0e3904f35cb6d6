"""Tools that find places: by what they say, and by what changed between two revisions."""

import orjson

from api.presenters import MAX_UNPROVEN, unproven_json, unproven_line
from api.tools.answers import json_line, packets_answer
from api.tools.arguments import Arguments
from api.tools.context import DEFAULT_MAX_TOKENS, ToolAnswer, ToolContext
from api.tools.reading import pinned
from evidence_store.errors import InvalidInput, JsonValue
from evidence_store.model import Packet, Pointer, ResourceName
from evidence_store.store.comparisons import EvidencePair, SearchAnswer, SearchRequest, Target

DEFAULT_HITS = 20
MAX_HITS = 200
MAX_CONTEXT = 100
MAX_RECEIPTS = 20
DIFF_PAIRS = 50
PAIR_TOKENS = 200
"""Tokens of each side of a pair: a list of changes is there to choose from."""


def search(context: ToolContext, arguments: Arguments) -> ToolAnswer:
    """Lines, or places of long lines, that hold a pattern, each a packet; without a hit, receipts that there is none."""
    name = arguments.text("resource")
    asked = arguments.find_int("revision", 1, 2**53 - 1)
    request = SearchRequest(
        arguments.text("pattern"),
        arguments.flag("regex"),
        arguments.flag("ignore_case"),
        arguments.find_int("limit", 1, MAX_HITS) or DEFAULT_HITS,
        arguments.find_int("context", 0, MAX_CONTEXT) or 0,
        arguments.find_int("after", 0, 2**53 - 1) or 0,
    )
    every = arguments.flag("all_revisions")
    arguments.finish()
    targets = _targets(context, name, asked, every=every)
    if request.start and len(targets) > 1:
        raise InvalidInput("search: after goes on in one revision; name it", {"argument": "after"}, code="bad_argument")
    share = max(50, DEFAULT_MAX_TOKENS // request.limit)
    found = context.store.comparisons.search(targets, request, context.limit(share), context.progress)
    if not found.packets and not request.start:
        return _nothing_found(found, many=len(targets) > 1)
    following: JsonValue = {"after": found.reached[-1]} if found.more and len(targets) == 1 else None
    facts: dict[str, JsonValue] = {"hits": len(found.packets), "absent": False, "unproven": [], "more": found.more, "next": following}
    on = [] if following is None else [f"next: {orjson.dumps(following).decode()}"]
    return packets_answer(found.packets, f"more: {'yes' if found.more else 'no'}", *on, facts=facts)


def _nothing_found(found: SearchAnswer, *, many: bool) -> ToolAnswer:
    """Receipts, and for each revision that gives none why not."""
    receipts, unproven = found.receipts[:MAX_RECEIPTS], found.unproven[:MAX_UNPROVEN]
    lines = [unproven_line(one, many=many) for one in unproven]
    n_receipts, n_unproven = len(found.receipts) - len(receipts), len(found.unproven) - len(unproven)
    lines += [f"more: {n_receipts} receipts"] if n_receipts else []
    lines += [f"more: {n_unproven} revisions that prove no absence"] if n_unproven else []
    facts: dict[str, JsonValue] = {
        "hits": 0,
        "absent": bool(found.receipts) and not found.unproven,
        "unproven": [unproven_json(one) for one in unproven],
        "more": n_receipts + n_unproven > 0,
        "next": None,
    }
    return packets_answer(receipts, *lines, facts=facts)


def _targets(context: ToolContext, name: str, asked: int | None, *, every: bool) -> list[Target]:
    sources = context.store.sources
    names = sources.list_matching(name)
    if not every:
        return [(one, pinned(context, one, asked)) for one in names]
    if asked is not None:
        raise InvalidInput("all_revisions goes without revision", code="bad_argument")
    return [(one, pinned(context, one, revision.number)) for one in names for revision in sources.list_revisions(one)]


def diff(context: ToolContext, arguments: Arguments) -> ToolAnswer:
    """Pairs of places that differ, one JSON line each, and the packets of both sides."""
    name = ResourceName(arguments.text("resource"))
    old, new = arguments.integer("old_revision", 1, 2**53 - 1), arguments.integer("new_revision", 1, 2**53 - 1)
    pointer = arguments.find_text("pointer")
    arguments.finish()
    below = None if pointer is None else Pointer(pointer)
    sides = ((name, pinned(context, name, old)), (name, pinned(context, name, new)))
    found = context.store.comparisons.diff(*sides, below, DIFF_PAIRS, context.limit(PAIR_TOKENS))
    packets = [packet for pair in found.pairs for packet in (pair.old, pair.new, pair.absent) if packet is not None]
    pairs = [_pair(pair) for pair in found.pairs]
    lines = [f"- {json_line(pair)}" for pair in pairs]
    return packets_answer(packets, *lines, f"more: {'yes' if found.more else 'no'}", facts={"pairs": pairs, "more": found.more})


def _pair(pair: EvidencePair) -> dict[str, JsonValue]:
    sides = {"old": _id(pair.old), "new": _id(pair.new), "absent": _id(pair.absent)}
    return {"change": pair.change, **{side: id_ for side, id_ in sides.items() if id_}}


def _id(packet: Packet | None) -> str | None:
    return None if packet is None else packet.id
