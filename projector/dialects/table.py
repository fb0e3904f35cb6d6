"""Which dialect a provider's name stands for. An unknown name is an error that lists the known ones."""

from collections.abc import Callable

from projector.dialects.anthropic import Anthropic
from projector.dialects.forms import Dialect
from projector.dialects.gemini import Gemini
from projector.dialects.openai_chat import OpenAiChat
from projector.dialects.openai_responses import OpenAiResponses
from projector.errors import UnknownProvider

_DIALECTS: dict[str, Callable[[str], Dialect]] = {
    "openai": lambda model: OpenAiChat(),
    "openai-responses": lambda model: OpenAiResponses(),
    "anthropic": lambda model: Anthropic(),
    "gemini": Gemini,
}
PROVIDERS: tuple[str, ...] = tuple(_DIALECTS)


def dialect_for(provider: str, model: str = "") -> Dialect:
    """The dialect of a provider, as this model of it takes it; raises UnknownProvider."""
    made = _DIALECTS.get(provider)
    if made is None:
        raise UnknownProvider(f"no rules for the provider {provider!r}; known: {', '.join(PROVIDERS)}", {"known": PROVIDERS})
    return made(model)
