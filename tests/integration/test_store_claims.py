"""Claims: verified only with evidence that the run was shown in full, judged and sound; and the reports that publish them."""

import random
from pathlib import Path

import pytest

from evidence_store.blobs.local import blob_path
from evidence_store.canonical import digest_of
from evidence_store.errors import InvalidInput, NotFound
from evidence_store.model import (
    About,
    Citation,
    CitationRole,
    ClaimView,
    EvidenceId,
    Format,
    JudgementState,
    Kind,
    Packet,
    Pointer,
    Standing,
)
from evidence_store.records.runs import StepKey
from evidence_store.records.tasks import Judgement, insert_judgements
from evidence_store.store import BLOBS_NAME, EvidenceStore
from evidence_store.store.claims import GROUNDING_RULE, ClaimRequest
from tests.factories import (
    API,
    BETA_RULE,
    TASK,
    claim,
    deliver,
    make_store,
    open_step,
    put,
    put_all,
    read,
    tampering,
    task_revision,
    verified_change,
)
from tests.fakes import CharacterLimit

SENTENCE = "`maximum` is 50."


@pytest.fixture
def step(store: EvidenceStore) -> StepKey:
    put(store)
    return open_step(store)


def reasons(claimed: ClaimView) -> list[str]:
    return claimed.reason.split("; ")


def judge(store: EvidenceStore, packet: Packet, verdict: str, task_revision_: int = 1) -> None:
    given = Judgement("evidence", packet.id, task_revision_, "applies" if verdict == "applies" else "rejected", "human:ann", "read it")
    with store.core.database.writing() as connection:
        insert_judgements(connection, store.core.workspace, TASK, [given], 1)


def test_a_claim_with_sound_evidence_that_was_shown_is_verified(store: EvidenceStore) -> None:
    claimed = verified_change(store)
    assert (claimed.id, claimed.standing, claimed.reason, claimed.checker) == ("C1", Standing.VERIFIED, "", GROUNDING_RULE)
    assert [one.role for one in claimed.citations] == ["old", "new"]
    assert store.claims.get(TASK, 1) == claimed


def test_a_claim_is_open_first_and_verified_by_a_named_checker(store: EvidenceStore) -> None:
    verified_change(store)
    rulings = store.claims.list_rulings(TASK, 1)
    assert [(one.standing, one.checker, one.support) for one in rulings] == [
        (Standing.OPEN, None, None),
        (Standing.VERIFIED, GROUNDING_RULE, "rule_checked"),
    ]


def test_what_the_run_was_never_shown_verifies_nothing(store: EvidenceStore, step: StepKey) -> None:
    packet = read(store, "/limit/maximum")
    claimed = claim(store, step, SENTENCE, ("support", packet))
    assert (claimed.standing, reasons(claimed)) == (Standing.OPEN, [f"not_exposed:{packet.id}"])


def test_what_another_run_was_shown_verifies_nothing(store: EvidenceStore, step: StepKey) -> None:
    packet = read(store, "/limit/maximum")
    deliver(store, open_step(store), packet)
    assert reasons(claim(store, step, SENTENCE, ("support", packet))) == [f"not_exposed:{packet.id}"]


def test_what_was_shown_in_part_verifies_nothing_until_it_is_shown_in_full(store: EvidenceStore) -> None:
    put(store, b'{"note": "at most 50 orders"}')
    step = open_step(store)
    part = read(store, "/note", limit=CharacterLimit(12))
    deliver(store, step, part)
    assert reasons(claim(store, step, "It is 50.", ("support", part))) == [f"not_exposed_in_full:{part.id}"]
    deliver(store, step, read(store, "/note"), call="call_2")
    assert claim(store, step, "It is 50.", ("support", part)).standing is Standing.VERIFIED


def test_an_outline_is_no_showing_in_full(store: EvidenceStore, step: StepKey) -> None:
    outline = read(store, "/limit", limit=CharacterLimit(5))
    assert outline.outline is not None
    deliver(store, step, outline)
    assert reasons(claim(store, step, SENTENCE, ("support", outline))) == [f"not_exposed_in_full:{outline.id}"]


def test_a_change_with_evidence_of_one_side_stays_open(store: EvidenceStore, step: StepKey) -> None:
    packet = read(store, "/limit/maximum")
    deliver(store, step, packet)
    assert reasons(claim(store, step, SENTENCE, ("new", packet))) == ["one_sided"]


def test_a_sentence_that_says_more_than_its_evidence_stays_open(store: EvidenceStore, step: StepKey) -> None:
    packet = read(store, "/limit/maximum")
    deliver(store, step, packet)
    claimed = claim(store, step, "`maximum` went from 100 to 50.", ("support", packet))
    assert (claimed.standing, reasons(claimed)) == (Standing.OPEN, ["ungrounded:100"])


