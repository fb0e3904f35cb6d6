"""What our projector could cost if its dialogue only grew: a sketch over its public parts, measured beside it. No part of the product.

The dialogue is appended to, whole and unchanged, until the input reaches 0.8 of the cap; then its older part is let go at once. The
sections stand behind it, in a room of their own, and are the only thing that the provider reads anew; they show the excerpts of the
facts in use, also where progress only names their subjects. A change of task or permission starts the dialogue afresh.
"""

import time
from collections.abc import Iterator
from dataclasses import replace

from api.tools import definitions
from benchmarks.retention.scenario import SYSTEM, Call, Message, Scenario
from benchmarks.retention.strategies import CAP, PROFILE, Made
from evidence_store.model import EvidenceId, Packet, ProgressState, Standing
from projector import GivenEvidence, Principal, Projected, Step, counter_for, project
from projector.dialects.table import dialect_for
from projector.exchanges import iter_groups
from projector.measure import Measure

SECTION_TOKENS = 3_000
REBUILD_SHARE, KEPT_SHARE = 0.8, 0.25
DIALECT = dialect_for(PROFILE.provider)


class Appending:
    """See `strategies.Strategy`."""

    def __init__(self) -> None:
        self.tools = tuple(dict(tool) for tool in definitions(recording=True))
        self._counter = counter_for(PROFILE.counter)
        self._measure = Measure(self._counter)
        self._dialogue: list[Message] = []
        self._state: object = None
        self._world = GivenEvidence(())

    def start(self, scenario: Scenario) -> None:
        self._dialogue, self._state = [], None
        self._world = GivenEvidence(scenario.packets.values())

    def make(self, call: Call, more: tuple[Message, ...], results: dict[str, tuple[Packet, ...]]) -> Made:
        begun = time.perf_counter()
        self._dialogue += more or call.fresh_recorded
        state = (call.task, call.clearances)
        if state != self._state:
            self._cut(0)
            self._state = state
        made = self._made(call)
        if self._tokens(made) > REBUILD_SHARE * CAP:
            self._cut(int(KEPT_SHARE * CAP))
            made = self._made(call)
        return Made(made, time.perf_counter() - begun)

    def _cut(self, tokens: int) -> None:
        """Keeps the newest exchange, and those before it as far as these tokens go."""
        kept: list[Message] = []
        for group in iter_groups(self._dialogue, DIALECT):
            tokens -= sum(self._measure.message(one) for one in group.messages)
            if kept and tokens < 0:
                break
            kept[:0] = [dict(one) for one in group.messages]
        self._dialogue = kept

    def _made(self, call: Call) -> tuple[Message, ...]:
        request = next((one for one in reversed(self._dialogue) if one["role"] == "user"), None)
        fixed = self._measure.request(self.tools) + 1_000
        profile = replace(PROFILE, window=fixed + SECTION_TOKENS, output=0, slack=0, reserve=0)
        step = Step(
            task=call.task,
            profile=profile,
            system=SYSTEM,
            tools=self.tools,
            messages=(request,) if request else (),
            progress=call.progress,
            claims=call.claims,
            evidence=tuple(_in_use(call)),
            principal=Principal(call.clearances),
        )
        outcome = project(step, self._world, self._counter, self._world)
        assert isinstance(outcome, Projected), outcome
        system, *_, sections = (dict(one) for one in outcome.projection.messages)
        groups = reversed(list(iter_groups(self._dialogue, DIALECT)))
        return (system, *(dict(one) for group in groups for one in group.messages), sections)

    def _tokens(self, messages: tuple[Message, ...]) -> int:
        return self._measure.request(self.tools) + sum(self._measure.message(one) for one in messages)

    def grep(self, key: str) -> str:
        return ""


def _in_use(call: Call) -> Iterator[EvidenceId]:
    """What the facts rest on that speak of a subject being worked on."""
    doing = [item for item in call.progress if item.state is ProgressState.DOING]
    subjects = {subject for item in doing for subject in (item.subject, *item.uses)}
    for claim in call.claims:
        if claim.standing is Standing.VERIFIED and any(subject in claim.text for subject in subjects):
            yield from (one.evidence for one in claim.citations)
