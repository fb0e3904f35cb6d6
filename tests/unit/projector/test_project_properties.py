"""Whatever a run left behind, an input keeps the rules, or there is an outcome that says what to do."""

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_store.model import Packet
from projector import Projected, validate
from projector.model import Principal, Step
from tests.unit.projector.steps import full_step, outcome, recount, tiny


def given_packets(made: Step) -> set[str]:
    return {one.id for one in made.evidence if isinstance(one, Packet)}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 25), st.integers(250, 30_000), st.booleans(), st.booleans())
def test_every_outcome_keeps_the_rules(seed: int, n_groups: int, cap: int, closing: bool, externalising: bool) -> None:
    rng = random.Random(seed)
    made = replace(
        full_step(rng, n_groups),
        profile=tiny(cap),
        closing=closing,
        strategy="externalise" if externalising else "",
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