def test_a_reference_alone_says_nothing_of_how_things_are(store: EvidenceStore) -> None:
    """ "Check the upstream" in a runbook cannot become "the upstream failed"."""
    put(store, b"Check that maximum is 50.\n", "runbook.txt", kind=Kind.REFERENCE)
    step = open_step(store)
    packet = read(store, "1-1", "runbook.txt", kind="lines")
    deliver(store, step, packet)
    assert reasons(claim(store, step, SENTENCE, ("support", packet))) == ["reference_only"]


def test_a_claim_without_citation_stays_open(store: EvidenceStore, step: StepKey) -> None:
    assert reasons(claim(store, step, "All is well.")) == ["no_citation"]


def test_the_checker_cannot_be_the_author(store: EvidenceStore, step: StepKey) -> None:
    packet = read(store, "/limit/maximum")
    deliver(store, step, packet)
    assert reasons(claim(store, step, SENTENCE, ("support", packet), author=GROUNDING_RULE)) == ["self_checked"]


def test_evidence_whose_bytes_changed_verifies_nothing(store: EvidenceStore, folder: Path) -> None:
    raw = b"maximum 50\n" + random.Random(1).randbytes(100_000)
    put(store, raw, "a.bin", format=Format.BYTES)
    step = open_step(store)
    packet = read(store, "0-11", "a.bin", kind="bytes")
    deliver(store, step, packet)
    path = blob_path(folder / BLOBS_NAME, store.core.key(digest_of(raw)))
    damaged = bytearray(path.read_bytes())
    damaged[20] ^= 1
    path.write_bytes(damaged)
    with make_store(folder) as anew:
        assert f"integrity:{packet.id}" in reasons(claim(anew, step, SENTENCE, ("support", packet)))
    path.unlink()
    with make_store(folder) as anew:
        assert f"integrity:{packet.id}" in reasons(claim(anew, step, SENTENCE, ("support", packet)))


def test_superseded_evidence_verifies_nothing(store: EvidenceStore, step: StepKey, folder: Path) -> None:
    packet = read(store, "/limit/maximum")
    deliver(store, step, packet)
    with tampering(folder) as database:
        database.execute(
            "INSERT INTO evidence_events VALUES ('default', ?, 1, 'superseded', 'a better one', NULL, 'human:ann', 1)", (packet.id,)
        )
    assert reasons(claim(store, step, SENTENCE, ("support", packet))) == [f"not_active:{packet.id}"]
    assert store.checks.state(packet.id, None).status == "superseded"


def test_citing_an_evidence_is_the_judgement_that_it_applies(store: EvidenceStore, step: StepKey) -> None:
    packet = read(store, "/limit/maximum")
    assert store.checks.state(packet.id, TASK).judgement is JudgementState.UNJUDGED
    claim(store, step, SENTENCE, ("support", packet))
    state = store.checks.state(packet.id, TASK)
    assert (state.judgement, state.status) == (JudgementState.APPLIES, "observed")


def test_a_judgement_under_an_older_task_revision_is_stale(store: EvidenceStore) -> None:
    verified_change(store)
    packet = read(store, "/limit/maximum", revision=2)
    store.tasks.add_revision(task_revision(2, goal="another goal"), "human:ann")
    state = store.checks.state(packet.id, TASK)
    assert (state.judgement, state.status) == (JudgementState.STALE, "stale")
    assert store.checks.state(packet.id, None).status == "observed"


def test_a_rejection_is_not_overturned_by_citing(store: EvidenceStore, step: StepKey) -> None:
    packet = read(store, "/limit/maximum")
    deliver(store, step, packet)
    judge(store, packet, "rejected")
    assert reasons(claim(store, step, SENTENCE, ("support", packet))) == [f"rejected:{packet.id}"]
    assert store.checks.state(packet.id, TASK).status == "rejected"
    judge(store, packet, "applies")
    assert claim(store, step, SENTENCE, ("support", packet)).standing is Standing.VERIFIED


def test_a_rejection_does_not_outlive_its_task_revision(store: EvidenceStore, step: StepKey) -> None:
    packet = read(store, "/limit/maximum")
    deliver(store, step, packet)
    judge(store, packet, "rejected")
    store.tasks.add_revision(task_revision(2, goal="another goal"), "human:ann")
    assert claim(store, step, SENTENCE, ("support", packet)).standing is Standing.VERIFIED


def test_an_exclusion_stands_on_a_rule_of_the_task_and_its_evidence(store: EvidenceStore) -> None:
    put(store, b'{"x-stability-level": "beta"}')
    step = open_step(store)
    packet = read(store, "/x-stability-level")
    deliver(store, step, packet)
    claimed = claim(store, step, "It is beta.", ("scope", packet), exclude_by=BETA_RULE)
    assert (claimed.standing, claimed.scope_rule, claimed.reason) == (Standing.EXCLUDED, BETA_RULE, "")


