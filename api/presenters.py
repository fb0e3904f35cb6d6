"""Values of the store as the JSON of the command line and of HTTP. One shape for both."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, TypeAlias

import orjson

from evidence_store.documents.counts import COUNTS, parse_counts
from evidence_store.documents.model import Note
from evidence_store.errors import JsonValue
from evidence_store.model import Cut, Digest, Kind, LineRange, Outline, Packet, Pointer, Selector, Span
from evidence_store.records.sources import Observation, Resource, Revision, note_json
from evidence_store.state import EvidenceState

if TYPE_CHECKING:
    from evidence_store.access import ApiKey
    from evidence_store.store.doubts import Unproven
    from evidence_store.trace import Trace

Json: TypeAlias = "str | int | bool | Sequence[Json] | Mapping[str, Json] | orjson.Fragment | None"

MAX_UNPROVEN = 20
"""Revisions that an answer says by name to prove no absence."""


def dumps(value: Json) -> bytes:
    """JSON in UTF-8, one line end at the end. Half surrogate pairs, which are no characters, come out as U+FFFD."""
    try:
        return orjson.dumps(value) + b"\n"
    except (orjson.JSONEncodeError, TypeError):
        return orjson.dumps(_repaired(value)) + b"\n"


def _repaired(value: Json) -> Json:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {str(_repaired(name)): _repaired(one) for name, one in value.items()}
    if isinstance(value, Sequence):
        return [_repaired(one) for one in value]
    return value


def plain(value: object) -> Json:
    """The value as JSON has it."""
    shown: Json = orjson.loads(orjson.dumps(value))
    return shown


def packet_json(packet: Packet) -> dict[str, Json]:
    shown: dict[str, Json] = {
        "id": packet.id,
        "resource": packet.resource,
        "revision": packet.revision,
        **_selector_json(packet.selector),
        "format": packet.format.value,
        "excerpt": packet.excerpt,
        "scope": packet.scope,
        "status": packet.status,
        "digest": packet.digest,
        "bytes": span_json(packet.span),
        "lines": lines_json(packet.lines),
        "column": packet.column,
        "size": packet.size,
        "cut": None if packet.cut is None else _cut_json(packet.cut),
        "outline": None if packet.outline is None else _outline_json(packet.outline),
        "transforms": list(packet.transforms),
        "next": packet.next,
    }
    if packet.hops:
        shown["hops"] = [{"kind": hop.kind, "bytes": span_json(hop.span)} for hop in packet.hops]
    if packet.value is not None:
        shown["value"] = orjson.Fragment(packet.value)
    if packet.match is not None:
        shown["match"] = span_json(packet.match)
    if packet.labels:
        shown["labels"] = list(packet.labels)
    if packet.kind is not Kind.OBSERVATION:
        shown["kind"] = packet.kind.value
    if packet.max_age_s is not None:
        shown |= {"observed_at": packet.observed_at, "max_age_s": packet.max_age_s}
    return shown


STATE = ("basis", "lifecycle", "integrity", "currency", "judgement")
"""Members that say what speaks for or against an evidence."""


def state_json(state: EvidenceState) -> dict[str, Json]:
    """What speaks for or against an evidence, each question apart."""
    shown: dict[str, Json] = {
        "basis": state.basis.value,
        "lifecycle": state.lifecycle.value,
        "integrity": state.integrity.value,
        "currency": state.currency.value,
    }
    return shown if state.judgement is None else shown | {"judgement": state.judgement.value}


def _selector_json(selector: Selector) -> dict[str, Json]:
    """`lines` and `bytes` stand in every packet anyway, as numbers; that it was found by its bytes is said."""
    if selector.kind == "bytes":
        return {"selector": selector.kind}
    return {selector.kind: selector.text} if selector.kind in ("pointer", "quote") else {}


def span_json(span: Span) -> Json:
    return [span.start, span.end]


def lines_json(lines: LineRange) -> Json:
    return [lines.first, lines.last]


def unproven_json(one: "Unproven") -> dict[str, JsonValue]:
    return {"resource": one.resource, "revision": one.revision, "why": one.doubt.value}


def unproven_line(one: "Unproven", *, many: bool) -> str:
    """Why no hit proves nothing of a revision; it is named where `many` were searched."""
    from projector import format_value  # start-up cost

    so_far = "no hit so far" if one.doubt == "incomplete" else "no hit"
    place = f" in {format_value(one.resource)}@{one.revision}" if many else ""
    return f"{so_far}{place}; {one.doubt.words}, so this proves no absence"


def _cut_json(cut: Cut) -> Json:
    whole: dict[str, Json] = {} if cut.whole is None else {"whole": span_json(cut.whole)}
    return {"shown": span_json(cut.shown), "tokens": cut.tokens, "total_lines": cut.total_lines} | whole


def _outline_json(outline: Outline) -> Json:
    entries: list[Json] = []
    for one in outline.entries:
        entry: dict[str, Json] = {"token": one.token, "type": one.type, "size": one.size}
        if one.n_children is not None:
            entry |= {"n_children": one.n_children, "keys": list(one.keys)}
        if one.scalar is not None:
            entry["scalar"] = one.scalar
        entries.append(entry)
    return {"type": outline.type, "n_children": outline.n_children, "first": outline.first, "children": entries}


def revision_json(revision: Revision) -> dict[str, Json]:
    shown: dict[str, Json] = {
        "resource": revision.resource,
        "revision": revision.number,
        "digest": revision.digest,
        "size": revision.size,
        "media_type": revision.media_type,
        "format": revision.format.value,
        "complete": revision.complete,
        "notes": [note_json(masked_note(note)) for note in revision.notes],
    }
    counts = next((parse_counts(note.text) for note in revision.notes if note.code == COUNTS), None)
    if counts is not None:
        shown["counts"] = asdict(counts)
    return shown if revision.version_label is None else shown | {"version_label": revision.version_label}


def masked_note(note: Note) -> Note:
    """A note repeats names of the source, which may be secrets."""
    # Start-up cost: few commands show notes.
    from evidence_store.secrets import mask_text

    return replace(note, text=mask_text(note.text), pointer=None if note.pointer is None else Pointer(mask_text(note.pointer)))


def resource_json(resource: Resource, newest: Revision) -> dict[str, Json]:
    return listed_json(resource, newest.number, newest.digest)


def listed_json(resource: Resource, newest: int, digest: Digest) -> dict[str, Json]:
    """A resource with the number and the digest of its newest revision."""
    shown: dict[str, Json] = {
        "resource": resource.name,
        "kind": resource.kind.value,
        "scope": resource.scope,
        "labels": list(resource.labels),
        "newest": newest,
        "digest": digest,
    }
    return shown if resource.max_age_s is None else shown | {"max_age_s": resource.max_age_s}


def observation_json(seen: Observation) -> dict[str, Json]:
    return {"revision": seen.revision, "observed_at": seen.observed_at, "tool": seen.origin}


def trace_json(trace: "Trace") -> dict[str, Json]:
    hops: list[Json] = [{"kind": hop.kind, "id": hop.id, "check": hop.check, "text": hop.text} for hop in trace.hops]
    return {"ok": trace.ok, "subject": trace.subject, "hops": hops}


def key_json(key: "ApiKey") -> dict[str, Json]:
    """A key without its secret; times in microseconds since 1970 UTC, `used_hour` in hours."""
    return {
        "id": key.id,
        "name": key.name,
        "workspace": key.workspace,
        "grants": sorted(key.grants),
        "clearances": None if key.clearances is None else sorted(key.clearances),
        "sees_secrets": key.sees_secrets,
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "revoked": key.revoked,
        "used_hour": key.used_hour,
    }
