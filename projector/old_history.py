"""The old part of a step's history made smaller, group by group: results by reference, recorded steps as progress, discussion as a recap.

What is not old stays byte for byte: the newest messages, the newest exchange, an open one, the request. So do instructions, user turns that
state a constraint, whatever is more than text, and exchanges of which something could not be had again. Exchanges are changed or left out
whole. Segments of other providers (`Step.earlier`) are not looked at.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from evidence_store.model import EvidenceId, Packet, ProgressItem
from projector.compact import by_reference, is_reference, named_evidence, rewritten
from projector.constraints import MAX_SENTENCE_CHARS, ConstraintDetector, find_stated
from projector.dialects.forms import Dialect, Item, Part, text_part
from projector.errors import MalformedText
from projector.exchanges import Group, iter_groups
from projector.history import dialect_of
from projector.model import JsonObject, Step
from projector.ports import TokenCounter
from projector.recap import NO_RECAP, Recap, RecapDraft, RecapLine, Speaker, Summariser, format_line, format_recap, joined, parse_recap
from projector.recap_check import RefusedLine, settle
from projector.recorded import RECORDING_TOOL, find_claim, is_recording, items_of, merged
from projector.user_words import fit_turns
from projector.wording import sentences


@dataclass(frozen=True, slots=True)
class Account:
    """What was done to a history, by the names of its groups."""

    by_reference: tuple[str, ...] = ()
    """Calls whose results became references."""
    recorded: tuple[str, ...] = ()
    """Exchanges that progress items and claims stand for."""
    summarised: tuple[str, ...] = ()
    """Turns that the recap stands for."""
    pinned: tuple[str, ...] = ()
    """User turns that stay to the letter since they state a constraint, or are too long to tell."""
    refused: tuple[RefusedLine, ...] = ()
    """Of the summariser's answers."""
    n_attempts: int = 0
    """How often the summariser was asked."""
    added: Recap = NO_RECAP
    """The lines that the recap did not have before and the turns that joined it, under the labels of the whole."""

    def __add__(self, later: "Account") -> "Account":
        return Account(
            self.by_reference + later.by_reference,
            self.recorded + later.recorded,
            self.summarised + later.summarised,
            later.pinned,
            self.refused + later.refused,
            self.n_attempts + later.n_attempts,
            Recap(
                self.added.lines + later.added.lines,
                later.added.labels,
                self.added.n_turns + later.added.n_turns,
                self.added.n_left_out + later.added.n_left_out,
            ),
        )


@dataclass(frozen=True, slots=True)
class OldHistory:
    """A history and which groups of it are old."""

    step: Step
    dialect: Dialect
    n_before: int
    """Instructions at its beginning."""
    recap: Recap | None
    groups: tuple[Group, ...]
    """Oldest first."""
    old: frozenset[int]
    """Places in `groups`."""
    pinned: frozenset[int]
    """Those of user turns, old or not, that state a constraint."""

    @property
    def is_torn(self) -> bool:
        """Whether something in it had to be repaired: what is taken away beside that can make it whole."""
        return any(group.note or group.kind == "unusable" for group in self.groups)

    @property
    def first_place(self) -> int:
        """Place of the first of the step's own messages in the whole history."""
        return self.step.n_messages - len(self.step.messages)


def read_history(step: Step, keep_messages: int, detector: ConstraintDetector) -> OldHistory:
    """The history parted into what is old and what stays; the group that the boundary falls into stays whole."""
    dialect = dialect_of(step)
    first_place = step.n_messages - len(step.messages)
    items = [dialect.read(message, place) for place, message in enumerate(step.messages, first_place)]
    n_before = next((at for at, item in enumerate(items) if item.side != "instruction"), len(items))
    recap = _recap(items[n_before]) if n_before < len(items) else None
    start = n_before + (recap is not None)
    found = iter_groups(step.messages[start:], dialect, closing=step.closing, first_place=first_place + start)
    groups = tuple(reversed(tuple(found)))
    stays = _recent(groups, keep_messages)
    # a message that holds parts of two groups cannot leave with one of them
    held = Counter(place for group in groups for place in group.places)
    stays |= {
        at for at, one in enumerate(groups) if one.open_calls or one.kind == "unusable" or any(held[place] > 1 for place in one.places)
    }
    for kind in ("exchange", "user"):
        stays |= set([at for at, group in enumerate(groups) if group.kind == kind][-1:])
    pinned = frozenset(at for at, group in enumerate(groups) if group.kind == "user" and _is_pinned(group, dialect, detector))
    old = frozenset(range(len(groups))) - stays - pinned
    return OldHistory(step, dialect, n_before, recap, groups, old, pinned)


def _recap(item: Item) -> Recap | None:
    if item.side != "assistant" or not item.only_text:
        return None
    try:
        return parse_recap(item.text)
    except MalformedText:
        # somebody's words that begin like one
        return None


