"""The parts of a store behind a server (`api.stores`): each method is that of the part with the same name, asked of the server."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import chain

from api.client.evidence import MAX_RESOLVED
from api.client.sync import EvidenceClient
from api.client.work_reading import run_key
from api.tools.context import MAX_MAX_TOKENS
from evidence_store.errors import NotFound, NotPermitted
from evidence_store.model import (
    ClaimView,
    Digest,
    EvidenceId,
    LabelPolicy,
    Packet,
    ProgressItem,
    ResourceName,
    TaskName,
    TaskRevision,
    TextLimit,
)
from evidence_store.records.run_history import UsedTokens
from evidence_store.records.runs import RunKey, StepKey
from evidence_store.records.sources import Resource, Revision
from evidence_store.records.tasks import Proposal
from evidence_store.records.usages import CountedModel, NewUsage
from evidence_store.store.holding import Hold
from evidence_store.store.put_request import PutRequest
from evidence_store.store.run_history import RunEnd, RunHistory
from evidence_store.store.runs import ClosedCall, NewCompaction, NewProjection, OpenCall
from evidence_store.store.sources import GLOB, PutResult
from projector import TokenLimit

ROWS = 1000
"""Of lists that are read whole: the most that a page has."""
MESSAGES = 100
AT_HAND_BYTES = 1024 * 1024
"""Content up to which is held, so that it can be sent again."""


@dataclass(frozen=True, slots=True)
class RemoteSources:
    client: EvidenceClient

    def put(self, request: PutRequest, pieces: Iterable[bytes]) -> PutResult:
        return self.client.put_revision(
            request.resource,
            _content(iter(pieces)),
            kind=request.kind,
            format=request.format,
            media_type=request.media_type,
            scope=request.scope,
            labels=request.labels,
            file_name=request.file_name,
            version_label=request.version_label,
            tool=request.origin,
            complete=request.complete,
            if_newest=request.if_newest,
            max_age_s=request.max_age_s,
            digest=request.digest,
            idempotency_key=request.idempotency_key,
        )

    def find_resource(self, name: ResourceName) -> Resource | None:
        try:
            return self.client.get_resource(name).resource
        except NotFound:
            return None

    def list_matching(self, name: str) -> Sequence[ResourceName]:
        if not GLOB.search(name) or self.find_resource(ResourceName(name)) is not None:
            return [self.client.get_resource(name).resource.name]
        found = [one.resource.name for one in self.client.list_resources(limit=ROWS) if fnmatchcase(one.resource.name, name)]
        if not found:
            raise NotFound(f"no resource matches {name[:200]!r}")
        return found

    def list_revisions(self, name: ResourceName) -> Sequence[Revision]:
        return list(self.client.list_revisions(name, limit=ROWS))

    def get_revision(self, name: ResourceName, number: int | None) -> Revision:
        return self.client.get_revision(name, self.client.get_resource(name).newest if number is None else number)


def _content(pieces: Iterator[bytes]) -> bytes | Iterator[bytes]:
    held: list[bytes] = []
    n_bytes = 0
    for piece in pieces:
        held.append(piece)
        n_bytes += len(piece)
        if n_bytes > AT_HAND_BYTES:
            return chain(held, pieces)
    return b"".join(held)


@dataclass(frozen=True, slots=True)
class RemotePassages:
    client: EvidenceClient

    def find_packets(self, ids: Sequence[EvidenceId], limit: TextLimit) -> Sequence[Packet]:
        """One request for a hundred of them. The server counts, so that `limit` has to be one of tokens."""
        assert isinstance(limit, TokenLimit), "a server is told a number of tokens"
        n_tokens, asked, found = max(1, min(limit.n_tokens, MAX_MAX_TOKENS)), list(dict.fromkeys(ids)), list[Packet]()
        for start in range(0, len(asked), MAX_RESOLVED):
            for one in self.client.resolve_evidence(asked[start : start + MAX_RESOLVED], max_tokens=n_tokens):
                if one.found is not None:
                    # the packet's own word, as the store hands it out: what speaks against it is another question
                    found.append(replace(one.found.packet, status=one.found.packet.basis.value))
                elif one.problem is not None and not isinstance(one.problem, NotFound):
                    raise one.problem
        return found


@dataclass(frozen=True, slots=True)
class RemoteTasks:
    client: EvidenceClient

    def add_revision(self, new: TaskRevision, author: str) -> TaskRevision:
        return self.client.create_task(new, author) if new.number == 1 else self.client.add_task_revision(new, author)

    def get_revision(self, task: TaskName, number: int | None = None) -> TaskRevision:
        return self.client.get_task(task) if number is None else self.client.get_task_revision(task, number)

    def propose(self, task: TaskName, text: str, author: str, run: int | None = None, message: int | None = None) -> Proposal:
        return self.client.propose_constraint(task, text, author, run=run, message=message)

    def list_proposals(self, task: TaskName) -> Sequence[Proposal]:
        return list(self.client.list_proposals(task, limit=ROWS))

    def list_progress(self, task: TaskName) -> Sequence[ProgressItem]:
        return list(self.client.list_progress(task, limit=ROWS))


@dataclass(frozen=True, slots=True)
class RemoteRuns:
    client: EvidenceClient
    hold: Hold | None = None

    @property
    def _opening(self) -> int | None:
        return None if self.hold is None else self.hold.opening

    def take(self, key: RunKey) -> Hold:
        return Hold(key, self.client.take_run(key.task, key.number))

    def held_by(self, hold: Hold) -> "RemoteRuns":
        return replace(self, hold=hold)

    def start(self, task: TaskName, agent: str, request: str | None = None) -> RunKey:
        return self.client.start_run(task, agent, request).run

    def add_user_message(self, key: RunKey, text: str) -> int:
        return self.client.add_message(key.task, key.number, text, opening=self._opening)

    def open_step(self, key: RunKey) -> StepKey:
        return replace(self.client.open_step(key.task, key.number, opening=self._opening), run=key)

    def record_projection(self, step: StepKey, new: NewProjection) -> Digest:
        return self.client.store_projection(step, new, opening=self._opening)

    def record_compaction(self, step: StepKey, new: NewCompaction) -> None:
        self.client.record_compaction(step, new, opening=self._opening)

    def confirm_sent(self, step: StepKey, input_digest: Digest) -> None:
        self.client.confirm_sent(step, input_digest, opening=self._opening)

    def report_usage(self, step: StepKey, new: NewUsage) -> None:
        self.client.report_usage(step, new, opening=self._opening)

    def list_recent_usages(self, key: RunKey, model: CountedModel, limit: int) -> Sequence[NewUsage]:
        return self.client.list_usages(key.task, key.number, model, limit)

    def open_calls(self, step: StepKey, text: str, calls: Sequence[OpenCall]) -> None:
        self.client.open_calls(step, text, calls, opening=self._opening)

    def close_calls(self, step: StepKey, results: Sequence[ClosedCall]) -> None:
        if results:
            self.client.close_calls(step, results, opening=self._opening)


@dataclass(frozen=True, slots=True)
class RemoteHistories:
    client: EvidenceClient

    def get(self, key: RunKey) -> RunHistory:
        state = self.client.get_run(key.task, key.number)
        turns = tuple(self.client.list_messages(key.task, key.number, limit=MESSAGES))
        return RunHistory(
            key,
            state.summary.agent,
            tuple(one.message for one in turns),
            tuple(one.result for one in turns if one.result is not None),
            tuple(self.client.list_steps(key.task, key.number, limit=ROWS)),
            state.open_calls,
            state.summary.end,
        )

    def find_end(self, key: RunKey) -> RunEnd | None:
        return self.client.get_run(key.task, key.number).summary.end

    def end(self, key: RunKey, how: str, reason: str, hold: Hold | None = None) -> RunEnd:
        ended = self.client.end_run(key.task, key.number, how, reason, opening=None if hold is None else hold.opening)
        assert ended.end is not None, "a run that was ended has an end"
        return ended.end

    def list_runs(self, task: TaskName) -> Sequence[RunKey]:
        return [run_key(task, one.run.number) for one in self.client.list_runs(task, limit=ROWS)]

    def list_used_tokens(self, key: RunKey) -> Sequence[UsedTokens]:
        return [UsedTokens(one.step, one.used_tokens) for one in self.client.list_run_projections(key.task, key.number, limit=ROWS)]

    def list_claim_ids(self, key: RunKey) -> Sequence[str]:
        return self.client.get_run(key.task, key.number).claims


@dataclass(frozen=True, slots=True)
class RemoteClaims:
    client: EvidenceClient

    def list_claims(self, task: TaskName) -> Sequence[ClaimView]:
        return list(self.client.list_claims(task, limit=ROWS))

    def rule_unruled(self, run: RunKey) -> None:
        self.client.rule_on_claims(run.task, run.number)

    def publish(self, run: RunKey, title: str, body: str, published: Sequence[ClaimView]) -> str:
        """The claims are published as they stand at the server."""
        return self.client.publish_report(run, title, body, [one.id for one in published])


@dataclass(frozen=True, slots=True)
class RemotePermissions:
    client: EvidenceClient

    def policies(self) -> Mapping[str, LabelPolicy]:
        """For a key without the grant `admin` there are none that it knows: then every label hides."""
        try:
            return self.client.list_policies()
        except NotPermitted:
            return {}

    def labels_of(self, ids: Iterable[EvidenceId]) -> Mapping[EvidenceId, frozenset[str]]:
        asked, found = list(dict.fromkeys(ids)), dict[EvidenceId, frozenset[str]]()
        for start in range(0, len(asked), MAX_RESOLVED):
            for one in self.client.resolve_evidence(asked[start : start + MAX_RESOLVED], max_tokens=1):
                if one.found is not None:
                    found[one.found.packet.id] = frozenset(one.found.packet.labels)
        return found
