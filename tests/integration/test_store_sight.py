"""What somebody sees of a store: what is hidden is told in the words of what is not there; what is masked says only where it stands."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from evidence_store.errors import EvidenceStoreError, NotFound, NotPermitted
from evidence_store.excerpts import NoLimit
from evidence_store.model import (
    About,
    Citation,
    LabelPolicy,
    Outcome,
    Packet,
    Pointer,
    ResourceName,
    Selector,
    TaskName,
    TaskRevision,
    WorkspaceName,
)
from evidence_store.store import EvidenceStore, init_store, open_store
from evidence_store.store.claims import ClaimRequest
from evidence_store.store.comparisons import SearchRequest
from evidence_store.store.passages import Place
from evidence_store.store.put_request import PutRequest
from evidence_store.store.runs import ClosedCall, OpenCall, shown_of

OPEN, SECRET, BLURRED = ResourceName("open.json"), ResourceName("secret.json"), ResourceName("blurred.json")
ABSENT = ResourceName("absent.json")
TASK = TaskName("limits")
WHOLE = Selector("pointer", "/limit")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EvidenceStore]:
    init_store(tmp_path)
    with open_store(tmp_path) as opened:
        opened.sources.put(PutRequest(OPEN), [b'{"limit": 50}\n'])
        opened.sources.put(PutRequest(SECRET, labels=("red",)), [b'{"limit": 4711}\n'])
        opened.sources.put(PutRequest(BLURRED, labels=("grey",)), [b'{"limit": 123456789}\n'])
        opened.permissions.set_policy("grey", LabelPolicy.MASKED, "human:ann")
        yield opened


@pytest.fixture
def outsider(store: EvidenceStore) -> EvidenceStore:
    return store.seen_by(frozenset())


def read(store: EvidenceStore, name: ResourceName) -> Packet:
    return store.passages.read(Place(name, None, WHOLE), NoLimit())


def refusal(asked: Callable[[], object]) -> tuple[str, str, object]:
    with pytest.raises(EvidenceStoreError) as caught:
        asked()
    return caught.value.error_code, caught.value.message, caught.value.details


def claimed(store: EvidenceStore, name: ResourceName) -> str:
    """A claim of a run that was shown a passage, and a report of it; gives the report's id."""
    if store.tasks.find_newest(TASK) is None:
        store.tasks.add_revision(TaskRevision(TASK, 1, "find limits", (), (), ()), "human:ann")
    run = store.runs.start(TASK, "reader")
    step = store.runs.open_step(run)
    packet = read(store, name)
    store.runs.open_calls(step, "", [OpenCall("c1", "read_spec", {})])
    store.runs.close_calls(step, [ClosedCall("c1", Outcome.OK, packet.excerpt, True, (shown_of(packet),))])
    about = About(name, Pointer("/limit"), "value")
    claim = store.claims.record(step, ClaimRequest(about, f"The limit is {packet.excerpt}.", (Citation(packet.id, "support"),), "reader"))
    return store.claims.publish(run, "limits", f'The limit is "{packet.excerpt}" [{packet.id}].', [claim])


@pytest.mark.parametrize(
    "ask",
    [
        lambda store, name: store.sources.get_revision(name, None),
        lambda store, name: store.sources.get_revision(name, 7),
        lambda store, name: store.sources.list_revisions(name),
        lambda store, name: store.sources.get_bytes(name, None),
        lambda store, name: store.sources.list_matching(name),
        read,
        lambda store, name: store.comparisons.search([(name, None)], SearchRequest("limit"), NoLimit()),
        lambda store, name: store.comparisons.diff((OPEN, 1), (name, None), None, 10, NoLimit()),
        lambda store, name: store.summaries.read(name, None, None, NoLimit()),
        lambda store, name: store.retrieval.find("limit", [(name, None)], 3, NoLimit()),
        lambda store, name: store.locations.locate(read(store, OPEN).id, name, None, NoLimit()),
    ],
)
def test_a_hidden_resource_is_refused_in_the_words_of_an_absent_one(
    outsider: EvidenceStore, ask: Callable[[EvidenceStore, ResourceName], object]
) -> None:
    hidden, absent = refusal(lambda: ask(outsider, SECRET)), refusal(lambda: ask(outsider, ABSENT))
    assert str(hidden).replace(SECRET, "X") == str(absent).replace(ABSENT, "X")
    assert SECRET not in str(hidden[2])


def test_a_hidden_evidence_is_refused_in_the_words_of_an_unknown_one(store: EvidenceStore, outsider: EvidenceStore) -> None:
    id_ = read(store, SECRET).id
    unknown = type(id_)("ev_000000000000")
    for ask in (outsider.passages.find, lambda one: outsider.passages.get(one, NoLimit()), lambda one: outsider.checks.state(one, None)):
        hidden, absent = refusal(partial(ask, id_)), refusal(partial(ask, unknown))
        assert str(hidden).replace(id_, "X") == str(absent).replace(unknown, "X")


