"""The cases of access, as far as they speak of the projector and of the port through which it reads.

What they ask of reports, of lookups through HTTP and of deleting is for the doors that have a principal, and is not bound here.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from api.projecting import StoreReader
from api.wiring import Services
from evidence_store.excerpts import NoLimit
from evidence_store.model import About, Citation, ClaimView, EvidenceId, Packet, Standing, TaskName, TaskRevision
from projector import (
    GivenEvidence,
    Principal,
    Profile,
    Projected,
    Projection,
    Step,
    counter_for,
    format_packet,
    packet_from_json,
    project,
    receipt_json,
)
from tests.e2e.cases import expected, list_cases, read_input, verbs
from tests.factories import make_store, put, read

KINDS = "a01 a02"
NORTH_AND_SOUTH, TAKEN_BACK = list_cases(KINDS)
PROFILE = Profile("openai", "gpt-4o", 32_768, 4_096, 1_024, "o200k_base")
V2 = b'{"limit": {"maximum": 50, "note": "counts orders of all shops"}}\n'


def services(folder: Path, workspace: str = "default") -> Services:
    return Services(make_store(folder, workspace=workspace), lambda: counter_for("o200k_base"))


@pytest.fixture
def tenants(tmp_path: Path) -> Iterator[tuple[Services, Services]]:
    """Two workspaces of one database."""
    with services(tmp_path / "store", "north") as north, services(tmp_path / "store", "south") as south:
        yield north, south


def input_of(step: Step, reader: StoreReader) -> Projection:
    found = project(step, reader, counter_for("o200k_base"), reader)
    assert isinstance(found, Projected)
    return found.projection


def plain_step(*evidence: EvidenceId) -> Step:
    return Step(TaskRevision(TaskName("t"), 1, "Look.", (), (), ()), PROFILE, evidence=evidence)


@pytest.mark.parametrize("case", list_cases(KINDS), ids=lambda case: case.name[:3])
def test_the_inputs_are_the_bytes_that_they_were(case: Path) -> None:
    for name, told in expected(case)["inputs"].items():
        raw = read_input(case, name)
        assert (len(raw), hashlib.sha256(raw).hexdigest()) == (told["bytes"], told["sha256"])


def test_a01_another_tenants_evidence_is_read_as_what_is_not_there(tenants: tuple[Services, Services]) -> None:
    raw, cross_reads = read_input(NORTH_AND_SOUTH, "same.yaml"), expected(NORTH_AND_SOUTH)["checks"][0]["expect"]["cross_reads"]
    north, south = tenants
    put(north.store, raw, "specs/a")
    put(south.store, raw, "specs/b")
    ours, theirs = read(south.store, "/info", "specs/b"), read(north.store, "/info", "specs/a")
    assert (ours.digest, ours.id == theirs.id) == (theirs.digest, False)
    reader = StoreReader(south)
    assert len(reader.find_evidence([theirs.id], Principal())) == cross_reads
    assert [one.id for one in reader.find_evidence([ours.id, theirs.id], Principal())] == [ours.id]


def test_a01_an_input_over_another_tenants_id_is_that_over_an_id_of_nothing(tenants: tuple[Services, Services]) -> None:
    raw = read_input(NORTH_AND_SOUTH, "same.yaml")
    north, south = tenants
    put(north.store, raw, "specs/a")
    theirs, nothing = read(north.store, "/info", "specs/a").id, EvidenceId("ev_000000000000")
    found, absent = (receipt_json(input_of(plain_step(id_), StoreReader(south)).receipt) for id_ in (theirs, nothing))
    assert json.dumps(found).replace(theirs, nothing) == json.dumps(absent)


def relying_on(packet: Packet, *clearances: str) -> Step:
    """A step whose history shows the packet, and whose fact rests on it."""
    call = {"id": "c1", "type": "function", "function": {"name": "read_spec", "arguments": "{}"}}
    messages: tuple[dict[str, Any], ...] = (
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": format_packet(packet)},
    )
    fact = ClaimView(
        "C1",
        About(packet.resource, None, ""),
        "orders of all shops count",
        (Citation(packet.id, "new"),),
        "a",
        Standing.VERIFIED,
        "",
        "rule:r",
        1,
    )
    step = plain_step(packet.id)
    return replace(step, messages=messages, results={"c1": (packet,)}, claims=(fact,), principal=Principal(clearances))


def test_a02_a_right_that_was_taken_back_holds_for_the_next_input(tmp_path: Path) -> None:
    expect = expected(TAKEN_BACK)["checks"][0]["expect"]
    with services(tmp_path / "store") as owner:
        put(owner.store, V2, "specs/v2")
        packet = read(owner.store, "/limit", "specs/v2")
        reader, step = StoreReader(owner), relying_on(packet)
        reader.remember([packet])
        before = input_of(step, reader)
        assert "all shops" in str(before.messages)
        put(owner.store, V2, "specs/v2", labels=("board",))
        after = input_of(step, reader)
        said = str(after.messages) + json.dumps(receipt_json(after.receipt))
        assert said.count("all shops") == expect["content_after_revocation"]
        assert packet.id not in str(after.messages)
        assert reader.find_evidence([packet.id], Principal()) == []
        assert [line.names for line in after.omitted if line.reason == expect["fact_state"]] == [("C1",)]
        assert (after.receipt.withheld.claims, after.receipt.withheld.results) == (1, 1)
        again = input_of(relying_on(packet, "board"), reader)
        assert again.messages == before.messages
        assert owner.store.passages.get(packet.id, NoLimit()).digest == packet.digest


def test_a02_packets_that_came_along_are_held_to_their_labels() -> None:
    told: Any = {"id": "ev_tpvnrht0mge4", "resource": "specs/v2", "revision": 1, "excerpt": "all shops", "labels": ["board"]}
    with_label = packet_from_json(told, "")
    world = GivenEvidence([with_label])
    found = project(relying_on(with_label), world, counter_for("o200k_base"), world)
    assert isinstance(found, Projected)
    assert "all shops" not in str(found.projection.messages)


def test_every_verb_is_bound() -> None:
    assert verbs(KINDS) == {"scenario"}
