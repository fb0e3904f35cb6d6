"""Counting by the provider itself: Anthropic count_tokens, Gemini countTokens, OpenAI input token counting.

For a look before a nearly full input is sent, and to learn how far our own counts are off; not for packing, where each call would cost
a round trip. There is no network here: a `Transport` is given, which knows addresses, keys and time limits. Whatever it fails with, the
bounded counter answers, and the figure says why.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import orjson

from evidence_store.errors import JsonValue
from projector.budget import REQUEST_TOKENS
from projector.errors import UnknownProvider
from projector.minified import minified
from projector.ports import Exactness, Figure, TokenCounter
from projector.render.scalars import repair_surrogates
from projector.tokens.figures import figure_of
from projector.tokens.memory import CountMemory, key_of

JsonObject = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class CountAsked:
    """One request, to be sent with POST as JSON."""

    provider: str
    path: str
    body: JsonObject


@dataclass(frozen=True, slots=True)
class CountAnswered:
    status: int
    body: JsonValue
    """Parsed JSON; None when there was none."""


Transport = Callable[[CountAsked], CountAnswered]
"""Sends a request and gives the answer, of whatever status. Holds the address and the key; may raise when there is no answer."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How a provider is asked, from its SDK's source (openai 3.57.0, anthropic 2.14.0, google-genai 3.6.1) and its reference pages."""

    path: str
    """With `{model}` where the model stands in it."""
    fields: tuple[str, ...]
    """Members of a request that it takes; others (such as `max_tokens`) are left out, since it would refuse them."""
    answer: str
    """Member of the answer that holds the figure."""
    exactness: Exactness
    envelope: str = ""
    """Member that the request is put into."""


ENDPOINTS: dict[str, Endpoint] = {
    "anthropic": Endpoint(
        "/v1/messages/count_tokens",
        ("model", "messages", "system", "tools", "tool_choice", "thinking", "output_config", "mcp_servers", "context_management"),
        "input_tokens",
        # its page: to be considered an estimate, the real number may differ by a small amount
        "estimate",
    ),
    "gemini": Endpoint(
        "/v1beta/models/{model}:countTokens",
        ("contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "cachedContent"),
        "totalTokens",
        # its page counts 10 for a prompt whose usage is then reported as 11
        "estimate",
        envelope="generateContentRequest",
    ),
    "openai": Endpoint(
        "/v1/responses/input_tokens",
        (
            "model",
            "input",
            "instructions",
            "tools",
            "tool_choice",
            "text",
            "reasoning",
            "conversation",
            "previous_response_id",
            "parallel_tool_calls",
            "truncation",
        ),
        "input_tokens",
        "exact",
    ),
}


class RemoteCounter:
    """Asks a provider, and remembers its answers; where it fails, the bounded counter answers.

    So the same text may get another figure later, when the provider answers again: each says who gave it. Counts texts as a user message
    would carry them: a few tokens of framing are in, and no figure of a text is exact.
    """

    def __init__(self, provider: str, model: str, transport: Transport, bounded: TokenCounter, *, max_cache_bytes: int = 1_000_000) -> None:
        if provider not in ENDPOINTS:
            known = tuple(ENDPOINTS)
            raise UnknownProvider(f"no counting endpoint of {provider!r} is known; known: {', '.join(known)}", {"known": known})
        self._provider = provider
        self._model = model
        self._endpoint = ENDPOINTS[provider]
        self._transport = transport
        self._bounded = bounded
        self._memory = CountMemory(max_cache_bytes)

    @property
    def id(self) -> str:
        return f"remote:{self._provider}:{self._model}"

    @property
    def exactness(self) -> Exactness:
        """The least that a figure may be; each figure says what it is."""
        return "estimate"

    def count(self, text: str) -> int:
        """Tokens of the text as the only message."""
        return self.figure(text).tokens

    def figure(self, text: str) -> Figure:
        """Tokens of the text as the only message: framing included, so a bound where requests are counted exactly."""
        if not text:
            return Figure(0, self.id, "exact")
        found = self._asked(self._message(repair_surrogates(text)))
        if isinstance(found, str):
            figure = figure_of(self._bounded, text)
            return Figure(figure.tokens, figure.counter, figure.exactness, found)
        return Figure(found, self.id, "upper_bound" if self._endpoint.exactness == "exact" else self._endpoint.exactness)

    def count_request(self, body: JsonObject) -> Figure:
        """Tokens of the input of a whole request, in the provider's own shape; what the endpoint does not take is left out."""
        taken = {name: body[name] for name in self._endpoint.fields if name in body}
        found = self._asked(taken)
        if isinstance(found, str):
            return self._by_rule(taken, found)
        return Figure(found, self.id, self._endpoint.exactness)

    def _message(self, text: str) -> JsonObject:
        match self._provider:
            case "gemini":
                return {"contents": [{"role": "user", "parts": [{"text": text}]}]}
            case "openai":
                return {"input": text}
            case _:
                return {"messages": [{"role": "user", "content": text}]}

    def _request(self, taken: JsonObject) -> CountAsked:
        endpoint = self._endpoint
        path = endpoint.path.replace("{model}", self._model)
        if endpoint.envelope:
            return CountAsked(self._provider, path, {endpoint.envelope: {"model": f"models/{self._model}", **taken}})
        return CountAsked(self._provider, path, {**taken, "model": self._model})

    def _asked(self, taken: JsonObject) -> int | str:
        """The provider's figure, or why there is none."""
        asked = self._request(taken)
        key = key_of(f"{asked.path}\n{_sorted_json(asked.body)}")
        known = self._memory.find(key)
        if known is not None:
            return known.tokens
        try:
            answered = self._transport(asked)
        # the transport is the caller's, and so are its exceptions; none of them may cost the figure, and the figure names it
        except Exception as exc:
            return f"{self._provider} could not be asked: {type(exc).__name__}"
        if answered.status != 200:
            return f"{self._provider} answered with status {answered.status}"
        tokens = answered.body.get(self._endpoint.answer) if isinstance(answered.body, Mapping) else None
        if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens < 1:
            return f"{self._provider} answered without a count in {self._endpoint.answer!r}"
        self._memory.keep(key, Figure(tokens, self.id, self._endpoint.exactness))
        return tokens

    def _by_rule(self, taken: JsonObject, why: str) -> Figure:
        """By our own count rule, of which JSON's punctuation makes a bound for text."""
        figure = figure_of(self._bounded, minified(taken))
        exactness: Exactness = "upper_bound" if figure.exactness == "exact" else figure.exactness
        return Figure(figure.tokens + REQUEST_TOKENS, figure.counter, exactness, why)


def _sorted_json(body: JsonObject) -> str:
    try:
        return orjson.dumps(body, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:
        return minified(body)
