"""The runner: asks a chat function step after step, waits where the provider says so, and opens runs again that were interrupted."""

import asyncio
import inspect
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from api.loop.driving import Driver, Driving
from api.loop.faults import find_fault
from api.loop.model import Ask, Bounds, Chat, Pause, RunReport, Wait
from api.loop.reporting import report_of
from api.loop.wrapped_tools import WrappedTools
from api.sessions import REBUILD_TO, Session
from api.wiring import AgentServices
from evidence_store.model import TaskName, TaskRevision
from evidence_store.records.runs import RunKey
from projector import Profile, Strategy, StrategyName, Summariser


@dataclass(frozen=True, slots=True)
class Agent:
    """One of several that work on a task side by side."""

    name: str
    request: str
    chat: Chat
    system: str = ""
    """Empty for that of the runner."""


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs agents over a store. What it holds is what the program brings; all that happens is in the store.

    An exception of a chat function that is no fault of a provider (`faults.find_fault`) is raised as it is, and so is one of the store: the
    run has no end then, and `resume` goes on with it.
    """

    services: AgentServices
    profile: Profile
    system: str
    bounds: Bounds = field(default_factory=Bounds)
    strategy: StrategyName | Strategy = "externalise"
    rebuild_to: int = REBUILD_TO
    summariser: Summariser | None = None
    tools: WrappedTools | None = None
    """Those of the program; our own are offered besides."""
    sleep: Callable[[float], None] = time.sleep
    pause: Pause = asyncio.sleep

    def run(self, task: TaskRevision, agent: str, request: str, chat: Chat) -> RunReport:
        """A new run, to its end."""
        return self._sync(self._session(task.task, agent, request, self.system), chat)

    def resume(self, run: RunKey, chat: Chat, request: str = "") -> RunReport:
        """A run that did not end, to its end; the report of one that did. `request` is a further turn of the user. Raises NotFound."""
        if self._has_ended(run):
            return report_of(self.services.store, run)
        return self._sync(self._session(run.task, "", request, self.system, run), chat)

    def unfinished(self, task: TaskName) -> tuple[RunKey, ...]:
        """Runs of a task without an end: those at work, and those to resume."""
        return tuple(run for run in self.services.store.histories.list_runs(task) if not self._has_ended(run))

    def run_agents(self, task: TaskRevision, agents: Sequence[Agent]) -> tuple[RunReport, ...]:
        """Several agents of one task at once, each in a run of its own; reports in their order.

        All are taken to their end. Then, where an exception ended one of them, raises an ExceptionGroup of these.
        """
        with ThreadPoolExecutor(max_workers=max(1, len(agents))) as pool:
            futures = [pool.submit(self._sync, self._agents_session(task, one), one.chat) for one in agents]
        return _reports([future.exception() or future.result() for future in futures])

    async def run_async(self, task: TaskRevision, agent: str, request: str, chat: Chat) -> RunReport:
        """As `run`, with a coroutine function or any other; the store is worked with in threads."""
        session = await asyncio.to_thread(self._session, task.task, agent, request, self.system)
        return await self._async(session, chat)

    async def resume_async(self, run: RunKey, chat: Chat, request: str = "") -> RunReport:
        """As `resume`."""
        if await asyncio.to_thread(self._has_ended, run):
            return await asyncio.to_thread(report_of, self.services.store, run)
        session = await asyncio.to_thread(self._session, run.task, "", request, self.system, run)
        return await self._async(session, chat)

    async def run_agents_async(self, task: TaskRevision, agents: Sequence[Agent]) -> tuple[RunReport, ...]:
        """As `run_agents`."""
        sessions = [await asyncio.to_thread(self._agents_session, task, one) for one in agents]
        at_work = (self._async(session, one.chat) for session, one in zip(sessions, agents, strict=True))
        return _reports(await asyncio.gather(*at_work, return_exceptions=True))

    def _has_ended(self, run: RunKey) -> bool:
        return self.services.store.histories.find_end(run) is not None

    def _agents_session(self, task: TaskRevision, agent: Agent) -> Session:
        return self._session(task.task, agent.name, agent.request, agent.system or self.system)

    def _session(self, task: TaskName, agent: str, request: str, system: str, run: RunKey | None = None) -> Session:
        return Session(
            self.services,
            self.services.store.tasks.get_revision(task),
            agent,
            self.profile,
            system,
            request,
            run=run,
            rebuild_to=self.rebuild_to,
            strategy=self.strategy,
            summariser=self.summariser,
            more_tools=self.tools,
        )

    def _sync(self, session: Session, chat: Chat) -> RunReport:
        driving, answer = Driver(self.services, session, self.bounds).run(), None
        while (asked := _advance(driving, answer)) is not None:
            if isinstance(asked, Wait):
                self.sleep(asked.seconds)
                answer = None
            else:
                answer = _answered(chat, asked)
        return report_of(self.services.store, session.run)

    async def _async(self, session: Session, chat: Chat) -> RunReport:
        driving, answer = Driver(self.services, session, self.bounds).run(), None
        while (asked := await asyncio.to_thread(_advance, driving, answer)) is not None:
            if isinstance(asked, Wait):
                await self.pause(asked.seconds)
                answer = None
            else:
                answer = await _awaited(chat, asked)
        return await asyncio.to_thread(report_of, self.services.store, session.run)


def _advance(driving: Driving, answer: object) -> Ask | Wait | None:
    """What the run asks for next; None at its end."""
    try:
        return driving.send(answer)
    except StopIteration:
        return None


def _answered(chat: Chat, asked: Ask) -> object:
    """The answer, or the provider's fault in its place."""
    try:
        answer: object = chat(asked.messages, asked.tools)
    except Exception as why:
        if find_fault(why) is None:
            raise
        return why
    if inspect.iscoroutine(answer):
        answer.close()
        raise TypeError("a coroutine function is run by `run_async`, `resume_async` or `run_agents_async`")
    return answer


async def _awaited(chat: Chat, asked: Ask) -> object:
    try:
        if inspect.iscoroutinefunction(chat) or inspect.iscoroutinefunction(getattr(chat, "__call__", None)):  # noqa: B004
            return await chat(asked.messages, asked.tools)
        answer = await asyncio.to_thread(partial(chat, asked.messages, asked.tools))
        return await answer if inspect.isawaitable(answer) else answer
    except Exception as why:
        if find_fault(why) is None:
            raise
        return why


def _reports(outcomes: Sequence[RunReport | BaseException]) -> tuple[RunReport, ...]:
    failed = [one for one in outcomes if isinstance(one, BaseException)]
    if failed:
        raise BaseExceptionGroup(f"{len(failed)} of {len(outcomes)} agents failed", failed)
    return tuple(one for one in outcomes if isinstance(one, RunReport))
