"""What the run knows as it goes on: facts, conflicts, questions, groups of facts and the subjects that rest on them, rules, permission.

It stands for the store behind the recording tools: claims and progress are what `record_claim` and `record_progress` would have made.
"""

import random
from dataclasses import replace

from benchmarks.retention.scenario import Fact, Known, Message
from benchmarks.retention.words import RULE
from evidence_store.model import (
    About,
    Citation,
    ClaimView,
    EvidenceId,
    Pointer,
    ProgressItem,
    ProgressState,
    ResourceName,
    Standing,
    TaskRevision,
)

Record = tuple[str, Message, str]
"""A recording call: tool, arguments, answer."""


class Ledger:
    """Changes with each note; a look at it is a value."""

    def __init__(self, rng: random.Random, n_calls: int, task: TaskRevision, secret: Fact) -> None:
        """`secret` is what a claim of another run says, on evidence that the principal of this one may never see."""
        self._rng = rng
        self._n_calls = n_calls
        self._claims: dict[str, ClaimView] = {}
        self._claim_of: dict[EvidenceId, str] = {}
        self._facts: dict[str, Fact] = {}
        self._unsettled: set[str] = set()
        self._outdated: set[str] = set()
        self._conflicts: dict[str, tuple[Fact, Fact]] = {}
        self._questions: list[str] = []
        self._rules = [found[0] for value in (*task.in_scope, *task.excluded, *task.constraints) if (found := RULE.search(value))]
        self._items: dict[str, ProgressItem] = {}
        self._group: list[Fact] = []
        self._group_size = 5
        self._groups: dict[str, list[str]] = {}
        self._ready: list[tuple[int, str]] = []
        self._doing: tuple[str, int] | None = None
        self._records: list[Record] = []
        self._changed: dict[str, ProgressItem] = {}
        self._restricted: dict[EvidenceId, str] = {}
        self._in_doubt: set[str] = set()
        """Keys of which another source or a later revision is about to speak."""
        self._task_revision = 1
        self.revoked = False
        self._secret = secret
        self._claim(secret, Standing.VERIFIED)
        self._records.clear()

    # What the agent notes

    def note(self, facts: list[Fact]) -> list[str]:
        """Takes facts that were read closely; gives the lines in which the agent says so."""
        lines = []
        for fact in facts:
            before = self._facts.get(fact.key)
            if before is not None and before.resource != fact.resource:
                lines.append(self._contradict(before, fact))
                continue
            if before is not None:
                self._outdated.add(before.value)
                self._stand(before, Standing.SUPERSEDED)
                self._unsettled.discard(fact.key)
                self._replace(before.passage, fact.passage)
            self._facts[fact.key] = fact
            self._claim(fact, Standing.VERIFIED)
            lines.append(f"- fact {fact.statement} [{fact.passage}]")
            if before is None:
                self._gather(fact)
        if facts and self._rng.random() < 0.12:
            lines.append(self._ask(facts[0]))
        return lines

    def _contradict(self, before: Fact, fact: Fact) -> str:
        self._stand(before, Standing.CONFLICTING)
        self._claim(fact, Standing.CONFLICTING, about=before)
        self._conflicts[fact.key] = (before, fact)
        return f"- conflict: {before.statement} [{before.passage}]; {fact.statement} [{fact.passage}]"

    def _ask(self, fact: Fact) -> str:
        name = f"qn-{len(self._questions) + 1:04d}"
        self._questions.append(name)
        text = f"{name}: does {fact.key} hold for all clients?"
        self._add_claim(text, fact, (), Standing.OPEN)
        return f"- question {text}"

    def _claim(self, fact: Fact, standing: Standing, about: Fact | None = None) -> None:
        self._add_claim(fact.statement, about or fact, (Citation(fact.passage, "support"),), standing)
        self._claim_of[fact.passage] = f"C{len(self._claims)}"

    def _add_claim(self, text: str, about: Fact, citations: tuple[Citation, ...], standing: Standing) -> None:
        id_ = f"C{len(self._claims) + 1}"
        place = About(ResourceName(about.resource), Pointer(f"/{about.key}"), "value")
        revision = self._task_revision
        self._claims[id_] = ClaimView(id_, place, text, citations, "agent:retention", standing, "", "rule:retention", revision)
        arguments: Message = {
            "about": {"resource": about.resource, "pointer": f"/{about.key}", "aspect": "value"},
            "text": text,
            "citations": [{"evidence": one.evidence, "role": one.role} for one in citations],
        }
        self._records.append(("record_claim", arguments, f"claim: {id_}\nstanding: {standing.value}\n"))

    def _stand(self, fact: Fact, standing: Standing) -> None:
        id_ = self._claim_of[fact.passage]
        self._claims[id_] = replace(self._claims[id_], standing=standing)

    # Groups and subjects

    def _gather(self, fact: Fact) -> None:
        if self.revoked:
            self._group = [one for one in self._group if one.passage not in self._restricted]
        self._group.append(fact)
        name = f"group-{len(self._groups) + 1:03d}"
        lists_evidence = len(self._groups) % 2 == 1
        self._put(
            ProgressItem(
                name,
                ProgressState.TODO,
                tuple(one.passage for one in self._group) if lists_evidence else (),
                uses=tuple(dict.fromkeys(one.resource for one in self._group)),
            )
        )
        if len(self._group) >= self._group_size:
            self._groups[name] = [one.key for one in self._group]
            self._ready.append((self._rng.randint(2, max(3, self._n_calls // 3)), name))
            self._group = []
            self._group_size = self._rng.randint(4, 7)

    def _replace(self, before: EvidenceId, now: EvidenceId) -> None:
        for item in tuple(self._items.values()):
            if before in item.evidence:
                self._put(replace(item, evidence=tuple(now if one == before else one for one in item.evidence)))

    def _put(self, item: ProgressItem) -> None:
        self._items[item.subject] = self._changed[item.subject] = item

    def take_records(self, next_call: int) -> list[Record]:
        """The recording calls of this turn; decides which subject the next call is about."""
        if self._doing is not None:
            name, last = self._doing
            if next_call > last:
                self._put(replace(self._items[name], state=ProgressState.DONE))
                self._doing = None
        if self._doing is None:
            near_the_end = next_call >= self._n_calls * 8 // 10
            self._ready = [(wait - 1, name) for wait, name in self._ready]
            due = next((one for one in self._ready if one[0] <= 0 or near_the_end), None)
            if due is not None:
                self._ready.remove(due)
                self._doing = (due[1], next_call + 1)
                self._put(replace(self._items[due[1]], state=ProgressState.DOING))
        records, self._records = self._records, []
        items = [_item_json(item) for item in self._changed.values()]
        self._changed = {}
        if items:
            records.append(("record_progress", {"items": items}, f"recorded: {len(items)} of {len(items)}\n"))
        return records

    # What users and others do

    def fact_to_contradict(self) -> Fact | None:
        """One that was noted, of which another source will say something else."""
        grouped = {key for keys in self._groups.values() for key in keys}
        free = [fact for fact in self._undisputed() if fact.key in grouped]
        if not free:
            return None
        chosen = self._rng.choice(free)
        self._in_doubt.add(chosen.key)
        return chosen

    def unsettle(self) -> list[Fact]:
        """Facts of one resource whose next revision says something else; until that is read, they are in doubt."""
        free = self._undisputed()
        if not free:
            return []
        resource = self._rng.choice(free).resource
        chosen = [fact for fact in free if fact.resource == resource]
        self._unsettled |= {fact.key for fact in chosen}
        self._in_doubt |= {fact.key for fact in chosen}
        return chosen

    def _undisputed(self) -> list[Fact]:
        return [fact for key, fact in self._facts.items() if key not in self._in_doubt and fact.passage not in self._restricted]

    def add_rules(self, words: tuple[str, ...]) -> None:
        self._rules += words

    def judge(self, task_revision: int) -> None:
        """All claims are judged under this task revision."""
        if task_revision != self._task_revision:
            self._task_revision = task_revision
            self._claims = {id_: replace(claim, task_revision=task_revision) for id_, claim in self._claims.items()}

    def restrict(self, whole: EvidenceId, facts: tuple[Fact, ...]) -> None:
        """A document that not everyone may read, and what stands in it."""
        self._restricted |= {whole: "", **{fact.passage: fact.value for fact in facts}}

    def revoke(self) -> None:
        """From now on the principal may not read what is restricted."""
        self.revoked = True

    # Looks

    def claims(self) -> tuple[ClaimView, ...]:
        return tuple(self._claims.values())

    def progress(self) -> tuple[ProgressItem, ...]:
        return tuple(self._items.values())

    def known(self) -> Known:
        """As the reader of the run may see it now."""
        denied = self._restricted if self.revoked else {}
        denied_ids = {*denied, self._secret.passage}
        denied_words = {self._secret.value, *filter(None, denied.values())}
        in_force = {
            key: fact
            for key, fact in self._facts.items()
            if key not in self._conflicts and key not in self._unsettled and fact.passage not in denied_ids
        }
        in_use = self._groups[self._doing[0]] if self._doing is not None else []
        return Known(
            facts=tuple(in_force.values()),
            in_use=tuple(in_force[key] for key in in_use if key in in_force),
            names_evidence=self._doing is not None and bool(self._items[self._doing[0]].evidence),
            conflicts=tuple(pair for pair in self._conflicts.values() if not denied_ids & {pair[0].passage, pair[1].passage}),
            questions=tuple(self._questions),
            rules=tuple(self._rules),
            outdated=frozenset(self._outdated),
            denied_ids=frozenset(denied_ids),
            denied_words=frozenset(denied_words),
        )

    def notes(self) -> dict[str, int]:
        return {
            "facts": len(self._facts),
            "conflicts": len(self._conflicts),
            "questions": len(self._questions),
            "rules": len(self._rules),
            "outdated": len(self._outdated),
            "restricted": sum(map(bool, self._restricted.values())),
        }


def _item_json(item: ProgressItem) -> Message:
    made: Message = {"subject": item.subject, "state": item.state.value, "evidence": list(item.evidence), "uses": list(item.uses)}
    return made
