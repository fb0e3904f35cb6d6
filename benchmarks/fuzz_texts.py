"""What is fuzzed beside documents: lines, frames, ids, canonical bytes, reports, sentences, summaries. Rules as in `fuzz_readers`."""

import json
import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from benchmarks.fuzz_readers import CHARSETS, LIMITS, Given, made_value, some_pointer, two_documents
from benchmarks.fuzz_replay import MAX_NODES, promised
from evidence_store.canonical import canonical_bytes, digest_of
from evidence_store.documents.charset import UTF8, find_charset
from evidence_store.documents.detect import MEDIA_TYPES, Detection, inspect, open_document, text_notes
from evidence_store.documents.openapi import METHODS, find_operation, find_parameter, find_schema
from evidence_store.documents.references import find_target
from evidence_store.documents.resolve import resolve
from evidence_store.documents.text import LineStarts, format_lines, lines_of_span, parse_bytes, parse_lines, span_of_lines
from evidence_store.documents.text_scan import TextScan
from evidence_store.documents.wide import WideLines
from evidence_store.errors import EvidenceStoreError, InvalidInput, JsonValue, NotFound
from evidence_store.frames import FRAME_BYTES, FrameEncoder, decode_frames
from evidence_store.grounding import find_needles, find_ungrounded, stands_quoted
from evidence_store.ids import MAX_LENGTH, Identity, ReadId, read_id, short_id
from evidence_store.model import Format, LineRange, ResourceName, Span, WorkspaceName
from evidence_store.pointers import join
from evidence_store.relocate import MIN_SCORE, find_like_lines, find_like_node
from evidence_store.report_check import find_citations, find_task, find_uncited
from evidence_store.store.claims import MAX_TEXT_CHARS
from evidence_store.summaries.model import HEAD_BYTES, Material, Subject
from evidence_store.summaries.standard import standard_registry

WIDE = ("utf-16le", "utf-16be", "utf-32le", "utf-32be")
MAX_SUMMARY_LINES = 250
"""More than all sections of a kind may hold together."""
_FORMATS = (Format.JSON, Format.YAML, Format.JSONL, Format.JUNIT, Format.CSV, Format.TEXT)
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\u202a-\u202e]")
_FAILED = re.compile(r"- (?:failure|error) (/\S*?)(?:: .*)?", re.DOTALL)


# -- lines and frames


