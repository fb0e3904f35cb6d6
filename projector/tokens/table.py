"""Which counter a name stands for. An unknown name is an error that lists the known ones, never a silent default."""

from functools import cache

from projector.errors import UnknownCounter
from projector.ports import TokenCounter
from projector.tokens.bounded import FAMILIES, BytesCounter, EstimatingCounter
from projector.tokens.encodings import ENCODINGS
from projector.tokens.tiktoken_counter import TiktokenCounter

# Encodings that differ from a known one in special tokens alone, which are never used to count.
_ALIASES = {"o200k_harmony": "o200k_base"}
KNOWN_COUNTERS: tuple[str, ...] = (*sorted((*ENCODINGS, *_ALIASES)), "bytes", *(f"estimate:{name}" for name in FAMILIES))

# Beginnings of model names, the longer first (tiktoken 0.14.0, model.py; newer ones are told by their own documentation).
_MODELS: tuple[tuple[str, str], ...] = (
    ("gpt-oss", "o200k_harmony"),
    ("gpt-4o", "o200k_base"),
    ("gpt-4.1", "o200k_base"),
    ("gpt-4.5", "o200k_base"),
    ("gpt-5", "o200k_base"),
    ("o1", "o200k_base"),
    ("o3", "o200k_base"),
    ("o4-mini", "o200k_base"),
    ("gpt-4", "cl100k_base"),
    ("gpt-3.5", "cl100k_base"),
    ("claude-3", "estimate:claude-3"),
    ("claude", "estimate:claude"),
    ("deepseek", "estimate:deepseek"),
    ("llama-3", "estimate:llama-3"),
    ("qwen3.5", "estimate:qwen-3.5"),
    ("qwen", "estimate:qwen-3"),
    ("mistral", "estimate:mistral"),
    ("gemma", "estimate:gemma"),
    # the family shares its tokenizer with the open models
    ("gemini", "estimate:gemma"),
)


@cache
def counter_for(name: str) -> TokenCounter:
    """The counter of this name, one a process; loads nothing yet. Raises UnknownCounter naming the known ones."""
    plain = _ALIASES.get(name, name)
    if plain in ENCODINGS:
        return TiktokenCounter(plain)
    if plain == "bytes":
        return BytesCounter()
    kind, _, family = plain.partition(":")
    if kind == "estimate" and family in FAMILIES:
        return EstimatingCounter(family, (counter_for("o200k_base"), counter_for("cl100k_base")))
    raise UnknownCounter(f"no token counter named {name!r}; known: {', '.join(KNOWN_COUNTERS)}", {"known": KNOWN_COUNTERS})


def counter_name_for_model(model: str) -> str:
    """The counter that fits a model by its name; raises UnknownCounter when nothing is known of it."""
    for start, name in _MODELS:
        if model.startswith(start):
            return name
    raise UnknownCounter(
        f"no token counter is known for the model {model!r}; name one of {', '.join(KNOWN_COUNTERS)}", {"known": KNOWN_COUNTERS}
    )
