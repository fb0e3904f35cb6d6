"""Profiles of models by name, as data: what a model reads and writes at most, who serves it, and what cached input costs there.

Figures are those of the providers' own pages, read in November 2026. A model that is not listed is `unknown` and has to be described
by whoever knows it; nothing is guessed from a likeness of names beyond the listed beginnings.

Sources: platform.claude.com/docs (models, prompt caching), platform.openai.com/docs (models, pricing, prompt caching),
ai.google.dev/gemini-api/docs (models, pricing).
"""

from dataclasses import dataclass

from projector.budget import Prices, Profile
from projector.errors import UnknownModel
from projector.tokens.table import counter_name_for_model

SLACK_SHARE = 32
"""One part of so many of the window is kept free for what two counts differ by."""
OUTPUT_SHARE = 8
"""The answer gets one part of so many of the window, or what the model can write at most when that is less."""
UNKNOWN = "unknown"
"""Name of the profile for a model of which nothing is known: a small window, a bound that no tokenizer passes, no cache."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of all models whose names begin so."""

    start: str
    provider: str
    window: int
    """Tokens of input and output together, or of input alone where the provider counts them apart."""
    output: int
    """Tokens of an answer at most."""
    prices: Prices


_CLAUDE = Prices(read=10, write=125)
_FREE_WRITE = 100

MODELS: tuple[ModelFacts, ...] = (
    *(ModelFacts(f"claude-{name}", "anthropic", 1_000_000, 128_000, _CLAUDE) for name in ("fable-5", "opus-5", "sonnet-5", "haiku-5-5")),
    ModelFacts("claude-haiku-4-5", "anthropic", 200_000, 64_000, _CLAUDE),
    ModelFacts("gpt-4o", "openai", 128_000, 16_384, Prices(read=50, write=_FREE_WRITE)),
    ModelFacts("gpt-4.1", "openai", 1_047_576, 32_768, Prices(read=25, write=_FREE_WRITE)),
    ModelFacts("gpt-5", "openai", 400_000, 128_000, Prices(read=10, write=_FREE_WRITE)),
    ModelFacts("o3", "openai", 200_000, 100_000, Prices(read=25, write=_FREE_WRITE)),
    ModelFacts("o4-mini", "openai", 200_000, 100_000, Prices(read=25, write=_FREE_WRITE)),
    ModelFacts("gemini-2.5-pro", "gemini", 1_048_576, 65_536, Prices(read=10, write=_FREE_WRITE)),
    ModelFacts("gemini-2.5-flash", "gemini", 1_048_576, 65_536, Prices(read=10, write=_FREE_WRITE)),
)


def profile_for(model: str) -> Profile:
    """The profile of a model by the longest listed beginning of its name, whoever hosts it (`openai/gpt-4o`).

    Raises UnknownModel, naming those that are listed, for any other; `unknown` is the profile for one that nobody describes.
    """
    if model == UNKNOWN:
        return Profile("openai", UNKNOWN, 32_768, 4_096, 1_024, "bytes")
    plain = model.rpartition("/")[2].lower()
    fitting = [facts for facts in MODELS if plain.startswith(facts.start)]
    if not fitting:
        known = (*(facts.start for facts in MODELS), UNKNOWN)
        raise UnknownModel(
            f"no profile is known for the model {model[:80]!r}; describe it, or name one of {', '.join(known)}", {"known": known}
        )
    facts = max(fitting, key=lambda one: len(one.start))
    output = min(facts.output, facts.window // OUTPUT_SHARE)
    counter = counter_name_for_model(plain)
    return Profile(facts.provider, model, facts.window, output, facts.window // SLACK_SHARE, counter, prices=facts.prices)
