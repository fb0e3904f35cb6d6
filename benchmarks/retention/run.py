"""One run with one strategy: every model call made, read, counted and, where its reader finds too little, made again after a re-read."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from api.tools.arguments import Arguments
from api.tools.recording import answer_claims
from benchmarks.retention.reading import Listing, Messages, Met, Seen, join
from benchmarks.retention.scenario import Call, Fact, Message, Scenario
from benchmarks.retention.score import Answer, Page, Reach, Tally, answer, judge, score
from benchmarks.retention.strategies import CAP, Made, Strategy
from benchmarks.retention.words import ID, QUESTION
from evidence_store.model import Packet
from projector import TokenCounter, format_packet, validate
from projector.measure import Measure

CACHE_WRITE, CACHED_READ, PLAIN_READ = 1.25, 0.1, 1.0
# So many facts are read again in one turn at most.
MAX_REREADS = 8
# What an answer of list_claims may take: less than the room that a session leaves to the answers of one turn, which refuses more.
PAGE_TOKENS = 20_000


class Bill:
    """What an input costs when the provider keeps the longest common beginning with the input before."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._before: Sequence[Met] = ()
        self._any = False

    def charge(self, met: Sequence[Met], fixed_tokens: int) -> float:
        """The billed equivalent in tokens; `fixed_tokens` (tools, framing) stand first and never change."""
        cached = fixed_tokens if self._any else 0
        total = fixed_tokens + sum(one.tokens for one in met)
        for before, now in zip(self._before, met, strict=False):
            if before.text == now.text:
                cached += now.tokens
                continue
            cached += min(now.tokens, self._counter.count(now.text[: common_length(before.text, now.text)]))
            break
        self._before, self._any = met, True
        return CACHED_READ * cached + CACHE_WRITE * (total - cached)


@dataclass(frozen=True, slots=True)
class Looked:
    """One input, read."""

    seen: Seen
    pages: tuple[Page, ...]
    refused: bool
    """There is none, or the provider would not take it."""


