"""Finding a cited passage again in another revision; where it is gone, what is most like it there."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from evidence_store.deadline import Deadline
from evidence_store.documents.charset import encoding_of
from evidence_store.documents.detect import STRUCTURED
from evidence_store.documents.encoding import unit_width
from evidence_store.documents.model import Document
from evidence_store.documents.outline import keys_text
from evidence_store.documents.resolve import resolve
from evidence_store.documents.text import format_bytes, format_lines
from evidence_store.errors import InvalidInput, JsonValue, LimitExceeded, NotFound
from evidence_store.excerpts import show_receipt
from evidence_store.locate import locate, locate_bytes
from evidence_store.model import Currency, EvidenceId, Packet, ResourceName, Selector, Span, TextLimit
from evidence_store.records import evidence as records
from evidence_store.records.events import append_event
from evidence_store.records.evidence import Evidence, Relocation
from evidence_store.records.sources import Revision
from evidence_store.relocate import FINDER, MAX_CHARS, find_like_lines, find_like_node
from evidence_store.store.core import Core
from evidence_store.store.found import KEYS, SEARCH, View, is_absent, whole_passage
from evidence_store.store.mint import mint
from evidence_store.store.passages import Passages, Place
from evidence_store.store.reader import RevisionReader
from evidence_store.store.sources import Sources, require_resource

if TYPE_CHECKING:
    from evidence_store.store.summaries import Summaries

KEYS_VIEW: View = "keys"
MAX_LIKE_BYTES = 64 * 1024 * 1024
"""Size up to which a revision is looked through for what is like a passage that is gone."""


@dataclass(frozen=True, slots=True)
class Relocated:
    """Evidence of its own, much like one that is gone. Whether it says the same is for a reader to judge."""

    packet: Packet
    relocated_from: EvidenceId
    finder: str
    score: int
    """0 to 100."""


@dataclass(frozen=True, slots=True)
class LocateAnswer:
    verdict: Currency
    packet: Packet | None
    relocation: Relocated | None = None
    """Only where the passage is not found."""


class Locations:
    """Where evidence of one workspace stands in other revisions."""

    def __init__(self, core: Core, sources: Sources, passages: Passages, summaries: "Callable[[], Summaries]") -> None:
        self._core = core
        self._sources = sources
        self._passages = passages
        self._summaries = summaries

    def locate(self, id_: EvidenceId, name: ResourceName, number: int | None, limit: TextLimit) -> LocateAnswer:
        """How a cited passage stands in another revision, and where. Raises NotFound, LimitExceeded."""
        found = self._passages.find(id_)
        for one in (found.resource, name):
            self._sources.require_unmasked(one)
        selector = self._passages.best_selector(found)
        source, target = self._sources.get_revision(found.resource, found.revision), self._sources.get_revision(name, number)
        if found.transform is not None and found.transform != KEYS:
            return self._locate_derived(found, source, target, limit)
        verdict, place = self._find(found, selector, source, target)
        if place is not None:
            return LocateAnswer(verdict, self._passages.read(place, limit))
        is_lost = verdict in (Currency.GONE, Currency.UNKNOWN)
        relocation = self._relocate(found, selector, source, target, limit) if is_lost else None
        return LocateAnswer(verdict, None, relocation)

    def currency(self, id_: EvidenceId) -> Currency:
        """How a passage stands against the newest revision of its resource."""
        found = self._passages.find(id_)
        newest = self._sources.get_revision(found.resource, None)
        if newest.number == found.revision:
            return Currency.NEWEST
        if found.transform is not None and found.transform != KEYS:
            return self._currency_of_derived(found.transform, self._sources.get_revision(found.resource, found.revision), newest)
        source = self._sources.get_revision(found.resource, found.revision)
        return self._find(found, self._passages.best_selector(found), source, newest)[0]

    # -- derived evidence: what its transform gives of another revision

    def _currency_of_derived(self, transform: str, source: Revision, target: Revision) -> Currency:
        """`same` where the transform gives the same text; `gone` where it has none for that revision; `unknown` where nobody can say."""
        if transform.partition(" ")[0] == SEARCH:
            match is_absent(self._passages.get_reader(target), transform, Deadline(self._core.limits.max_seconds).check):
                case True:
                    return Currency.SAME
                case False:
                    return Currency.CHANGED
                case None:
                    return Currency.UNKNOWN
        if source.digest == target.digest:
            return Currency.SAME
        try:
            summaries = self._summaries()
            same = summaries.text_of(source, transform) == summaries.text_of(target, transform)
        except (LimitExceeded, NotFound):
            return Currency.UNKNOWN
        except InvalidInput:
            return _not_found_in(target)
        return Currency.SAME if same else Currency.CHANGED

    def _locate_derived(self, found: Evidence, source: Revision, target: Revision, limit: TextLimit) -> LocateAnswer:
        transform = found.transform or ""
        verdict = self._currency_of_derived(transform, source, target)
        if verdict in (Currency.GONE, Currency.UNKNOWN):
            return LocateAnswer(verdict, None)
        if transform.partition(" ")[0] == SEARCH:
            if verdict is Currency.CHANGED:
                return LocateAnswer(verdict, None)
            with self._core.database.reading() as connection:
                resource = require_resource(connection, self._core, target.resource)
            reader = self._passages.get_reader(target)
            receipt = whole_passage(resource, reader, show_receipt(transform, reader.masking), transform)
            return LocateAnswer(verdict, mint(self._core, [receipt])[0])
        kind = self._summaries().registry.get_transform(transform).kind
        return LocateAnswer(verdict, self._summaries().read(target.resource, target.number, kind, limit))

    def relocations(self, id_: EvidenceId) -> Sequence[Relocation]:
        """What an evidence was named in place of, as far as that is seen."""
        core = self._core
        with core.database.reading() as connection:
            found = records.list_relocations(connection, core.workspace, id_)
            if not found:
                return ()
            seen = records.list_known_ids(connection, core.workspace, [one.relocated_from for one in found], core.clearances)
        return [one for one in found if one.relocated_from in seen]

    def _find(self, found: Evidence, selector: Selector, source: Revision, target: Revision) -> tuple[Currency, Place | None]:
        if selector.kind == "pointer" and source.format in STRUCTURED and target.format in STRUCTURED:
            if found.transform == KEYS:
                return self._find_keys(selector, source, target)
            if source.digest == target.digest:
                return Currency.SAME, Place(target.resource, target.number, selector)
            where = locate(self._sources.get_tree(source), selector.text, self._sources.get_tree(target))
            if where.pointer is None:
                return _not_found_in(target), None
            return where.verdict, Place(target.resource, target.number, Selector("pointer", where.pointer))
        encoding = encoding_of(source.notes)
        if encoding != encoding_of(target.notes):
            return Currency.UNKNOWN, None  # the same bytes are other characters there
        raw = self._sources.get_whole(source)
        its = self._sources.get_whole(target)
        line_end = "\n".encode(encoding) if selector.kind == "lines" else None
        moved = locate_bytes(raw, found.span, its, unit_width(encoding), line_end)
        if moved.span is None:
            return (_not_found_in(target) if moved.verdict is Currency.GONE else moved.verdict), None
        like = _like(selector, self._passages.get_reader(target), moved.span)
        return moved.verdict, Place(target.resource, target.number, like)

    def _find_keys(self, selector: Selector, source: Revision, target: Revision) -> tuple[Currency, Place | None]:
        """Of a revision that is not complete only a new key tells for certain that they are others, and its keys are no evidence."""
        if source.digest == target.digest and source.format is target.format and target.complete:
            return Currency.SAME, Place(target.resource, target.number, selector, KEYS_VIEW)
        old, new = self._sources.get_tree(source), self._sources.get_tree(target)
        where = locate(old, selector.text, new)
        if where.pointer is None:
            return _not_found_in(target), None
        if not resolve(new, where.pointer).is_container:
            return Currency.CHANGED, None
        mine, its = _keys(old, selector.text), _keys(new, where.pointer)
        if not target.complete:
            return (Currency.CHANGED if Counter(its) - Counter(mine) else Currency.UNKNOWN), None
        place = Place(target.resource, target.number, Selector("pointer", where.pointer), KEYS_VIEW)
        if mine != its:
            return Currency.CHANGED, place
        return (Currency.SAME if where.pointer == selector.text else Currency.MOVED), place

    # -- what is like a passage that is gone

    def _relocate(self, found: Evidence, selector: Selector, source: Revision, target: Revision, limit: TextLimit) -> Relocated | None:
        if found.transform is not None or found.span.length > MAX_CHARS or target.size > MAX_LIKE_BYTES:
            return None
        if selector.kind == "pointer" and source.format in STRUCTURED and target.format in STRUCTURED:
            node = find_like_node(self._sources.get_tree(source), selector.text, self._sources.get_tree(target))
            place, score = (None, 0) if node is None else (Selector("pointer", node.pointer), node.score)
        else:
            place, score = self._like_lines(found, source, target)
        if place is None:
            return None
        packet = self._passages.read(Place(target.resource, target.number, place), limit)
        if not self._core.database.is_read_only:
            self._record(Relocation(packet.id, found.id, FINDER, score))
        return Relocated(packet, found.id, FINDER, score)

    def _like_lines(self, found: Evidence, source: Revision, target: Revision) -> tuple[Selector | None, int]:
        passage = self._passages.get_reader(source)
        lines = passage.lines_of(found.span)
        text = passage.read(passage.span_of_lines(lines)).decode(encoding_of(source.notes), "replace")
        raw = self._sources.get_whole(target).decode(encoding_of(target.notes), "replace")
        like = find_like_lines(text, raw.split("\n"), lines.first, Deadline(self._core.limits.max_seconds).check)
        return (None, 0) if like is None else (Selector("lines", format_lines(like.lines)), like.score)

    def _record(self, new: Relocation) -> None:
        with self._core.database.writing() as connection:
            at = self._core.clock()
            if records.insert_relocation(connection, self._core.workspace, new, at):
                data: dict[str, JsonValue] = {"relocated_from": new.relocated_from, "finder": new.finder, "score": new.score}
                append_event(connection, self._core.workspace, "evidence.relocated", new.evidence, data, at)


def _not_found_in(target: Revision) -> Currency:
    """What is not found in a revision is gone from it; where more is to come, it may come."""
    return Currency.GONE if target.complete else Currency.UNKNOWN


def _keys(document: Document, pointer: str) -> Sequence[str]:
    """The keys of a container; the order of members says nothing."""
    node = resolve(document, pointer)
    keys: list[str] = orjson.loads(keys_text(document, node))
    return sorted(keys) if node.type == "object" else keys


def _like(selector: Selector, reader: RevisionReader, span: Span) -> Selector:
    """The same kind of selector for a range of the revision that is read."""
    if selector.kind == "lines":
        return Selector("lines", format_lines(reader.lines_of(span)))
    return Selector("bytes", format_bytes(span))