def test_lists_leave_out_what_is_hidden_and_name_what_is_masked(store: EvidenceStore, outsider: EvidenceStore) -> None:
    assert [one.name for one, _ in outsider.sources.list_resources()] == [BLURRED, OPEN]
    assert outsider.sources.list_matching("*.json") == [OPEN], "what is found in a masked one would give it away"
    assert [one.name for one, _ in store.seen_by(frozenset({"red"})).sources.list_resources()] == [BLURRED, OPEN, SECRET]


def test_bytes_that_two_resources_have_are_found_by_digest_where_one_is_seen(store: EvidenceStore, outsider: EvidenceStore) -> None:
    digest = store.sources.get_revision(SECRET, None).digest
    with pytest.raises(NotFound):
        outsider.sources.get_revision_of(digest)
    store.sources.put(PutRequest(ResourceName("copy.json")), [b'{"limit": 4711}\n'])
    assert outsider.sources.get_revision_of(digest).resource == "copy.json"


def test_a_masked_passage_says_where_it_stands_and_nothing_of_what_it_says(store: EvidenceStore, outsider: EvidenceStore) -> None:
    packet = read(outsider, BLURRED)
    assert (packet.excerpt, packet.value, packet.digest, packet.pointer) == ("[masked]", None, "", "/limit")
    assert packet.id == read(store, BLURRED).id
    assert "123456789" not in repr(outsider.passages.get(packet.id, NoLimit()))
    assert outsider.checks.state(packet.id, None).integrity == "ok"


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: store.sources.get_bytes(BLURRED, None),
        lambda store: store.passages.read(Place(BLURRED, None, Selector("quote", "123456789")), NoLimit()),
        lambda store: store.comparisons.search([(BLURRED, None)], SearchRequest("1234"), NoLimit()),
        lambda store: store.comparisons.diff((BLURRED, 1), (OPEN, 1), None, 10, NoLimit()),
        lambda store: store.summaries.read(BLURRED, None, None, NoLimit()),
        lambda store: store.retrieval.find("limit", [(BLURRED, None)], 3, NoLimit()),
        lambda store: store.locations.locate(read(store, OPEN).id, BLURRED, None, NoLimit()),
        lambda store: store.references.expand(read(store, BLURRED).id, NoLimit()),
    ],
)
def test_questions_whose_answer_depends_on_masked_content_are_not_answered(
    outsider: EvidenceStore, ask: Callable[[EvidenceStore], object]
) -> None:
    with pytest.raises(NotPermitted) as caught:
        ask(outsider)
    assert caught.value.error_code == "masked"


def test_claims_reports_turns_and_progress_go_with_what_they_rest_on(store: EvidenceStore, outsider: EvidenceStore) -> None:
    secret, plain = claimed(store, SECRET), claimed(store, OPEN)
    assert [one.id for one in outsider.claims.list_claims(TASK)] == ["C2"]
    hidden, absent = (refusal(partial(outsider.claims.get, TASK, n))[1] for n in (1, 9))
    assert hidden.replace("C1", "X") == absent.replace("C9", "X")
    with pytest.raises(NotFound):
        outsider.claims.list_rulings(TASK, 1)
    assert [one.id for one in outsider.claims.list_reports()] == [plain]
    with pytest.raises(NotFound):
        outsider.claims.get_report(secret)
    with pytest.raises(NotFound):
        outsider.histories.get(outsider.runs.get_run(TASK, 1))
    assert outsider.histories.get(outsider.runs.get_run(TASK, 2)).results


def test_a_report_is_hidden_by_what_it_cites_without_a_claim(store: EvidenceStore, outsider: EvidenceStore) -> None:
    claimed(store, OPEN)
    run = store.runs.get_run(TASK, 1)
    report = store.claims.publish(run, "more", f'It is "4711" [{read(store, SECRET).id}].', [])
    assert store.claims.get_report(report).title == "more"
    with pytest.raises(NotFound):
        outsider.claims.get_report(report)


def test_a_policy_and_a_label_count_from_the_next_question_on(store: EvidenceStore, outsider: EvidenceStore) -> None:
    assert read(outsider, OPEN).excerpt == "50"
    store.permissions.set_policy("grey", LabelPolicy.HIDDEN, "human:ann")
    with pytest.raises(NotFound):
        read(outsider, BLURRED)
    store.sources.put(PutRequest(OPEN, labels=("red",)), [b'{"limit": 50}\n'])
    with pytest.raises(NotFound):
        read(outsider, OPEN)


def test_nothing_is_written_under_a_name_that_hides_something(store: EvidenceStore, outsider: EvidenceStore) -> None:
    for request in (PutRequest(SECRET), PutRequest(ABSENT, labels=("red",))):
        with pytest.raises(NotPermitted):
            outsider.sources.put(request, [b"{}"])
    assert store.sources.get_revision(SECRET, None).number == 1


def test_another_workspace_of_the_same_database_has_nothing_of_this_one(store: EvidenceStore) -> None:
    other = store.of_workspace(WorkspaceName("other"))
    assert other.sources.list_resources() == []
    with pytest.raises(NotFound):
        other.passages.find(read(store, OPEN).id)
