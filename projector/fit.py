"""The stage that fits a step into its budget: what must stand first, then pieces in their order of claim, then whatever still fits.

Order of claim: task and tool rules (the fixed part); an open exchange or the newest one, and what is needed; in the strategy's order
this step's evidence, an index line for each fact, open question and exclusion in use, recent dialogue, background; last the rest of
each. Sections further back have floors, so that much evidence cannot crowd out every fact; an unused floor flows on.
"""

from collections.abc import Sequence
from dataclasses import replace

from evidence_store.model import MASKED, ClaimView, EvidenceId, Packet, ProgressItem, ProgressState
from projector.candidates import prepare
from projector.collect import several_revisions
from projector.dialogue import Dialogue
from projector.evidence_blocks import evidence_block
from projector.fitted import Fitted, Forbidden, Material, Overfull
from projector.layout import Layout, background_line, progress_counts, with_gaps
from projector.lines import Block, Blocks, block_name, blocks, blocks_in_use, claims_text
from projector.measure import Measure
from projector.model import Candidate, Kept
from projector.naming import visible_claims
from projector.pack import Room, Shelf, demand, fill, fill_equally, leave
from projector.pages import pages_of
from projector.rejudge import NOT_AVAILABLE
from projector.render.claim_pages import format_recorded_claim
from projector.render.sections import (
    CLAIM_SECTIONS,
    EVIDENCE_END,
    EVIDENCE_HEAD,
    ClaimSection,
    ClaimsText,
    ProgressText,
    format_background_line,
    format_claim_line,
    format_claims,
    format_needs,
    format_progress,
    format_progress_item,
    format_request,
)
from projector.strategy import Claimant
from projector.turns import GAPS, Turns

_BASE = ("[progress]\n", EVIDENCE_HEAD, EVIDENCE_END)
# What is open is told before what is settled: a question that nobody sees is not answered.
REST_ORDER: tuple[ClaimSection, ...] = ("open", "facts", "excluded")
OVER_SHARE = "larger than one piece may be"
# In the order of the section; what is done or excluded is only counted.
SHOWN_STATES = (ProgressState.DOING, ProgressState.TODO, ProgressState.BLOCKED)


