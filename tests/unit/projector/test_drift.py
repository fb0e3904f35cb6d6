"""What providers reported against what we counted. Case b05 of the shared cases is the worked example."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projector.budget import Profile, tightened, tightened_cap
from projector.drift import RECENT, Drift, Usage, reported_input

CAP = 27_648
PROFILE = Profile("openai", "gpt-4o", 32_768, 4_096, 1_024, "o200k_base")
USAGES = st.lists(st.builds(Usage, st.integers(1, 200_000), st.integers(1, 200_000)), max_size=20)


def after(*pairs: tuple[int, int]) -> Drift:
    drift = Drift()
    for counted, reported in pairs:
        drift = drift.with_usage(Usage(counted, reported))
    return drift


def test_the_worked_example() -> None:
    drift = after((27_400, 28_900))
    assert drift.recent[-1].over_cap(CAP) == 1_252
    assert tightened_cap(CAP, drift) == 26_212
    assert drift.warning(CAP) == "counted 27400 tokens, the provider reported 28900: over the cap of 27648 by 1252"


def test_a_lower_report_does_not_loosen_the_cap() -> None:
    drift = after((27_400, 26_000))
    assert (tightened_cap(CAP, drift), drift.warning(CAP), drift.recent[-1].over_cap(CAP)) == (CAP, None, 0)
    assert tightened_cap(CAP, after((27_400, 28_900), (27_400, 26_000))) == 26_212


def test_a_low_count_within_the_cap_is_told_too() -> None:
    assert after((100, 130)).warning(CAP) == "counted 100 tokens, the provider reported 130"


def test_the_worst_of_the_recent_steps_counts_until_it_is_no_longer_recent() -> None:
    drift = after((1_000, 1_100), (1_000, 1_250), (1_000, 1_050))
    assert drift.cap(10_000) == 8_000
    for _ in range(RECENT - 1):
        drift = drift.with_usage(Usage(1_000, 1_000))
    assert drift.cap(10_000) == 10_000 * 1_000 // 1_050
    assert drift.with_usage(Usage(1_000, 1_000)).cap(10_000) == 10_000
    assert len(drift.recent) == RECENT


def test_nothing_reported_leaves_the_cap() -> None:
    assert (tightened_cap(CAP, Drift()), Drift().warning(CAP)) == (CAP, None)


def test_a_tightened_profile_has_more_slack_and_all_else_as_it_was() -> None:
    made = tightened(PROFILE, after((27_400, 28_900)))
    assert (made.input_cap, made.slack, made.window, made.output) == (26_212, 1_024 + 27_648 - 26_212, 32_768, 4_096)
    assert tightened(PROFILE, Drift()) == PROFILE
    assert tightened(PROFILE, after((1, 10**9))).input_cap == 1


@given(USAGES)
def test_no_report_loosens_and_planning_with_the_cap_would_have_kept_each_recent_input_within_it(usages: list[Usage]) -> None:
    drift = Drift()
    for usage in usages:
        drift = drift.with_usage(usage)
    cap = tightened_cap(CAP, drift)
    assert 0 <= cap <= CAP
    assert all(cap * max(one.reported, one.counted) <= CAP * one.counted for one in drift.recent)


@pytest.mark.parametrize(("counted", "reported"), [(0, 5), (-1, 5), (5, -1), (5, 0), (True, 5), (5, True)])
def test_figures_of_no_input_are_refused(counted: int, reported: int) -> None:
    with pytest.raises(ValueError, match="no usage"):
        Usage(counted, reported)


def test_a_drift_of_too_many_steps_cannot_be_built() -> None:
    with pytest.raises(ValueError, match="looks back"):
        Drift((Usage(1, 1),) * (RECENT + 1))


@pytest.mark.parametrize(
    ("provider", "usage", "tokens"),
    [
        ("openai", {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 64}}, 100),
        ("openai", {"input_tokens": 90, "output_tokens": 7}, 90),
        ("anthropic", {"input_tokens": 10, "cache_creation_input_tokens": 200, "cache_read_input_tokens": 3_000}, 3_210),
        ("anthropic", {"input_tokens": 10, "cache_read_input_tokens": None}, 10),
        ("gemini", {"promptTokenCount": 50, "cachedContentTokenCount": 20, "toolUsePromptTokenCount": 5}, 55),
        ("gemini", {"prompt_token_count": 50}, 50),
        ("openai", {}, None),
        ("openai", {"input_tokens": True}, None),
        ("nobody", {"input_tokens": 3}, None),
    ],
)
def test_all_input_tokens_of_a_usage_object(provider: str, usage: dict[str, int], tokens: int | None) -> None:
    """Anthropic leaves what its cache answers out of `input_tokens`; forgetting it would look as if we counted too much."""
    assert reported_input(provider, usage) == tokens