class Runner:
    """Carries one run out."""

    def __init__(self, scenario: Scenario, strategy: Strategy, counter: TokenCounter) -> None:
        self._scenario = scenario
        self._strategy = strategy
        self._measure = Measure(counter)
        self._met = Messages(self._measure.message)
        self._bill = Bill(counter)
        self._fixed = self._measure.opening() + self._measure.request(strategy.tools)
        self._reach = Reach(scenario)
        self._unanswered = _unanswered(scenario)
        self._rereads: Counter[str] = Counter()
        self._n_ids = 0
        self._lists_claims = any(tool["function"]["name"] == "list_claims" for tool in strategy.tools)
        self._answers: dict[Listing, Page | None] = {}
        """Of this model call."""
        self.tally = Tally()

    def run(self) -> Tally:
        self._strategy.start(self._scenario)
        for call in self._scenario.calls:
            self._call(call)
        return self.tally

    def _call(self, call: Call) -> None:
        self._answers = {}
        made = self._strategy.make(call, (), {})
        looked = self._look(made, call)
        given = answer(call.known, looked.seen)
        seconds = made.seconds
        missing = [] if looked.refused else [one.fact for one in given if not one.value]
        again = self._again(call, missing, looked)
        if again is not None:
            seconds += again.seconds
            looked = self._look(again, call)
            given = _together(given, answer(call.known, looked.seen))
        self.tally.seconds.append(seconds)
        judge(self.tally, self._scenario, call.known, given, self._rereads, refused=looked.refused)

    def _look(self, made: Made, call: Call) -> Looked:
        tally = self.tally
        tally.calls += 1
        met = [self._met.meet(message) for message in made.messages]
        tokens = self._fixed + sum(one.tokens for one in met)
        refused = not met or tokens > CAP
        if refused:
            tally.failures["over_budget"] += 1
        faults = validate(list(made.messages), "openai")
        if faults and met:
            tally.failures["pair_broken"] += 1
            tally.broken_by_script += all(fault.call_id in self._unanswered for fault in faults)
        seen = join([one.seen for one in met])
        pages = self._pages(call, seen) if met else ()
        if met:
            score(tally, call.known, seen, self._reach, pages)
        tally.peak = max(tally.peak, tokens)
        tally.tokens += tokens + made.summary_tokens
        tally.summary_tokens += made.summary_tokens
        tally.billed += PLAIN_READ * made.summary_tokens + (self._bill.charge(met, self._fixed) if met else 0)
        return Looked(seen, pages, refused)

    # Reading again

    def _again(self, call: Call, missing: Sequence[Fact], looked: Looked) -> Made | None:
        """The input after one turn of reading again what the input names but does not hold; None when it names nothing."""
        calls: list[Message] = []
        answers: list[Message] = []
        results: dict[str, tuple[Packet, ...]] = {}
        for fact in missing[:MAX_REREADS]:
            handle = self._reach.handle(fact, looked.seen, looked.pages)
            if not handle:
                continue
            self._n_ids += 1
            id_ = f"again_{self._n_ids}"
            name, arguments, text, packets = self._read(fact, handle, looked.pages)
            calls.append({"id": id_, "type": "function", "function": {"name": name, "arguments": orjson.dumps(arguments).decode()}})
            answers.append({"role": "tool", "tool_call_id": id_, "content": text})
            results |= {id_: packets} if packets else {}
            self._rereads[fact.key] += 1
            self.tally.n_rereads += 1
        if not calls:
            return None
        said: Message = {"role": "assistant", "content": "I read this again.", "tool_calls": calls}
        return self._strategy.make(call, (said, *answers), results)

    def _read(self, fact: Fact, handle: str, pages: Sequence[Page]) -> tuple[str, Message, str, tuple[Packet, ...]]:
        packet = self._scenario.packets[fact.passage]
        if handle == "id":
            return "get_evidence", {"id": fact.passage}, format_packet(packet), (packet,)
        if handle == "resource":
            return "read_log", {"resource": fact.resource, "quote": fact.key}, format_packet(packet), (packet,)
        if handle == "file":
            return "grep", {"pattern": fact.key}, self._strategy.grep(fact.key) or "no matches", ()
        page = next(one for one in pages if fact.passage in one.passages)
        return "list_claims", {page.listing.argument: page.listing.value}, page.text, ()

    def _pages(self, call: Call, seen: Seen) -> tuple[Page, ...]:
        """What `list_claims` answers to each argument that stands in the input; nothing where the next input could not hold it."""
        if not self._lists_claims:
            return ()
        found = [self._page(call, listing) for listing in sorted(seen.listings)]
        return tuple(page for page in found if page is not None)

    def _page(self, call: Call, listing: Listing) -> Page | None:
        if listing not in self._answers:
            text = answer_claims(call.claims, Arguments("list_claims", {listing.argument: listing.value})).text
            refused = self._measure.counter.count(text) > PAGE_TOKENS
            page = Page(listing, text, frozenset(ID.findall(text)), frozenset(QUESTION.findall(text)))
            self._answers[listing] = None if refused else page
        return self._answers[listing]


def common_length(left: str, right: str) -> int:
    """Characters of the longest beginning that two texts share."""
    return bisect_left(range(min(len(left), len(right))), 1, key=lambda at: int(left[: at + 1] != right[: at + 1]))


def _unanswered(scenario: Scenario) -> frozenset[str]:
    asked: set[str] = set()
    answered: set[str] = set()
    for call in scenario.calls:
        for message in call.fresh_recorded:
            asked.update(one["id"] for one in message.get("tool_calls", ()))
            answered.add(str(message.get("tool_call_id")))
    return frozenset(asked - answered)


def _together(before: Sequence[Answer], after: Sequence[Answer]) -> tuple[Answer, ...]:
    """What was found at first is not lost by reading on."""
    return tuple(first if first.value else then for first, then in zip(before, after, strict=True))
