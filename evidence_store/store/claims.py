"""Claims: recording, checking and listing them; publishing reports.

A claim is checked under the rules of `evidence_store.claim_rules`, whoever asks; nothing else makes one verified.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from evidence_store.canonical import canonical_digest, digest_of
from evidence_store.claim_rules import CitedFact, reasons_against, reasons_against_exclusion
from evidence_store.database import ReadConnection, WriteConnection
from evidence_store.documents.text_scan import INCOMPLETE_LINE
from evidence_store.errors import Conflict, IntegrityMismatch, InvalidInput, JsonValue, NotFound, StoreFault
from evidence_store.ids import read_ids, short_id
from evidence_store.model import (
    About,
    Basis,
    Citation,
    ClaimLabels,
    ClaimView,
    EvidenceId,
    Integrity,
    JudgementState,
    Kind,
    Standing,
    TaskName,
)
from evidence_store.records import claims, exposures, run_history, runs
from evidence_store.records import evidence as evidence_records
from evidence_store.records import labels as label_records
from evidence_store.records import sources as source_records
from evidence_store.records import tasks as task_records
from evidence_store.records.claims import CitedBy, NewClaim, PublishedClaim, ReportPlace, ReportRow, Ruling
from evidence_store.records.events import append_event
from evidence_store.records.evidence import Evidence
from evidence_store.records.runs import RunKey, StepKey, step_name
from evidence_store.records.sources import Revision
from evidence_store.records.tasks import Judgement
from evidence_store.report_check import find_citations
from evidence_store.store.core import Core
from evidence_store.store.passages import Passages
from evidence_store.store.run_access import masked_among, require_seen, require_step
from evidence_store.store.sources import require_revision
from evidence_store.store.tasks import require_evidence_ids, require_task_revision

GROUNDING_RULE = "rule:grounding/1"
"""The built-in checker: evidence active, whole, shown in full, judged, and the sentence grounded in it."""
UNRULED = "recorded"
"""The reason of a claim that stands open only since nobody has ruled on it yet."""
MAX_TEXT_CHARS = 4000
MAX_REASON_CHARS = 2000
"""Of a dispute."""


@dataclass(frozen=True, slots=True)
class ClaimRequest:
    """What an agent or a person states."""

    about: About
    text: str
    citations: tuple[Citation, ...]
    author: str
    standing: Literal["open", "excluded"] = "open"
    """`open` asks for a check; `excluded` for a place outside the scope, by `scope_rule`."""
    scope_rule: str | None = None
    reason: str = ""
    """For what is to stay open: why."""


class Claims:
    """Claims and reports of one workspace."""

    def __init__(self, core: Core, passages: Passages, whole: Callable[[], "Claims"] | None = None) -> None:
        self._core = core
        self._passages = passages
        self._whole = whole
        """The claims as the owner sees them: what rules on a claim is not what one caller sees of its evidence."""

    @property
    def whole(self) -> "Claims":
        """All claims of the workspace, for what goes on whoever asks."""
        return self if self._whole is None or self._core.clearances is None else self._whole()

    def record(self, step: StepKey, request: ClaimRequest) -> ClaimView:
        """Stores a claim with the judgement that its citations apply, where none was rejected, and rules on it at once.

        Raises NotFound for an unknown step, InvalidInput for an unknown evidence, or for a text of a size that no claim has.
        """
        core, task = self._core, step.run.task
        if not request.text.strip() or len(request.text) > MAX_TEXT_CHARS:
            raise InvalidInput(f"a claim has 1 to {MAX_TEXT_CHARS} characters", {"limit": MAX_TEXT_CHARS}, code="bad_claim")
        cited = tuple(one.evidence for one in request.citations)
        with core.database.writing() as connection:
            require_step(connection, core, step)
            revision = require_task_revision(connection, core, task, None)
            require_evidence_ids(connection, core, cited)
            at = core.clock()
            masked = masked_among(connection, core, cited)
            labels = self._labels_for(connection, step, [id_ for id_ in cited if id_ not in masked])
            new = NewClaim(step, revision.number, request.author, request.about, request.text, request.citations, labels)
            number = claims.insert_claim(connection, new, at)
            judged = [
                Judgement("evidence", id_, revision.number, "applies", request.author, "cited")
                for id_ in dict.fromkeys(cited)
                if id_ not in masked and not self._is_rejected(connection, task, id_, revision.number)
            ]
            task_records.insert_judgements(connection, core.workspace, task, judged, at)
            if judged:
                verdicts: dict[str, JsonValue] = {
                    "verdicts": [[j.subject, j.verdict, j.judge] for j in judged],
                    "task_revision": revision.number,
                }
                append_event(connection, core.workspace, "judgement.recorded", task, verdicts, at)
            data: dict[str, JsonValue] = {
                "text": request.text,
                "about": [request.about.resource, request.about.pointer, request.about.aspect],
                "citations": [[one.evidence, one.role] for one in request.citations],
                "author": request.author,
                "step": step_name(step),
            }
            append_event(connection, core.workspace, "claim.recorded", f"{task}/C{number}", data, at)
            # a process that ends before the ruling leaves this one, and `rule_again` needs to know what was asked
            asked, why = (request.scope_rule, UNRULED) if request.standing == "excluded" else (None, request.reason or UNRULED)
            self._insert_ruling(connection, task, number, Ruling(Standing.OPEN, why, None, None, asked, revision.number), at)
        self._rule(step.run, number, request)
        return self.get(task, number)

    def rule_again(self, task: TaskName, number: int) -> ClaimView:
        """Rules on a claim by what is known now, under the newest task revision. Raises NotFound.

        An exclusion stays one while its rule is still one of the task's; everything else is checked for support.
        """
        if self.whole is not self:
            self.get(task, number)
            return self.whole.rule_again(task, number)
        claim, step = self.get(task, number), self.get_step(task, number)
        excluded = claim.scope_rule is not None
        standing: Literal["open", "excluded"] = "excluded" if excluded else "open"
        self._rule(step.run, number, ClaimRequest(claim.about, claim.text, claim.citations, claim.author, standing, claim.scope_rule))
        return self.get(task, number)

    def rule_unruled(self, run: RunKey) -> None:
        """Rules on the claims of a run that were recorded and not ruled on, as a process that ends in between leaves them."""
        with self._core.database.reading() as connection:
            require_seen(connection, self._core, run)
            numbers = run_history.list_claim_numbers(connection, run)
        for number in numbers:
            if self.whole.get(run.task, number).reason == UNRULED:
                self.whole.rule_again(run.task, number)

    def dispute(self, task: TaskName, number: int, reason: str, reader: str) -> ClaimView:
        """Returns a claim to open, with what somebody has against it, until its evidence is judged anew.

        Raises NotFound, InvalidInput for no reason or one of a size that none has, and Conflict for a claim that does not count any more.
        """
        core, said = self._core, reason.strip()
        if not said or len(said) > MAX_REASON_CHARS or not reader.strip():
            text = f"a dispute has a name, and a reason of 1 to {MAX_REASON_CHARS} characters"
            raise InvalidInput(text, {"limit": MAX_REASON_CHARS}, code="bad_dispute")
        with core.database.writing() as connection:
            found = claims.list_claims(connection, core.workspace, task, number, core.clearances)
            if not found:
                raise NotFound(f"task {task[:200]!r} has no claim C{number}")
            claim = found[0]
            if claim.standing in (Standing.WITHDRAWN, Standing.SUPERSEDED, Standing.CONFLICTING):
                raise Conflict(f"{claim.id} is {claim.standing.value}", {"known": claim.standing.value}, code="claim_closed")
            at = core.clock()
            data: dict[str, JsonValue] = {"reason": said, "reader": reader, "standing": claim.standing.value}
            append_event(connection, core.workspace, "claim.disputed", f"{task}/{claim.id}", data, at)
            why = f"disputed by {reader}: {said}"
            ruling = Ruling(Standing.OPEN, why, None, None, claim.scope_rule, claim.task_revision)
            self._insert_ruling(connection, task, number, ruling, at)
        return self.get(task, number)

    def _is_rejected(self, connection: ReadConnection, task: TaskName, id_: EvidenceId, newest: int) -> bool:
        """Citing an evidence does not overturn what was decided about it under the same task revision."""
        judged = task_records.find_judgement(connection, self._core.workspace, task, "evidence", id_)
        return judgement_state(judged, newest) is JudgementState.REJECTED

    def _rule(self, run: RunKey, number: int, request: ClaimRequest) -> None:
        facts = [self._fact(run, citation) for citation in request.citations]
        with self._core.database.reading() as connection:
            revision = require_task_revision(connection, self._core, run.task, None)
        if request.standing == "excluded":
            against = reasons_against_exclusion(request.scope_rule, revision.excluded, facts)
            reached, support = Standing.EXCLUDED, None
        else:
            against = reasons_against(request.text, request.author, GROUNDING_RULE, facts)
            reached, support = Standing.VERIFIED, "rule_checked"
        if request.reason and request.standing == "open":
            against = (request.reason, *against)
        if against:
            ruling = Ruling(Standing.OPEN, "; ".join(against), None, None, request.scope_rule, revision.number)
        else:
            ruling = Ruling(reached, "", GROUNDING_RULE, support, request.scope_rule, revision.number)
        with self._core.database.writing() as connection:
            self._insert_ruling(connection, run.task, number, ruling, self._core.clock())

    def _insert_ruling(self, connection: WriteConnection, task: TaskName, number: int, ruling: Ruling, at: int) -> None:
        claims.insert_ruling(connection, self._core.workspace, task, number, ruling, at)
        data: dict[str, JsonValue] = {
            "standing": ruling.standing.value,
            "reason": ruling.reason,
            "checker": ruling.checker,
            "scope_rule": ruling.scope_rule,
        }
        append_event(connection, self._core.workspace, "claim.ruled", f"{task}/C{number}", data, at)

    def _labels_for(self, connection: ReadConnection, step: StepKey, cited: Sequence[EvidenceId]) -> tuple[str, ...]:
        """Those of what is cited and was not masked for the author, and of what was shown, as the workspace has it."""
        core = self._core
        found = {label for _, label in label_records.iter_labels(connection, core.workspace, cited) if label is not None}
        if core.claim_labels is not ClaimLabels.CITED:
            found.update(exposures.list_shown_labels(connection, step, whole_run=core.claim_labels is ClaimLabels.RUN))
        return tuple(sorted(found))

    def _fact(self, run: RunKey, citation: Citation) -> CitedFact:
        core, id_ = self._core, citation.evidence
        found = self._passages.find(id_)
        integrity = Integrity.OK
        texts: tuple[str, ...] = ()
        try:
            # Whether a sentence stands in a passage tells of the passage: not to a run that saw only where it stands.
            texts = self._passages.cited_texts(id_) if self._may_tell(run, found) else ()
        except IntegrityMismatch:
            integrity = Integrity.MISMATCH
        except StoreFault:
            integrity = Integrity.MISSING
        with core.database.reading() as connection:
            exposed = runs.list_exposures(connection, core.workspace, id_, run)
            resource = source_records.find_resource(connection, core.workspace, found.resource)
            judged = task_records.find_judgement(connection, core.workspace, run.task, "evidence", id_)
            newest = require_task_revision(connection, core, run.task, None)
            lifecycle = evidence_records.find_lifecycle(connection, core.workspace, id_)
            revision = require_revision(connection, core, found.resource, found.revision)
        assert resource is not None
        return CitedFact(
            id_,
            citation.role,
            Basis.DERIVED if found.transform else Basis.OBSERVED,
            lifecycle,
            integrity,
            resource.kind,
            bool(exposed),
            any(one.in_full for one in exposed),
            judgement_state(judged, newest.number),
            resource.kind is Kind.OBSERVATION and _is_torn(found, revision),
            texts,
        )

    def _may_tell(self, run: RunKey, found: Evidence) -> bool:
        core = self._core
        with core.database.reading() as connection:
            guarded = bool(source_records.list_labels(connection, core.workspace, found.resource))
            return not guarded or exposures.is_content_shown(connection, run, found.id)

    def list_claims(self, task: TaskName, after: int = 0, limit: int | None = None) -> Sequence[ClaimView]:
        """Claims of a task in order, behind a number, each with its standing now. Raises NotFound."""
        core = self._core
        with core.database.reading() as connection:
            require_task_revision(connection, core, task, None)
            return claims.list_claims(connection, core.workspace, task, clearances=core.clearances, after=after, limit=limit)

    def get(self, task: TaskName, number: int) -> ClaimView:
        """One claim. Raises NotFound."""
        with self._core.database.reading() as connection:
            found = claims.list_claims(connection, self._core.workspace, task, number, self._core.clearances)
        if found:
            return found[0]
        raise NotFound(f"task {task[:200]!r} has no claim C{number}")

    def list_rulings(self, task: TaskName, number: int) -> Sequence[Ruling]:
        """The history of a claim, oldest first. Raises NotFound."""
        self.get(task, number)
        with self._core.database.reading() as connection:
            return claims.list_rulings(connection, self._core.workspace, task, number)

    def get_step(self, task: TaskName, number: int) -> StepKey:
        """The step that made a claim. Raises NotFound."""
        self.get(task, number)
        with self._core.database.reading() as connection:
            found = claims.find_claim_step(connection, self._core.workspace, task, number)
        if found is None:
            raise NotFound(f"task {task[:200]!r} has no claim C{number}")
        return found

    def publish(self, run: RunKey, title: str, body: str, published: Sequence[ClaimView]) -> str:
        """Stores a report for good and gives its id, which is derived from its text; the same text is the same report.

        Raises NotFound for an unknown run.
        """
        core = self._core
        id_ = report_id(body)
        with core.database.writing() as connection:
            require_seen(connection, core, run)
            if claims.find_report(connection, core.workspace, id_) is not None:
                return id_
            revision = require_task_revision(connection, core, run.task, None)
            digest = digest_of(body.encode())
            at = core.clock()
            claims.insert_report(connection, ReportRow(id_, run, revision.number, title, digest, body, at), published, at)
            data: dict[str, JsonValue] = {"digest": digest, "task": run.task, "claims": [[one.id, one.standing.value] for one in published]}
            append_event(connection, core.workspace, "report.published", id_, data, at)
        return id_

    def publish_named(self, run: RunKey, title: str, body: str, ids: Sequence[str]) -> str:
        """The same, of claims by their ids. Raises NotFound, also for a claim that is not seen."""
        known = {claim.id: claim for claim in self.list_claims(run.task)}
        missing = next((id_ for id_ in ids if id_ not in known), None)
        if missing is not None:
            raise NotFound(f"task {run.task[:200]!r} has no claim {missing[:20]}")
        return self.publish(run, title, body, [known[id_] for id_ in dict.fromkeys(ids)])

    def get_report(self, id_: str) -> ReportRow:
        """A published report. Raises NotFound."""
        with self._core.database.reading() as connection:
            found = claims.find_report(connection, self._core.workspace, id_, self._core.clearances)
            if found is None or not self._sees_citations(connection, found):
                raise NotFound(f"there is no report {id_[:80]!r}")
        return found

    def _sees_citations(self, connection: ReadConnection, report: ReportRow) -> bool:
        """Whether all that a report cites may be seen: its sentences repeat what stands there, with a claim or without."""
        core = self._core
        if core.clearances is None:
            return True
        cited = read_ids(one.id for one in find_citations(report.body))
        known = evidence_records.list_known_ids(connection, core.workspace, cited)
        return known == evidence_records.list_known_ids(connection, core.workspace, cited, core.clearances)

    def list_citing(self, id_: EvidenceId) -> Sequence[CitedBy]:
        """Which claims cite an evidence, in all tasks."""
        with self._core.database.reading() as connection:
            return claims.list_citing(connection, self._core.workspace, id_, self._core.clearances)

    def list_report_claims(self, id_: str) -> Sequence[PublishedClaim]:
        """The claims of a report with their standing as published."""
        self.get_report(id_)
        with self._core.database.reading() as connection:
            return claims.list_report_claims(connection, self._core.workspace, id_)

    def list_report_claims_now(self, id_: str) -> Sequence[ClaimView]:
        """The claims of a report, in its order, as they stand now."""
        report = self.get_report(id_)
        now = {claim.id: claim for claim in self.list_claims(report.run.task)}
        return [now[one.id] for one in self.list_report_claims(id_) if one.id in now]

    def find_published(self, text: str) -> ReportRow | None:
        """The published report of exactly this text."""
        with self._core.database.reading() as connection:
            return claims.find_report(connection, self._core.workspace, report_id(text), self._core.clearances)

    def list_reports(self, limit: int = 100, after: ReportPlace | None = None) -> Sequence[ReportRow]:
        """The newest reports first, those that follow a place; so many that are seen, where there are as many."""
        core, found = self._core, list[ReportRow]()
        with core.database.reading() as connection:
            while len(found) < limit:
                rows = claims.list_reports(connection, core.workspace, limit, core.clearances, after)
                found += [one for one in rows if self._sees_citations(connection, one)]
                if len(rows) < limit:
                    break
                after = ReportPlace(rows[-1].published_at, rows[-1].id)
        return found[:limit]


def report_id(body: str) -> str:
    """`rp_` and 12 characters derived from the text."""
    return "rp_" + short_id(canonical_digest({"v": claims.FORMAT_VERSION, "report": body})).removeprefix("ev_")


def _is_torn(found: Evidence, revision: Revision) -> bool:
    """Whether the passage ends with the last line of a text that has no line end."""
    torn = any(note.code == INCOMPLETE_LINE for note in revision.notes)
    return torn and found.transform is None and found.span.end == revision.size


def judgement_state(judged: Judgement | None, newest: int) -> JudgementState:
    """What a judgement means under the newest task revision: one of an older revision is stale."""
    if judged is None:
        return JudgementState.UNJUDGED
    if judged.task_revision != newest:
        return JudgementState.STALE
    return JudgementState.APPLIES if judged.verdict == "applies" else JudgementState.REJECTED
