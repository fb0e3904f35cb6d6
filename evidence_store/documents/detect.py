"""Which format the bytes of a revision are read in, and what is found in them on the way in.

An explicit format wins over the media type, that over the suffix of the resource's name, that over the suffix of the file's
name, that over the content. Bytes that do not fit a format someone named are refused; where only their content looked like it,
they are kept as text, with a note.
"""

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from evidence_store.documents.charset import UTF8, declared_charset, encoding_of, find_charset, wide_notes
from evidence_store.documents.encoding import UTF8_MARK, first_bad_byte, mark_note, unit_width, whole_characters
from evidence_store.documents.model import DEFAULT_LIMITS, Document, Limits, Note
from evidence_store.documents.text_scan import NOT_UTF8_TEXT, SIGNS, crlf_note, incomplete_note
from evidence_store.errors import InvalidInput, LimitExceeded, NotFound, RefusedDocument
from evidence_store.model import Format

MEDIA_TYPES = {
    Format.JSON: "application/json",
    Format.JSONL: "application/jsonl",
    Format.YAML: "application/yaml",
    Format.TEXT: "text/plain",
    Format.JUNIT: "application/xml",
    Format.CSV: "text/csv",
    Format.BYTES: "application/octet-stream",
}
_BY_MEDIA_TYPE = {
    "application/json": Format.JSON, "text/json": Format.JSON, "application/openapi+json": Format.JSON,
    "application/jsonl": Format.JSONL, "application/x-ndjson": Format.JSONL, "application/json-lines": Format.JSONL,
    "application/yaml": Format.YAML, "application/x-yaml": Format.YAML, "text/yaml": Format.YAML, "text/x-yaml": Format.YAML,
    "text/csv": Format.CSV, "text/tab-separated-values": Format.CSV, "application/junit+xml": Format.JUNIT,
}  # fmt: skip
_BY_SUFFIX = {
    ".json": Format.JSON, ".jsonl": Format.JSONL, ".ndjson": Format.JSONL, ".yaml": Format.YAML, ".yml": Format.YAML,
    ".txt": Format.TEXT, ".log": Format.TEXT, ".out": Format.TEXT, ".md": Format.TEXT,
    ".csv": Format.CSV, ".tsv": Format.CSV,
}  # fmt: skip
STRUCTURED = (Format.JSON, Format.JSONL, Format.YAML, Format.JUNIT)
"""Formats with nodes, which a pointer leads to."""
_XML_TYPES = frozenset(("application/xml", "text/xml"))
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_WIDE_XML = (
    (b"\xff\xfe<\0", "utf-16le"), (b"\xfe\xff\0<", "utf-16be"), (b"<\0", "utf-16le"), (b"\0<", "utf-16be"),
)  # fmt: skip
HEAD_BYTES = 64 * 1024
"""Of which the content is looked at."""
_YAML_HEAD = re.compile(rb"(?:#[^\n]*\n|\s)*(?:---\s|%YAML|[\"']?(?:openapi|swagger|asyncapi)[\"']?:\s)")
_JUNIT_HEAD = re.compile(rb"<testsuites?[\s>/]")
_BINARY_HEADS = (b"\x89PNG", b"PK\x03\x04", b"%PDF-", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"GIF8", b"\xff\xd8\xff", b"\x7fELF")
_TAR_MARK = slice(257, 262)
"""Where `ustar` stands in the first header of a tar file (POSIX.1-1988 and later)."""
_CONTROLS = bytes((*range(1, 8), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F))
"""Control characters that hardly any text holds: all of ASCII but NUL, BS, tab, LF, FF, CR and ESC."""
_MAX_CONTROLS = 0.05
"""Share of such characters over which bytes are no text; of random ones it is 0.1."""
_MIN_CONTROL_KINDS = 4
"""Texts that use one of them between fields, or that ring a bell, have fewer kinds."""


