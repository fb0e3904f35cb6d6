"""The stage that fits a step into its budget: what must stand first, then pieces in their order of claim, then whatever still fits.

Order of claim: task and tool rules (the fixed part); an open exchange or the newest one, and what is needed; this step's evidence; an
index line for each fact, open question and exclusion in use; recent dialogue; background; then the rest of each, while there is
room. Sections further back have floors, so that much evidence cannot crowd out every fact; an unused floor flows on.
"""

from dataclasses import replace

from evidence_store.model import MASKED, EvidenceId, Packet, ProgressItem, ProgressState
from projector.candidates import prepare
from projector.dialogue import BY_REFERENCE, Dialogue, Passage
from projector.fitted import Fitted, Forbidden, Material, Overfull
from projector.layout import Layout, background_line, evidence_block, gap, progress_counts, with_gaps
from projector.lines import Block, InUse, block_name, blocks, claims_text, visible
from projector.measure import Measure
from projector.model import Candidate, Kept, Withheld
from projector.pack import MAX_MISSES, Room, Shelf, demand, fill, leave
from projector.rejudge import NOT_AVAILABLE
from projector.render.sections import (
    CLAIM_SECTIONS,
    EVIDENCE_END,
    EVIDENCE_HEAD,
    ClaimSection,
    ProgressText,
    format_background_line,
    format_claim_line,
    format_claims,
    format_needs,
    format_progress,
    format_progress_item,
    format_request,
)

# Shares of the dynamic budget, in percent: at most for dialogue and background before all else had its turn, at least for the others.
DIALOGUE_SHARE = 25
BACKGROUND_SHARE = 10
CANDIDATE_SHARE = 5
FLOORS: dict[ClaimSection, int] = {"facts": 10, "open": 5, "excluded": 5}
PROGRESS_FLOOR = 5
# Subjects being worked on stand before all else, but a step that works on hundreds at once still has to leave room for its evidence.
DOING_SHARE = 25
GAPS = "in place of turns left out"
_BASE = ("[progress]\n", EVIDENCE_HEAD, EVIDENCE_END)
# What is open is told before what is settled: a question that nobody sees is not answered.
REST_ORDER: tuple[ClaimSection, ...] = ("open", "facts", "excluded")
NOT_PERMITTED = "names evidence that is not available"
# In the order of the section; what is done or excluded is only counted.
SHOWN_STATES = (ProgressState.DOING, ProgressState.TODO, ProgressState.BLOCKED)


