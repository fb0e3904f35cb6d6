"""Makes a run from a seed: the same seed and size give the same bytes. No network, no clock.

At each turn the agent notes what it read closely, reads closely what it found before, and opens new documents. Facts come in groups;
long after a group is complete, a subject rests on all of it. Meanwhile users add rules, a document gets a new revision, two sources
contradict each other, permission for a document is taken away, calls fail or are never answered.
"""

import random
from dataclasses import replace

import orjson

from benchmarks.retention.ledger import Ledger
from benchmarks.retention.scenario import Call, Fact, Message, Scenario
from benchmarks.retention.sources import Document, Library, Wanted
from benchmarks.retention.words import coded
from evidence_store.model import Packet, TaskName, TaskRevision
from projector import format_error, format_packet

REQUEST = "Find out what the documents and logs say, keep track of it, and answer the subjects one by one."
RESTRICTED, SECRET = "restricted", "secret"
# Answers of one turn: by so much a session lets a turn grow (api/sessions.py refuses what the next input could not hold whole).
MAX_TURN_CHARS = 45_000


def generate(seed: int, n_calls: int, *, dense: bool = False) -> Scenario:
    """A run of so many model calls; a dense one states about ten facts a call, more than an input holds."""
    run = _Run(random.Random(f"{seed}/{n_calls}/{dense}"), n_calls, dense)
    calls = tuple(run.call(number) for number in range(n_calls))
    return Scenario(
        name=f"{'dense ' if dense else ''}{n_calls} calls, seed {seed}",
        task=run.first_task,
        calls=calls,
        packets=run.library.packets,
        sources=run.library.sources,
        holds_more_than_fits=dense,
        notes=run.notes(),
    )