def read_lines(data: bytes) -> None:
    """Lines and spans lead to each other as in a text that is split at its line feeds."""
    given = Given(data)
    first, more, start, length = given.number(), given.number(), given.number(), given.number()
    raw = given.rest()
    lines = [piece + b"\n" for piece in raw.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    n_lines = len(lines) - (not lines[-1])
    wanted = LineRange(first % (n_lines + 3), first % (n_lines + 3) + more % 4)
    assert parse_lines(format_lines(wanted)) == wanted if wanted.first else True
    starts = LineStarts(raw)
    assert len(starts) == n_lines, "all lines are counted"
    expected = b"".join(lines[wanted.first - 1 : wanted.last])
    for found in (_span_or_why(starts.span_of, wanted), _span_or_why(lambda one: span_of_lines(raw, one), wanted)):
        if wanted.first < 1:
            assert found is InvalidInput, "lines count from 1"
        elif wanted.first > n_lines:
            assert found is NotFound, "no line stands past the end"
        else:
            assert isinstance(found, Span)
            assert raw[found.start : found.end] == expected, "a range of lines is these lines"
    at = start * max(1, len(raw) // 200) % (len(raw) + 1)
    span = Span(at, min(len(raw), at + length))
    last = max(span.start, span.end - 1)
    around = LineRange(raw[: span.start].count(b"\n") + 1, raw[:last].count(b"\n") + 1)
    assert starts.lines_of(span) == around == lines_of_span(raw, span), "a span stands on the lines of its first and last byte"
    with promised("what we write we read"):
        assert parse_bytes(f"{span.start}-{span.end}") == span


def _span_or_why(find: Callable[[LineRange], Span], lines: LineRange) -> Span | type[EvidenceStoreError]:
    try:
        return find(lines)
    except (InvalidInput, NotFound) as why:
        return type(why)


def read_wide_lines(data: bytes) -> None:
    """The lines of a text in UTF-16 or UTF-32 are those of its characters."""
    given = Given(data)
    encoding, first = WIDE[given.number() % len(WIDE)], given.number()
    text = given.rest().decode("utf-8", "replace")
    raw, lines = text.encode(encoding), text.split("\n")
    n_lines = len(lines) - (not lines[-1])
    wide = WideLines(raw, encoding)
    assert len(wide) == n_lines, "all lines are counted"
    for number in range(1 + first % max(1, n_lines), min(n_lines, first + MAX_NODES) + 1):
        span = wide.span_of(LineRange(number, number))
        assert raw[span.start : span.end].decode(encoding) == lines[number - 1], "a line is the text before its end"
        assert wide.lines_of(span) == LineRange(number, number), "a line stands on itself"
        assert wide.column_of(span.end) == len(lines[number - 1]), "a column counts characters"


def read_frames(data: bytes) -> None:
    """However bytes come in: the same frames and notes, and each frame gives its bytes back; what is not its own is refused."""
    given = Given(data)
    size, is_filled, flip = given.number(), given.flag(), given.number()
    raw = b"a\n" * (FRAME_BYTES // 2 if is_filled else 0) + given.rest()
    step = max(1, size, len(raw) // MAX_NODES)
    pieces = [raw[at : at + step] for at in range(0, len(raw), step)]
    encoder, scan = FrameEncoder(), TextScan()
    stored = b""
    for piece in pieces:
        stored += b"".join(encoder.add(piece))
        scan.add(piece)
    stored += b"".join(encoder.finish())
    frames, digest = encoder.encoded.frames, encoder.encoded.digest
    assert digest == digest_of(raw)
    with promised("the frames hold the bytes"):
        assert decode_frames(frames, stored, digest) == raw
    for frame in frames:
        assert frame.lines_before == raw.count(b"\n", 0, frame.raw.start), "a frame knows the lines before it"
    assert all(one.raw.end == following.raw.start for one, following in pairwise(frames))
    notes = scan.finish()
    if find_charset(raw, None).name == UTF8:
        assert notes == text_notes(raw), "what comes in pieces has the notes of the whole"
    kept = stored[: frames[0].stored.end]
    at = flip * 7 % len(kept)
    damaged = kept[:at] + bytes([kept[at] ^ (1 << flip % 8)]) + kept[at + 1 :]
    try:
        found = decode_frames(frames[:1], damaged, digest)
    except EvidenceStoreError:
        return
    assert found == raw[: frames[0].raw.end], "damaged bytes are never handed out"


# -- ids and canonical bytes


def read_ids(data: bytes) -> None:
    digest = digest_of(data)
    made = short_id(digest, 1 + len(data) % MAX_LENGTH)
    with promised("an id of ours is read as it is"):
        assert read_id(made) == ReadId(made, folded=False)
    assert short_id(digest, MAX_LENGTH).startswith(made), "a longer id begins with the shorter one"
    found = read_id(data.decode("utf-8", "surrogateescape"))
    with promised("what was read has its one spelling"):
        assert read_id(found.id) == ReadId(found.id, folded=False)
        assert read_id(found.id.upper()).id == found.id


def read_canonical(data: bytes) -> None:
    """One value has one form, whatever the order of its members, and is read back from it."""
    given = Given(data)
    made, raw = given.flag(), given.rest()
    try:
        value = json.loads(raw) if not made else made_value(iter(raw), 5)
    except (ValueError, RecursionError):
        return
    form = canonical_bytes(value)
    back = json.loads(form, parse_int=float)
    assert back == value, "the form is the value"
    with promised("the form is the same for the same value"):
        assert canonical_bytes(back) == form, "the form of the form is itself"
        assert canonical_bytes(_turned(value)) == form, "the order of members does not count"
    span = Span(len(raw), len(raw) + 1)
    identity = Identity(WorkspaceName("w"), ResourceName(str(len(form))), 1, digest_of(form), (span,), None)
    assert short_id(identity.digest()) == short_id(identity.digest())


def _turned(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: _turned(value[key]) for key in reversed(list(value))}
    return [_turned(one) for one in value] if isinstance(value, list) else value


# -- reports and sentences


def read_report(data: bytes) -> None:
    """Each citation stands where it is said to stand, behind its quote; no sentence with one counts as uncited."""
    text = data.decode("utf-8", "replace")
    lines = text.split("\n")
    cited = find_citations(text)
    assert len(cited) == len(re.findall(r"\[ev_[0-9A-Za-z]+\]", text)), "each citation is found"
    for place in cited:
        line = lines[place.line - 1]
        assert line[place.column - 1 :].startswith(f"[{place.id}]"), "a citation stands at its line and column"
        assert place.quote is None or place.quote in line[: place.column - 1], "a quote stands before its citation"
    lines_cited = {place.line for place in cited}
    for sentence in find_uncited(text):
        assert sentence.line not in lines_cited
        assert lines[sentence.line - 1].strip().startswith(sentence.text)
    task = find_task(text)
    assert task is None or f"`{task}`" in text
    for place in cited[:MAX_NODES]:
        read_id(place.id)


def read_sentence(data: bytes) -> None:
    given = Given(data)
    sentence, sources = given.text()[:MAX_TEXT_CHARS], (given.text(), given.rest().decode("utf-8", "replace"))
    needles = find_needles(sentence)
    ungrounded = find_ungrounded(sentence, sources)
    assert set(ungrounded) <= set(needles)
    for needle in needles:
        assert needle.text in sentence, "what must be grounded is of the sentence"
        if needle not in ungrounded:
            words = [needle.text] if needle.kind != "code" else needle.text.split() or [needle.text]
            assert all(any(word in source for source in sources) for word in words), "what is grounded stands in a source"
    assert not stands_quoted(sentence, ()), "nothing stands in no source"
    assert not sentence or stands_quoted(sentence, (sentence,)), "a text stands in itself"


# -- summaries


def read_summary(data: bytes) -> None:
    """Every kind: the same text each time, bounded, on lines of ours; and the failed cases lead to nodes."""
    given = Given(data)
    format, charset = _FORMATS[given.number() % len(_FORMATS)], CHARSETS[given.number() % len(CHARSETS)]
    raw = given.rest()
    media_type = MEDIA_TYPES[format] + (f"; charset={charset}" if charset else "")
    found = inspect(raw, Detection(format, media_type, named=False), LIMITS)
    registry = standard_registry()
    subject = Subject(ResourceName("r"), found.media_type, found.format, len(raw), raw[:HEAD_BYTES])
    tried = registry.candidates(subject)
    assert len(set(tried)) == len(tried)
    for kind in registry.kinds:
        summarizer = registry.get_kind(kind)
        try:
            text = summarizer.summarize(Material(raw, found.format, found.notes))
        except EvidenceStoreError:
            continue
        with promised("the same material gives the same text"):
            assert text == summarizer.summarize(Material(raw, found.format, found.notes))
        assert text.startswith(f"{kind}: "), "a summary says its kind"
        assert text.endswith("\n")
        assert not _CONTROLS.search(text), "nothing that is hidden stands in it"
        text.encode("utf-8")
        lines = text[:-1].split("\n")
        assert len(lines) <= MAX_SUMMARY_LINES, "a summary is bounded"
        if found.format is Format.JUNIT and kind == "tests":
            document = open_document(raw, found.format, found.notes)
            for match in filter(None, map(_FAILED.fullmatch, lines)):
                with promised("a failed case is led to"):
                    assert resolve(document, match[1]).is_container


# -- addresses in an OpenAPI document


_PATHS = ("/a/{x}", "/a/{id}", "/b", "a")
_TEXTS = ("id", "x", "query", "path", "#/components/parameters/id", "#/paths/~1a~1{x}/parameters/0", "#", "other.yaml#/a")


def read_openapi(data: bytes) -> None:
    given = Given(data)
    is_made, is_exact, words, name, raw = given.flag(), given.flag(), given.text(), given.text(), given.rest()
    if is_made:
        raw = json.dumps(_made_api(iter(raw))).encode()
    format = Format.JSON if raw.lstrip()[:1] == b"{" else Format.YAML
    found = inspect(raw, Detection(format, "", named=True), LIMITS)
    document = open_document(raw, found.format, found.notes)
    target = find_target(document, document.root)
    with promised("what is named is there"):
        resolve(document, target or "")
    try:
        operation = find_operation(document, words or "get /a/{id}")
    except EvidenceStoreError:
        pointer = find_schema(document, name or "id").pointer
        with promised("a schema that was found is there"):
            resolve(document, pointer)
    else:
        with promised("an operation that was found is there"):
            resolve(document, operation.pointer)
        parameter = find_parameter(document, operation, name or "id", "query" if is_exact else None)
        with promised("a parameter that was found has its name"):
            assert document.scalar(resolve(document, join(parameter.pointer, "name"))) == (name or "id")


def _made_api(choices: Iterator[int]) -> JsonValue:
    """A document with paths, parameters and schemas, in most of which something is amiss."""

    def text() -> str:
        return _TEXTS[next(choices, 0) % len(_TEXTS)]

    def parameter() -> JsonValue:
        kinds: tuple[JsonValue, ...] = ({"name": text(), "in": text()}, {"$ref": text()}, {"name": "id", "in": "query"}, None)
        return kinds[next(choices, 0) % 4]

    def operation() -> JsonValue:
        return {"parameters": [parameter() for _ in range(next(choices, 0) % 3)]} if next(choices, 0) % 4 else text()

    def item() -> JsonValue:
        return {(*METHODS, "parameters")[next(choices, 0) % 3 - 1]: operation() for _ in range(1 + next(choices, 0) % 3)}

    paths: JsonValue = {_PATHS[next(choices, 0) % 4]: item() for _ in range(next(choices, 0) % 4)}
    named: JsonValue = {text(): parameter() for _ in range(next(choices, 0) % 3)}
    return {"paths": paths, "components": {"schemas": named, "parameters": {"id": parameter()}}, "definitions": named, "$ref": text()}


# -- what is like a passage that is gone


def read_relocate(data: bytes) -> None:
    """Lines and nodes that are named in place of others stand there, and are like them."""
    given = Given(data)
    at, near, passage = given.number(), given.number(), given.text()
    rest = given.rest()
    lines = rest.decode("utf-8", "replace").split("\n")
    found = find_like_lines(passage, lines, near)
    if found is not None:
        assert 1 <= found.lines.first <= found.lines.last <= len(lines), "lines that are like others stand there"
        assert MIN_SCORE <= found.score <= 100
        assert found == find_like_lines(passage, lines, near), "the same lines each time"
    old, new = two_documents(Given(rest))
    node = find_like_node(old, some_pointer(old, at), new)
    if node is not None:
        with promised("a node that is like another is there"):
            resolve(new, node.pointer)
        assert MIN_SCORE <= node.score <= 100