def test_an_exclusion_by_a_rule_that_the_task_has_not_stays_open(store: EvidenceStore) -> None:
    put(store, b'{"x-stability-level": "beta"}')
    step = open_step(store)
    packet = read(store, "/x-stability-level")
    deliver(store, step, packet)
    claimed = claim(store, step, "It is beta.", ("scope", packet), exclude_by="tag=Beta")
    assert (claimed.standing, reasons(claimed)) == (Standing.OPEN, ["no_scope_rule"])


def test_a_claim_that_is_to_stay_open_says_why(store: EvidenceStore, step: StepKey) -> None:
    packet = read(store, "/limit/maximum")
    deliver(store, step, packet)
    request = ClaimRequest(About(API, None, ""), SENTENCE, (Citation(packet.id, "support"),), "agent", reason="needs a second look")
    claimed = store.claims.record(step, request)
    assert (claimed.standing, claimed.reason) == (Standing.OPEN, "needs a second look")


@pytest.mark.parametrize("text", ["", "  \n", "x" * 4001])
def test_a_claim_has_a_text_of_a_bounded_size(store: EvidenceStore, step: StepKey, text: str) -> None:
    with pytest.raises(InvalidInput):
        claim(store, step, text)
    assert store.claims.list_claims(TASK) == []


def test_an_unknown_evidence_cannot_be_cited(store: EvidenceStore, step: StepKey) -> None:
    request = ClaimRequest(About(API, None, ""), SENTENCE, (Citation(EvidenceId("ev_000000000000"), "support"),), "agent")
    with pytest.raises(InvalidInput) as caught:
        store.claims.record(step, request)
    assert caught.value.error_code == "unknown_id"
    assert store.claims.list_claims(TASK) == []


def test_claims_are_numbered_within_their_task(store: EvidenceStore, step: StepKey) -> None:
    assert [claim(store, step, f"It is {word}.").id for word in ("so", "not", "both")] == ["C1", "C2", "C3"]
    assert [one.id for one in store.claims.list_claims(TASK)] == ["C1", "C2", "C3"]
    with pytest.raises(NotFound):
        store.claims.get(TASK, 4)


def test_a_claim_says_what_it_is_about_and_who_made_it_where(store: EvidenceStore, step: StepKey) -> None:
    about = About(API, Pointer("/limit"), "maximum")
    claimed = store.claims.record(step, ClaimRequest(about, "It is so.", (), "agent"))
    assert (claimed.about, claimed.author, claimed.task_revision) == (about, "agent", 1)
    assert store.claims.get_step(TASK, 1) == step
    with pytest.raises(NotFound):
        store.claims.get_step(TASK, 2)


def test_a_claim_carries_the_labels_of_what_it_cites(store: EvidenceStore, folder: Path) -> None:
    put(store, b'{"a": 1}', "a.json", labels=("team", "secret"))
    put(store, b'{"b": 1}', "b.json", labels=("team", "other"))
    cited: list[tuple[CitationRole, Packet]] = [("support", read(store, "/a", "a.json")), ("support", read(store, "/b", "b.json"))]
    claim(store, open_step(store), "It is 1.", *cited)
    with tampering(folder) as database:
        rows = database.execute("SELECT label FROM claim_labels ORDER BY label").fetchall()
    assert rows == [("other",), ("secret",), ("team",)]


def test_claims_of_two_workspaces_do_not_see_each_other(folder: Path) -> None:
    with make_store(folder, workspace="first") as first, make_store(folder, workspace="second") as second:
        verified_change(first)
        put_all(second, b"[1]")
        claim(second, open_step(second), "Another.")
        assert [one.text for one in second.claims.list_claims(TASK)] == ["Another."]
        assert first.claims.get(TASK, 1).standing is Standing.VERIFIED


def test_a_report_keeps_what_it_said(store: EvidenceStore) -> None:
    claimed = verified_change(store)
    run = store.claims.get_step(TASK, 1).run
    id_ = store.claims.publish(run, "Report", "The limit is lower.\n", [claimed])
    report = store.claims.get_report(id_)
    assert (report.title, report.body, report.run, report.task_revision) == ("Report", "The limit is lower.\n", run, 1)
    assert report.body_digest == digest_of(report.body.encode())
    assert [(one.id, one.standing.value) for one in store.claims.list_report_claims(id_)] == [("C1", "verified")]


def test_the_same_text_is_the_same_report(store: EvidenceStore) -> None:
    claimed = verified_change(store)
    run = store.claims.get_step(TASK, 1).run
    ids = [store.claims.publish(run, "Report", body, [claimed]) for body in ("One.\n", "One.\n", "Two.\n")]
    assert ids[0] == ids[1] != ids[2]
    assert ids[0].startswith("rp_")
    assert [one.id for one in store.claims.list_reports()] == [ids[2], ids[0]]


def test_an_unknown_report_is_not_found(store: EvidenceStore) -> None:
    with pytest.raises(NotFound):
        store.claims.get_report("rp_000000000000")
