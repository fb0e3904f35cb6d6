"""Whether bytes are YAML that can be kept as a document: size, encoding, depth, aliases, grammar, repeated members."""

from collections.abc import Iterator
from itertools import islice

from evidence_store.documents.encoding import require_utf8
from evidence_store.documents.model import DEFAULT_LIMITS, MAX_SHOWN_PLACES, Limits, Note, repeat_note
from evidence_store.documents.text import LineStarts
from evidence_store.documents.yaml import YamlDocument
from evidence_store.errors import LimitExceeded, RefusedDocument


def check_yaml(raw: bytes, limits: Limits = DEFAULT_LIMITS) -> tuple[Note, ...]:
    """What was found in bytes that are YAML.

    Raises RefusedDocument (`line`, `column`, `byte` in the details) for what is not YAML, LimitExceeded past a limit.
    """
    if len(raw) > limits.max_bytes:
        raise LimitExceeded(f"{len(raw)} bytes are over the limit of {limits.max_bytes}", {"limit": limits.max_bytes})
    notes = require_utf8(raw, "YAML")
    document = YamlDocument(raw, limits)
    return (*notes, *islice(_iter_tag_notes(document), MAX_SHOWN_PLACES), *_iter_repeat_notes(document, limits))


def _iter_repeat_notes(document: YamlDocument, limits: Limits) -> Iterator[Note]:
    lines = None
    for n, repeat in enumerate(document.iter_repeats()):
        if n >= limits.max_repeats:
            text = f"more than the limit of {limits.max_repeats} members are repeated"
            raise RefusedDocument(text, {"limit": limits.max_repeats}, code="duplicate_key")
        lines = lines or LineStarts(document.raw)
        yield repeat_note(repeat.container, repeat.name, [lines.line(at) for at in repeat.offsets])


def _iter_tag_notes(document: YamlDocument) -> Iterator[Note]:
    for tag, line in document.iter_unknown_tags():
        yield Note("unknown_tag", f"tag {tag[:80]!r} is not of the core schema; the node is read by its kind", line=line)
