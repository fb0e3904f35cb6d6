"""Results by reference: a tool result's body replaced by one line that says where it can be had again.

The same input gives the same output, and doing it twice is doing it once. The result itself, its place and its call id stay.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from evidence_store.errors import JsonValue
from evidence_store.model import EvidenceId, Packet
from projector.dialects.forms import Dialect, Item, Part
from projector.dialects.pairing import match
from projector.dialects.table import dialect_for
from projector.exchanges import Body
from projector.model import JsonObject
from projector.render.packets import format_packet

WITHHELD = "withheld"
"""What stands in place of a result that the principal may not see."""
_REFERENCE = re.compile(r"see evidence ev_[0-9a-z]+(?:, ev_[0-9a-z]+)*")
# Where it begins a line is asked afterwards: a pattern that begins with letters is searched for ten times as fast.
_PACKET_HEAD = re.compile(r"\[evidence (ev_[0-9a-z]+)\]$", re.MULTILINE)
# Of 12 characters, or of 14: what follows at once may belong to the id, or be the next word.
_ID = re.compile(r"(ev_[0-9a-z]{12})([0-9a-z]{2})?")
NewBody = Callable[[str, Part], str | None]
"""Call id and result to the text of a new body; None where it stays."""


def reference(ids: Sequence[EvidenceId]) -> str:
    """The line that stands for a result."""
    return f"see evidence {', '.join(ids)}"


def is_reference(body: JsonValue) -> bool:
    """Whether a body is such a line already."""
    return isinstance(body, str) and body.startswith("see evidence ") and _REFERENCE.fullmatch(body) is not None


def named_evidence(text: str) -> tuple[EvidenceId, ...]:
    """The packets and references that a result's body names."""
    if is_reference(text):
        return tuple(map(EvidenceId, re.findall(r"ev_[0-9a-z]+", text)))
    if "[evidence ev_" not in text:
        return ()
    return tuple(EvidenceId(head[1]) for head in _PACKET_HEAD.finditer(text) if text[head.start() - 1 : head.start()] in ("", "\n"))


def ids_in(text: str) -> tuple[EvidenceId, ...]:
    """Every evidence that a text may name, however it goes on behind the id."""
    found = (EvidenceId(one) for short, more in _ID.findall(text) for one in (short, short + more))
    return tuple(dict.fromkeys(found))


def shown_in_full(text: str, packets: Iterable[Packet]) -> frozenset[EvidenceId]:
    """Those of the packets whose whole text form, nothing cut, stands in the body."""
    return frozenset(
        packet.id for packet in packets if packet.shown_in_full and f"[evidence {packet.id}]" in text and format_packet(packet) in text
    )


def by_reference(result: Part, packets: Sequence[Packet]) -> str | None:
    """The line to put in place of a body; None where there is none, or where it would be no shorter."""
    if not packets or is_reference(result.text):
        return None
    line = reference(tuple(dict.fromkeys(packet.id for packet in packets)))
    # a reference longer than what it stands for saves nothing
    return line if len(line) < len(result.text) else None


def rewritten(items: Sequence[Item], bodies: Iterable[Body], dialect: Dialect, new_body: NewBody) -> tuple[Item, ...]:
    """The items with the bodies of some results replaced; all else, and items without a change, stay as they are."""
    found = list(items)
    by_place: dict[int, list[Body]] = {}
    for body in bodies:
        by_place.setdefault(body.at, []).append(body)
    for at, here in by_place.items():
        results = found[at].results
        changes = {body.part: text for body in here if (text := new_body(body.call, results[body.part])) is not None}
        if changes:
            replaced = [dialect.with_body(one, changes[part]) if part in changes else one for part, one in enumerate(results)]
            found[at] = _with_results(found[at], replaced, dialect)
    return tuple(found)


def _with_results(item: Item, results: Sequence[Part], dialect: Dialect) -> Item:
    new = iter(results)
    parts = tuple(next(new) if part.kind == "result" else part for part in item.parts)
    return replace(item, parts=parts, raw=dialect.with_results(item.raw, results))


def externalise(
    messages: Iterable[JsonObject],
    results: Mapping[str, tuple[Packet, ...]],
    calls: Iterable[str] | None = None,
    *,
    provider: str = "openai",
    first_place: int = 0,
) -> tuple[JsonObject, ...]:
    """The messages with the results of these calls (of all, when None) replaced by references, where they have packets.

    `first_place` is that of the first message where others (`Step.earlier`) stand before them: it names calls that have no id.
    """
    chosen = None if calls is None else frozenset(calls)

    def line(call: str, result: Part) -> str | None:
        return by_reference(result, results.get(call, ())) if chosen is None or call in chosen else None

    return replace_results(messages, line, provider, first_place)


def replace_results(messages: Iterable[JsonObject], new_body: NewBody, provider: str, first_place: int = 0) -> tuple[JsonObject, ...]:
    """The messages of a list with the bodies of some results replaced; all else stays as it is."""
    dialect = dialect_for(provider)
    every = tuple(messages)
    items = tuple(dialect.read(message, at + first_place) for at, message in enumerate(every))
    changed = rewritten(items, _bodies(items), dialect, new_body)
    return tuple(was if new is item else new.raw for was, item, new in zip(every, items, changed, strict=True))


def _bodies(items: Sequence[Item]) -> list[Body]:
    """The results of a list: by the id that they name, else by the turn before them."""
    found: list[Body] = []
    calls: tuple[Part, ...] = ()
    for at, item in enumerate(items):
        answered = match(calls, item.results)
        found += [
            Body(call.call if call is not None else result.call, at, part)
            for part, (call, result) in enumerate(zip(answered, item.results, strict=True))
        ]
        if item.side != "result":
            calls = item.calls
    return found
