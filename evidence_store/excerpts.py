"""Excerpts: what is shown of a passage within a caller's limit.

A node that does not fit is answered with an outline, never with a value cut in the middle; lines and long scalars are cut,
at a line end where one fits, and say what is left. Secrets are masked before anything is measured. Nothing here changes what a
passage is: its span stays whole.
"""

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from evidence_store.documents.charset import UTF8
from evidence_store.documents.encoding import unit_width
from evidence_store.documents.escapes import ESCAPED_FORMATS
from evidence_store.documents.model import Child, Document, Node
from evidence_store.documents.outline import KEYS_TRANSFORM, joined_keys, key_text, keyed_children, outline
from evidence_store.documents.shown import CR_LINE_ENDS, shown_text
from evidence_store.documents.shown import Shown as DocumentText
from evidence_store.documents.text import count_lines
from evidence_store.documents.values import value_json
from evidence_store.documents.wide import WideLines, iter_line_starts
from evidence_store.errors import NotFound
from evidence_store.model import Cut, Format, Outline, OutlineEntry, Span, TextLimit
from evidence_store.secrets import NO_MASKS, SECRETS_MASKED, SHOW_SECRETS, Masking, Masks

MAX_OUTLINE_ENTRIES = 500
MAX_PAIR_MEMBERS = 16
"""Of an object that may be a name and its value."""
_FIRST_KEYS = 256
"""That are read at first; then as many again while they fit."""
NO_HIT = "0 hits"
MAX_BACKSLASHES = 1024
"""In a row, before an escape that a cut must not tear."""
# At the end: an escape that breaks off, or the first half of a pair.
_TORN_ESCAPE = re.compile(rb"\\(?:u[0-9a-fA-F]{0,3}|u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?)?\Z")
_BETWEEN = "\n\x1e\n"
"""Between the fields of an outline that are looked at as one text: no secret holds a line feed."""
COUNTED_BYTES = 256 * 1024
"""Up to which the tokens of what was cut are counted: a long log must not be tokenized to say that it is long."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The text for a passage, and what was done to the source on the way."""

    text: str
    transforms: tuple[str, ...] = ()
    cut: Cut | None = None
    outline: Outline | None = None
    next: str | None = None
    value: bytes | None = None


@dataclass(frozen=True, slots=True)
class Children:
    """A range among the children of a container, 0-based and inclusive."""

    first: int
    last: int


class NoLimit:
    """Everything fits."""

    max_bytes: int | None = None

    def fits(self, text: str) -> bool:
        return True

    def prefix(self, text: str) -> int:
        return len(text)

    def count(self, text: str) -> int | None:
        return None


def show_node(
    document: Document,
    node: Node,
    limit: TextLimit,
    children: Children | None = None,
    encoding: str = UTF8,
    masking: Masking = SHOW_SECRETS,
) -> Shown:
    """A node in the source's own characters, with its value; an outline where it is a container that does not fit.

    `encoding` is that of the whole text; `masking` says what of it is secret.

    Raises NotContainer for children of a scalar, NotFound for children past the end.
    """
    if children is not None or (node.is_container and is_over(node.span, limit)):
        return _show_outline(document, node, limit, children or Children(0, MAX_OUTLINE_ENTRIES - 1), encoding, masking)
    raw, escaped, masks = document.source(node), document.format in ESCAPED_FORMATS, masking.masks(node.span)
    # White space between the tokens of a document draws nothing over; the output that a test report holds may.
    drawn = document.format is Format.JUNIT
    shown = _shown(raw, node.span.start, encoding, masks, escaped=escaped, drawn=drawn)
    if limit.fits(shown.text):
        value = value_json(document, node)
        json = None if value is None else _masked_value(value.json, raw, node, masks, masking)
        masked = (SECRETS_MASKED,) if value is not None and json != value.json else ()
        transforms = (*masked, *shown.transforms, *(value.transforms if value else ()))
        return Shown(shown.text, tuple(dict.fromkeys(transforms)), value=json)
    if node.is_container:
        return _show_outline(document, node, limit, Children(0, MAX_OUTLINE_ENTRIES - 1), encoding, masking)
    return cut_text(raw, node.span, limit, encoding, escaped=escaped, drawn=drawn, masks=masks)


def _shown(raw: bytes, start: int, encoding: str, masks: Masks, *, escaped: bool, drawn: bool) -> DocumentText:
    """The text of bytes that stand at `start`, its secrets masked before anything else is done to it."""
    masked = masks.apply(raw, start, encoding) if masks else raw
    shown = shown_text(masked, encoding, escaped=escaped, drawn=drawn)
    return DocumentText(shown.text, (SECRETS_MASKED, *shown.transforms)) if masked is not raw else shown


def _masked_value(json: bytes, raw: bytes, node: Node, masks: Masks, masking: Masking) -> bytes:
    """The value of a node, which is the slice itself or is written anew."""
    if json == raw:
        return masks.apply(raw, node.span.start)
    masked = masking.text(json.decode("utf-8"), masks).encode("utf-8")
    if masks and masked == json and not node.is_container:
        # Written in another way than it stands in the source: the whole of it is the secret, or holds it.
        return f'"{masks.marks[0].text}"'.encode()
    return masked


