"""Whatever a run left behind, an input keeps the rules, or there is an outcome that says what to do."""

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_store.model import Packet
from projector import NAMED_STRATEGIES, Projected, Strategy, validate
from projector.model import Principal, Step
from projector.strategy import CLAIMANTS, StrategyName
from tests.unit.projector.steps import full_step, outcome, packet, recount, tiny

NAMES: tuple[StrategyName, ...] = (
    "",
    "externalise",
    "auto",
    "short-chat",
    "long-dialogue",
    "tool-heavy",
    "document-comparison",
    "root-cause",
)


def given_packets(made: Step) -> set[str]:
    return {one.id for one in made.evidence if isinstance(one, Packet)}


def strategies() -> st.SearchStrategy[StrategyName | Strategy]:
    """Names, and named ones with any order, floors, shares and windows within their bounds."""
    percents, windows = st.integers(0, 20), st.none() | st.integers(0, 6)
    own = st.builds(
        replace,
        st.sampled_from(tuple(NAMED_STRATEGIES.values())),
        order=st.permutations(CLAIMANTS).map(tuple),
        **dict.fromkeys(("facts_floor", "open_floor", "excluded_floor", "progress_floor", "evidence_floor"), percents),
        dialogue_floor=st.just(0),
        **dict.fromkeys(("dialogue_share", "doing_share", "background_share", "candidate_share"), st.integers(0, 100)),
        **dict.fromkeys(("result_rounds", "dialogue_messages"), windows),
        may_externalise=st.booleans(),
    )
    return st.sampled_from(NAMES) | own


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 25), st.integers(250, 30_000), st.booleans(), strategies())
def test_every_outcome_keeps_the_rules(seed: int, n_groups: int, cap: int, closing: bool, strategy: StrategyName | Strategy) -> None:
    rng = random.Random(seed)
    made = replace(
        full_step(rng, n_groups),
        profile=tiny(cap),
        closing=closing,
        strategy=strategy,
        results={f"call_{number}_0": (packet(number % 12),) for number in range(n_groups) if number % 2},
        principal=Principal(),
    )
    found = outcome(made)
    assert outcome(made) == found
    if not isinstance(found, Projected):
        assert found.step == made
        assert found.must_tokens > 0
        assert found.text
        return
    projection = found.projection
    assert recount(projection) == projection.tokens <= cap
    assert validate(projection.messages, "openai", allow_open=bool(projection.open_calls)) == ()
    assert sum(line.tokens for line in projection.receipt.kept) == projection.tokens
    assert all(line.tokens >= 0 for line in projection.receipt.kept if line.section != "framing")
    left = {name for line in projection.omitted if line.section == "evidence" for name in line.names}
    assert given_packets(made) <= left | set(projection.evidence)
