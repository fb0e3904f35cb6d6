"""A session: one run of an agent over the store, step by step.

At each step the projector builds the input from what is stored, the input is kept with its receipt, the agent answers with
tool calls, and the calls are made and closed. The agent sees nothing but the input.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import orjson

from api.calling import MoreTools, answer_call, answer_malformed, answer_refused
from api.compacting import compaction_of
from api.projecting import OwnersReader, StoreReader
from api.reopening import Reopened, assistant_message, reopen, result_message
from api.spent import Spent
from api.tools import Tools, definitions
from api.wiring import AgentServices
from evidence_store.canonical import storable
from evidence_store.errors import InvalidInput, JsonValue, LimitExceeded
from evidence_store.model import Digest, Packet, ProgressItem, TaskRevision
from evidence_store.records.runs import RunKey, StepKey
from evidence_store.records.usages import CountedModel, NewUsage
from evidence_store.store.holding import Hold
from evidence_store.store.runs import ClosedCall, NewProjection, OpenCall, shown_of
from projector import (
    Compacted,
    ConstraintDetector,
    Drift,
    MustNarrow,
    Outcome,
    Profile,
    Projected,
    Projection,
    RuleDetector,
    Step,
    Strategy,
    StrategyName,
    Summariser,
    TokenCounter,
    UnknownProvider,
    Usage,
    budget_for,
    compact_step,
    find_stated,
    project,
    receipt_json,
    reported_input,
    tightened,
)

log = logging.getLogger(__name__)

SECTION_TOKENS = 1_000
"""Kept free of the answers of a turn: the request, and what of the sections must stand."""
REBUILD_TO = 30
"""Percent of the cap that an input takes which is made anew: from there it grows, and the provider's cache holds."""
FILLED = 100
"""The same, of inputs that use all the room there is."""
REFUSAL_TOKENS = 150
"""What an answer takes that says that there is no room, with the frame of its message."""
USER = "human:user"
"""Who the turns of the user are by, in what is proposed of them."""
FORM = "openai"
"""The provider in whose form a session keeps its messages; a loop of one's own can project them for the others (`earlier` of a step)."""


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A call as an agent asks for it."""

    name: str
    arguments: Mapping[str, JsonValue]
    fault: str = ""
    """Why it cannot be made as it was asked for; it is then answered with that."""


class Session:
    """One run. `next_input` and `act` alternate; `progress` is what the newest input was made from.

    Each input begins with the one before, until something in it holds no longer or it would pass 0.8 of the cap; with `rebuild_to` 100
    each is made anew. What `report_usage` is told of an input between them tightens the plan of those that follow (`projector.tightened`).
    What was reported in earlier runs of the task counts from the first input on. Each input is made under the newest revision of the
    task; constraints that the user states are proposed, and stand in every input until somebody accepts or declines them.
    With `run`, a run of the task that did not end is opened again as its process left it (`api.reopening`), under the name that its agent
    has, and taken from whoever held it, whose next write raises Conflict (`run_taken`); `request` is then a further turn of the user,
    unless it is empty. `strategy` may be set before any step. Packets of live resources are aged by `clock`, in microseconds since 1970
    UTC; without one by that of the store. `more_tools` are offered beside ours.
    """

    def __init__(
        self,
        services: AgentServices,
        task: TaskRevision,
        agent: str,
        profile: Profile,
        system: str,
        request: str,
        *,
        run: RunKey | None = None,
        rebuild_to: int = REBUILD_TO,
        strategy: StrategyName | Strategy = "externalise",
        summariser: Summariser | None = None,
        detector: ConstraintDetector | None = None,
        clock: Callable[[], int] | None = None,
        more_tools: MoreTools | None = None,
    ) -> None:
        if profile.provider != FORM:
            raise UnknownProvider(f"a session keeps its messages in the form of {FORM!r}, not of {profile.provider!r}", {"known": (FORM,)})
        self._services = services
        self._store = services.store
        self._task = task
        self._agent = agent
        self._profile = profile
        self._system = system
        self._summariser = summariser
        self._detector = detector or RuleDetector()
        self._clock = clock or services.store.clock
        self._reader = StoreReader(services)
        self._counter: TokenCounter = services.counter()
        self._more_tools = more_tools
        self._tools = (*definitions(recording=True), *(more_tools.definitions if more_tools else ()))
        self._messages: list[dict[str, JsonValue]] = []
        self._results: dict[str, tuple[Packet, ...]] = {}
        self._n_calls = 0
        self._kept_whole = self._fixed_tokens()
        self._step: StepKey | None = None
        self._input: Projection | None = None
        self._rebuild_to = rebuild_to
        self.strategy = strategy
        self.progress: tuple[ProgressItem, ...] = ()
        self.spent = Spent(profile.input_cap)
        self._digest: Digest | None = None
        self._waiting: StepKey | None = None
        self._most_tokens = profile.input_cap
        self.n_steps = 0
        self.reopened: Reopened | None = None
        self.run: RunKey = run or self._store.runs.start(task.task, agent, request)
        self.hold = Hold(self.run)
        self._runs = self._store.runs.held_by(self.hold)
        if run is None:
            self._hear(request, 1)
        else:
            self._go_on(reopen(self._store, run, StoreReader(services)))
            if request:
                self.say(request)
        self._drift = self._reported_before()

    def _go_on(self, stored: Reopened) -> None:
        self.hold, self._runs = stored.hold, self._store.runs.held_by(stored.hold)
        self.reopened, self._agent, self._n_calls, self.n_steps = stored, stored.agent, stored.n_calls, stored.n_steps
        self._messages, self._results, self._waiting = list(stored.messages), dict(stored.results), stored.waiting
        self._step = StepKey(self.run, stored.n_steps) if stored.n_steps else None
        for packets in stored.results.values():
            self._reader.remember(packets)
        for turn in stored.turns:
            if turn.message["role"] == "user":
                self._propose(str(turn.message["content"]), turn.ordinal)
        turns = iter(stored.turns)
        ahead = next(turns, None)
        for one in self._store.histories.list_used_tokens(self.run):
            while ahead is not None and (ahead.step or 0) < one.step:
                self._kept_whole += self._count(ahead.message)
                ahead = next(turns, None)
            self.spent.by_step.append(one.tokens)
            self.spent.pasted += self._kept_whole
        self._kept_whole += sum(self._count(turn.message) for turn in (ahead, *turns) if turn is not None)

    def say(self, text: str) -> None:
        """A further turn of the user. Raises InvalidInput for a text with halves of surrogate pairs."""
        self._hear(text, self._runs.add_user_message(self.run, text))

    def _hear(self, text: str, message: int) -> None:
        """Takes a turn of the user that is stored: what it demands is proposed, unless it is known."""
        self._append({"role": "user", "content": text})
        self._propose(text, message)

    def _propose(self, text: str, message: int) -> None:
        task = self._store.tasks.get_revision(self._task.task)
        known = {*task.constraints, *task.excluded, *(one.text for one in self._store.tasks.list_proposals(task.task))}
        for stated in find_stated("user", text, self._detector):
            if stated.text not in known:
                self._store.tasks.propose(task.task, stated.text, USER, self.run.number, message)

    def next_input(self, *, closing: bool = False, again: bool = False) -> Projection:
        """Opens a step and gives its input, which is stored. Raises LimitExceeded when what it needs does not fit.

        In a closing step there are no tools, and conclusions are asked for. With `again` no step is opened: the input of the newest one is
        made anew, as after a provider that refused it.
        """
        self._task = self._store.tasks.get_revision(self._task.task)
        self._step = self._opened(again)
        self.progress = tuple(self._store.tasks.list_progress(self._task.task))
        step = Step(
            task=self._task,
            profile=self._planned(),
            system=self._system,
            tools=self._tools,
            messages=tuple(self._messages),
            results=self._results,
            progress=self.progress,
            claims=tuple(self._store.claims.list_claims(self._task.task)),
            strategy=self.strategy,
            rebuild_to=self._rebuild_to if self._most_tokens == self._profile.input_cap else FILLED,
            closing=closing,
            now=self._clock(),
        )
        outcome = self._made(self._step, step)
        if not isinstance(outcome, Projected):
            raise LimitExceeded(
                f"step {self._step.number} does not fit: {outcome.text}", {"limit": outcome.room_tokens}, code="over_budget"
            )
        self._keep(self._step, outcome.projection)
        self._input = outcome.projection
        return outcome.projection

    def _opened(self, again: bool) -> StepKey:
        if again:
            assert self._step is not None, "again without an input"
            self._input = None
            return self._step
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            return waiting
        self.n_steps += 1
        return self._runs.open_step(self.run)

    @property
    def next_step(self) -> int:
        """1-based number of the step that `next_input` opens, or makes once more."""
        return self.n_steps + (self._waiting is None)

    @property
    def last_words(self) -> str | None:
        """Of the agent, where its last turn called nothing and nobody has said anything since."""
        last = self._messages[-1]
        return str(last["content"] or "") if last["role"] == "assistant" and "tool_calls" not in last else None

    def confirm_sent(self) -> None:
        """Says that the newest input was sent as it was given: what it showed counts as sent."""
        assert self._step is not None, "nothing to confirm"
        assert self._digest is not None, "nothing to confirm"
        self._runs.confirm_sent(self._step, self._digest)

    def report_usage(self, usage: Mapping[str, JsonValue] | int) -> str | None:
        """Takes what the provider reported of the newest input: its usage object, or all its input tokens.

        Gives one line to say when the provider counted more than we did; the next input is then planned with as much less.
        Raises InvalidInput for a usage without figures, or with such as no input has.
        """
        assert self._step is not None, "a usage without an input"
        assert self._input is not None, "a usage without an input"
        said = {} if isinstance(usage, int) else usage
        provider, model = self._profile.provider, self._profile.model
        reported = usage if isinstance(usage, int) else reported_input(provider, usage)
        if reported is None:
            raise InvalidInput(f"no input tokens in a usage of {provider!r}", {"known": sorted(said)}, code="bad_usage")
        receipt = self._input.receipt
        new = NewUsage(provider, model, receipt.counter, receipt.used, reported, said)
        self._runs.report_usage(self._step, new)
        self._drift = self._drift.with_usage(Usage(receipt.used, reported))
        return self._drift.warning(self._profile.input_cap)

    def _reported_before(self) -> Drift:
        """Of recent steps of the same model and counter, in runs of the task before this one."""
        model = CountedModel(self._profile.provider, self._profile.model, self._counter.id)
        found = self._store.runs.list_recent_usages(self.run, model, Drift.MAX_STEPS)
        return Drift(tuple(Usage(one.counted, one.reported) for one in found))

    def _planned(self) -> Profile:
        """The profile of the next input, after what was reported of recent ones and what was refused."""
        planned = tightened(self._profile, self._drift)
        return replace(planned, slack=planned.slack + max(0, planned.input_cap - self._most_tokens))

    def narrow(self) -> None:
        """The provider refused the newest input as too long: those that follow have at most four fifths of its tokens, and use them all."""
        assert self._input is not None, "nothing was refused"
        self._most_tokens = max(1, self._input.tokens * 4 // 5)

    def _made(self, key: StepKey, step: Step) -> Outcome:
        """The input before with what is new; where it has to be made anew, from a history that was compacted first if that is due."""
        reader = OwnersReader(self._reader)
        outcome = project(step, reader, self._counter, reader, self._input)
        if isinstance(outcome, Projected) and outcome.projection.receipt.appended_to:
            return outcome
        compacted = self._compacted(key, step)
        if compacted is step:
            return outcome
        again = project(compacted, reader, self._counter, reader, self._input)
        if not (isinstance(outcome, Projected) and isinstance(again, Projected)):
            return again
        # the history is another only because the input had to be made anew
        receipt = replace(again.projection.receipt, rebuilt=outcome.projection.receipt.rebuilt)
        return Projected(replace(again.projection, receipt=receipt))

    def _compacted(self, key: StepKey, step: Step) -> Step:
        """The step with the history made smaller where that is due; so it stays for the steps that follow."""
        found = compact_step(step, self._counter, self._summariser)
        done = found.compacted if isinstance(found, MustNarrow) else found
        if not isinstance(done, Compacted) or done.step.messages == step.messages:
            return step
        self._runs.record_compaction(key, compaction_of(step, done))
        self._messages, self._results = list(map(dict, done.step.messages)), dict(done.step.results)
        return replace(step, messages=done.step.messages, results=self._results)

    def _keep(self, step: StepKey, projection: Projection) -> None:
        receipt = projection.receipt
        shown = tuple(shown_of(packet) for packet in self._shown_packets(projection))
        self._digest = self._runs.record_projection(
            step,
            NewProjection(
                projection.messages,
                projection.tools,
                _profile_json(receipt.profile),
                receipt_json(receipt),
                receipt.counter,
                receipt.exactness,
                receipt.budget.input_cap,
                projection.tokens,
                shown,
                projection.outside,
            ),
        )
        self.spent.by_step.append(projection.tokens)
        self.spent.pasted += self._kept_whole

    def _shown_packets(self, projection: Projection) -> Sequence[Packet]:
        """The packets that stand in full in this input, in its order."""
        return self._reader.find_known(dict.fromkeys((*projection.in_exchanges, *projection.evidence)))

    def act(self, text: str, requests: Sequence[ToolRequest]) -> None:
        """Takes the agent's turn: opens its calls, makes them, closes them.

        What a model wrote that no JSON can keep stands there as text (`canonical.storable`). Raises LimitExceeded, and keeps nothing, for
        a turn that the next input could not hold.
        """
        assert self._step is not None, "act without an input"
        calls = [_opened(f"call_{self._n_calls + n}", one) for n, one in enumerate(requests, 1)]
        turn = assistant_message(str(storable(text)), calls)
        left = self._room(turn, len(calls))
        if left < 0:
            raise LimitExceeded(f"a turn of {self._count(turn)} tokens, {-left} more than there is room for", code="over_budget")
        self._n_calls += len(calls)
        self._runs.open_calls(self._step, str(turn["content"] or ""), calls)
        self._append(turn)
        context = self._services.tools(self._step, self._agent)
        closed = []
        for call, fault in zip(calls, (one.fault for one in requests), strict=True):
            answer = answer_malformed(call.name, fault) if fault else answer_call(context, self._step, call, len(calls), self._more_tools)
            if (tokens := self._counter.count(answer.text)) > max(left, REFUSAL_TOKENS):
                log.warning("refused the answer of %.80r: %d tokens, %d left in its turn", call.name, tokens, max(left, 0))
                answer = answer_refused(call.name, tokens, max(left, 0))
            else:
                left -= tokens
            self._reader.remember(answer.packets)
            self._results[call.call] = answer.packets
            closed.append(ClosedCall(call.call, answer.outcome, answer.text, True, tuple(map(shown_of, answer.packets))))
            self._append(result_message(call.call, answer.text))
        self._runs.close_calls(self._step, closed)

    def _room(self, asked: Mapping[str, JsonValue], n_calls: int) -> int:
        """Tokens for the answers of one turn: the next input must hold all of them, whole."""
        dynamic = budget_for(self._planned(), self._fixed_tokens()).dynamic
        return dynamic - SECTION_TOKENS - self._count(asked) - n_calls * REFUSAL_TOKENS

    def tools(self) -> Tools:
        """The tools of this run, as at its last step."""
        return self._services.tools(self._step, self._agent)

    def _append(self, message: dict[str, JsonValue]) -> None:
        self._messages.append(message)
        self._kept_whole += self._count(message)

    def _count(self, message: Mapping[str, JsonValue]) -> int:
        return self._counter.count(orjson.dumps(message).decode())

    def _fixed_tokens(self) -> int:
        return self._counter.count(self._system) + self._counter.count(orjson.dumps(self._tools).decode())


def _opened(call: str, request: ToolRequest) -> OpenCall:
    arguments = storable(request.arguments)
    assert isinstance(arguments, dict), "a mapping stays one"
    return OpenCall(call, str(storable(request.name)), arguments)


def _profile_json(profile: Profile) -> dict[str, JsonValue]:
    return {name: getattr(profile, name) for name in ("provider", "model", "window", "output", "slack", "counter")}
