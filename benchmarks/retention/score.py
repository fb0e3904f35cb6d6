"""What an input kept, counted against what the run knows, and what a reader makes of it who has nothing else.

Handles: a fact that an input does not hold is within reach when one call, whose argument stands in the input, gives it: an evidence id,
the name of its resource, a file that the strategy names, or a page, resource or standing for `list_claims` where the input says that
there are claims that it does not list. The claim has to stand in the answer, as the tool writes it and as long as it may be.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.retention.reading import Listing, Saying, Seen
from benchmarks.retention.scenario import Fact, Known, Scenario
from evidence_store.model import EvidenceId

CLASSES = (
    "scope_lost",
    "fact_lost",
    "evidence_unresolvable",
    "stale_used",
    "conflict_closed",
    "question_closed",
    "pair_broken",
    "over_budget",
    "permission_leak",
    "injection_promoted",
    "reread_loop",
)
# The same fact read again so often is a loop.
LOOP = 3


@dataclass(slots=True)
class Tally:
    """Sums over model calls."""

    calls: int = 0
    """All that were made, those after a re-read included."""
    kept: Counter[str] = field(default_factory=Counter)
    """What an input held, by name: `rules`, `facts`, `reach` (held or within reach), `excerpts`, `conflicts`, `questions`, `answers`."""
    total: Counter[str] = field(default_factory=Counter)
    """What it had to hold, by the same names."""
    failures: Counter[str] = field(default_factory=Counter)
    """Model calls by class of failure."""
    broken_by_script: int = 0
    """Of `pair_broken`: calls whose only fault is a call that the run left without an answer."""
    tokens: int = 0
    peak: int = 0
    billed: float = 0
    summary_tokens: int = 0
    n_rereads: int = 0
    seconds: list[float] = field(default_factory=list)
    """For each call of the run: the time its input took, with that of the call after a re-read."""

    def share(self, name: str) -> float | None:
        """Of what had to be held; None where nothing had to be."""
        return self.kept[name] / self.total[name] if self.total[name] else None

    def add(self, other: "Tally") -> None:
        """Adds another run's figures."""
        self.calls += other.calls
        for mine, more in ((self.kept, other.kept), (self.total, other.total), (self.failures, other.failures)):
            mine.update(more)
        self.broken_by_script += other.broken_by_script
        self.tokens += other.tokens
        self.peak = max(self.peak, other.peak)
        self.billed += other.billed
        self.summary_tokens += other.summary_tokens
        self.n_rereads += other.n_rereads
        self.seconds += other.seconds


@dataclass(frozen=True, slots=True)
class Page:
    """What one call of `list_claims` answers, whose argument stands in the input."""

    listing: Listing
    text: str
    passages: frozenset[str]
    """That its claims cite."""
    questions: frozenset[str]


class Reach:
    """What one call can bring, whose argument stands in the input."""

    def __init__(self, scenario: Scenario) -> None:
        self._wholes: dict[tuple[str, int], set[str]] = {}
        for packet in scenario.packets.values():
            self._wholes.setdefault((packet.resource, packet.revision), set())
            if packet.size == packet.span.length:
                self._wholes[packet.resource, packet.revision].add(packet.id)

    def handle(self, fact: Fact, seen: Seen, pages: Sequence[Page]) -> str:
        """By what the fact can be had: `id`, `resource`, `file`, `claims`; empty when by nothing."""
        if fact.passage in seen.ids or not seen.ids.isdisjoint(self._wholes[fact.resource, fact.revision]):
            return "id"
        if fact.resource in seen.resources:
            return "resource"
        if seen.paths:
            return "file"
        return "claims" if any(fact.passage in page.passages for page in pages) else ""


def holds(fact: Fact, seen: Seen) -> bool:
    """Whether the input says the fact, with an id that leads to it."""
    stated = Saying(fact.key, fact.value, fact.revision, fact.passage)
    return stated in seen.stated or any(one.evidence for one in seen.shown if (one.key, one.value) == (fact.key, fact.value))


