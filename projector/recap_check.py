"""Whether a summary says no more and no other than what it was made from. A summariser is never believed.

A summary may leave out fillers, and of discussion also whole sentences without anything in them that has to be kept (`wording`): a clause
may qualify the rest of its sentence, whatever its words. What a user said stays to the letter, but for courtesies. It may not
add a line, move one to another list, leave out a claim, touch a citation or a label, or change a number, an id, a quotation, a negation, a
doubt or a limit. What is refused is named with its codes, and the built-in form stands in its place.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from projector.recap import BuiltIn, LineKind, RecapDraft, RecapLine, Summariser
from projector.user_words import has_to_stand
from projector.wording import (
    FILLERS,
    QUANTIFIERS,
    Bearing,
    GuardKind,
    bearings,
    clauses,
    evidence_in,
    is_guarded,
    numbers_in,
    quoted_in,
    sentences,
    words,
)

MAX_ATTEMPTS: Final = 2
MIN_SAVED_PERCENT: Final = 5
"""An answer that is not so much shorter counts as failed: asking again for crumbs is how compaction loops."""


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """What a summary must not say, or leave out."""

    name: str
    """Id of the line; its text where it has none; empty for the summary as a whole."""
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Settled:
    """A summary that may stand."""

    draft: RecapDraft
    refused: tuple[RefusedLine, ...]
    """Of the answers that were not taken."""
    n_attempts: int


def settle(given: RecapDraft, summariser: Summariser) -> Settled:
    """The first answer of at most two that passes and is shorter by a twentieth; else the built-in form, with what was refused."""
    built_in = BuiltIn()
    if isinstance(summariser, BuiltIn) or not given.lines:
        return Settled(built_in.summarise(given), (), 0)
    refused: dict[RefusedLine, None] = {}
    for attempt in range(1, MAX_ATTEMPTS + 1):
        answer = summariser.summarise(given)
        faults = (RefusedLine("", ("no_answer",)),) if answer is None else check_summary(given, answer)
        if answer is not None and not faults and not _saves(given, answer):
            faults = (RefusedLine("", ("saved_too_little",)),)
        if answer is not None and not faults:
            return Settled(answer, tuple(refused), attempt)
        refused |= dict.fromkeys(faults)
    return Settled(built_in.summarise(given), tuple(refused), MAX_ATTEMPTS)


def _saves(given: RecapDraft, answer: RecapDraft) -> bool:
    before, after = (sum(len(line.text) for line in draft.lines) for draft in (given, answer))
    return after * 100 <= before * (100 - MIN_SAVED_PERCENT)


def check_summary(given: RecapDraft, answer: RecapDraft) -> tuple[RefusedLine, ...]:
    """What of an answer is refused, in its order, then what is missing in it; empty when it may stand."""
    known = {line.id: line for line in given.lines}
    order = {line.id: place for place, line in enumerate(given.lines)}
    faults = [] if answer.labels == given.labels else [RefusedLine("", ("labels_changed",))]
    seen: dict[str, None] = {}
    for line in answer.lines:
        before = known.get(line.id)
        codes = ["line_added"] if before is None else [*(["line_repeated"] if line.id in seen else ()), *_line_faults(before, line)]
        if codes:
            faults.append(RefusedLine(line.id or line.text, tuple(codes)))
        seen[line.id] = None
    refused = {fault.name for fault in faults}
    places = [order[one] for one in seen if one in order and one not in refused]
    if places != sorted(places):
        faults.append(RefusedLine("", ("order_changed",)))
    lost = [line for line in given.lines if line.id not in seen and not _may_go(line)]
    return (*faults, *(RefusedLine(line.id, ("line_dropped",)) for line in lost))


def _line_faults(before: RecapLine, after: RecapLine) -> list[str]:
    codes = []
    if after.kind != before.kind:
        codes.append("scope_changed" if "excluded" in (before.kind, after.kind) else "standing_changed")
    if after.by != before.by:
        codes.append("speaker_changed")
    if set(before.evidence) - set(after.evidence):
        codes.append("citation_dropped")
    if set(after.evidence) - set(before.evidence):
        codes.append("citation_added")
    faults = text_faults(before.text, after.text, before.kind)
    if not faults and before.kind == "said" and before.by == "user" and not _is_to_the_letter(before.text, after.text):
        faults = ["reworded"]
    return codes + faults


def _may_go(line: RecapLine) -> bool:
    stands = is_guarded(line.text) or any(has_to_stand(one, line.by) for one in sentences(line.text))
    return line.kind == "said" and not line.evidence and not stands


def _is_to_the_letter(before: str, after: str) -> bool:
    """Whether the one has the sentences of the other in order, without some courtesies of a user."""
    rest = list(sentences(after))
    for sentence in sentences(before):
        if rest[:1] == [sentence]:
            del rest[0]
        elif has_to_stand(sentence, "user"):
            return False
    return not rest


def text_faults(before: str, after: str, kind: LineKind) -> list[str]:
    """What a shorter wording changes that it must not: codes, the plainest first."""
    if before == after:
        return []
    codes = [*_counted("evidence", evidence_in(before), evidence_in(after)), *_counted("number", numbers_in(before), numbers_in(after))]
    if Counter(quoted_in(after)) - Counter(quoted_in(before)):
        codes.append("quote_added")
    codes += _turned(before, after)
    if Counter(words(after)) - Counter(words(before)):
        codes.append("word_added")
    # an open question may be written as one
    if _asks(after) < _asks(before) or (kind != "open" and _asks(after) > _asks(before)):
        codes.append("question_changed")
    return codes or ([] if _stands(before, after, kind) else ["reworded"])


def _counted(what: str, before: Sequence[str], after: Sequence[str]) -> list[str]:
    found = [f"{what}_added"] if Counter(after) - Counter(before) else []
    return [*found, *([f"{what}_dropped"] if Counter(before) - Counter(after) else [])]


def _turned(before: str, after: str) -> list[str]:
    first, second = _bearings(before), _bearings(after)
    kinds: tuple[GuardKind, ...] = ("negation", "doubt", "scope")
    return [
        f"{kind}_changed" for kind in kinds if [one for one in first if one.kind == kind] != [one for one in second if one.kind == kind]
    ]


def _bearings(text: str) -> list[Bearing]:
    return [one for clause in clauses(text) for one in bearings(clause)]


def _asks(text: str) -> int:
    return text.count("?") + text.count("？")


def _stands(before: str, after: str, kind: LineKind) -> bool:
    """Whether the shorter form has the sentences of the other less fillers, in order, without some in which nothing has to be kept."""
    if kind == "excluded" and not _bearings(before):
        # what is left out is named, not told: there the words may change their places
        droppable = FILLERS | QUANTIFIERS
        return Counter(one for one in words(before) if one not in droppable) == Counter(one for one in words(after) if one not in droppable)
    rest = clauses(after)
    for sentence in sentences(before):
        parts = clauses(sentence)
        here = rest[: len(parts)]
        if len(here) == len(parts) and all(map(_shortens, parts, here)):
            rest = rest[len(parts) :]
        elif kind != "said" or is_guarded(sentence):
            return False
    return not rest


def _shortens(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether one is the other without some of its fillers."""
    rest = iter(before)
    for word in after:
        for other in rest:
            if other == word:
                break
            if other not in FILLERS:
                return False
        else:
            return False
    return all(one in FILLERS for one in rest)
