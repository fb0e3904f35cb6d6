"""The documents and logs of a generated run: large texts, with facts hidden in single lines of them."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.retention.scenario import Fact
from benchmarks.retention.words import ASPECTS, THINGS, coded, filler, orders, packet_of
from evidence_store.model import EvidenceId, Packet


@dataclass(frozen=True, slots=True)
class Document:
    """One revision of a resource."""

    resource: str
    revision: int
    whole: Packet
    facts: tuple[Fact, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a document should be like."""

    n_facts: int = 1
    n_chars: int = 4_000
    labels: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    """Keys that it speaks of in place of new ones: a later revision, or another source of the same thing."""
    resource: str = ""
    """A later revision of this one."""
    revision: int = 1
    n_words: int = 4
    """Words behind each fact on its line."""


class Library:
    """Makes documents, and keeps all packets and bytes of them."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._n_made = 0
        self._n_orders = 0
        self.packets: dict[EvidenceId, Packet] = {}
        self.sources: dict[tuple[str, int], bytes] = {}

    def make(self, wanted: Wanted) -> Document:
        """A document with its facts in random lines of it; one in four holds orders to its reader."""
        rng = self._rng
        thing = rng.choice(THINGS)
        self._n_made += 1
        base = f"{thing}-{self._n_made:04d}"
        resource = wanted.resource or (f"api/{base}.yaml" if rng.random() < 0.6 else f"logs/{base}.log")
        keys = wanted.keys or tuple(f"{base}/{aspect}" for aspect in _aspects(rng, wanted.n_facts))
        lines = filler(rng, wanted.n_chars, one_line=rng.random() < 0.1)
        for key in keys:
            tail = " ".join(filler(rng, 6 * wanted.n_words, one_line=False))
            lines.insert(rng.randrange(len(lines) + 1), f"{key} = v{coded(rng, 9)} {tail}")
        if rng.random() < 0.25:
            self._n_orders += 1
            at = rng.randrange(len(lines) + 1)
            lines[at:at] = orders(rng, self._n_orders)
        return self._keep(resource, wanted, keys, lines)

    def _keep(self, resource: str, wanted: Wanted, keys: Sequence[str], lines: list[str]) -> Document:
        self.sources[resource, wanted.revision] = ("\n".join(lines) + "\n").encode()
        whole = packet_of(resource, wanted.revision, lines, 1, len(lines), wanted.labels)
        self.packets[whole.id] = whole
        facts = []
        for key in keys:
            at = next(place for place, line in enumerate(lines, 1) if line.startswith(f"{key} = "))
            leaf = packet_of(resource, wanted.revision, lines, at, at, wanted.labels)
            self.packets[leaf.id] = leaf
            facts.append(Fact(key, lines[at - 1].split(" ")[2], leaf.id, resource, wanted.revision))
        return Document(resource, wanted.revision, whole, tuple(facts), wanted.labels)


def _aspects(rng: random.Random, n: int) -> list[str]:
    names = [f"{aspect}_{letter}" for letter in "abcdefgh" for aspect in ASPECTS] if n > len(ASPECTS) else list(ASPECTS)
    return rng.sample(names, n)
