"""Secrets in text: where credentials stand, and the marks that stand in their place in what is shown.

Invariants, each with a test:
1. Only the secret's own characters are replaced; a mark holds no line feed, and neither does what it replaces.
2. What was masked once is not masked again: no mark is a secret, and none makes one of what stands beside it.
3. Of a text without an issuer's prefix, an assignment or a header that names a credential nothing is replaced.

What a secret looks like stands in `secret_rules`. Nothing here is stored: digests, ids and proofs are of the source's own bytes.
"""

import binascii
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import merge
from typing import Final, Protocol

from evidence_store.model import Span
from evidence_store.secret_forms import Rule
from evidence_store.secret_rules import ANCHORS, KEY_HEAD, PRIVATE_KEY, RULES
from evidence_store.secret_views import View, without_ansi, without_escapes

SECRETS_MASKED: Final = "secrets_masked/1"
"""Transform of a text in which marks stand for secrets (docs/formats/documents.md)."""
MAX_KEY_BYTES: Final = 16 * 1024
"""Of a private key, up to its end line."""
MIN_KNOWN_BYTES: Final = 8
"""Of a secret that is looked for by itself where its name does not stand beside it."""
BESIDE_BYTES: Final = 64
"""Before an anchor: what a secret may begin with, and what must not stand there."""
NEAR_BYTES: Final = 512
"""Behind an anchor; a secret may go on from there for `MAX_TOKEN_BYTES`, up to white space or a quotation mark."""
MAX_TOKEN_BYTES: Final = 8 * 1024
COMMAND_BYTES: Final = 2 * 1024
"""Behind the name of a command, for its options."""
LOGIN_BYTES: Final = 600
"""Of a URL up to its host."""
KEY_BEGIN: Final = b"-----BEGIN "
_KEY_END: Final = b"-----END "
_KEY_RUN: Final = re.compile(rb"[0-9A-Za-z+/=]{16,}")
_KEY_LINE: Final = re.compile(rb"[0-9A-Za-z+/=]+")
_KEY_ESCAPED: Final = re.compile(rb"(?:\\+[nrt]|[0-9A-Za-z+/=])*")
"""A key with its line ends as escapes."""
_KEY_FIELD: Final = re.compile(rb"[A-Za-z-]+: ")
"""Before the key itself, as `Proc-Type: 4,ENCRYPTED` (RFC 1421)."""
_BREAK: Final = re.compile(rb"[\s\"'<>]")
_MARK: Final = re.compile(r"\[masked ([a-z0-9-]+)(?: ([1-9][0-9]{0,8}))?\]")


@dataclass(frozen=True, slots=True)
class Secret:
    kind: str
    span: Span
    value: bytes
    """All of the secret, also where the span is one line of it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What is shown in place of a range."""

    kind: str
    span: Span
    text: str
    value: bytes


@dataclass(frozen=True, slots=True)
class Masks:
    """The marks of one slice, in order and apart from one another."""

    marks: tuple[Mark, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.marks)

    def apply(self, raw: bytes, start: int, encoding: str = "utf-8") -> bytes:
        """The bytes that stand at `start` with the marks in place of what they hold of a secret, be it a part of one."""
        pieces, at, end = [], start, start + len(raw)
        for mark in self.marks:
            if mark.span.end > start and mark.span.start < end:
                pieces += [raw[at - start : max(at, mark.span.start) - start], mark.text.encode(encoding)]
                at = min(end, mark.span.end)
        return b"".join((*pieces, raw[at - start :])) if pieces else raw


NO_MASKS: Final = Masks()


class Masking(Protocol):
    """What is masked of one source."""

    def masks(self, span: Span) -> Masks:
        """The marks of a slice, told with what stands round it; those of a slice within it are among them, with their own numbers."""

    def text(self, text: str, known: Masks = NO_MASKS) -> str:
        """A text that was made of the source, with marks; `known` are secrets that it may hold without their names."""


class _ShowSecrets:
    """For who may see them: nothing is masked."""

    def masks(self, span: Span) -> Masks:
        return NO_MASKS

    def text(self, text: str, known: Masks = NO_MASKS) -> str:
        return text


SHOW_SECRETS: Final = _ShowSecrets()


def find_secrets(raw: bytes, *, escaped: bool = False, folded: bool = False) -> tuple[Secret, ...]:
    """The secrets of a text in UTF-8, in order and apart; also behind terminal sequences and escapes.

    `escaped` says that it may hold those of JSON, `folded` those of YAML, and lines that go on in the next one.
    """
    found = list(_find(raw))
    if b"\x1b" in raw:
        found += _seen(without_ansi(raw))
    if (escaped and b"\\u00" in raw) or (folded and b"\\" in raw):
        found += _seen(without_escapes(raw, folded=folded))
    return tuple(_apart(found)) if found else ()