class _Run:
    """Grows a run call by call."""

    def __init__(self, rng: random.Random, n_calls: int, dense: bool) -> None:
        self._rng = rng
        self._n_calls = n_calls
        self._dense = dense
        self.library = Library(rng)
        self._task = self.first_task = _first_task(rng)
        self._revoked_at = n_calls * 55 // 100
        self._ledger = Ledger(rng, n_calls, self._task, self.library.make(Wanted(labels=(SECRET,))).facts[0])
        self._fresh: list[Message] = [{"role": "user", "content": REQUEST}]
        self._fresh_recorded: list[Message] = list(self._fresh)
        self._results: dict[str, tuple[Packet, ...]] = {}
        self._n_ids = 0
        self._opened: list[Document] = []
        self._close: list[Fact] = []
        self._planned: list[Wanted] = []
        self._turns = _plan_turns(rng, n_calls)
        self._n_failed = self._n_unanswered = 0

    def call(self, number: int) -> Call:
        """The model call of this number; the agent's turn after it is made at once, for the next."""
        made = Call(
            fresh=tuple(self._fresh),
            fresh_recorded=tuple(self._fresh_recorded),
            results=self._results,
            task=self._task,
            progress=self._ledger.progress(),
            claims=self._ledger.claims(),
            clearances=() if self._ledger.revoked else (RESTRICTED,),
            known=self._ledger.known(),
        )
        self._fresh, self._fresh_recorded, self._results = [], [], {}
        self._settle_task()
        if number == self._revoked_at:
            self._ledger.revoke()
        self._act(number)
        return made

    def notes(self) -> dict[str, int]:
        return {**self._ledger.notes(), "failed calls": self._n_failed, "unanswered calls": self._n_unanswered}

    # The agent's turn

    def _act(self, number: int) -> None:
        kind = self._turns.get(number, "")
        if kind in ("rule", "revision"):
            self._say("Noted so far. I go on when you say so.")
            self._add({"role": "user", "content": self._rule_turn() if kind == "rule" else self._revision_turn()})
            return
        lines = self._ledger.note(self._close)
        recorded = self._ledger.take_records(number + 1)
        documents = self._documents(number)
        reads = [self._read(self.library.packets[fact.passage]) for document in self._opened for fact in document.facts]
        self._close = [fact for document in self._opened for fact in document.facts]
        self._opened = documents
        reads += [self._read(document.whole) for document in documents]
        if self._rng.random() < 0.08:
            self._n_failed += 1
            reads.append(self._call("read_spec", {"resource": "api/none.yaml"}, _error(), ()))
        lost = self._call("read_log", {"resource": "logs/slow.log", "lines": "1-9"}, "", ()) if kind == "unanswered" else None
        self._exchange("\n".join(lines) or "Reading on.", recorded, reads, lost)
        if lost is not None:
            self._n_unanswered += 1
            self._add({"role": "user", "content": "The connection was lost. Go on from where you are."})

    def _documents(self, number: int) -> list[Document]:
        """What is opened in this turn."""
        rng = self._rng
        if not self._planned and not self._dense and rng.random() < 0.1 and (fact := self._ledger.fact_to_contradict()) is not None:
            self._planned.append(Wanted(n_chars=rng.randint(800, 4_000), keys=(fact.key,)))
        n_documents = 1 if self._dense else rng.choice((1, 1, 1, 2))
        wanted = self._planned[:2] or [self._wanted(number) for _ in range(n_documents)]
        self._planned = self._planned[2:]
        documents, chars = [], 0
        for one in wanted:
            fitting = replace(one, n_chars=max(400, min(one.n_chars, MAX_TURN_CHARS - chars)))
            documents.append(document := self.library.make(fitting))
            if document.labels:
                self._ledger.restrict(document.whole.id, document.facts)
            chars += fitting.n_chars
        return documents

    def _wanted(self, number: int) -> Wanted:
        rng = self._rng
        labels = (RESTRICTED,) if number in (1, 2, self._n_calls // 3, self._revoked_at - 3) and number < self._revoked_at - 2 else ()
        if self._dense:
            return Wanted(n_facts=10, n_chars=rng.randint(2_000, 8_000), labels=labels, n_words=20)
        size = int(2 ** rng.uniform(10, 14.2)) if rng.random() > 0.03 else MAX_TURN_CHARS
        return Wanted(n_facts=rng.choice((1, 1, 2, 3)), n_chars=size, labels=labels, n_words=rng.randint(0, 8))

    # What users say

    def _rule_turn(self) -> str:
        area, rule = f"area-{coded(self._rng, 8)}", f"rule-{coded(self._rng, 8)}"
        texts = (f"leave out glob:/{area}/** from now on", f"{rule}: quote at most {self._rng.randint(5, 9)} words of a source")
        self._task = replace(self._task, proposed=texts)
        self._ledger.add_rules((area, rule))
        return f"Two more things. {texts[0]}. {texts[1]}. Go on."

    def _revision_turn(self) -> str:
        facts = self._ledger.unsettle()
        if not facts:
            return "Go on."
        first = facts[0]
        keys = tuple(fact.key for fact in facts)
        self._planned.insert(0, Wanted(n_chars=3_000, keys=keys, resource=first.resource, revision=first.revision + 1))
        return f"{first.resource} has a new revision {first.revision + 1}. Read it again: what it says counts, not what the old one said."

    def _settle_task(self) -> None:
        """What a user proposed is accepted a call later, and what was judged before is judged anew another call later."""
        self._ledger.judge(self._task.number)
        if self._task.proposed:
            left_out, rule = self._task.proposed
            self._task = replace(
                self._task,
                number=self._task.number + 1,
                excluded=(*self._task.excluded, left_out.split(" ")[2]),
                constraints=(*self._task.constraints, rule),
                proposed=(),
            )

    # Messages

    def _say(self, text: str) -> None:
        self._add({"role": "assistant", "content": text})

    def _add(self, message: Message) -> None:
        self._fresh.append(message)
        self._fresh_recorded.append(message)

    def _call(self, name: str, arguments: Message, answer: str, packets: tuple[Packet, ...]) -> Message:
        self._n_ids += 1
        call = {"id": f"call_{self._n_ids}", "type": "function", "function": {"name": name, "arguments": orjson.dumps(arguments).decode()}}
        return {"call": call, "answer": answer, "packets": packets}

    def _read(self, packet: Packet) -> Message:
        name = "read_log" if packet.resource.endswith(".log") else "read_spec"
        return self._call(name, {"resource": packet.resource, "lines": packet.selector.text}, format_packet(packet), (packet,))

    def _exchange(self, text: str, recorded: list[tuple[str, Message, str]], reads: list[Message], lost: Message | None) -> None:
        records = [self._call(name, arguments, answer, ()) for name, arguments, answer in recorded]
        for made, kept in ((self._fresh, reads), (self._fresh_recorded, [*records, *reads])):
            asked = [one["call"] for one in (*kept, *([lost] if lost else []))]
            if not asked:
                made.append({"role": "assistant", "content": text})
                continue
            made.append({"role": "assistant", "content": text, "tool_calls": asked})
            made += [{"role": "tool", "tool_call_id": one["call"]["id"], "content": one["answer"]} for one in kept]
        self._results.update({one["call"]["id"]: one["packets"] for one in reads if one["packets"]})


def _first_task(rng: random.Random) -> TaskRevision:
    area, rule, scope = (coded(rng, 8) for _ in range(3))
    return TaskRevision(
        TaskName("retention"),
        1,
        "find out what the documents and logs say",
        (f"all paths of area-{scope}",),
        (f"glob:/area-{area}/**", "tag=Beta"),
        (f"rule-{rule}: only read, never write",),
    )


def _plan_turns(rng: random.Random, n_calls: int) -> dict[int, str]:
    """In which turns a user speaks, and of what: one in about fifteen, but for the first and last."""
    places = [at for at in range(4, n_calls - 3) if rng.random() < 1 / 15]
    if n_calls >= 10:
        places = sorted({n_calls // 2, *places})
    kinds = ("rule", "revision", "unanswered", "rule")
    return {place: kinds[at % len(kinds)] for at, place in enumerate(places)}


def _error() -> str:
    return format_error("not_found", "there is no resource 'api/none.yaml'", {}, retry=True)