@dataclass(frozen=True, slots=True)
class Detection:
    """What the bytes are taken for before they are read."""

    format: Format
    media_type: str
    named: bool
    """Whether someone named the format (by itself, a media type or a suffix); else it was seen in the content."""
    charset: str | None = None
    """What a text is known to be in, whatever its bytes look like; it stands in its media type."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """What the bytes are, once they were read."""

    format: Format
    media_type: str
    notes: tuple[Note, ...] = ()
    document: Document | None = field(default=None, compare=False, repr=False)
    """What the bytes were read as on the way, where that is of use to who takes them in."""


def detect(
    head: bytes,
    name: str = "",
    media_type: str | None = None,
    format: Format | None = None,
    *,
    file_name: str = "",
    charset: str | None = None,
) -> Detection:
    """The format of bytes that start with `head` (64 KiB are enough), known under `name`, which came as `file_name`.

    With a `charset` they are known to be text in it, so that no content makes them bytes.
    """
    essence = (media_type or "").partition(";")[0].strip().lower()
    found = format or _by_media_type(essence, head) or _by_suffix(name, head) or _by_suffix(file_name, head)
    if found:
        return Detection(found, _with_charset(media_type or MEDIA_TYPES[found], found, charset), named=True, charset=charset)
    seen = _by_content(head[:HEAD_BYTES])
    seen = Format.TEXT if seen is Format.BYTES and charset is not None else seen
    return Detection(seen, _with_charset(media_type or MEDIA_TYPES[seen], seen, charset), named=False, charset=charset)


def _with_charset(media_type: str, format: Format, charset: str | None) -> str:
    """The media type of a text with the encoding that it is known to be in, unless it names one."""
    is_open = charset is not None and format in (Format.TEXT, Format.CSV) and declared_charset(media_type) is None
    return f"{media_type}; charset={charset}" if is_open else media_type


def can_stream(detection: Detection, media_type: str | None, head: bytes) -> bool:
    """Whether bytes that begin so can be taken in piece by piece: bytes, and text that nothing so far says is not UTF-8."""
    if detection.format is Format.TEXT and detection.charset == UTF8 and media_type is None:
        return True
    if detection.format is Format.TEXT:
        return "charset" not in (media_type or "").lower() and b"\0" not in head and not head.startswith(UTF16_MARKS)
    return detection.format is Format.BYTES


def inspect(raw: bytes, detection: Detection, limits: Limits = DEFAULT_LIMITS, *, complete: bool = True) -> Inspection:
    """Reads the bytes in the format detected; those that are not `complete` may break off in the last line of what is read by line.

    Raises RefusedDocument or LimitExceeded where a named format does not fit.
    """
    try:
        if detection.format is Format.JSON:
            from evidence_store.documents.json_check import read_json  # start-up cost: each parser is loaded where its format is read

            text = read_json(raw, limits)
            return Inspection(detection.format, detection.media_type, text.notes, text.document)
        notes = _read(raw, detection, limits, complete=complete)
    except (RefusedDocument, LimitExceeded) as exc:
        if detection.named:
            raise
        note = Note(f"not_{detection.format.value}", f"looks like {detection.format.value} and is kept as text: {exc.message}")
        media_type = _with_charset(MEDIA_TYPES[Format.TEXT], Format.TEXT, detection.charset)
        declared = detection.media_type if detection.charset is None else media_type
        return Inspection(Format.TEXT, media_type, (note, *text_notes(raw, declared, complete=complete)))
    return Inspection(detection.format, detection.media_type, notes)


def open_document(
    raw: bytes, format: Format, notes: tuple[Note, ...] | None = None, base: int = 0, limits: Limits = DEFAULT_LIMITS
) -> Document:
    """The document of bytes that `inspect` took in this format, under these limits.

    `notes` are those of the inspection: where none speaks of a repeated member, none is looked for; None means not known.
    `base` is where `raw` starts in the blob, for a slice of a JSON text that is a whole value. Raises NotFound (`no_structure`)
    for a format that has lines and bytes only, LimitExceeded past a limit.
    """
    may_repeat = notes is None or any(note.code == "duplicate_key" for note in notes)
    match format:
        case Format.JSON:
            # Start-up cost: each parser is loaded only where its format is read.
            from evidence_store.documents.json import JsonDocument

            return JsonDocument(raw, base=base, may_repeat=may_repeat)
        case Format.YAML:
            from evidence_store.documents.yaml import YamlDocument

            if base:
                raise InvalidInput("a slice of a YAML text is no document of its own")
            return YamlDocument(raw, limits, may_repeat=may_repeat)
        case Format.JSONL:
            from evidence_store.documents.jsonl import JsonLinesDocument, end_of_records

            return JsonLinesDocument(raw, may_repeat=may_repeat, end=end_of_records(notes or ()))
        case Format.JUNIT:
            from evidence_store.documents.junit_check import open_report

            return open_report(raw, limits)
        case Format.TEXT | Format.CSV | Format.BYTES:
            raise no_structure(format, raw[:HEAD_BYTES], notes or ())


def no_structure(format: Format, head: bytes, notes: tuple[Note, ...]) -> NotFound:
    """The error for whoever asks for a node of a revision that has none: its bytes may have some when they are read otherwise."""
    text = f"a {format.value} resource has lines and bytes only, no pointers and no test cases"
    looks_like = _seen_structure(head, notes)
    if looks_like is not None:
        known = [looks_like.value]
        text += f"; it looks like {known[0]}, which it was not stored as"
    else:
        known = [one.value for one in STRUCTURED]
    text += "; its lines, its bytes and quotes can be read"
    return NotFound(text, {"format": format.value, "known": known}, code="no_structure")


def _seen_structure(head: bytes, notes: tuple[Note, ...]) -> Format | None:
    """The format with nodes that the content looks like, where it was not found to be something else."""
    seen = _by_content(head)
    start = head.removeprefix(UTF8_MARK).lstrip()[:1]
    if seen not in STRUCTURED or any(note.code == f"not_{seen.value}" for note in notes):
        return None
    # A line of a log often begins with a bracket.
    return None if seen is Format.JSON and start == b"[" else seen


def text_notes(raw: bytes, media_type: str | None = None, *, complete: bool = True) -> tuple[Note, ...]:
    """What a reader of these bytes as text should know. Not `complete`, they may break off within a character."""
    told = raw if complete or b"\0" in raw else whole_characters(raw)
    if told is not raw and first_bad_byte(told) is not None:
        told = raw  # no UTF-8 that breaks off
    charset = find_charset(told, media_type)
    if unit_width(charset.name) > 1:
        return (*charset.notes, *wide_notes(raw, charset.name, complete=complete))
    notes = [*charset.notes]
    if charset.name == UTF8:
        if raw.startswith(UTF8_MARK):
            notes.append(mark_note())
        bad = first_bad_byte(told)
        if bad is not None:
            notes.append(Note("not_utf8", NOT_UTF8_TEXT.format(byte=bad), line=raw.count(b"\n", 0, bad) + 1, byte=bad))
    for code, sign, text in SIGNS:
        at = raw.find(sign)
        if at >= 0:
            notes.append(Note(code, text, line=raw.count(b"\n", 0, at) + 1, byte=at))
    n_crlf, n_line_ends = raw.count(b"\r\n"), raw.count(b"\n")
    if n_crlf and n_crlf != n_line_ends:
        notes.append(crlf_note(n_crlf, n_line_ends))
    if raw and not raw.endswith(b"\n"):
        notes.append(incomplete_note(n_line_ends + 1))
    return tuple(notes)


def _read(raw: bytes, detection: Detection, limits: Limits, *, complete: bool) -> tuple[Note, ...]:
    match detection.format:
        case Format.JSON:
            raise AssertionError("JSON is read by inspect itself")
        case Format.YAML:
            # Start-up cost: each parser is loaded only where its format is read.
            from evidence_store.documents.yaml_check import check_yaml

            return check_yaml(raw, limits)
        case Format.JSONL:
            from evidence_store.documents.jsonl_check import check_jsonl

            return check_jsonl(raw, limits, complete=complete)
        case Format.JUNIT:
            from evidence_store.documents.junit_check import check_junit

            return check_junit(raw, limits)
        case Format.CSV:
            from evidence_store.documents.csv import csv_notes

            notes = text_notes(raw, detection.media_type, complete=complete)
            return (*notes, *csv_notes(raw, encoding_of(notes)))
        case Format.TEXT:
            return text_notes(raw, detection.media_type, complete=complete)
        case Format.BYTES:
            return ()


def _by_media_type(essence: str, head: bytes) -> Format | None:
    if essence in _BY_MEDIA_TYPE:
        return _BY_MEDIA_TYPE[essence]
    if essence.endswith("+json"):
        return Format.JSON
    if essence.endswith("+yaml"):
        return Format.YAML
    if essence in _XML_TYPES:
        return _xml_format(head)
    if essence.startswith("text/"):
        return Format.TEXT
    if essence.startswith(("image/", "audio/", "video/", "font/")):
        return Format.BYTES
    return None


def _by_suffix(name: str, head: bytes) -> Format | None:
    suffix = PurePosixPath(name).suffix.lower()
    return _xml_format(head) if suffix == ".xml" else _BY_SUFFIX.get(suffix)


def _xml_format(head: bytes) -> Format:
    return Format.JUNIT if _JUNIT_HEAD.search(_narrow(head[:HEAD_BYTES])) else Format.TEXT


def _narrow(head: bytes) -> bytes:
    """XML that begins in UTF-16 in one byte a character, what is not ASCII left out; all else as it is (XML 1.0, appendix F)."""
    wide = next((name for start, name in _WIDE_XML if head.startswith(start)), None)
    return head if wide is None else head.decode(wide, "ignore").encode("ascii", "ignore")


def _is_binary(head: bytes) -> bool:
    """Whether the bytes are those of a tar file, or hold more control characters than text does."""
    if head[_TAR_MARK] == b"ustar":
        return True
    if head.startswith(UTF16_MARKS):
        return False
    n_controls = len(head) - len(head.translate(None, _CONTROLS))
    return n_controls > _MAX_CONTROLS * len(head) and sum(control in head for control in _CONTROLS) >= _MIN_CONTROL_KINDS


def _by_content(head: bytes) -> Format:
    if head.startswith(_BINARY_HEADS) or _is_binary(head):
        return Format.BYTES
    head = _narrow(head)
    start = head.removeprefix(UTF8_MARK).lstrip()[:1]
    if start in (b"{", b"["):
        return Format.JSONL if _is_lines_of_objects(head) else Format.JSON
    if start == b"<":
        return _xml_format(head)
    return Format.YAML if _YAML_HEAD.match(head.removeprefix(UTF8_MARK)) else Format.TEXT


def _is_lines_of_objects(head: bytes) -> bool:
    """Whether the first two lines that hold anything are one object each."""
    lines = [line for line in head.split(b"\n", 64)[:64] if line.strip()][:2]
    return len(lines) == 2 and all(line.startswith(b"{") and line.rstrip().endswith(b"}") for line in lines)
