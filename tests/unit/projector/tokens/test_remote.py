"""Counting by providers, through recorded requests and answers; what fails is bounded, and says so."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from projector import UnknownProvider, counter_for
from projector.minified import minified
from projector.ports import Figure, FigureCounter, RequestCounter, TokenCounter
from projector.tokens.hostile import MAX_SPACES
from projector.tokens.remote import ENDPOINTS, CountAnswered, CountAsked, RemoteCounter

FIXTURES = Path(__file__).parents[3] / "fixtures" / "token_counts"
MODELS = {"anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-pro", "openai": "gpt-5"}
RECORDED = [(provider, one) for provider in MODELS for one in json.loads((FIXTURES / f"{provider}.json").read_text(encoding="utf-8"))]


class Recorded:
    """A transport that answers what was recorded, and remembers what it was asked."""

    def __init__(self, answered: CountAnswered | Exception) -> None:
        self.answered = answered
        self.asked: list[CountAsked] = []

    def __call__(self, asked: CountAsked) -> CountAnswered:
        self.asked.append(asked)
        if isinstance(self.answered, Exception):
            raise self.answered
        return self.answered


def made(provider: str, transport: Recorded, bounded: str = "estimate:claude") -> RemoteCounter:
    return RemoteCounter(provider, MODELS[provider], transport, counter_for(bounded))


@pytest.mark.parametrize(("provider", "one"), RECORDED)
def test_a_request_is_counted_as_recorded(provider: str, one: Mapping[str, Any]) -> None:
    transport = Recorded(CountAnswered(**one["answered"]))
    counter = made(provider, transport)
    figure = counter.count_request(one["given"])
    assert transport.asked == [CountAsked(provider, one["asked"]["path"], one["asked"]["body"])]
    if "figure" in one:
        assert figure == Figure(one["figure"]["tokens"], f"remote:{provider}:{MODELS[provider]}", one["figure"]["exactness"])
    else:
        taken = {name: value for name, value in one["given"].items() if name in ENDPOINTS[provider].fields}
        bounded = counter_for("estimate:claude").count(minified(taken)) + 12
        assert figure == Figure(bounded, "estimate:claude", "estimate", one["why"])


def test_it_is_a_counter_of_texts_and_of_requests() -> None:
    counter = made("openai", Recorded(CountAnswered(200, {"input_tokens": 9})))
    as_text: TokenCounter = counter
    as_request: RequestCounter = counter
    assert isinstance(counter, FigureCounter)
    assert as_text.count("what is the limit?") == as_request.count_request({"input": "what is the limit?"}).tokens == 9


@pytest.mark.parametrize(
    ("provider", "body"),
    [
        ("anthropic", {"messages": [{"role": "user", "content": "\ufffd"}], "model": MODELS["anthropic"]}),
        ("openai", {"input": "\ufffd", "model": MODELS["openai"]}),
        (
            "gemini",
            {"generateContentRequest": {"model": "models/gemini-2.5-pro", "contents": [{"role": "user", "parts": [{"text": "\ufffd"}]}]}},
        ),
    ],
)
def test_a_text_is_asked_about_as_the_only_message(provider: str, body: object) -> None:
    transport = Recorded(CountAnswered(200, {"input_tokens": 8, "totalTokens": 8}))
    figure = made(provider, transport).figure("\ud800")
    assert transport.asked[0].body == body
    assert (figure.tokens, figure.exactness) == (8, "upper_bound" if provider == "openai" else "estimate")


def test_nothing_is_asked_about_no_text() -> None:
    transport = Recorded(CountAnswered(200, {"input_tokens": 8}))
    assert (made("openai", transport).count(""), transport.asked) == (0, [])


def test_an_answer_is_remembered_whatever_the_order_of_members_and_a_failure_is_not() -> None:
    transport = Recorded(CountAnswered(500, None))
    counter = made("openai", transport)
    assert counter.count_request({"input": "x", "instructions": "y"}).note == "openai answered with status 500"
    transport.answered = CountAnswered(200, {"input_tokens": 8})
    for body in ({"input": "x", "instructions": "y"}, {"instructions": "y", "input": "x"}):
        assert counter.count_request(body).tokens == 8
    assert len(transport.asked) == 2


@pytest.mark.parametrize("raised", [TimeoutError("slow"), ValueError("no JSON"), OSError("no route")])
def test_whatever_the_transport_fails_with_the_bounded_counter_answers(raised: Exception) -> None:
    figure = made("anthropic", Recorded(raised)).figure("what is the limit?")
    bounded = counter_for("estimate:claude").count("what is the limit?")
    assert figure == Figure(bounded, "estimate:claude", "estimate", f"anthropic could not be asked: {type(raised).__name__}")


@pytest.mark.parametrize("body", [None, [], {}, {"input_tokens": True}, {"input_tokens": "9"}, {"input_tokens": -1}, {"input_tokens": 0}])
def test_an_answer_without_a_figure_is_none(body: Any) -> None:
    assert "without a count" in made("openai", Recorded(CountAnswered(200, body))).figure("x").note


def test_an_exact_counter_by_our_rule_is_a_bound_of_a_request() -> None:
    body = {"input": "what is the limit?"}
    figure = made("openai", Recorded(CountAnswered(500, None)), "o200k_base").count_request(body)
    assert (figure.tokens, figure.exactness) == (counter_for("o200k_base").count(minified(body)) + 12, "upper_bound")
    assert figure.counter == "tiktoken:o200k_base"


def test_a_failure_over_a_hostile_text_is_bounded_too() -> None:
    assert made("openai", Recorded(OSError()), "o200k_base").figure(" " * MAX_SPACES).exactness == "upper_bound"


def test_a_body_that_is_hardly_json_is_asked_about_all_the_same() -> None:
    transport = Recorded(CountAnswered(200, {"input_tokens": 8}))
    assert made("openai", transport).count_request({"input": "\ud800", "text": 10**30}).tokens == 8


def test_an_unknown_provider_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(UnknownProvider) as caught:
        RemoteCounter("nobody", "m", Recorded(OSError()), counter_for("bytes"))
    assert caught.value.details["known"] == ("anthropic", "gemini", "openai")
