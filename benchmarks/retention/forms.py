"""The inputs of a run's steps once more, in the forms of the other providers: counted by tiktoken itself, and held to each one's rules."""

from collections import Counter
from dataclasses import replace

import orjson

from projector import EvidenceReader, Gate, Profile, Projected, Projection, Segment, Step, TokenCounter, project, validate
from projector.tokens.encodings import load_encoding

OTHERS = ("openai-responses", "anthropic", "gemini")
FRAME_TOKENS = 12
"""Of the count rule (docs/formats/token-count.md), beside the texts."""


class OtherForms:
    """Makes each step's input for those who did not make its history, and counts what is wrong with it."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._encoding = load_encoding("o200k_base")
        self.n_made = 0
        self.faults: Counter[str] = Counter()

    def look(self, step: Step, reader: EvidenceReader, gate: Gate) -> None:
        for provider in OTHERS:
            self.n_made += 1
            other = replace(step, profile=replace(step.profile, provider=provider), messages=(), earlier=(_all_of(step),))
            outcome = project(other, reader, self._counter, gate)
            if isinstance(outcome, Projected):
                self._judge(outcome.projection, other.profile)
            else:
                self.faults[f"{provider}: no input: {outcome.text}"] += 1

    def _judge(self, made: Projection, profile: Profile) -> None:
        parts: list[object] = [made.messages, *made.outside.values(), *([made.tools] if made.tools else [])]
        tokens = FRAME_TOKENS + sum(len(self._encoding.encode_ordinary(orjson.dumps(part).decode())) for part in parts)
        if tokens > profile.input_cap:
            self.faults[f"{profile.provider}: over the cap"] += 1
        if tokens != made.tokens:
            self.faults[f"{profile.provider}: counted {made.tokens}, not {tokens}"] += 1
        for fault in validate(made.messages, profile.provider, allow_open=bool(made.open_calls))[:1]:
            self.faults[f"{profile.provider}: {fault.code}"] += 1


def _all_of(step: Step) -> Segment:
    return Segment(step.profile.provider, step.messages)
