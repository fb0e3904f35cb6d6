"""Reads a packet from the JSON of the command line, and writes what it reads. Members that are not read may stand beside those that are.

Wanted are `id`, `resource`, `revision` and an `excerpt` or an `outline`; of the rest what is absent takes the value that says least.
`value` is not read: it repeats the excerpt, and a number in it may have passed through a float on its way.
"""

from typing import Literal, cast, get_args

from evidence_store.errors import JsonValue
from evidence_store.model import (
    Basis,
    Cut,
    Digest,
    Format,
    Hop,
    HopKind,
    Kind,
    LineRange,
    Outline,
    OutlineEntry,
    Packet,
    ResourceName,
    Selector,
    Span,
    Status,
)
from projector.json_reader import JsonReader

_ENTRY_TYPES = ("object", "array", "string", "number", "boolean", "null")


def packet_from_json(value: JsonValue, path: str) -> Packet:
    """The packet; raises RefusedStep naming the member that is wrong."""
    reader = JsonReader(value, path)
    outline = _outline(JsonReader(reader.value["outline"], f"{path}/outline")) if reader.has("outline") else None
    excerpt = reader.text("excerpt", "" if outline is not None else None)
    span = reader.span("bytes") if reader.has("bytes") else Span(0, len(excerpt.encode("utf-8", "surrogatepass")))
    lines = _lines(reader, excerpt)
    status = reader.text("status", "observed")
    if status not in get_args(Status):
        raise reader.refuse("status", f"one of {', '.join(get_args(Status))}")
    return Packet(
        id=reader.evidence_id("id"),
        resource=ResourceName(reader.text("resource", None)),
        revision=reader.number("revision"),
        selector=_selector(reader, lines),
        format=reader.member("format", Format, Format.TEXT),
        excerpt=excerpt,
        scope=reader.text("scope"),
        status=cast("Status", status),
        basis=reader.member("basis", Basis, Basis.DERIVED if status == "derived" else Basis.OBSERVED),
        digest=Digest(reader.text("digest")),
        span=span,
        lines=lines,
        column=reader.number("column", 0),
        size=reader.number("size", span.end),
        hops=tuple(_hop(JsonReader(item, f"{path}/hops/{at}")) for at, item in enumerate(reader.items("hops"))),
        cut=_cut(JsonReader(reader.value["cut"], f"{path}/cut")) if reader.has("cut") else None,
        outline=outline,
        transforms=reader.texts("transforms"),
        next=reader.text("next") if reader.has("next") else None,
        match=reader.span("match") if reader.has("match") else None,
        labels=reader.texts("labels"),
        kind=reader.member("kind", Kind, Kind.OBSERVATION),
        max_age_s=reader.number("max_age_s") if reader.has("max_age_s") else None,
        observed_at=reader.number("observed_at") if reader.has("observed_at") else None,
    )


def packet_to_json(packet: Packet) -> dict[str, JsonValue]:
    """What `packet_from_json` reads; members that are absent in it are left out."""
    selector, outline, cut = packet.selector, packet.outline, packet.cut
    told: dict[str, JsonValue] = {
        "id": packet.id,
        "resource": packet.resource,
        "revision": packet.revision,
        "format": packet.format.value,
        "excerpt": packet.excerpt,
        "scope": packet.scope,
        "status": packet.status,
        "basis": packet.basis.value,
        "digest": packet.digest,
        "bytes": [packet.span.start, packet.span.end],
        "lines": [packet.lines.first, packet.lines.last],
        "size": packet.size,
        "hops": [{"kind": hop.kind, "bytes": [hop.span.start, hop.span.end]} for hop in packet.hops],
        "transforms": packet.transforms,
        "labels": packet.labels,
        "kind": packet.kind.value,
    }
    further: dict[str, JsonValue] = {
        "pointer": selector.text if selector.kind == "pointer" else None,
        "quote": selector.text if selector.kind == "quote" else None,
        "column": packet.column,
        "cut": None if cut is None else _cut_json(cut),
        "outline": None if outline is None else _outline_json(outline),
        "next": packet.next,
        "match": None if packet.match is None else [packet.match.start, packet.match.end],
        "max_age_s": packet.max_age_s,
        "observed_at": packet.observed_at,
    }
    return told | {name: value for name, value in further.items() if value is not None}


def _outline_json(outline: Outline) -> JsonValue:
    children: list[JsonValue] = [
        {
            "token": one.token,
            "type": one.type,
            "size": one.size,
            "n_children": one.n_children,
            "keys": one.keys,
            "scalar": one.scalar,
        }
        for one in outline.entries
    ]
    return {"type": outline.type, "n_children": outline.n_children, "first": outline.first, "children": children}


def _lines(reader: JsonReader, excerpt: str) -> LineRange:
    if not reader.has("lines"):
        return LineRange(1, max(1, excerpt.count("\n") + (not excerpt.endswith("\n"))))
    span = reader.span("lines")
    return LineRange(span.start, span.end)


def _selector(reader: JsonReader, lines: LineRange) -> Selector:
    for kind in ("pointer", "quote"):
        if reader.has(kind):
            return Selector(kind, reader.text(kind))
    return Selector("lines", f"{lines.first}-{lines.last}")


def _hop(reader: JsonReader) -> Hop:
    kind = reader.text("kind", None)
    if kind not in get_args(HopKind):
        raise reader.refuse("kind", f"one of {', '.join(get_args(HopKind))}")
    return Hop(cast("HopKind", kind), reader.span("bytes"))


def _cut(reader: JsonReader) -> Cut:
    tokens = reader.number("tokens") if reader.has("tokens") else None
    return Cut(reader.span("shown"), tokens, reader.number("total_lines", 1), reader.span("whole") if reader.has("whole") else None)


def _cut_json(cut: Cut) -> dict[str, JsonValue]:
    whole: dict[str, JsonValue] = {} if cut.whole is None else {"whole": [cut.whole.start, cut.whole.end]}
    return {"shown": [cut.shown.start, cut.shown.end], "tokens": cut.tokens, "total_lines": cut.total_lines} | whole


def _outline(reader: JsonReader) -> Outline:
    kind = reader.text("type", None)
    if kind not in ("object", "array"):
        raise reader.refuse("type", "object or array")
    children = tuple(_entry(JsonReader(item, f"{reader.path}/children/{at}")) for at, item in enumerate(reader.items("children")))
    first = reader.number("first", 0)
    return Outline(cast('Literal["object", "array"]', kind), reader.number("n_children", len(children)), first, children)


def _entry(reader: JsonReader) -> OutlineEntry:
    kind = reader.text("type", None)
    if kind not in _ENTRY_TYPES:
        raise reader.refuse("type", f"one of {', '.join(_ENTRY_TYPES)}")
    return OutlineEntry(
        token=reader.text("token", None),
        type=cast('Literal["object", "array", "string", "number", "boolean", "null"]', kind),
        size=reader.number("size", 0),
        n_children=reader.number("n_children") if reader.has("n_children") else None,
        keys=reader.texts("keys"),
        scalar=reader.text("scalar") if reader.has("scalar") else None,
    )