def is_over(span: Span, limit: TextLimit) -> bool:
    """Whether so many bytes cannot fit, whatever they are."""
    return limit.max_bytes is not None and span.length > limit.max_bytes


def show_slice(
    raw: bytes, span: Span, limit: TextLimit, encoding: str = UTF8, *, escaped: bool = False, drawn: bool = True, masks: Masks = NO_MASKS
) -> Shown:
    """Lines or bytes that are no node; `escaped` where they are JSON, `drawn` where CR draws over a line."""
    shown = _shown(raw, span.start, encoding, masks, escaped=escaped, drawn=drawn)
    if limit.fits(shown.text):
        return Shown(shown.text, shown.transforms)
    return cut_text(raw, span, limit, encoding, escaped=escaped, drawn=drawn, masks=masks)


def show_keys(document: Document, node: Node, limit: TextLimit, children: Children | None = None, masking: Masking = SHOW_SECRETS) -> Shown:
    """The keys of a container, or of these children alone: a JSON array of as many as fit, and how to go on.

    No more of them is read than about twice what fits. Raises NotContainer for a scalar, NotFound for children past the end.
    """

    def text_of(keys: Sequence[str]) -> str:
        return masking.text(joined_keys(keys))

    siblings = keyed_children(document, node)
    first = 0 if children is None else children.first
    if first and first >= len(siblings):
        raise NotFound(f"child {first} is past the end: there are {len(siblings)} children", {"n_children": len(siblings)})
    end = len(siblings) if children is None else min(len(siblings), children.last + 1)
    texts: list[str] = []
    fits = True
    while fits and first + len(texts) < end:
        more = range(first + len(texts), min(end, first + max(_FIRST_KEYS, 2 * len(texts))))
        texts += [key_text(document, node, siblings[at]) for at in more]
        fits = limit.fits(text_of(texts))
    text = text_of(texts)
    transforms = (KEYS_TRANSFORM,) if text == joined_keys(texts) else (KEYS_TRANSFORM, SECRETS_MASKED)
    if fits and len(texts) == len(siblings):
        return Shown(text, transforms, value=text.encode())
    tokens = limit.count(text) if len(texts) == len(siblings) and len(text) <= COUNTED_BYTES else None
    n_shown = len(texts) if fits else _most(len(texts), lambda n: limit.fits(text_of(texts[:n])))
    # One key that is too long for the limit is cut, so that all others can be reached behind it.
    shown = text_of(texts[:n_shown]) if n_shown or fits else text[: limit.prefix(text)]
    following = first + max(n_shown, min(1, len(texts)))
    cut = Cut(Span(_key_end(node, siblings, first), _key_end(node, siblings, following)), tokens, 1)
    rest = f"--keys --children {following}-{len(siblings) - 1}" if following < len(siblings) else None
    return Shown(shown, transforms, cut, next=rest)


def _key_end(node: Node, siblings: Sequence[Child], n_before: int) -> int:
    """Where the bytes of so many children end within a container; what a YAML merge brings in stands elsewhere, and takes none of it."""
    if not n_before:
        return node.span.start
    if n_before == len(siblings):
        return node.span.end
    end = siblings[n_before - 1].node.span.end
    return end if node.span.start <= end <= node.span.end else node.span.end


def show_receipt(transform: str, masking: Masking = SHOW_SECRETS) -> Shown:
    """That a search has no hit: words of ours, short for every limit, and no value. What was searched for may be a secret."""
    return Shown(NO_HIT, (masking.text(transform),))


def cut_text(
    raw: bytes, span: Span, limit: TextLimit, encoding: str = UTF8, *, escaped: bool = False, drawn: bool = True, masks: Masks = NO_MASKS
) -> Shown:
    """The beginning of a slice that fits, to the last line end in it, or within the first line where none fits.

    One character or mark is shown in any case, so that whoever goes on comes to the end; nothing is cut where that is all.
    """

    def text(end: int) -> str:
        return _shown(raw[:end], span.start, encoding, masks, escaped=escaped, drawn=drawn).text

    def start_of(end: int) -> int:
        return _character_start(raw, end, encoding, escaped=escaped)

    lines = _line_ends(raw) if unit_width(encoding) == 1 else list(iter_line_starts(raw, encoding))
    n_lines = _most(len(lines), lambda n: limit.fits(text(lines[n - 1])))
    end = lines[n_lines - 1] if n_lines else start_of(_most(len(raw), lambda n: limit.fits(text(start_of(n)))))
    if not end and raw:
        first = next(filter(None, map(start_of, range(1, len(raw) + 1))), len(raw))
        marked = (mark.span.end - span.start for mark in masks.marks if mark.span.start < span.start + first < mark.span.end)
        end = min(span.length, max((first, *marked)))
    shown = _shown(raw[:end], span.start, encoding, masks, escaped=escaped, drawn=drawn)
    if end == span.length:
        return Shown(shown.text, shown.transforms)
    tokens = limit.count(text(len(raw))) if len(raw) <= COUNTED_BYTES else None
    total_lines = count_lines(raw) if unit_width(encoding) == 1 else len(WideLines(raw, encoding))
    cut = Cut(Span(span.start, span.start + end), tokens, total_lines)
    return Shown(shown.text, shown.transforms, cut, next=f"--bytes {span.start + end}-{span.end}")