def _recent(groups: tuple[Group, ...], keep_messages: int) -> set[int]:
    stays: set[int] = set()
    n = 0
    for at in reversed(range(len(groups))):
        if n >= keep_messages:
            break
        n += len(groups[at].places)
        stays.add(at)
    return stays


def _is_pinned(group: Group, dialect: Dialect, detector: ConstraintDetector) -> bool:
    text = "\n".join(item.text for item in _items(group, dialect))
    # no detector looks at a sentence so long
    unread = any(len(sentence) > MAX_SENTENCE_CHARS for sentence in sentences(text))
    return unread or bool(find_stated("user", text, detector))


def _items(group: Group, dialect: Dialect) -> tuple[Item, ...]:
    return tuple(dialect.read(message, place) for message, place in zip(group.messages, group.places, strict=False))


@dataclass(frozen=True, slots=True)
class Shortened:
    """The step with its history made smaller."""

    step: Step
    account: Account


class Shortening:
    """Goes over an old history once."""

    def __init__(self, history: OldHistory, counter: TokenCounter, large_tokens: int, user_tokens: int) -> None:
        self._history = history
        self._dialect = history.dialect
        self._step = history.step
        self._counter = counter
        self._large = large_tokens
        self._user_tokens = user_tokens
        self._groups = list(history.groups)
        self._by_reference: list[str] = []
        self._claims = frozenset(claim.id for claim in history.step.claims)

    def run(self, summariser: Summariser) -> Shortened:
        """Duplicates and large results, then recorded steps, then discussion."""
        self._refer()
        progress, recorded = self._record()
        said = [at for at in sorted(self._history.old) if self._is_discussion(self._groups[at])]
        lines, n_left_out = self._fitted([line for at in sorted({*said, *recorded}) if (line := self._line(at)) is not None])
        settled = settle(RecapDraft(lines, self._labels(lines, max((*said, *recorded), default=-1))), summariser)
        recap = joined(self._history.recap, settled.draft, len(said), n_left_out) if said or lines else self._history.recap
        messages, results = self._written(recap, frozenset((*said, *recorded)))
        account = Account(
            tuple(self._by_reference),
            self._names(recorded),
            self._names(said),
            self._names(sorted(self._history.pinned)),
            settled.refused,
            settled.n_attempts,
            _added(self._history.recap, recap),
        )
        return Shortened(replace(self._step, messages=messages, progress=progress, results=results), account)

    def _names(self, places: list[int]) -> tuple[str, ...]:
        return tuple(self._groups[at].name for at in places)

    # Results by reference

    def _refer(self) -> None:
        """Newest first, so that of equal results the newest stays."""
        seen: set[str] = set()
        for at in reversed(range(len(self._groups))):
            group = self._groups[at]
            if at in self._history.old and group.kind == "exchange" and _is_whole(group):
                self._groups[at] = replace(group, items=self._referred(group, seen))
            seen |= {result.text for _, result in self._results(group)}

    def _referred(self, group: Group, seen: set[str]) -> tuple[Item, ...]:
        def line(call: str, result: Part) -> str | None:
            found = by_reference(result, self._step.results.get(call, ()))
            if found is None or not (result.text in seen or self._counter.count(result.text) > self._large):
                return None
            self._by_reference.append(call)
            return found

        return rewritten(group.items, group.bodies, self._dialect, line)

    def _results(self, group: Group) -> Iterator[tuple[str, Part]]:
        for body in group.bodies:
            yield body.call, group.items[body.at].results[body.part]

    # Recorded steps

    def _record(self) -> tuple[tuple[ProgressItem, ...], list[int]]:
        """The progress with what old calls recorded, and the old exchanges that are accounted for by it and by the claims."""
        exchanges = [at for at in sorted(self._history.old) if self._groups[at].kind == "exchange" and _is_whole(self._groups[at])]
        recordings = {at: found for at in exchanges if (found := tuple(self._recordings(self._groups[at])))}
        items = [item for at in exchanges for call in recordings.get(at, ()) if call.name == RECORDING_TOOL for item in items_of(call)]
        progress = merged(self._step.progress, items)
        named = frozenset(evidence for item in progress for evidence in item.evidence)
        named |= {citation.evidence for claim in self._step.claims for citation in claim.citations}
        last = max(recordings, default=-1)
        answered = {at: frozenset(call.call for call in calls) for at, calls in recordings.items()}
        return progress, [at for at in exchanges if at <= last and self._is_covered(self._groups[at], answered.get(at, frozenset()), named)]

    def _recordings(self, group: Group) -> Iterator[Part]:
        results = dict(self._results(group))
        for item in _items(group, self._dialect):
            for call in item.calls:
                result = results.get(call.call)
                if is_recording(call, result) or find_claim(call, result) in self._claims:
                    yield call

    def _is_covered(self, group: Group, recordings: frozenset[str], named: frozenset[EvidenceId]) -> bool:
        """Whether each result only said that it recorded, or can be had again from evidence that the progress or a claim names."""
        for call, result in self._results(group):
            packets = self._step.results.get(call, ())
            ids = named_evidence(result.text) if is_reference(result.text) else tuple(packet.id for packet in packets)
            if call not in recordings and not (ids and named.issuperset(ids)):
                return False
        # what else it says has to be words of the assistant, which go into the recap
        plain = all(part.kind != "other" and (item.side == "assistant" or part.kind == "result") for item, part in self._parts(group))
        return plain and len(group.bodies) == len(group.calls)

    def _parts(self, group: Group) -> Iterator[tuple[Item, Part]]:
        return ((item, part) for item in _items(group, self._dialect) for part in item.parts)

    # Discussion

    def _is_discussion(self, group: Group) -> bool:
        only_words = all(part.kind in ("text", "opaque") for _, part in self._parts(group))
        return only_words and group.kind in ("user", "assistant") and _is_whole(group)

    def _line(self, at: int) -> RecapLine | None:
        group = self._groups[at]
        side: Speaker = "user" if group.kind == "user" else "assistant"
        text = "\n".join(item.text for item in _items(group, self._dialect) if item.side == side)
        return RecapLine(group.name, "said", text, by=side) if text.strip() else None

    def _fitted(self, lines: list[RecapLine]) -> tuple[tuple[RecapLine, ...], int]:
        """The lines, those of users with what of them stands, and how many of their sentences do not."""
        standing = [line.text for line in (self._history.recap or NO_RECAP).lines if line.by == "user"]
        fitted = fit_turns([line.text for line in lines if line.by == "user"], standing, self._cost, self._user_tokens)
        texts = iter(fitted.texts)
        shortened = (replace(line, text=next(texts)) if line.by == "user" else line for line in lines)
        return tuple(line for line in shortened if line.text), fitted.n_left_out

    def _cost(self, sentence: str) -> int:
        return self._counter.count(format_line(RecapLine("", "said", sentence, by="user")) + "\n")

    def _labels(self, lines: tuple[RecapLine, ...], newest: int) -> tuple[str, ...]:
        """Of all that stood before the newest of the turns: whoever spoke had read it. And of what the lines name."""
        if not lines:
            return ()
        read = {call for group in self._groups[: newest + 1] for call in group.calls}
        packets = [packet for call, found in self._step.results.items() if call in read for packet in found]
        given = [one for one in self._step.evidence if isinstance(one, Packet)]
        given += [packet for found in self._step.results.values() for packet in found]
        packets += [packet for packet in given if any(packet.id in line.text for line in lines)]
        return tuple(sorted({label for packet in packets for label in packet.labels}))

    # The new list

    def _written(self, recap: Recap | None, gone: frozenset[int]) -> tuple[tuple[JsonObject, ...], Mapping[str, tuple[Packet, ...]]]:
        history, first = self._history, self._history.first_place
        n_before = history.n_before
        kept = dict(enumerate(self._step.messages))
        if history.recap is not None:
            del kept[n_before]
        for at in history.old:
            group = self._groups[at]
            if at in gone:
                for place in group.places:
                    del kept[place - first]
            elif _is_whole(group) and group.messages != history.groups[at].messages:
                kept |= {place - first: message for place, message in zip(group.places, group.messages, strict=True)}
        said = self._dialect.write("assistant", (text_part(format_recap(recap)),)) if recap is not None else ()
        before = [place for place in kept if place < n_before]
        after = [place for place in kept if place >= n_before]
        messages = (*(kept[place] for place in before), *said, *(kept[place] for place in after))
        moved = {place: n_before + len(said) + n for n, place in enumerate(after)}
        return messages, self._renamed(kept, moved)

    def _renamed(self, kept: Mapping[int, JsonObject], moved: Mapping[int, int]) -> Mapping[str, tuple[Packet, ...]]:
        """Calls without an id are named by their place, and some places are others now."""
        first = self._history.first_place
        names: dict[str, str] = {}
        for old, new in moved.items():
            calls = (self._dialect.read(kept[old], place + first).calls for place in (old, new))
            names |= {was.call: now.call for was, now in zip(*calls, strict=True) if was.call != now.call}
        if not names:
            return self._step.results
        others = {call: found for call, found in self._step.results.items() if call not in names and call not in names.values()}
        return others | {now: self._step.results[was] for was, now in names.items() if was in self._step.results}


def _added(before: Recap | None, after: Recap | None) -> Recap:
    """What a recap has beyond the one before: new lines stand at its end."""
    before, after = before or NO_RECAP, after or NO_RECAP
    return Recap(after.lines[len(before.lines) :], after.labels, after.n_turns - before.n_turns, after.n_left_out - before.n_left_out)


def _is_whole(group: Group) -> bool:
    """Whether the group stands in the list as it is, and nothing had to be repaired."""
    return not group.note and len(group.messages) == len(group.places)
