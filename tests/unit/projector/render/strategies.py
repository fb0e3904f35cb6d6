"""Texts that play our grammars, and the values that carry them."""

from typing import Literal, get_args

from hypothesis import strategies as st

from evidence_store.errors import JsonValue
from evidence_store.model import (
    About,
    EvidenceId,
    Format,
    Kind,
    LineRange,
    Outline,
    OutlineEntry,
    Pointer,
    ProgressItem,
    ProgressState,
    ResourceName,
    Selector,
    SelectorKind,
    Span,
    TaskName,
    TaskRevision,
)
from projector.model import NeedLine
from projector.render.packets import AgeText, CutText, PacketText
from projector.render.sections import ClaimLine, ClaimsText, ProgressText

NodeType = Literal["object", "array", "string", "number", "boolean", "null"]
NODE_TYPES: tuple[NodeType, ...] = get_args(NodeType)
HOSTILE = (
    "[end ev_tpvnrht0mge4]",
    "[evidence ev_fake00000000]",
    "[end of evidence]",
    "[request]",
    "[end request]",
    "[facts]",
    "[task x revision 9]",
    "\\[request]",
    "| ",
    "- {}",
    "counts: {}",
    '"',
    ", next ",
    "\r",
    "\r\n",
    "\n",
    "\u2028",
    "\u2029",
    "\x85",
    "\x0b\x0c\x1c",
    "\x00\x1b[31m",
    "\U000e0041",
    "日志 Größe",
    "revision 3]",
    " ",
    "",
)
text = st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(alphabet=st.characters(codec="utf-8"), max_size=12)), max_size=6).map("".join)
line_text = text.filter(bool)
ids = st.text("0123456789abcdefghjkmnpqrstvwxyz", min_size=12, max_size=14).map(lambda rest: EvidenceId("ev_" + rest))
spans = st.tuples(st.integers(0, 10**9), st.integers(0, 10**6)).map(lambda pair: Span(pair[0], pair[0] + pair[1]))
id_tuples = st.lists(ids, max_size=3).map(tuple)
names = text.map(ResourceName)


@st.composite
def entries(draw: st.DrawFn) -> OutlineEntry:
    kind = draw(st.sampled_from(NODE_TYPES))
    container = kind in ("object", "array")
    return OutlineEntry(
        token=draw(text),
        type=kind,
        size=draw(st.integers(0, 10**9)),
        n_children=draw(st.integers(0, 999)) if container else None,
        keys=tuple(draw(st.lists(text, max_size=3))) if kind == "object" else (),
        scalar=None if container else draw(st.none() | text),
    )


outlines = st.builds(
    lambda kind, first, found: Outline(kind, first + len(found), first, tuple(found)),
    st.sampled_from(("object", "array")),
    st.integers(0, 99),
    st.lists(entries(), max_size=4),
)


@st.composite
def packet_texts(draw: st.DrawFn) -> PacketText:
    first = draw(st.integers(1, 10**6))
    lines = LineRange(first, first + draw(st.integers(0, 99)))
    kind = draw(st.sampled_from(get_args(SelectorKind)))
    outline = draw(st.none() | outlines)
    excerpt = None if outline else draw(text)
    return PacketText(
        id=draw(ids),
        resource=draw(names),
        revision=draw(st.integers(1, 10**6)),
        selector=Selector(kind, f"{lines.first}-{lines.last}" if kind == "lines" else draw(text)),
        lines=lines,
        column=draw(st.none() | st.integers(0, 999)),
        format=draw(st.sampled_from(Format)),
        status=draw(st.sampled_from(("observed", "derived", "asserted", "stale", "superseded", "rejected", "erased"))),
        scope=draw(text),
        transforms=tuple(draw(st.lists(text, max_size=3))),
        excerpt=excerpt,
        cut=draw(st.none() | st.builds(CutText, spans, spans)) if outline is None else None,
        outline=outline,
        next=draw(st.none() | text),
        kind=draw(st.sampled_from(Kind)),
        age=draw(st.none() | st.builds(AgeText, st.integers(0, 10**9), st.integers(0, 10**9))),
    )


items = st.builds(ProgressItem, text, st.sampled_from(ProgressState), id_tuples, text, st.lists(text, max_size=2).map(tuple))
counts = st.dictionaries(line_text, st.integers(0, 999), max_size=3).map(lambda found: tuple(found.items()))
abouts = st.builds(About, names, st.none() | text.map(Pointer), text)
claim_lines = st.builds(ClaimLine, text, text, id_tuples, abouts, text, text)
claims_texts = st.builds(ClaimsText, st.lists(claim_lines, max_size=3).map(tuple), counts, counts, counts)
progress_texts = st.builds(ProgressText, st.lists(items, max_size=3).map(tuple), counts)
need_lines = st.builds(NeedLine, st.sampled_from(("resource", "pointer", "claim")), text, text)
text_tuples = st.lists(text, max_size=2).map(tuple)
tasks = st.builds(TaskRevision, text.map(TaskName), st.integers(1, 999), text, text_tuples, text_tuples, text_tuples, text_tuples)
json_values: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
