"""What is fuzzed through a store: bytes are put, read as evidence, read again by their ids, checked, located, searched and summarized."""

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from benchmarks.fuzz_readers import LIMITS, Few, Given, some_pointer
from benchmarks.fuzz_replay import parse_json, promised
from evidence_store.documents.detect import STRUCTURED
from evidence_store.documents.text import count_lines
from evidence_store.errors import EvidenceStoreError, LimitExceeded
from evidence_store.excerpts import NoLimit
from evidence_store.model import Currency, Format, Integrity, Packet, ResourceName, Selector
from evidence_store.store import EvidenceStore, init_store, open_store
from evidence_store.store.comparisons import SearchRequest
from evidence_store.store.passages import Place
from evidence_store.store.put_request import PutRequest

FORMATS = (None, Format.JSON, Format.YAML, Format.JSONL, Format.JUNIT, Format.CSV, Format.TEXT, Format.BYTES)
MAX_INPUTS = 300
"""Of one store: the next input begins a new one, so that none grows without end."""
SHOWN_CHARS = 60
_QUOTES = frozenset('"“”「」«»')


class _Stores:
    """One store at a time, on a disk that ends with the process; the first is made, the others are copies of it."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._store: EvidenceStore | None = None
        self._n_inputs = 0

    def next(self) -> tuple[EvidenceStore, ResourceName]:
        """A store, and a name that nothing in it has."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
            init_store(self._folder / "empty")
        if self._store is None or self._n_inputs % MAX_INPUTS == 0:
            if self._store is not None:
                self._store.close()
                shutil.rmtree(self._folder / "used")
            shutil.copytree(self._folder / "empty", self._folder / "used")
            self._store = open_store(self._folder / "used", limits=LIMITS)
        self._n_inputs += 1
        return self._store, ResourceName(f"r{self._n_inputs}")

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
        if self._folder is not None:
            shutil.rmtree(self._folder)
        self.__init__()  # type: ignore[misc]


stores = _Stores()


def read_stored(data: bytes) -> None:
    """What `put`, `read`, `get`, `check`, `locate`, `search` and `summary` say of one revision agrees with its bytes."""
    given = Given(data)
    format, at, first, n_lines = FORMATS[given.number() % len(FORMATS)], given.number(), given.number(), given.number()
    words, raw = given.text(), given.rest()
    store, name = stores.next()
    put = store.sources.put(PutRequest(name, format=format), [raw])
    revision = put.revision
    assert put.created
    assert store.sources.get_bytes(name, revision.number) == raw, "what was put is read back"
    selectors = [
        Selector("lines", f"{1 + first % (count_lines(raw) + 1)}-{1 + first + n_lines % 4}"),
        Selector("bytes", f"{at}-{at + first}"),
    ]
    if revision.format in STRUCTURED:
        selectors.append(Selector("pointer", some_pointer(store.sources.get_document(revision), at)))
    selectors.append(Selector("quote", words))
    packets: list[Packet] = []
    for selector in selectors:
        try:
            packets.append(store.passages.read(Place(name, None, selector), NoLimit()))
        except EvidenceStoreError:
            continue
    with promised("an evidence is read again"):
        for packet in packets:
            _require_sound(store, packet, raw)
    answer = store.comparisons.search([(name, None)], SearchRequest(words.split("\n")[0] or "a", context=n_lines % 3), Few())
    for hit in answer.packets:
        assert hit.match is not None
        assert hit.span.start <= hit.match.start <= hit.match.end <= hit.span.end, "a hit lies in its passage"
    found = [*packets, *answer.packets, *answer.receipts]
    try:
        found.append(store.summaries.read(name, None, None, NoLimit()))
    except EvidenceStoreError as why:
        refused = why.error_code
        assert refused == "no_summary", "a summary is refused for what it is"
    with promised("what was just read is known"):
        _require_known(store, name, found)
        _check_report(store, packets, words)
        _follow(store, name, format, packets, raw)


