"""The turns that an input keeps: the exchange that must stand, recent ones as there is room, results given back where some is left."""

from collections.abc import Collection, Iterator

from evidence_store.model import EvidenceId
from projector.dialogue import BY_REFERENCE, Dialogue, Passage
from projector.exchanges import Group
from projector.fitted import Material
from projector.layout import gap
from projector.measure import Measure
from projector.pack import KEPT_FREE, MAX_MISSES, NO_ROOM, Room

GAPS = "in place of turns left out"
NOT_PERMITTED = "names evidence that is not available"


class Turns:
    """Takes the turns of one dialogue into one room, once."""

    def __init__(self, material: Material, measure: Measure, dialogue: Dialogue, room: Room) -> None:
        self._material = material
        self._dialogue = dialogue
        self._room = room
        self.gap_tokens = measure.message(gap(material.dialect))
        """Of the message that stands where turns were left out, in forms that need one."""
        self.rescued: list[EvidenceId] = []
        """Of results that cannot be sent as such."""
        self.forbidden = ""
        """Names an open exchange that may not be shown."""
        self.open: Passage | None = None
        self.newest: Passage | None = None
        """The newest closed exchange, where none is open."""
        self._later: list[Passage] = []
        """Turns after the newest exchange, newest first."""
        self._recent: list[Passage] = []
        """Taken, newest first."""
        self._missed = False
        """Whether a turn was left out that would have fitted nowhere: then nothing is said of those further back."""
        self._shown: dict[tuple[int, ...], frozenset[EvidenceId]] = {}
        """Evidence that a kept exchange shows in full, by its places."""

    def in_full(self) -> frozenset[EvidenceId]:
        """Evidence that kept exchanges show in full."""
        return frozenset().union(*self._shown.values())

    def in_full_in(self, passage: Passage) -> frozenset[EvidenceId]:
        """Evidence that this one of the kept exchanges shows in full."""
        return self._shown[passage.group.places]

    def closed(self) -> tuple[Passage, ...]:
        """All that was taken but the open exchange, oldest first."""
        taken = (one for one in (self.newest, *self._recent) if one is not None)
        return tuple(sorted(taken, key=lambda one: one.group.places))

    def require_exchange(self) -> None:
        """The open exchange, or else the newest closed one; turns after it are part of what is recent."""
        while (group := self._dialogue.take()) is not None:
            if group.kind == "unusable":
                self._leave_unusable(group, group.note)
            elif not self._dialogue.may_stand(group):
                self.forbidden = self.forbidden or (group.name if group.open_calls else "")
                self._leave_unusable(group, NOT_PERMITTED)
            elif group.kind != "exchange":
                self._later.append(self._dialogue.passage(group, frozenset()))
            elif group.open_calls:
                self.open = self._kept(self._dialogue.passage(group, frozenset()))
                self._room.require("open_exchange", group.name, self.open.tokens, self.open.note)
                return
            else:
                passage = self._dialogue.passage(group, frozenset())
                if passage.tokens > self._room.left and self._material.chosen.strategy.may_externalise:
                    passage = self._dialogue.shorter(passage) or passage
                self.newest = self._kept(passage)
                self._room.require("dialogue", group.name, passage.tokens, passage.note)
                return
            if len(self._later) + len(self._room.omitted) > MAX_MISSES:
                # no exchange near the end: then none is the newest in any sense that matters
                return

    def fill(self, limit: int, shown: Collection[EvidenceId], *, passing_over: bool) -> None:
        """Recent turns, newest first. At first up to the one that does not fit; later also beyond it, for a while.

        `shown` is evidence that stands outside the dialogue.
        """
        misses = 0
        while misses < self._room.max_misses(limit) and min(limit, self._room.left) > 0:
            passage = self._later.pop(0) if self._later else None
            group = self._next_group() if passage is None else passage.group
            if group is None:
                return
            if passage is None and (misses < MAX_MISSES or self._dialogue.looks_small(group, self._room.left)):
                passage = self._dialogue.passage(group, self.in_full().union(shown))
            fits = passage is not None and (passing_over or self._dialogue.is_recent(group))
            taken = self._fitting(passage, limit) if passage is not None and fits else None
            if taken is not None:
                limit -= taken.tokens
                self._recent.append(self._kept(taken))
                continue
            misses += 1
            if passage is not None and not passing_over:
                self._later.insert(0, passage)
                return
            tokens = None if passage is None else passage.tokens
            self._leave_out(group, tokens)

    def restore(self, shown: Collection[EvidenceId]) -> None:
        """Results that were taken by reference, in full again where there is room after all: of the newest exchange first."""
        if self.newest is not None:
            self.newest = self._restored(self.newest, shown)
        for place, short in enumerate(self._recent):
            self._recent[place] = self._restored(short, shown)

    def leave_rest(self) -> None:
        """Names what was not taken."""
        for passage in self._later:
            self._leave_out(passage.group, passage.tokens)
        more = self._room.is_kept_free and not self._missed
        self._room.leave("dialogue", self._dialogue.rest(), None, KEPT_FREE if more else "not reached")

    def _leave_out(self, group: Group, tokens: int | None) -> None:
        reason = NO_ROOM if tokens is None else self._room.why_left(tokens)
        self._missed = self._missed or reason == NO_ROOM
        self._room.leave("dialogue", (group.name,), tokens, reason)

    def _kept(self, passage: Passage) -> Passage:
        self._shown[passage.group.places] = self._dialogue.in_full(passage)
        return passage

    def _leave_unusable(self, group: Group, note: str) -> None:
        """Its results are not sent as such; their packets stand as evidence when they are not there already."""
        self._room.leave("dialogue", (group.name,), None, note)
        known = self._material.collected.packets
        found = [packet.id for call in group.calls for packet in self._material.step.results.get(call, ())]
        self.rescued += [evidence for evidence in found if evidence in known]

    def _restored(self, short: Passage, shown: Collection[EvidenceId]) -> Passage:
        if BY_REFERENCE not in short.note or self._room.left <= 0:
            return short
        found = self._dialogue.longer(short, self.in_full().union(shown), self._room.left)
        if found.tokens <= short.tokens or not self._room.swap("dialogue", short.group.name, found.tokens, found.note):
            return short
        return self._kept(found)

    def _next_group(self) -> Group | None:
        while (group := self._dialogue.take()) is not None:
            if group.kind == "unusable":
                self._leave_unusable(group, group.note)
            elif not self._dialogue.may_stand(group):
                self._leave_unusable(group, NOT_PERMITTED)
            else:
                return group
        return None

    def _fitting(self, passage: Passage, limit: int) -> Passage | None:
        """The passage, or else the same with all results by reference, when it fits."""
        gap_tokens = self.gap_tokens if passage.group.kind == "assistant" and self._material.dialect.traits.user_between else 0
        for form in self._forms(passage):
            if self._room.take("dialogue", form.group.name, form.tokens, limit=min(limit, self._room.left) - gap_tokens, note=form.note):
                if gap_tokens:
                    # what stood behind it may be left out
                    self._room.require("dialogue", GAPS, gap_tokens)
                return form
        return None

    def _forms(self, passage: Passage) -> Iterator[Passage]:
        yield passage
        if (short := self._dialogue.shorter(passage)) is not None:
            yield short