def masks_of(secrets: Iterable[Secret], n_before: Mapping[str, int] | None = None) -> Masks:
    """Marks for secrets: further values of a kind have numbers, from 2. `n_before` counts those that are masked already."""
    numbering = Numbering(n_before)
    return Masks(tuple(numbering.mark(secret) for secret in secrets))


class Numbering:
    """Tells the values of a kind apart, in the order in which they come."""

    def __init__(self, n_before: Mapping[str, int] | None = None) -> None:
        self._n_values = dict(n_before or {})
        self._known: dict[tuple[str, bytes], int] = {}

    def mark(self, secret: Secret) -> Mark:
        key = (secret.kind, secret.value)
        if key not in self._known:
            self._known[key] = self._n_values[secret.kind] = self._n_values.get(secret.kind, 0) + 1
        number = self._known[key]
        text = f"[masked {secret.kind}]" if number == 1 else f"[masked {secret.kind} {number}]"
        return Mark(secret.kind, secret.span, text, secret.value)


def mask_text(text: str, known: Masks = NO_MASKS) -> str:
    """A text with marks in place of its secrets, and of those that are known; itself where there are none."""
    raw = text.encode("utf-8", "surrogatepass")
    found = [*find_secrets(raw, escaped=True), *_known_in(raw, known)]
    if not found:
        return text
    n_before: dict[str, int] = {}
    for mark in _MARK.finditer(text):
        n_before[mark[1]] = max(n_before.get(mark[1], 0), int(mark[2] or 1))
    return masks_of(_apart(found), n_before).apply(raw, 0).decode("utf-8", "surrogatepass")


def _known_in(raw: bytes, known: Masks) -> Iterator[Secret]:
    for mark in known.marks:
        at = raw.find(mark.value) if len(mark.value) >= MIN_KNOWN_BYTES else -1
        while at >= 0:
            yield Secret(mark.kind, Span(at, at + len(mark.value)), mark.value)
            at = raw.find(mark.value, at + len(mark.value))


# -- finding


@dataclass(frozen=True, slots=True)
class _Compiled:
    rule: Rule
    pattern: "re.Pattern[bytes]"
    harmless: "re.Pattern[bytes] | None"

    def finds(self, raw: bytes) -> Iterator[Secret]:
        for match in self.pattern.finditer(raw):
            n_group = match.lastindex or 1
            value, span = match[n_group], Span(*match.span(n_group))
            if not self._is_harmless(value) and not self._stands_before(raw, span.end):
                yield Secret(self.rule.kind, span, value)

    def _is_harmless(self, value: bytes) -> bool:
        if self.rule.is_pair:
            return not _is_pair(value)
        return self.harmless is not None and self.harmless.fullmatch(value) is not None

    def _stands_before(self, raw: bytes, end: int) -> bool:
        what = self.rule.unless_before
        return what is not None and _compile(what).match(raw, end) is not None


@cache
def _compile(pattern: bytes) -> "re.Pattern[bytes]":
    # Start-up cost: the library is loaded only where something is shown.
    import re2

    options = re2.Options()
    options.log_errors = False
    compiled: re.Pattern[bytes] = re2.compile(pattern, options)
    return compiled


@cache
def _rules() -> tuple[_Compiled, ...]:
    return tuple(_Compiled(rule, _compile(rule.pattern), _compile(rule.harmless) if rule.harmless else None) for rule in RULES)


def _find(raw: bytes) -> Iterator[Secret]:
    for region in _regions(raw):
        yield from (Secret(one.kind, _moved(one.span, region.start), one.value) for one in _find_near(raw[region.start : region.end]))
    if KEY_BEGIN in raw:
        yield from _private_keys(raw)


def _seen(view: View) -> Iterator[Secret]:
    """Secrets in a view of a text, as places in the text; those of a line that goes on in the next one on each of them."""
    for secret in _find(view.text):
        yield from (Secret(secret.kind, span, secret.value) for span in view.places(secret.span))