class Fit:
    """Fills one room, once."""

    def __init__(self, material: Material, measure: Measure, dialogue: Dialogue) -> None:
        self._material = material
        self._measure = measure
        self._strategy = material.chosen.strategy
        self._dynamic = material.dynamic_tokens
        self._room = Room(self._dynamic)
        self._turns = Turns(material, measure, dialogue, self._room)
        self._items = material.step.progress
        self._blocks = blocks(material.judged)
        self._pages = pages_of(visible_claims(material.step.claims, material.permitted), self._price_recorded, self._dynamic)
        self._progress: list[ProgressItem] = []
        self._claims: dict[ClaimSection, list[Block]] = {name: [] for name in CLAIM_SECTIONS}
        self._packets: list[EvidenceId] = []
        self._background: list[Candidate] = []
        self._candidates = prepare(material.step.candidates)
        packets = material.collected.packets
        self._progress_shelf = Shelf[ProgressItem].of(
            "progress", lambda item: item.subject, lambda item: measure.piece(f"- {format_progress_item(item)}\n")
        )
        self._frame = measure.message(material.dialect.sections("".join(_BASE[:2]), (), _BASE[2]))
        """Of the user message with the first lines of progress and evidence, and the last of evidence."""
        self._packet_shelf = Shelf[EvidenceId].of("evidence", str, lambda evidence: self._price_packet(packets.get(evidence)))
        self._background_shelf = Shelf[Candidate].of(
            "background",
            lambda one: one.source or one.text[:40],
            lambda one: measure.piece(f"- {format_background_line(background_line(one))}\n"),
        )
        self._claim_shelves = {name: Shelf[Block].of(name, block_name, self._price_block) for name in CLAIM_SECTIONS}

    def run(self) -> Fitted | Overfull | Forbidden:
        """Fills the room; Overfull when what must stand does not fit, Forbidden when it may not be shown."""
        self._require_sections()
        self._turns.require_exchange()
        if self._turns.forbidden:
            return Forbidden(self._turns.forbidden)
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
            require("dialogue", GAPS, self._turns.gap_tokens)
        empty = format_progress(ProgressText((), progress_counts(self._items)))
        require("progress", "section", piece("[progress]\n") + piece(empty.removeprefix("[progress]\n")))
        for name in CLAIM_SECTIONS:
            require(name, "section", self._price_section(name))
        if self._material.collected.unmet:
            require("needs", "section", piece(format_needs(self._material.collected.unmet)))
        require("evidence", "section", piece(EVIDENCE_HEAD) + piece(EVIDENCE_END))
        require("request", "request", piece(format_request(self._material.request)))
        doing = [item for item in self._items if item.state is ProgressState.DOING]
        # a step that works on hundreds at once still has to leave room for its evidence
        self._progress += fill(self._room, self._progress_shelf, doing, self._share(self._strategy.doing_share)).taken

    def _price_packet(self, packet: Packet) -> int:
        """By difference, since forms have blocks of their own for evidence."""
        return self._measure.message(self._material.dialect.sections("".join(_BASE[:2]), (evidence_block(packet),), _BASE[2])) - self._frame

    def _price_block(self, block: Block) -> int:
        return self._measure.piece("".join(f"- {format_claim_line(line)}\n" for line in block.lines))

    def _price_section(self, name: ClaimSection) -> int:
        """Head and tail of a section, without its lines."""
        text = replace(self._claims_text(name), lines=())
        head = f"[{name}]\n"
        return self._measure.piece(head) + self._measure.piece(format_claims(name, text).removeprefix(head))

    def _claims_text(self, name: ClaimSection) -> ClaimsText:
        return claims_text(name, self._blocks[name], frozenset(self._claims[name]), self._pages)

    def _price_recorded(self, claim: ClaimView) -> int:
        """As a line of what `list_claims` answers."""
        return self._measure.piece(f"{format_recorded_claim(claim)}\n")

    def _require_needed(self) -> None:
        shown = self._turns.in_full()
        for evidence in self._material.collected.needed:
            if evidence not in shown:
                self._room.require("evidence", evidence, self._packet_shelf.tokens(evidence), "needed")
                self._packets.append(evidence)

    def _overfull(self) -> Overfull:
        return Overfull(
            must_tokens=self._dynamic - self._room.left,
            room_tokens=self._dynamic,
            open_exchange=self._turns.open,
            newest=self._turns.newest,
            needed=tuple((evidence, self._packet_shelf.tokens(evidence)) for evidence in self._packets),
            needed_in_full={one: self._packet_shelf.tokens(one) for one in self._material.collected.needed if one not in self._packets},
            kept=tuple(self._room.kept),
        )

    # What fits, in order of claim

    def _fill_in_order(self) -> None:
        order, used = self._strategy.order, blocks_in_use(self._material.step, self._material.collected, self._blocks)
        todo = tuple(item for item in self._items if item.state is ProgressState.TODO)
        with_floor = tuple(filter(self._strategy.floor, order))
        kept_free = {claimant: self._demand(claimant, used, todo) for claimant in with_floor}
        for place, claimant in enumerate(order):
            kept_free.pop(claimant, None)
            spare = self._material.spare_tokens if claimant in ("dialogue", "background") else 0
            self._room.left -= spare
            self._fill_one(claimant, used, todo, sum(kept_free.values()))
            self._room.left += spare
            if claimant in with_floor[-1:] and "evidence" in order[: place + 1]:
                # what of the floors was not used
                self._fill_evidence(0)
        self._room.set_aside(self._material.spare_tokens)

    def _demand(self, claimant: Claimant, used: Blocks, todo: Sequence[ProgressItem]) -> int:
        """How much of its floor a claimant would use. Of turns that is not known before they are read."""
        floor = self._share(self._strategy.floor(claimant))
        match claimant:
            case "facts" | "open" | "excluded":
                return demand(self._claim_shelves[claimant], used[claimant], floor)
            case "progress":
                return demand(self._progress_shelf, todo, floor)
            case "evidence":
                return demand(self._packet_shelf, self._wanted(), floor)
            case "dialogue" | "background":
                return floor

    def _fill_one(self, claimant: Claimant, used: Blocks, todo: Sequence[ProgressItem], kept_free: int) -> None:
        room, strategy = self._room, self._strategy
        match claimant:
            case "facts" | "open" | "excluded":
                self._fill_claims(claimant, used[claimant], room.left - kept_free)
            case "progress":
                self._progress += fill(room, self._progress_shelf, todo, self._limit(strategy.progress_floor, kept_free)).taken
            case "evidence":
                found = several_revisions(self._material.collected.packets.find_all((*self._packets, *self._wanted())))
                floor = self._share(strategy.evidence_floor)
                self._packets += fill_equally(room, self._packet_shelf, found, self._packets, min(floor, room.left - kept_free))
                self._fill_evidence(kept_free)
            case "dialogue":
                self._turns.fill(self._limit(strategy.dialogue_share, kept_free), self._packets, passing_over=False)
            case "background":
                self._fill_background(self._limit(strategy.background_share, kept_free))

    def _limit(self, percent: int, kept_free: int) -> int:
        share = self._share(percent)
        return min(share, self._room.left - kept_free) if kept_free else share

    def _fill_the_rest(self) -> None:
        taken = frozenset(self._progress)
        rest = [item for state in SHOWN_STATES for item in self._items if item.state is state and item not in taken]
        items = fill(self._room, self._progress_shelf, rest, self._room.left)
        self._progress += items.taken
        leave(self._room, self._progress_shelf, items.left)
        for name in REST_ORDER:
            self._fill_claims(name, self._blocks[name], self._room.left)
            listed = frozenset(self._claims[name])
            leave(self._room, self._claim_shelves[name], [block for block in self._blocks[name] if block not in listed])
        self._turns.fill(self._room.left, self._packets, passing_over=True)
        self._fill_background(self._room.left)
        self._fill_evidence(0)
        self._turns.restore(self._packets)
        self._account()

    def _fill_claims(self, name: ClaimSection, blocks_: Sequence[Block], limit: int) -> None:
        """Blocks that are not listed yet; more of one side of a conflict only where both sides are."""
        listed = self._claims[name]
        known, left = frozenset(listed), self._room.left
        new = [block for block in blocks_ if block not in known]
        listed += fill(self._room, self._claim_shelves[name], [block for block in new if block.after is None], limit).taken
        known = frozenset(listed)
        more = [block for block in new if block.after in known]
        listed += fill(self._room, self._claim_shelves[name], more, limit - (left - self._room.left)).taken

    def _share(self, percent: int) -> int:
        return self._dynamic * percent // 100

    def _wanted(self) -> tuple[EvidenceId, ...]:
        shown = self._turns.in_full().union(self._packets)
        return tuple(dict.fromkeys(one for one in (*self._material.collected.wanted, *self._turns.rescued) if one not in shown))

    def _fill_evidence(self, kept_free: int) -> None:
        self._packets += fill(self._room, self._packet_shelf, self._wanted(), self._room.left - kept_free).taken

    def _fill_background(self, limit: int) -> None:
        frame = 0 if self._background else self._measure.piece("[background]\n") + self._measure.piece("[end background]\n")
        cap = self._share(self._strategy.candidate_share)
        left = [one for one in self._candidates.ready if one not in self._background]
        fitting = [one for one in left if self._background_shelf.tokens(one) <= cap] if limit > frame else []
        taken = fill(self._room, self._background_shelf, fitting, min(limit, self._room.left) - frame).taken
        if taken and frame:
            self._room.require("background", "section", frame)
        self._background += taken

    # The account

    def _account(self) -> None:
        room, collected = self._room, self._material.collected
        leave(room, self._packet_shelf, self._wanted())
        shown = self._turns.in_full()
        room.leave("evidence", (one for one in (*collected.needed, *collected.wanted) if one in shown), 0, "shown in full in the dialogue")
        room.leave("evidence", collected.missing, None, "not available")
        reasons = dict.fromkeys(left.reason for left in self._material.judged.left)
        for reason in reasons:
            room.leave("facts", (left.id for left in self._material.judged.left if left.reason == reason), None, reason)
        left = [one for one in self._candidates.ready if one not in self._background]
        large = [one for one in left if self._background_shelf.tokens(one) > self._share(self._strategy.candidate_share)]
        leave(room, self._background_shelf, [one for one in left if one not in large])
        leave(room, self._background_shelf, large, OVER_SHARE)
        leave(room, self._background_shelf, self._candidates.below, "its scorer thinks little of it")
        leave(room, self._background_shelf, self._candidates.repeated, "says what another one says")
        self._turns.leave_rest()

    def _fitted(self) -> Fitted:
        collected = self._material.collected
        claims = {name: self._claims_text(name) for name in CLAIM_SECTIONS}
        # the rest is counted in the sections' last lines, which are known only now
        prices = {name: self._price_section(name) for name in CLAIM_SECTIONS if self._claims[name]}
        dialogue, still_open = self._turns.closed(), self._turns.open
        shown = tuple(passage.messages for passage in dialogue)
        n_gaps = len(with_gaps(shown, self._material.dialect)) - sum(map(len, shown))
        kept = [
            replace(line, tokens=prices[line.section]) if line.name == "section" and line.section in prices else line
            for line in self._room.kept
            if line.name != GAPS
        ]
        kept += [Kept("dialogue", GAPS, n_gaps * self._turns.gap_tokens)] if n_gaps else []
        listed = frozenset(self._progress)
        items = tuple(item for state in SHOWN_STATES for item in self._items if item.state is state and item in listed)
        asked = dict.fromkeys((*collected.needed, *collected.wanted, *self._turns.rescued))
        packets = tuple(evidence for evidence in asked if evidence in self._packets)
        exchanges = (*dialogue, still_open) if still_open else dialogue
        named = [*packets, *(one for item in items for one in item.evidence)]
        named += [one for name in CLAIM_SECTIONS for line in claims[name].lines for one in line.evidence]
        in_exchanges = [(one, passage) for passage in exchanges for one in passage.evidence]
        named += [one for one, _ in in_exchanges]
        layout = Layout(
            opening=self._material.opening,
            dialogue=shown,
            progress=ProgressText(items, progress_counts(self._items)),
            facts=claims["facts"],
            open=claims["open"],
            excluded=claims["excluded"],
            needs=collected.unmet,
            packets=tuple(map(collected.packets.get, packets)),
            background=tuple(self._background),
            request=self._material.request,
            open_exchange=still_open.messages if still_open else (),
        )
        return Fitted(
            layout=layout,
            kept=tuple(kept),
            omitted=tuple(self._room.omitted),
            evidence=packets,
            in_exchanges=tuple(dict.fromkeys(one for one, passage in in_exchanges if one in self._turns.in_full_in(passage))),
            cited=tuple(dict.fromkeys(named)),
            open_calls=still_open.group.open_calls if still_open else (),
            withheld=replace(
                self._material.withheld,
                not_available=len(collected.missing),
                masked=sum(MASKED in collected.packets.get(evidence).transforms for evidence in packets),
                claims=sum(left.reason == NOT_AVAILABLE for left in self._material.judged.left),
                results=sum(passage.n_withheld for passage in exchanges),
            ),
        )
