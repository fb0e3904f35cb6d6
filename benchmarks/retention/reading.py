"""What an input says, found by spelling alone: nothing here knows the run that it came from.

Each message is read once; an input is the union of its messages. A strategy may put what it likes into a message: only the
text counts, with the arguments of calls.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.retention.scenario import Message
from benchmarks.retention.words import ID, ORDER, QUESTION, RESOURCE, RULE, SHOWN, STATED
from evidence_store.model import Standing
from projector.minified import minified
from projector.render.sections import EVIDENCE_END, EVIDENCE_HEAD

_HEAD = re.compile(r"\[evidence (ev_[0-9a-z]{12})\]\s+resource: \S+\s+revision: (\d+)")
_PATH = re.compile(r"/(?:large_tool_results|conversation_history)/[\w.-]+")
_NOT_LISTED = re.compile(r"^counts: (\{.*\})\nnot listed: (\{.*\})(?:\npages: (\{.*\}))?$", re.MULTILINE)
_STANDINGS = frozenset(one.value for one in Standing)


@dataclass(frozen=True, slots=True, order=True)
class Saying:
    """A value of a key, as some place in the input has it."""

    key: str
    value: str
    revision: int
    """0 where the place does not say it."""
    evidence: str
    """Empty where the place names none."""


@dataclass(frozen=True, slots=True, order=True)
class Listing:
    """A call of `list_claims` whose one argument stands in the input."""

    argument: str
    """`claims` for a page, `resource` or `standing`."""
    value: str


@dataclass(frozen=True, slots=True)
class Seen:
    """What one message, or a whole input, says."""

    stated: frozenset[Saying] = frozenset()
    """In the words of the agent: notes, claims, summaries."""
    shown: frozenset[Saying] = frozenset()
    """In the source's own words."""
    ids: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    resources: frozenset[str] = frozenset()
    rules: frozenset[str] = frozenset()
    questions: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()
    """Files that the input names, where a strategy put what it took out."""
    orders_outside: int = 0
    """Lines with an injected order that are not fenced: neither in a tool result nor behind `| `."""
    listings: frozenset[Listing] = frozenset()
    """Calls by which claims can be had that are not listed here."""


def text_of(message: Message) -> str:
    """All that a model reads of a message: its text, and the arguments of its calls."""
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(str(part.get("text", "")) for part in content)
    calls = message.get("tool_calls") or ()
    return "\n".join([content or "", *(f"{call['function']['name']} {_plain(call['function']['arguments'])}" for call in calls)])


def _plain(arguments: str) -> str:
    return arguments.replace('\\"', '"')


def read_message(message: Message) -> Seen:
    """What one message says."""
    text = text_of(message)
    stated = {Saying(one[1], one[2], int(one[3]), one[4] or "") for one in STATED.finditer(text)}
    shown = set(_shown(text))
    return Seen(
        stated=frozenset(stated),
        shown=frozenset(shown),
        ids=frozenset(ID.findall(text)),
        values=frozenset(one.value for one in (*stated, *shown)),
        resources=frozenset(RESOURCE.findall(text)),
        rules=frozenset(RULE.findall(text)),
        questions=frozenset(QUESTION.findall(text)),
        paths=frozenset(_PATH.findall(text)),
        orders_outside=0 if message.get("role") == "tool" else _outside(text),
        listings=frozenset(_listings(text)) if message.get("role") == "user" else frozenset(),
    )


def _listings(text: str) -> Iterator[Listing]:
    """What the last lines of a section with claims that are not listed name: pages, resources, standings."""
    for found in _NOT_LISTED.finditer(text):
        counts, resources, pages = (json.loads(one or "{}") for one in found.groups())
        yield from (Listing("claims", page) for page in pages)
        yield from (Listing("resource", name) for name in resources if name != "*")
        yield from (Listing("standing", name) for name, n in counts.items() if n and name in _STANDINGS)


def _shown(text: str) -> Iterable[Saying]:
    heads = [(one.start(), one[1], int(one[2])) for one in _HEAD.finditer(text)]
    at = -1
    for one in SHOWN.finditer(text):
        while at + 1 < len(heads) and heads[at + 1][0] < one.start():
            at += 1
        _, evidence, revision = heads[at] if at >= 0 else (0, "", 0)
        yield Saying(one[1], one[2], revision, evidence)


def _outside(text: str) -> int:
    """Lines with an order that are no line of an excerpt in an evidence section."""
    if not ORDER.search(text):
        return 0
    fenced, n_outside = False, 0
    for line in text.split("\n"):
        if line in (EVIDENCE_HEAD.rstrip(), EVIDENCE_END.rstrip()):
            fenced = line == EVIDENCE_HEAD.rstrip()
        elif ORDER.search(line) and not (fenced and line.startswith("| ")):
            n_outside += 1
    return n_outside


def join(parts: Sequence[Seen]) -> Seen:
    """What they say together."""
    return Seen(
        stated=frozenset().union(*(one.stated for one in parts)),
        shown=frozenset().union(*(one.shown for one in parts)),
        ids=frozenset().union(*(one.ids for one in parts)),
        values=frozenset().union(*(one.values for one in parts)),
        resources=frozenset().union(*(one.resources for one in parts)),
        rules=frozenset().union(*(one.rules for one in parts)),
        questions=frozenset().union(*(one.questions for one in parts)),
        paths=frozenset().union(*(one.paths for one in parts)),
        orders_outside=sum(one.orders_outside for one in parts),
        listings=frozenset().union(*(one.listings for one in parts)),
    )


@dataclass(frozen=True, slots=True)
class Met:
    """One message as the benchmark keeps it."""

    text: str
    """Minified JSON."""
    tokens: int
    seen: Seen


class Messages:
    """Messages that were met, each read and counted once, known again by identity and by their JSON."""

    def __init__(self, count: Callable[[Message], int]) -> None:
        self._count = count
        self._by_identity: dict[int, tuple[Message, Met]] = {}
        self._by_text: dict[str, Met] = {}

    def meet(self, message: Message) -> Met:
        known = self._by_identity.get(id(message))
        if known is not None:
            return known[1]
        text = minified(message)
        met = self._by_text.get(text)
        if met is None:
            met = self._by_text[text] = Met(text, self._count(message), read_message(message))
        # the message is kept, so that its identity is not given away
        self._by_identity[id(message)] = (message, met)
        return met
