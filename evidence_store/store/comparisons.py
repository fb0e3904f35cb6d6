"""Finding passages: by what they say, and by what changed between two revisions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeAlias

from evidence_store.canonical import canonical_bytes
from evidence_store.deadline import Deadline
from evidence_store.diff import Change, Pair, diff
from evidence_store.diff_lines import LinePair, diff_lines
from evidence_store.documents.charset import encoding_of
from evidence_store.documents.detect import STRUCTURED
from evidence_store.documents.encoding import unit_width
from evidence_store.documents.escapes import SEARCHED_FORMATS
from evidence_store.documents.text import format_lines
from evidence_store.errors import JsonValue, LimitExceeded
from evidence_store.excerpts import show_receipt
from evidence_store.model import Format, LineRange, Packet, Pointer, ResourceName, Selector, TextLimit
from evidence_store.records.sources import Resource, Revision
from evidence_store.search import Hits, search
from evidence_store.store.core import Core
from evidence_store.store.doubts import Unproven, find_doubt
from evidence_store.store.found import SEARCH, View, whole_passage
from evidence_store.store.hits import HitPassages, ShownHit
from evidence_store.store.mint import Passage, mint
from evidence_store.store.passages import Passages, Place
from evidence_store.store.reader import RevisionReader
from evidence_store.store.sources import Sources, require_resource, require_revision, require_unmasked

Target: TypeAlias = tuple[ResourceName, int | None]
"""A revision, the newest without a number."""
Progress: TypeAlias = Callable[[int, int, str], None]
MAX_SEARCHED = 1000
"""Revisions that one search goes through."""
KEYS_VIEW: View = "keys"


@dataclass(frozen=True, slots=True)
class SearchRequest:
    pattern: str
    regex: bool = False
    ignore_case: bool = False
    limit: int = 20
    context: int = 0
    """Lines before and after a hit that its packet shows."""
    start: int = 0
    """Byte that hits are looked for from; what lies before is not looked at, and where it is not 0 nothing is proved."""


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    packets: tuple[Packet, ...]
    """Hits, in the order in which the revisions were named."""
    more: bool
    receipts: tuple[Packet, ...] = ()
    """Derived evidence that there is no hit, for each revision that proves it; empty where there is a hit anywhere."""
    unproven: tuple[Unproven, ...] = ()
    """The other ones, where there is no hit anywhere."""
    reached: tuple[int, ...] = ()
    """Of each hit the byte up to which its line is shown: where a search that goes on behind it starts."""


@dataclass(frozen=True, slots=True)
class EvidencePair:
    change: Change
    old: Packet | None
    new: Packet | None
    absent: Packet | None
    """On the side that is None: keys of the container that does not hold it. None where that revision is not complete."""


@dataclass(frozen=True, slots=True)
class DiffAnswer:
    pairs: tuple[EvidencePair, ...]
    more: bool
    noise: tuple[tuple[str, int], ...] | None
    """Pairs left out by rule; None for documents with nodes, where nothing is noise."""


class Comparisons:
    """Search and diff over one workspace."""

    def __init__(self, core: Core, sources: Sources, passages: Passages) -> None:
        self._core = core
        self._sources = sources
        self._passages = passages

    def search(
        self, targets: Sequence[Target], request: SearchRequest, limit: TextLimit, progress: Progress = lambda done, total, doing: None
    ) -> SearchAnswer:
        """Places that hold a pattern, each a packet of its line; without any, receipts. All revisions share the limits of hits and time.

        Of a line that holds it more than once each place that the packets before it do not show is a hit of its own.

        `progress` is told before each revision how many of how many are done, and its name. Raises InvalidInput for a bad pattern,
        LimitExceeded for more than 1 000 revisions, or when it takes too long.
        """
        if len(targets) > MAX_SEARCHED:
            text = f"{len(targets)} revisions are too many for one search; name fewer"
            raise LimitExceeded(text, {"limit": MAX_SEARCHED}, code="limit_exceeded")
        watch = Deadline(self._core.limits.max_seconds).check
        hits: list[Passage] = []
        reached: list[int] = []
        silent: list[Passage] = []
        unproven: list[Unproven] = []
        more = False
        for place, (name, number) in enumerate(targets):
            watch()
            progress(place, len(targets), name)
            resource, revision = self._revision(name, number)
            raw = self._sources.get_whole(revision)
            asked = replace(request, limit=request.limit - len(hits))
            found, shown = self._search_one(resource, revision, raw, asked, limit, watch)
            hits += [one.passage for one in shown]
            reached += [one.end for one in shown]
            more = found.more
            if more:
                break
            if found.hits or request.start:
                continue
            doubt = find_doubt(revision, raw, request.pattern)
            if doubt is None:
                silent.append(receipt_passage(resource, self._passages.get_reader(revision), request))
            else:
                unproven.append(Unproven(name, revision.number, doubt))
        if hits:
            return SearchAnswer(self._mint(hits), more, reached=tuple(reached))
        return SearchAnswer((), more, self._mint(silent), tuple(unproven))

    def _search_one(
        self, resource: Resource, revision: Revision, raw: bytes, request: SearchRequest, limit: TextLimit, watch: Callable[[], None]
    ) -> tuple[Hits, list[ShownHit]]:
        reader = self._passages.get_reader(revision)
        show = cache(HitPassages(resource, reader, raw, request.context, limit).show)
        found = search(
            raw,
            request.pattern,
            regex=request.regex,
            ignore_case=request.ignore_case,
            limit=request.limit,
            encoding=encoding_of(revision.notes),
            escaped=revision.format in SEARCHED_FORMATS,
            watch=watch,
            reach=lambda hit: show(hit).end,
            start=request.start,
        )
        return found, list(map(show, found.hits))

    def _mint(self, passages: Sequence[Passage]) -> tuple[Packet, ...]:
        return mint(self._core, passages) if passages else ()

    def diff(
        self,
        old: tuple[ResourceName, int | None],
        new: tuple[ResourceName, int | None],
        pointer: Pointer | None,
        n_pairs: int,
        limit: TextLimit,
    ) -> DiffAnswer:
        """What changed between two revisions, as pairs of evidence; by nodes where both have them, else by lines."""
        _, before = self._revision(*old)
        _, after = self._revision(*new)
        watch = Deadline(self._core.limits.max_seconds).check
        if _by_nodes(before, after, pointer):
            documents = self._sources.get_document(before), self._sources.get_document(after)
            found = diff(*documents, pointer or "", limit=n_pairs, watch=watch)
            return DiffAnswer(self._pair_packets(before, after, found.pairs, limit), found.more, None)
        lines = diff_lines(self._lined_bytes(before), self._lined_bytes(after), n_pairs, watch)
        return DiffAnswer(self._line_packets(before, after, lines.pairs, limit), lines.more, tuple(sorted(lines.noise.items())))

    def _lined_bytes(self, revision: Revision) -> bytes:
        """The bytes to compare by line; in UTF-8 where not only line ends hold a byte 0x0A, so that lines are those of `read`."""
        raw, encoding = self._sources.get_whole(revision), encoding_of(revision.notes)
        return raw if unit_width(encoding) == 1 else raw.decode(encoding, "replace").removeprefix("\ufeff").encode()

    def _pair_packets(self, old: Revision, new: Revision, pairs: Sequence[Pair], limit: TextLimit) -> tuple[EvidencePair, ...]:
        def place(revision: Revision, pointer: Pointer) -> Place:
            return Place(revision.resource, revision.number, Selector("pointer", pointer))

        places: list[Place] = []
        for pair in pairs:
            places += [place(side, p) for side, p in ((old, pair.old), (new, pair.new)) if p is not None]
            side = old if pair.old is None else new
            if pair.absent is not None and side.complete:
                places.append(Place(side.resource, side.number, Selector("pointer", pair.absent), KEYS_VIEW))
        packets = iter(self._passages.read_all(places, limit))
        return tuple(
            EvidencePair(
                pair.change,
                None if pair.old is None else next(packets),
                None if pair.new is None else next(packets),
                None if pair.absent is None or not (old if pair.old is None else new).complete else next(packets),
            )
            for pair in pairs
        )

    def _line_packets(self, old: Revision, new: Revision, pairs: Sequence[LinePair], limit: TextLimit) -> tuple[EvidencePair, ...]:
        def packet(revision: Revision, lines: LineRange | None) -> Packet | None:
            if lines is None:
                return None
            return self._passages.read(Place(revision.resource, revision.number, Selector("lines", format_lines(lines))), limit)

        return tuple(EvidencePair(pair.change, packet(old, pair.old), packet(new, pair.new), None) for pair in pairs)

    def _revision(self, name: ResourceName, number: int | None) -> tuple[Resource, Revision]:
        with self._core.database.reading() as connection:
            resource = require_resource(connection, self._core, name)
            require_unmasked(self._core, resource)
            return resource, require_revision(connection, self._core, name, number)


def _by_nodes(before: Revision, after: Revision, pointer: Pointer | None) -> bool:
    """Events and test reports are compared by line, where noise is told apart; below a pointer by nodes like any tree."""
    wanted = (Format.JSON, Format.YAML) if pointer is None else STRUCTURED
    return before.format in wanted and after.format in wanted


def receipt_passage(resource: Resource, reader: RevisionReader, request: SearchRequest) -> Passage:
    """That a pattern has no hit in a complete revision; what was searched for is part of its identity."""
    asked: dict[str, JsonValue] = {"ignore_case": request.ignore_case, "pattern": request.pattern, "regex": request.regex}
    transform = f"{SEARCH} {canonical_bytes(asked).decode()}"
    return whole_passage(resource, reader, show_receipt(transform, reader.masking), transform)
