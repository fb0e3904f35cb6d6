"""Token figures: exact where the tokenizer is public, else a bound or an estimate that says so. Nothing is loaded on import."""

from projector.ports import Exactness, Figure, RequestCounter, TokenCounter
from projector.tokens.figures import figure_of
from projector.tokens.limit import TokenLimit
from projector.tokens.table import KNOWN_COUNTERS, counter_for, counter_name_for_model
from projector.tokens.tiktoken_counter import TiktokenCounter

__all__ = [
    "KNOWN_COUNTERS",
    "Exactness",
    "Figure",
    "RequestCounter",
    "TiktokenCounter",
    "TokenCounter",
    "TokenLimit",
    "counter_for",
    "counter_name_for_model",
    "figure_of",
]