def continue_by_lines(shown: Shown, first: int, last: int) -> Shown:
    """For a cut range of lines: continue with lines where the cut is at a line end."""
    if shown.cut is None or not shown.text.endswith("\n") or CR_LINE_ENDS in shown.transforms:
        return shown
    following = first + shown.text.count("\n")
    return replace(shown, next=f"--lines {following}-{last}")


def _show_outline(document: Document, node: Node, limit: TextLimit, children: Children, encoding: str, masking: Masking) -> Shown:
    wanted = min(children.last - children.first + 1, MAX_OUTLINE_ENTRIES)
    plain = outline(document, node, children.first, wanted, encoding)
    whole = _masked_outline(plain, masking, _named_elsewhere(document, node, plain, masking))
    transforms = (SECRETS_MASKED,) if whole is not plain else ()
    fitting = _most(len(whole.entries), lambda n: limit.fits(_outline_text(replace(whole, entries=whole.entries[:n]))))
    shown = replace(whole, entries=whole.entries[: max(1, fitting)])
    end = shown.first + len(shown.entries)
    following = f"--children {end}-{min(end + MAX_OUTLINE_ENTRIES, shown.n_children) - 1}" if end < shown.n_children else None
    return Shown("", transforms, outline=shown, next=following)


def _named_elsewhere(document: Document, node: Node, plain: Outline, masking: Masking) -> Masks:
    """The secrets among scalars that another member or the name of their array tells: `{"name": "Authorization", "value": …}`."""
    siblings = document.children(node)
    scalars = (siblings[plain.first + n].node for n, entry in enumerate(plain.entries) if entry.scalar is not None)
    told = (one for one in scalars if one.type == "string" and (node.type == "array" or plain.n_children <= MAX_PAIR_MEMBERS))
    return Masks(tuple(mark for one in told for mark in masking.masks(one.span).marks))


def _masked_outline(plain: Outline, masking: Masking, known: Masks) -> Outline:
    """Names and scalars with marks, which tell values apart all over it; itself where nothing is masked."""
    fields = [field for one in plain.entries for field in (one.token, f'"{one.token}": {one.scalar or ""}', *one.keys)]
    said = _BETWEEN.join(fields)
    shown = masking.text(said, known)
    if shown == said:
        return plain
    masked = iter(shown.split(_BETWEEN) if said.count(_BETWEEN) == len(fields) - 1 else map(masking.text, fields))
    return replace(plain, entries=tuple(_masked_entry(one, masked) for one in plain.entries))


def _masked_entry(entry: OutlineEntry, masked: Iterator[str]) -> OutlineEntry:
    """A scalar was looked at with its name before it, which may say what it is."""
    token, named = next(masked), next(masked)
    scalar = None if entry.scalar is None else named.removeprefix(f'"{token}": ')
    return replace(entry, token=token, keys=tuple(next(masked) for _ in entry.keys), scalar=scalar)


def _outline_text(one: Outline) -> str:
    """About as long as any rendering of an outline: what a limit is asked about."""
    lines = [f'- "{e.token}" {e.type} {e.n_children} {e.size} {list(e.keys)} {e.scalar or ""}\n' for e in one.entries]
    return "".join(lines)


def _line_ends(raw: bytes) -> list[int]:
    ends, at = [], 0
    while (found := raw.find(b"\n", at)) >= 0:
        at = found + 1
        ends.append(at)
    return ends


def _is_escaped(raw: bytes, at: int) -> bool:
    """Whether the backslash here is one that another one escapes."""
    before = raw[max(0, at - MAX_BACKSLASHES) : at]
    return (len(before) - len(before.rstrip(b"\\"))) % 2 == 1


def _most(n: int, fits: Callable[[int], bool]) -> int:
    """The largest count up to `n` that fits, by bisection; what fits is taken to fit with fewer, and the answer is checked."""
    low, high = 0, n
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _character_start(raw: bytes, at: int, encoding: str, *, escaped: bool) -> int:
    """The last start of a character at or before `at`, of an escape where the text has some; `at` where there is none near."""
    if escaped and at < len(raw):
        torn = _TORN_ESCAPE.search(raw, max(0, at - 12), at)
        at = torn.start() if torn and not _is_escaped(raw, torn.start()) else at
    if encoding != UTF8:
        text = codecs.getincrementaldecoder(encoding)("replace").decode(raw[:at])
        return min(at, len(text.encode(encoding, "replace")))
    for back in range(min(4, at + 1)):
        if at - back >= len(raw) or raw[at - back] & 0xC0 != 0x80:
            return at - back
    return at