def score(tally: Tally, known: Known, seen: Seen, reach: Reach, pages: Sequence[Page]) -> None:
    """Counts one input. `pages` are the answers to its listings."""
    pairs = {(one.key, one.value): one.evidence for one in seen.shown if one.evidence}
    lost = Counter[str]()

    def count(name: str, n_kept: int, n_total: int, failure: str = "") -> None:
        tally.kept[name] += n_kept
        tally.total[name] += n_total
        if failure and n_kept < n_total:
            lost[failure] = 1

    def here(fact: Fact) -> bool:
        return Saying(fact.key, fact.value, fact.revision, fact.passage) in seen.stated or (fact.key, fact.value) in pairs

    count("rules", sum(rule in seen.rules for rule in known.rules), len(known.rules), "scope_lost")
    present = [fact for fact in known.facts if here(fact)]
    absent = [fact for fact in known.facts if not here(fact)]
    count("facts", len(present), len(known.facts))
    count("reach", len(present) + sum(reach.handle(fact, seen, pages) != "" for fact in absent), len(known.facts), "fact_lost")
    n_excerpts = sum((fact.key, fact.value) in pairs for fact in known.in_use)
    count("excerpts", n_excerpts, len(known.in_use))
    if known.names_evidence:
        count("excerpts named", n_excerpts, len(known.in_use))
    count("conflicts in the input", sum(all(map(here, pair)) for pair in known.conflicts), len(known.conflicts))
    answers = [frozenset[str](), *(page.passages for page in pages)]
    both = [any(all(here(fact) or fact.passage in found for fact in pair) for found in answers) for pair in known.conflicts]
    count("conflicts", sum(both), len(known.conflicts), "conflict_closed")
    count("questions in the input", sum(name in seen.questions for name in known.questions), len(known.questions))
    asked = [name in seen.questions or any(name in page.questions for page in pages) for name in known.questions]
    count("questions", sum(asked), len(known.questions), "question_closed")
    if not (known.denied_ids.isdisjoint(seen.ids) and known.denied_words.isdisjoint(seen.values)):
        lost["permission_leak"] = 1
    if seen.orders_outside:
        lost["injection_promoted"] = 1
    tally.failures.update(lost)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reader says of one fact that the subject at hand rests on."""

    fact: Fact
    value: str
    """Empty when it found nothing."""
    evidence: str

    @property
    def is_right(self) -> bool:
        return self.value == self.fact.value


def answer(known: Known, seen: Seen) -> tuple[Answer, ...]:
    """A reader's answers from the input alone: the newest revision counts, and a note counts more than a line of a source."""
    found: dict[str, list[tuple[int, bool, str, Saying]]] = {fact.key: [] for fact in known.in_use}
    for stated, sayings in ((True, seen.stated), (False, seen.shown)):
        for one in sayings:
            if one.key in found:
                found[one.key].append((one.revision, stated, one.evidence, one))
    best = {key: max(sayings)[3] if sayings else Saying(key, "", 0, "") for key, sayings in found.items()}
    return tuple(Answer(fact, best[fact.key].value, best[fact.key].evidence) for fact in known.in_use)


def resolves(scenario: Scenario, given: Answer) -> bool:
    """Whether the cited evidence is there, whole, and says what the answer says, in the revision that counts."""
    packet = scenario.packets.get(EvidenceId(given.evidence))
    if packet is None:
        return False
    source = scenario.sources.get((packet.resource, packet.revision), b"")
    whole = f"sha256:{hashlib.sha256(source).hexdigest()}" == packet.digest
    excerpt = source[packet.span.start : packet.span.end].decode()
    right = packet.resource == given.fact.resource and packet.revision == given.fact.revision
    return whole and right and excerpt == packet.excerpt and f"{given.fact.key} = {given.value}" in excerpt


def judge(tally: Tally, scenario: Scenario, known: Known, given: Sequence[Answer], rereads: Mapping[str, int], *, refused: bool) -> None:
    """Counts a reader's answers; an input over the cap is refused by the provider, and nobody answers."""
    correct = [one.is_right and resolves(scenario, one) for one in given]
    tally.kept["answers"] += 0 if refused else sum(correct)
    tally.kept["answers, no limit"] += sum(correct)
    tally.kept["evidence"] += sum(correct)
    tally.total["answers"] += len(given)
    tally.total["answers, no limit"] += len(given)
    tally.total["evidence"] += sum(one.value != "" for one in given)
    if any(one.is_right and not resolves(scenario, one) for one in given):
        tally.failures["evidence_unresolvable"] += 1
    if any(one.value in known.outdated for one in given):
        tally.failures["stale_used"] += 1
    if any(rereads.get(one.fact.key, 0) >= LOOP for one in given):
        tally.failures["reread_loop"] += 1
