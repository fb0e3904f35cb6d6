"""A session makes its own history smaller from the threshold on; what came stays in the store, and what a user demanded in each input."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from api.sessions import REBUILD_TO, Session, ToolRequest
from api.settings import Settings
from api.wiring import DEFAULT_COUNTER, Services, open_services
from evidence_store.model import Format, TaskName, TaskRevision
from projector import Profile, Projection, RecapDraft, parse_recap, parse_sections
from tests.factories import put

PROFILE = Profile("openai", "small", 8_192, 1_024, 256, DEFAULT_COUNTER)
REQUEST = "Look at the lines only; do not read /secret, 绝不要.\nGo on."
N_STEPS = 12


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with open_services(Settings(tmp_path / "store"), create=True) as opened:
        lines = [{"text": f"line {n}: the job went on " + "and on " * 40} for n in range(N_STEPS * 3)]
        put(opened.store, orjson.dumps({"lines": lines}), "a.json", format=Format.JSON)
        yield opened


class Echo:
    """A summariser that gives back what it is given, and counts how often it is asked."""

    def __init__(self) -> None:
        self.n_asked = 0

    def summarise(self, given: RecapDraft) -> RecapDraft:
        self.n_asked += 1
        return given


def started(services: Services, summariser: Echo | None = None, rebuild_to: int = 100) -> Session:
    task = services.store.tasks.add_revision(TaskRevision(TaskName("t"), 1, "Read.", (), (), ()), "user:u")
    return Session(services, task, "agent:a/1", PROFILE, "You read.", REQUEST, summariser=summariser, rebuild_to=rebuild_to)


def went_on(session: Session) -> list[Projection]:
    """Inputs of a run that reads three lines a step and records the ones before; each third turn only talks."""
    return list(went_on_one_by_one(session))


def went_on_one_by_one(session: Session) -> Iterator[Projection]:
    read = iter(range(N_STEPS * 3))
    for step in range(N_STEPS):
        made = session.next_input()
        yield made
        if step % 3 == 2:
            session.act(f"It may be line {step}, not /lines/{step + 1}.", [])
            continue
        done = {"subject": f"lines of step {step}", "state": "done", "evidence": list(made.in_exchanges)}
        reads = [ToolRequest("read_spec", {"resource": "a.json", "pointer": f"/lines/{next(read)}"}) for _ in range(3)]
        session.act(f"Noted {step}.", [ToolRequest("record_progress", {"items": [done]}), *reads])
    yield session.next_input()


def stored(services: Services, session: Session) -> list[dict[str, Any]]:
    return [orjson.loads(row.body) for row in services.store.runs.list_messages(session.run)]


def test_a_run_past_the_threshold_goes_on_with_a_recap_within_the_cap(services: Services) -> None:
    inputs = went_on(started(services))
    assert all(one.tokens <= PROFILE.input_cap for one in inputs)
    recaps = [one for one in inputs[-1].messages if str(one["content"]).startswith("[recap]\n")]
    assert len(recaps) == 1
    assert "It may be line 2, not /lines/3." in str(recaps[0]["content"])


@pytest.mark.parametrize("rebuild_to", [REBUILD_TO, 100])
def test_what_a_user_demands_stands_to_the_letter_in_every_input(services: Services, rebuild_to: int) -> None:
    inputs = went_on(started(services, rebuild_to=rebuild_to))
    assert all(one.tokens <= PROFILE.input_cap for one in inputs)
    assert [parse_sections(str(one.messages[-1]["content"])).request for one in inputs] == [REQUEST] * len(inputs)


def test_all_turns_stay_in_the_store_and_each_compaction_beside_them(services: Services) -> None:
    session = started(services)
    went_on(session)
    messages = stored(services, session)
    compactions = [one["compaction"] for one in messages if "compaction" in one]
    assert messages[0] == {"role": "user", "content": REQUEST}
    assert sum("calls" in one for one in messages) == N_STEPS
    answered = [one["call"] for one in messages if "call" in one]
    assert len(answered) == sum(len(one["calls"]) for one in messages if "calls" in one)
    assert compactions
    left = [call for one in compactions for call in one["left"]]
    assert len(set(left)) == len(left)
    assert set(answered) > set(left)
    assert all(one["tokens"] < one["tokens_before"] for one in compactions)
    recaps = [parse_recap(one["content"]) for one in messages if "compaction" in one]
    said = [line.text for recap in recaps if recap is not None for line in recap.lines]
    assert [text for text in said if "It may be" in text] == ["It may be line 2, not /lines/3.", "It may be line 5, not /lines/6."]
    assert services.store.checks.verify(deep=False).faults == ()


def test_five_inputs_of_the_same_history_are_the_same(services: Services) -> None:
    session = started(services)
    first = went_on(session)[-1]
    n_before = len(stored(services, session))
    again = [session.next_input() for _ in range(5)]
    assert [orjson.dumps(one.messages) for one in again] == [orjson.dumps(first.messages)] * 5
    assert len(stored(services, session)) == n_before


def test_a_run_under_the_threshold_is_not_touched(services: Services) -> None:
    session = started(services)
    session.next_input()
    session.act("I read.", [ToolRequest("read_spec", {"resource": "a.json", "pointer": "/lines/0"})])
    session.next_input()
    assert not any("compaction" in one for one in stored(services, session))


def test_a_summariser_of_ones_own_is_asked(services: Services) -> None:
    summariser = Echo()
    went_on(started(services, summariser))
    assert summariser.n_asked > 0


def test_a_history_is_compacted_only_where_an_input_is_made_anew(services: Services) -> None:
    session = started(services, rebuild_to=REBUILD_TO)
    appended, n_before = [], 0
    for one in went_on_one_by_one(session):
        n_now = sum("compaction" in message for message in stored(services, session))
        appended.append(bool(one.receipt.appended_to))
        assert n_now == n_before or not appended[-1]
        n_before = n_now
    assert n_before > 0
    assert set(appended) == {True, False}


def test_two_runs_of_the_same_turns_have_the_same_inputs(services: Services, tmp_path: Path) -> None:
    with open_services(Settings(tmp_path / "other"), create=True) as other:
        lines = [{"text": f"line {n}: the job went on " + "and on " * 40} for n in range(N_STEPS * 3)]
        put(other.store, orjson.dumps({"lines": lines}), "a.json", format=Format.JSON)
        one, two = went_on(started(services)), went_on(started(other))
    assert [made.messages for made in one] == [made.messages for made in two]
