"""What the journal says of tasks, claims and reports, held against their rows: an edited row is found although no digest names it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from evidence_store.canonical import digest_of
from evidence_store.database import ReadConnection
from evidence_store.journal import Event
from evidence_store.model import ResourceName, TaskName
from evidence_store.records import claims, labels, tasks
from evidence_store.records import sources as source_records
from evidence_store.store.core import Core

_KEPT = (
    "resource.added",
    "label.policy",
    "revision.closed",
    "task.revision",
    "progress.recorded",
    "judgement.recorded",
    "claim.recorded",
    "claim.ruled",
    "report.published",
)


@dataclass(frozen=True, slots=True)
class RowFault:
    """A row that is not what the journal says; None as `found` where it is missing."""

    subject: str
    text: str


class Recorded:
    """Collects what events say, then compares."""

    def __init__(self) -> None:
        self._said: dict[str, dict[str, list[Mapping[str, Any]]]] = {kind: {} for kind in _KEPT}

    def add(self, event: Event) -> None:
        """Takes an event that is as it was written."""
        if event.kind in self._said:
            self._said[event.kind].setdefault(event.subject, []).append(orjson.loads(event.payload)["data"])

    def faults(self, core: Core, connection: ReadConnection) -> Iterator[RowFault]:
        """Each subject whose rows differ, once."""
        for subject, said in self._said["resource.added"].items():
            resource = source_records.find_resource(connection, core.workspace, ResourceName(subject))
            kept = None if resource is None else {"kind": resource.kind.value, "scope": resource.scope, "max_age_s": resource.max_age_s}
            yield from _differs(subject, {name: said[0].get(name) for name in ("kind", "scope", "max_age_s")}, kept)
        policies = labels.list_policies(connection, core.workspace)
        for subject, said in self._said["label.policy"].items():
            yield from _differs(subject, [one["policy"] for one in said], [policy.value for label, policy in policies if label == subject])
        closed = sorted(source_records.list_closed(connection, core.workspace))
        if closed != sorted(self._said["revision.closed"]):
            yield RowFault("closings", "which revisions were closed is not what the journal says")
        for subject, said in self._said["task.revision"].items():
            task, _, number = subject.rpartition("@")
            revision = tasks.find_task_revision(connection, core.workspace, TaskName(task), int(number))
            names = ("goal", "in_scope", "excluded", "constraints")
            found = None if revision is None else {name: _plain(getattr(revision, name)) for name in names}
            yield from _differs(subject, {name: said[0][name] for name in names}, found)
        for task, said in self._said["progress.recorded"].items():
            rows = [
                [item.subject, item.state.value, list(item.evidence)]
                for item in tasks.iter_progress(connection, core.workspace, TaskName(task))
            ]
            yield from _differs(f"{task}: progress", [item for one in said for item in one["items"]], rows)
        for task, said in self._said["judgement.recorded"].items():
            judged = [[one.subject, one.verdict, one.judge] for one in tasks.iter_judgements(connection, core.workspace, TaskName(task))]
            yield from _missing(f"{task}: judgements", [verdict for one in said for verdict in one["verdicts"]], judged)
        yield from self._claim_faults(core, connection)
        for subject, said in self._said["report.published"].items():
            report = claims.find_report(connection, core.workspace, subject)
            digests = None if report is None else [report.body_digest, digest_of(report.body.encode("utf-8", "replace"))]
            yield from _differs(subject, [said[0]["digest"]] * 2, digests)

    def _claim_faults(self, core: Core, connection: ReadConnection) -> Iterator[RowFault]:
        for subject, said in self._said["claim.recorded"].items():
            task, _, number = subject.rpartition("/C")
            listed = claims.list_claims(connection, core.workspace, TaskName(task), int(number))
            found = None
            if listed:
                claim = listed[0]
                about = [claim.about.resource, claim.about.pointer, claim.about.aspect]
                cited = [[one.evidence, one.role] for one in claim.citations]
                found = {"text": claim.text, "about": about, "citations": cited, "author": claim.author}
            yield from _differs(subject, {name: said[0][name] for name in ("text", "about", "citations", "author")}, found)
            rulings = claims.list_rulings(connection, core.workspace, TaskName(task), int(number))
            names = ("standing", "reason", "checker", "scope_rule")
            ruled = [{name: _plain(getattr(one, name)) for name in names} for one in rulings]
            yield from _differs(f"{subject}: standing", [dict(one) for one in self._said["claim.ruled"].get(subject, [])], ruled)


def _differs(subject: str, said: object, found: object) -> Iterator[RowFault]:
    if found is None:
        yield RowFault(subject, f"the journal tells of {subject}, and it is not there")
    elif said != found:
        yield RowFault(subject, f"{subject} is not what the journal says")


def _missing(subject: str, said: list[Any], found: list[Any]) -> Iterator[RowFault]:
    """For rows that other doors may add to: what was recorded has to be among them, in order."""
    rest = iter(found)
    if not all(one in rest for one in said):
        yield RowFault(subject, f"{subject} are not what the journal says")


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else getattr(value, "value", value)
