"""What a new task revision leaves to be judged again, and the judging.

A judgement holds for the task revision that it was made under. So does a claim's standing: when its evidence is judged to apply
under the newest revision, the built-in checker rules on the claim anew. Reports that were published keep what they said.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evidence_store.errors import InvalidInput, JsonValue, NotPermitted
from evidence_store.model import ClaimView, EvidenceId, JudgementState, Standing, TaskName
from evidence_store.records import claims as claim_records
from evidence_store.records import evidence as evidence_records
from evidence_store.records import tasks as task_records
from evidence_store.records.events import append_event
from evidence_store.records.tasks import Judgement
from evidence_store.store.claims import Claims, judgement_state
from evidence_store.store.core import Core
from evidence_store.store.run_access import masked_among
from evidence_store.store.tasks import require_evidence_ids, require_task_revision

SETTLED = (Standing.VERIFIED, Standing.EXCLUDED)


@dataclass(frozen=True, slots=True)
class ToJudge:
    """One thing whose last judgement was made under an older task revision."""

    kind: Literal["evidence", "claim"]
    subject: str
    """An evidence id, or `C` and a number."""
    judged_under: int
    verdict: str
    """What was decided then: `applies`, `rejected`, or a claim's standing."""
    used_by: tuple[str, ...]
    """For an evidence: the claims that cite it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What somebody decides about an evidence under the newest task revision."""

    evidence: EvidenceId
    applies: bool
    reason: str = ""


class Rejudging:
    """Judgements of one workspace under the newest revision of a task."""

    def __init__(self, core: Core, claims: Claims) -> None:
        self._core = core
        self._claims = claims

    def list_to_judge(self, task: TaskName) -> Sequence[ToJudge]:
        """Evidence, then claims, that were settled under an older task revision; what most claims rest on comes first. Raises NotFound."""
        core = self._core
        with core.database.reading() as connection:
            newest = require_task_revision(connection, core, task, None)
            every = [one for one in task_records.iter_judgements(connection, core.workspace, task) if one.subject_kind == "evidence"]
            ids = tuple({EvidenceId(one.subject) for one in every})
            known = ids if core.clearances is None else evidence_records.list_known_ids(connection, core.workspace, ids, core.clearances)
            judged = {one.subject: one for one in every if one.subject in known}
            claims = claim_records.list_claims(connection, core.workspace, task, clearances=core.clearances)
        users: dict[str, list[str]] = {}
        for claim in claims:
            for citation in claim.citations:
                users.setdefault(citation.evidence, []).append(claim.id)
        stale = [one for one in judged.values() if judgement_state(one, newest.number) is JudgementState.STALE]
        found = [ToJudge("evidence", one.subject, one.task_revision, one.verdict, tuple(users.get(one.subject, ()))) for one in stale]
        found.sort(key=lambda one: -len(one.used_by))
        old = [claim for claim in claims if claim.standing in SETTLED and claim.task_revision != newest.number]
        return [*found, *(ToJudge("claim", claim.id, claim.task_revision, claim.standing.value, ()) for claim in old)]

    def judge(self, task: TaskName, verdicts: Sequence[Verdict], judge: str) -> Sequence[ClaimView]:
        """Records verdicts under the newest task revision, then rules anew on every claim that cites what was judged; gives those seen.

        A claim whose evidence was rejected falls to open, with the reason. Raises InvalidInput for an unknown evidence or no judge, and
        NotPermitted (`masked`) for one that the judge cannot read.
        """
        core = self._core
        if not judge.strip():
            raise InvalidInput("a judgement names its judge, such as human:ann or model:x", code="bad_argument")
        ids = [verdict.evidence for verdict in verdicts]
        with core.database.writing() as connection:
            newest = require_task_revision(connection, core, task, None)
            require_evidence_ids(connection, core, ids)
            masked = masked_among(connection, core, ids)
            if masked:
                raise NotPermitted(f"what {min(masked)} holds is masked for this caller", {"id": min(masked)}, code="masked")
            at = core.clock()
            rows = [
                Judgement("evidence", one.evidence, newest.number, "applies" if one.applies else "rejected", judge, one.reason)
                for one in verdicts
            ]
            task_records.insert_judgements(connection, core.workspace, task, rows, at)
            if rows:
                data: dict[str, JsonValue] = {
                    "verdicts": [[one.subject, one.verdict, one.judge] for one in rows],
                    "task_revision": newest.number,
                }
                append_event(connection, core.workspace, "judgement.recorded", task, data, at)
        judged = set(ids)
        every = self._claims.whole
        touched = [claim for claim in every.list_claims(task) if judged & {one.evidence for one in claim.citations}]
        ruled = [every.rule_again(task, int(claim.id[1:])) for claim in touched if claim.standing not in _CLOSED]
        seen = {claim.id for claim in self._claims.list_claims(task)}
        return [claim for claim in ruled if claim.id in seen]


_CLOSED = (Standing.WITHDRAWN, Standing.SUPERSEDED, Standing.CONFLICTING)
