"""Tasks with a known list: the canonical one, with what our comparison without a model verifies, and generated ones for retention."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from api.demo import of_standing, run_demo, shipped_pair
from api.settings import Settings
from api.wiring import Services, open_services
from benchmarks.live.scratch import scratch_folder
from benchmarks.retention.sources import Library, Wanted
from evidence_store.model import EvidenceId, Format, Packet, ResourceName, Span, Standing, TaskName, TaskRevision
from evidence_store.store.put_request import PutRequest

RECORD = "Record each conclusion with record_claim as soon as you have its evidence, then go on. When nothing is left, say so and stop."


@dataclass(frozen=True, slots=True)
class Place:
    """Bytes of a revision."""

    resource: str
    revision: int
    span: Span

    def is_cited_by(self, packet: Packet) -> bool:
        """Whether the packet stands at this place, or closely round it."""
        if (packet.resource, packet.revision) != (self.resource, self.revision):
            return False
        within = packet.span.start >= self.span.start and packet.span.end <= self.span.end
        round_it = packet.span.start <= self.span.start and packet.span.end >= self.span.end
        return within or (round_it and packet.span.end - packet.span.start <= max(400, 4 * (self.span.end - self.span.start)))


@dataclass(frozen=True, slots=True)
class Expected:
    """One conclusion of the known list: all its places are to be cited, and these words to be said."""

    name: str
    places: tuple[Place, ...]
    words: tuple[str, ...] = ()
    absent: tuple[Place, ...] = ()
    """Containers that no longer hold it: where there are such, one of them is to be cited, too."""

    def is_cited_by(self, packets: Sequence[Packet]) -> bool:
        absent = not self.absent or any(_is_cited(place, packets) for place in self.absent)
        return absent and all(_is_cited(place, packets) for place in self.places)


def _is_cited(place: Place, packets: Sequence[Packet]) -> bool:
    return any(place.is_cited_by(packet) for packet in packets)


@dataclass(frozen=True, slots=True)
class LiveTask:
    name: str
    sources: tuple[tuple[str, bytes], ...]
    """Resource and bytes, in the order in which they become revisions."""
    format: Format | None
    """None: by their names."""
    task: TaskRevision
    request: str
    expected: tuple[Expected, ...]

    def fill(self, services: Services) -> TaskRevision:
        """Puts the sources and the task into a store."""
        for name, raw in self.sources:
            services.store.sources.put(PutRequest(ResourceName(name), format=self.format), [raw])
        return services.store.tasks.add_revision(self.task, "user:bench")


def canonical() -> LiveTask:
    """What breaks clients between the two documents of the shipped pair, beta left out."""
    old, new = shipped_pair()
    assert old.raw is not None, "the shipped pair is bytes"
    assert new.raw is not None, "the shipped pair is bytes"
    with scratch_folder() as folder, open_services(Settings(folder), create=True) as services:
        result = run_demo(services, old, new, (), lambda news: None)
        known = of_standing(result, Standing.VERIFIED)
        name = str(services.store.sources.list_resources()[0][0].name)
        expected = tuple(
            Expected(one.claim.text, _places(services, one.claim.ids("old", "new")), absent=_places(services, one.claim.ids("absent")))
            for one in known
        )
    goal = "Find what breaks clients between revision 1 and revision 2 of the API document, and cite the evidence of both sides."
    rules = ("x-stability-level=alpha", "x-stability-level=beta", "x-stability-level=draft")
    task = TaskRevision(TaskName("canonical"), 1, goal, ("all operations of revision 1",), rules, ())
    return LiveTask(
        "canonical", ((name, old.raw), (name, new.raw)), None, task, f"{goal} Start with list_resources and diff. {RECORD}", expected
    )


def _places(services: Services, ids: Sequence[str]) -> tuple[Place, ...]:
    """Where evidence stands."""
    packets = [services.store.passages.get(EvidenceId(id_), services.limit(2_000)) for id_ in ids]
    return tuple(Place(packet.resource, packet.revision, packet.span) for packet in packets)


def retention(seed: int, n_documents: int) -> LiveTask:
    """Values that stand in single lines of generated documents, each larger than what an input can keep of it for long."""
    library = Library(random.Random(f"live/{seed}/{n_documents}"))
    documents = [library.make(Wanted(n_facts=2, n_chars=8_000)) for _ in range(n_documents)]
    facts = [fact for document in documents for fact in document.facts]
    expected = tuple(
        Expected(
            fact.key,
            (Place(fact.resource, fact.revision, library.packets[fact.passage].span),),
            (fact.value,),
        )
        for fact in facts
    )
    sources = tuple((resource, raw) for (resource, _), raw in library.sources.items())
    keys = ", ".join(f"{fact.key} ({fact.resource})" for fact in facts)
    task = TaskRevision(TaskName(f"retention-{seed}"), 1, "State the value of each key.", (), (), ("only read",))
    asked = f"State the value of each of these keys, one claim each, as `KEY is VALUE`: {keys}."
    request = f"{asked} The line that says it begins with the key. {RECORD}"
    return LiveTask(f"retention, seed {seed}", sources, Format.TEXT, task, request, expected)