def _require_known(store: EvidenceStore, name: ResourceName, found: list[Packet]) -> None:
    for packet in found:
        assert store.passages.get(packet.id, NoLimit()).digest == packet.digest
        if packet.transforms and packet.transforms[0].startswith("summary/"):
            assert store.passages.get(packet.id, NoLimit()).excerpt == packet.excerpt, "a summary is made again"
        assert store.checks.integrity(packet.id) == (Integrity.OK, ""), "what was just stored is whole"
        assert store.locations.locate(packet.id, name, None, Few()).verdict is Currency.SAME, "a passage stands where it stands"


def _require_sound(store: EvidenceStore, packet: Packet, raw: bytes) -> None:
    """A packet is the slice that it names, on its lines, and says the same when it is read again."""
    span = packet.span
    assert 0 <= span.start <= span.end <= len(raw), "a span lies in the bytes"
    is_wide = any(transform.startswith(("decoded/1=utf-16", "decoded/1=utf-32")) for transform in packet.transforms)
    if not is_wide:
        last = max(span.start, span.end - 1)
        lines = (raw[: span.start].count(b"\n") + 1, raw[:last].count(b"\n") + 1)
        # Past the end there is no line: the last one is named.
        lines = (min(lines[0], max(1, count_lines(raw))), min(lines[1], max(1, count_lines(raw))))
        assert (packet.lines.first, packet.lines.last) == lines, "a passage stands on the lines of its bytes"
    if packet.shown_in_full and not packet.transforms:
        assert packet.excerpt.encode() == raw[span.start : span.end], "an excerpt without transforms is the slice"
        if packet.value is not None and packet.format is Format.JSON:
            assert parse_json(packet.value.decode()) == parse_json(packet.excerpt), "a value is that of its slice"
    again = store.passages.get(packet.id, NoLimit())
    assert (again.id, again.span, again.lines, again.column) == (packet.id, packet.span, packet.lines, packet.column)
    if again.selector == packet.selector:
        assert again == packet, "an evidence is shown the same again"
    few = store.passages.get(packet.id, Few())
    if few.cut is not None:
        assert span.start <= few.cut.shown.start <= few.cut.shown.end <= span.end, "what is shown of it lies in it"
        assert len(few.excerpt) <= SHOWN_CHARS
    for to in ("parent", "full"):
        store.passages.expand(packet.id, to, Few())
    if not raw:
        return
    around = store.passages.expand(packet.id, "lines:1", Few()).span
    assert is_wide or around.start <= span.start <= span.end <= around.end, "the lines around a passage hold it"


def _check_report(store: EvidenceStore, packets: list[Packet], words: str) -> None:
    """Quotes of passages are found in them; what a report says beside them does no harm."""
    text, n_cited = "", 0
    for packet in packets:
        line = packet.excerpt.split("\n")[0]
        if line.strip() and not _QUOTES & set(line) and "[ev_" not in line:
            text += f'it is "{line}" [{packet.id}]\n'
            n_cited += 1
    checked = store.checks.check_report(text + words)
    for one in checked[:n_cited]:
        assert one.ok, "a quoted passage is found"
    store.claims.find_published(text)


def _follow(store: EvidenceStore, name: ResourceName, format: Format | None, packets: list[Packet], raw: bytes) -> None:
    """The next revision has one more line before it, or is the first half of the bytes."""
    for changed in (b"\n" + raw, raw[: len(raw) // 2]):
        try:
            number = store.sources.put(PutRequest(name, format=format), [changed]).revision.number
        except EvidenceStoreError:
            continue
        for packet in packets:
            answer = store.locations.locate(packet.id, name, number, Few())
            passage = raw[packet.span.start : packet.span.end]
            if answer.packet is not None and packet.selector.kind in ("lines", "bytes") and answer.verdict is not Currency.CHANGED:
                there = answer.packet.span
                assert passage in changed[there.start : there.end], "what stands elsewhere is the same there"
            assert store.checks.integrity(packet.id)[0] is Integrity.OK
        with suppress(LimitExceeded):
            store.comparisons.diff((name, 1), (name, number), None, 5, Few())