class Fit:
    """Fills one room, once."""

    def __init__(self, material: Material, measure: Measure, dialogue: Dialogue) -> None:
        self._material = material
        self._measure = measure
        self._dialogue = dialogue
        self._dynamic = material.dynamic_tokens
        self._room = Room(self._dynamic)
        self._items = tuple(visible(item, material.permitted) for item in material.step.progress)
        self._blocks = blocks(material.judged)
        self._progress: list[ProgressItem] = []
        self._claims: dict[ClaimSection, list[Block]] = {name: [] for name in CLAIM_SECTIONS}
        self._packets: list[EvidenceId] = []
        self._background: list[Candidate] = []
        self._candidates = prepare(material.step.candidates)
        self._rescued: list[EvidenceId] = []
        """Of results that cannot be sent as such."""
        self._forbidden = ""
        self._open: Passage | None = None
        self._newest: Passage | None = None
        self._later: list[Passage] = []
        """Turns after the newest exchange, newest first."""
        self._recent: list[Passage] = []
        """Taken, newest first."""
        packets = material.collected.packets
        self._progress_shelf = Shelf[ProgressItem].of(
            "progress", lambda item: item.subject, lambda item: measure.piece(f"- {format_progress_item(item)}\n")
        )
        self._frame = measure.message(material.dialect.sections("".join(_BASE[:2]), (), _BASE[2]))
        """Of the user message with the first lines of progress and evidence, and the last of evidence."""
        self._gap = measure.message(gap(material.dialect))
        self._packet_shelf = Shelf[EvidenceId].of("evidence", str, lambda evidence: self._price_packet(packets[evidence]))
        self._background_shelf = Shelf[Candidate].of(
            "background",
            lambda one: one.source or one.text[:40],
            lambda one: measure.piece(f"- {format_background_line(background_line(one))}\n"),
        )
        self._claim_shelves = {name: Shelf[Block].of(name, block_name, self._price_block) for name in CLAIM_SECTIONS}

    def run(self) -> Fitted | Overfull | Forbidden:
        """Fills the room; Overfull when what must stand does not fit, Forbidden when it may not be shown."""
        self._require_sections()
        self._require_exchange()
        if self._forbidden:
            return Forbidden(self._forbidden)
        self._require_needed()
        if self._room.left < 0:
            return self._overfull()
        self._fill_in_order()
        self._fill_the_rest()
        return self._fitted()

    # What must stand

    def _require_sections(self) -> None:
        require, piece = self._room.require, self._measure.piece
        require("request", "frame of the message", self._frame - sum(map(piece, _BASE)))
        if self._material.dialect.traits.user_between:
            require("dialogue", GAPS, self._gap)
        empty = format_progress(ProgressText((), progress_counts(self._items)))
        require("progress", "section", piece("[progress]\n") + piece(empty.removeprefix("[progress]\n")))
        for name in CLAIM_SECTIONS:
            require(name, "section", self._price_section(name))
        if self._material.collected.unmet:
            require("needs", "section", piece(format_needs(self._material.collected.unmet)))
        require("evidence", "section", piece(EVIDENCE_HEAD) + piece(EVIDENCE_END))
        require("request", "request", piece(format_request(self._material.request)))
        doing = [item for item in self._items if item.state is ProgressState.DOING]
        self._progress += fill(self._room, self._progress_shelf, doing, self._share(DOING_SHARE)).taken

    def _price_packet(self, packet: Packet) -> int:
        """By difference, since forms have blocks of their own for evidence."""
        return self._measure.message(self._material.dialect.sections("".join(_BASE[:2]), (evidence_block(packet),), _BASE[2])) - self._frame

    def _price_block(self, block: Block) -> int:
        return self._measure.piece("".join(f"- {format_claim_line(line)}\n" for line in block.lines))

    def _price_section(self, name: ClaimSection) -> int:
        """Head and tail of a section, without its lines."""
        text = replace(claims_text(name, self._blocks[name], frozenset(self._claims[name])), lines=())
        head = f"[{name}]\n"
        return self._measure.piece(head) + self._measure.piece(format_claims(name, text).removeprefix(head))

    def _require_exchange(self) -> None:
        """The open exchange, or else the newest closed one; turns after it are part of what is recent."""
        while (group := self._dialogue.take()) is not None:
            if group.kind == "unusable":
                self._leave_unusable(group.name, group.note, group.calls)
            elif not self._dialogue.may_stand(group):
                self._forbidden = self._forbidden or (group.name if group.open_calls else "")
                self._leave_unusable(group.name, NOT_PERMITTED, group.calls)
            elif group.kind != "exchange":
                self._later.append(self._dialogue.passage(group, frozenset()))
            elif group.open_calls:
                self._open = self._dialogue.passage(group, frozenset())
                self._room.require("open_exchange", group.name, self._open.tokens, self._open.note)
                return
            else:
                passage = self._dialogue.passage(group, frozenset())
                if passage.tokens > self._room.left and self._material.step.strategy == "externalise":
                    passage = self._dialogue.passage(group, frozenset(), referring=True)
                self._newest = passage
                self._room.require("dialogue", group.name, passage.tokens, passage.note)
                return
            if len(self._later) + len(self._room.omitted) > MAX_MISSES:
                # no exchange near the end: then none is the newest in any sense that matters
                return

    def _leave_unusable(self, name: str, note: str, calls: tuple[str, ...]) -> None:
        """Its results are not sent as such; their packets stand as evidence when they are not there already."""
        self._room.leave("dialogue", (name,), None, note)
        known = self._material.collected.packets
        found = [packet.id for call in calls for packet in self._material.step.results.get(call, ())]
        self._rescued += [evidence for evidence in found if evidence in known]

    def _require_needed(self) -> None:
        shown = self._in_full()
        for evidence in self._material.collected.needed:
            if evidence not in shown:
                self._room.require("evidence", evidence, self._packet_shelf.tokens(evidence), "needed")
                self._packets.append(evidence)

    def _in_full(self) -> frozenset[EvidenceId]:
        """Evidence that kept exchanges show in full."""
        passages = [passage for passage in (self._open, self._newest, *self._recent) if passage is not None]
        return frozenset().union(*(passage.in_full for passage in passages))

    def _overfull(self) -> Overfull:
        return Overfull(
            must_tokens=self._dynamic - self._room.left,
            room_tokens=self._dynamic,
            open_exchange=self._open,
            newest=self._newest,
            needed=tuple((evidence, self._packet_shelf.tokens(evidence)) for evidence in self._packets),
            needed_in_full={one: self._packet_shelf.tokens(one) for one in self._material.collected.needed if one not in self._packets},
            kept=tuple(self._room.kept),
        )

    # What fits, in order of claim

    def _fill_in_order(self) -> None:
        step = self._material.step
        in_use = InUse(step, self._material.collected)
        used = {name: tuple(filter(in_use, self._blocks[name])) for name in CLAIM_SECTIONS}
        todo = tuple(item for item in self._items if item.state is ProgressState.TODO)
        floors = {name: demand(self._claim_shelves[name], used[name], self._share(FLOORS[name])) for name in CLAIM_SECTIONS}
        floor_todo = demand(self._progress_shelf, todo, self._share(PROGRESS_FLOOR))
        self._fill_evidence(sum(floors.values()) + floor_todo)
        for name in CLAIM_SECTIONS:
            floors[name] = 0
            limit = self._room.left - sum(floors.values()) - floor_todo
            self._claims[name] += fill(self._room, self._claim_shelves[name], used[name], limit).taken
        self._progress += fill(self._room, self._progress_shelf, todo, self._share(PROGRESS_FLOOR)).taken
        self._fill_evidence(0)
        self._fill_recent(self._share(DIALOGUE_SHARE), passing_over=False)
        self._fill_background(self._share(BACKGROUND_SHARE))

    def _fill_the_rest(self) -> None:
        taken = frozenset(self._progress)
        rest = [item for state in SHOWN_STATES for item in self._items if item.state is state and item not in taken]
        items = fill(self._room, self._progress_shelf, rest, self._room.left)
        self._progress += items.taken
        leave(self._room, self._progress_shelf, items.left)
        for name in REST_ORDER:
            listed = frozenset(self._claims[name])
            others = [block for block in self._blocks[name] if block not in listed]
            filled = fill(self._room, self._claim_shelves[name], others, self._room.left)
            self._claims[name] += filled.taken
            leave(self._room, self._claim_shelves[name], filled.left)
        self._fill_recent(self._room.left, passing_over=True)
        self._fill_background(self._room.left)
        self._fill_evidence(0)
        self._restore_recent()
        self._account()

    def _restore_recent(self) -> None:
        """Exchanges that were taken by reference, whole again where there is room after all, the newest first."""
        for place, short in enumerate(self._recent):
            if BY_REFERENCE in short.note:
                whole = self._dialogue.passage(short.group, self._in_full().union(self._packets))
                if whole.tokens > short.tokens and self._room.swap("dialogue", short.group.name, whole.tokens, whole.note):
                    self._recent[place] = whole

    def _share(self, percent: int) -> int:
        return self._dynamic * percent // 100

    def _wanted(self) -> tuple[EvidenceId, ...]:
        shown = self._in_full().union(self._packets)
        return tuple(dict.fromkeys(one for one in (*self._material.collected.wanted, *self._rescued) if one not in shown))

    def _fill_evidence(self, kept_free: int) -> None:
        self._packets += fill(self._room, self._packet_shelf, self._wanted(), self._room.left - kept_free).taken

    def _fill_background(self, limit: int) -> None:
        frame = 0 if self._background else self._measure.piece("[background]\n") + self._measure.piece("[end background]\n")
        cap = self._share(CANDIDATE_SHARE)
        left = [one for one in self._candidates.ready if one not in self._background]
        fitting = [one for one in left if self._background_shelf.tokens(one) <= cap] if limit > frame else []
        taken = fill(self._room, self._background_shelf, fitting, min(limit, self._room.left) - frame).taken
        if taken and frame:
            self._room.require("background", "section", frame)
        self._background += taken

    def _fill_recent(self, limit: int, *, passing_over: bool) -> None:
        """Recent turns, newest first. At first up to the one that does not fit; later also beyond it, for a while."""
        misses = 0
        while misses < MAX_MISSES and min(limit, self._room.left) > 0:
            passage = self._next_passage()
            if passage is None:
                return
            taken = self._fitting(passage, limit)
            if taken is None:
                misses += 1
                if not passing_over:
                    self._later.insert(0, passage)
                    return
                self._room.leave("dialogue", (passage.group.name,), passage.tokens, "no room")
                continue
            limit -= taken.tokens
            self._recent.append(taken)

    def _next_passage(self) -> Passage | None:
        if self._later:
            return self._later.pop(0)
        shown = self._in_full().union(self._packets)
        while (group := self._dialogue.take()) is not None:
            if group.kind == "unusable":
                self._leave_unusable(group.name, group.note, group.calls)
            elif not self._dialogue.may_stand(group):
                self._leave_unusable(group.name, NOT_PERMITTED, group.calls)
            else:
                return self._dialogue.passage(group, shown)
        return None

    def _fitting(self, passage: Passage, limit: int) -> Passage | None:
        """The passage, or else the same with all results by reference, when it fits."""
        gap_tokens = self._gap if passage.group.kind == "assistant" and self._material.dialect.traits.user_between else 0
        for form in (passage, self._dialogue.passage(passage.group, frozenset(), referring=True)):
            if self._room.take("dialogue", form.group.name, form.tokens, limit=min(limit, self._room.left) - gap_tokens, note=form.note):
                if gap_tokens:
                    # what stood behind it may be left out
                    self._room.require("dialogue", GAPS, gap_tokens)
                return form
        return None

    # The account

    def _account(self) -> None:
        room, collected = self._room, self._material.collected
        leave(room, self._packet_shelf, self._wanted())
        shown = self._in_full()
        room.leave("evidence", (one for one in (*collected.needed, *collected.wanted) if one in shown), 0, "shown in full in the dialogue")
        room.leave("evidence", collected.missing, None, "not available")
        reasons = dict.fromkeys(left.reason for left in self._material.judged.left)
        for reason in reasons:
            room.leave("facts", (left.id for left in self._material.judged.left if left.reason == reason), None, reason)
        leave(room, self._background_shelf, [one for one in self._candidates.ready if one not in self._background])
        leave(room, self._background_shelf, self._candidates.below, "its scorer thinks little of it")
        leave(room, self._background_shelf, self._candidates.repeated, "says what another one says")
        for passage in self._later:
            room.leave("dialogue", (passage.group.name,), passage.tokens, "no room")
        rest = self._dialogue.rest()
        if rest:
            room.leave("dialogue", rest, None, "not reached")

    def _fitted(self) -> Fitted:
        collected = self._material.collected
        claims = {name: claims_text(name, self._blocks[name], frozenset(self._claims[name])) for name in CLAIM_SECTIONS}
        # the rest is counted in the sections' last lines, which are known only now
        prices = {name: self._price_section(name) for name in CLAIM_SECTIONS}
        dialogue = sorted((one for one in (self._newest, *self._recent) if one is not None), key=lambda one: one.group.places)
        shown = tuple(passage.messages for passage in dialogue)
        n_gaps = len(with_gaps(shown, self._material.dialect)) - sum(map(len, shown))
        kept = [
            replace(line, tokens=prices[line.section]) if line.name == "section" and line.section in prices else line
            for line in self._room.kept
            if line.name != GAPS
        ]
        kept += [Kept("dialogue", GAPS, n_gaps * self._gap)] if n_gaps else []
        listed = frozenset(self._progress)
        items = tuple(item for state in SHOWN_STATES for item in self._items if item.state is state and item in listed)
        asked = dict.fromkeys((*collected.needed, *collected.wanted, *self._rescued))
        packets = tuple(evidence for evidence in asked if evidence in self._packets)
        exchanges = (*dialogue, self._open) if self._open else tuple(dialogue)
        named = [*packets, *(one for item in items for one in item.evidence)]
        named += [one for name in CLAIM_SECTIONS for line in claims[name].lines for one in line.evidence]
        named += [one for passage in exchanges for one in passage.evidence]
        layout = Layout(
            opening=self._material.opening,
            dialogue=shown,
            progress=ProgressText(items, progress_counts(self._items)),
            facts=claims["facts"],
            open=claims["open"],
            excluded=claims["excluded"],
            needs=collected.unmet,
            packets=tuple(collected.packets[evidence] for evidence in packets),
            background=tuple(self._background),
            request=self._material.request,
            open_exchange=self._open.messages if self._open else (),
        )
        return Fitted(
            layout=layout,
            kept=tuple(kept),
            omitted=tuple(self._room.omitted),
            evidence=packets,
            in_exchanges=tuple(dict.fromkeys(one for passage in exchanges for one in passage.evidence if one in passage.in_full)),
            cited=tuple(dict.fromkeys(named)),
            open_calls=self._open.group.open_calls if self._open else (),
            withheld=Withheld(
                not_available=len(collected.missing),
                masked=sum(MASKED in collected.packets[evidence].transforms for evidence in packets),
                claims=sum(left.reason == NOT_AVAILABLE for left in self._material.judged.left),
                results=sum(passage.n_withheld for passage in exchanges),
            ),
        )