def _regions(raw: bytes) -> Iterator[Span]:
    """Stretches round the anchors, each as long as a secret may be: what costs is done there only.

    Each byte is looked at once for where a stretch ends, however many anchors stand in it.
    """
    start = end = looked = -1
    is_break = False
    for anchor in merge(_anchors(raw), _logins(raw), key=lambda one: one.start):
        near = min(len(raw), anchor.end + BESIDE_BYTES + NEAR_BYTES)
        if near > looked or not is_break:
            at, limit = max(near, looked), min(len(raw), near + MAX_TOKEN_BYTES)
            found = _BREAK.search(raw, at, limit)
            looked, is_break = (found.start(), True) if found else (max(at, limit), False)
        if start < 0 or anchor.start - BESIDE_BYTES > end:
            if start >= 0:
                yield Span(start, end)
            start = max(0, anchor.start - BESIDE_BYTES)
        end = looked
    if start >= 0:
        yield Span(start, end)


def _anchors(raw: bytes) -> Iterator[Span]:
    anchors, at = _compile(ANCHORS), 0
    while anchor := anchors.search(raw, at):
        first, last = anchor.span()
        # The words of a command may be far from its name.
        yield Span(first, min(len(raw), last + COMMAND_BYTES) if raw[first : first + 4] == b"curl" else last)
        # What begins nearer than this is within the stretch, as far as it may go.
        at = max(last, first + BESIDE_BYTES)


def _logins(raw: bytes) -> Iterator[Span]:
    """From the scheme of a URL to an `@` that may end a password."""
    at, slashes, looked = raw.find(b"@"), -1, 0
    while at >= 0:
        first = max(0, at - LOGIN_BYTES)
        found = raw.rfind(b":/", max(first, looked), at)
        slashes = max(found, raw.rfind(b":\\/", max(first, looked), at), slashes)
        looked = at
        following = at + 1
        if slashes >= first and _BREAK.search(raw, slashes, at) is None:
            yield Span(slashes, at)
            following = at + BESIDE_BYTES
        at = raw.find(b"@", following)


def _find_near(raw: bytes) -> Iterator[Secret]:
    lowered = raw.lower()
    for one in _rules():
        text = lowered if one.rule.any_case else raw
        if not any(anchor in text for anchor in one.rule.anchors):
            continue
        yield from one.finds(raw)


def _is_pair(value: bytes) -> bool:
    """Whether it is base64 of a name, a colon and a password."""
    try:
        made = binascii.a2b_base64(value.replace(b"\\", b""))
    except binascii.Error:
        return False
    return made.isascii() and made.decode("ascii").isprintable() and b":" in made[1:-1]


def _moved(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


def _private_keys(raw: bytes) -> Iterator[Secret]:
    """The lines of keys between their first and last line; without a last one, those that look like a key's."""
    for head in _compile(KEY_HEAD).finditer(raw):
        start = head.end()
        following = raw.find(KEY_BEGIN, start, start + MAX_KEY_BYTES)
        end = raw.find(_KEY_END, start, following if following >= 0 else start + MAX_KEY_BYTES)
        whole = end >= 0
        stop = end if whole else following if following >= 0 else start + MAX_KEY_BYTES
        value = raw[start:stop]
        if _KEY_RUN.search(value):
            yield from (Secret(PRIVATE_KEY, span, value) for span in _key_lines(raw, start, stop, whole=whole))


def _key_lines(raw: bytes, start: int, stop: int, *, whole: bool) -> Iterator[Span]:
    """What is the key's own of each line. Where its end is not there it ends before the first line that is no line of a key."""
    at, begun = start, False
    for line in raw[start:stop].split(b"\n"):
        text = line.strip()
        inner = at + line.find(text)
        at += len(line) + 1
        if b"\\" in text:
            length = len(text) if whole else len(_KEY_ESCAPED.match(text)[0])  # type: ignore[index]
        else:
            length = len(text) if (whole or begun) and _KEY_LINE.fullmatch(text) else 0
        runs = [Span(inner, inner + length)] if length else [Span(inner + m.start(), inner + m.end()) for m in _KEY_RUN.finditer(text)]
        yield from runs
        if not whole and begun and not runs:
            return
        begun = begun or bool(runs)
        if not whole and not begun and text and not _KEY_FIELD.match(text) and inner > start:
            return


def _apart(found: Sequence[Secret]) -> Iterator[Secret]:
    """In order; of those that overlap the first and longest, made longer where another goes on."""
    kept: Secret | None = None
    for one in sorted(found, key=lambda one: (one.span.start, -one.span.end)):
        if not one.span.length:
            continue
        if kept is None or one.span.start >= kept.span.end:
            if kept is not None:
                yield kept
            kept = one
        elif one.span.end > kept.span.end:
            kept = Secret(kept.kind, Span(kept.span.start, one.span.end), kept.value + one.value)
    if kept is not None:
        yield kept
