"""What in a user's turn states a constraint: a proposal for the task, never part of it until somebody accepts it.

Rules over sentences, in English, German and Chinese. They look at turns of users alone: no text of a tool or of a source is
ever given to them (`propose_from` takes the role and refuses others). A model may do better behind the same protocol.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from evidence_store.errors import InvalidInput

MAX_SENTENCE_CHARS: Final = 400
MAX_SENTENCES: Final = 20
DETECTOR: Final = "rules/1"

_SENTENCE: Final = re.compile(r"[^.!?。！？\n]+(?:[.!?](?=\S)[^.!?。！？\n]*)*[.!?。！？]*")
_QUOTED: Final = re.compile(r"^\s*(?:>|```|\|)")
# One rule a line: what forbids, what leaves out, what limits to, what has to be.
_RULES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:do not|don't|don’t|never|must not|mustn't|mustn’t|should not|shouldn't|shouldn’t|may not|no longer)\b",
        r"\b(?:ignore|exclude|skip|leave out|omit|without|except(?: for)?|apart from|not including|other than)\b",
        r"\b(?:only|nothing but|just|limit(?:ed)? to|restrict(?:ed)? to|no more than|at most|at least|within)\b",
        r"\b(?:must|have to|has to|always|make sure|ensure|required to|please use|stick to|from now on)\b",
        r"\b(?:nicht|kein(?:e[mnrs]?)?|niemals|ohne|außer|ausgenommen|ignoriere?|lass\w* .* (?:weg|aus))\b",
        r"\b(?:nur|ausschließlich|höchstens|mindestens|immer|muss|müssen|ab jetzt|bitte verwende)\b",
        r"(?:不要|不得|不能|别|禁止|忽略|排除|除了|除外|只|仅|最多|至少|必须|务必|始终)",
    )
)
# What asks, or tells how things are, states nothing of what the answer must be like.
_ASKING: Final = r"why|what|when|where|who|how|which|is|are|does|do|did|can|could|warum|was|wann|wo|wer|wie"
_QUESTION: Final = re.compile(rf"[?？]\s*$|^\s*(?:{_ASKING})\b", re.IGNORECASE)
_POLITE: Final = re.compile(r"^\s*(?:can|could|would|will) you\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Stated:
    """A constraint that a user's turn states."""

    text: str
    """The sentence, to the letter but for white space at its ends."""
    start: int
    """Where it stands in the turn, in characters."""
    detector: str


class ConstraintDetector(Protocol):
    """Finds constraints in a user's turn. Gives sentences of it to the letter, in order, and adds nothing."""

    def find_constraints(self, turn: str) -> Sequence[Stated]: ...


class RuleDetector:
    """The built-in detector."""

    def find_constraints(self, turn: str) -> Sequence[Stated]:
        """At most 20 sentences of at most 400 characters; quoted lines and code are passed over."""
        found: list[Stated] = []
        at, is_code = 0, False
        for line in turn.splitlines(keepends=True):
            if line.lstrip().startswith("```"):
                is_code = not is_code
            elif not is_code and not _QUOTED.match(line):
                found += _in_line(line, at)
            at += len(line)
        return found[:MAX_SENTENCES]


def _in_line(line: str, offset: int) -> list[Stated]:
    found = []
    for match in _SENTENCE.finditer(line):
        text = match[0].strip().lstrip("-*• ").strip()
        if text and len(text) <= MAX_SENTENCE_CHARS and _states_constraint(text):
            found.append(Stated(text, offset + line.index(text, match.start()), DETECTOR))
    return found


def _states_constraint(sentence: str) -> bool:
    asks = _QUESTION.search(sentence) is not None and _POLITE.search(sentence) is None
    return not asks and any(rule.search(sentence) for rule in _RULES)


def find_stated(role: str, turn: str, detector: ConstraintDetector) -> Sequence[Stated]:
    """The constraints of one turn. Raises InvalidInput for a turn of anybody but a user: scope never comes from what a tool said.

    What a detector gives that does not stand in the turn is left out.
    """
    if role != "user":
        raise InvalidInput(f"constraints are looked for in turns of users, not of {role!r}", code="bad_argument")
    return [one for one in detector.find_constraints(turn) if one.text.strip() and one.text in turn]
