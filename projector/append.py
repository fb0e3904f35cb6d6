"""An input that begins with the one before it, byte for byte, and says behind it only what is new (rule 6).

A provider bills the beginning that two inputs share at a fraction of its price, so that a long input that grows can cost less than a
short one that is made anew. What is new: the exchanges since, whole; then one message of the user with the sections, which hold what
changed, what the step at hand uses and is not shown yet, and the request. All of it must stand: there is nothing to choose.

There is no such input, and one has to be made anew, where something that stands in the old one holds no longer (task, tools, model,
permission, age), and where the history is another.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from evidence_store.model import MASKED, EvidenceId, ProgressItem, ProgressState
from projector.candidates import prepare
from projector.dialogue import Dialogue, Passage
from projector.fit import SHOWN_STATES
from projector.fitted import Material
from projector.history import last_message
from projector.layout import Update, background_line, progress_counts, update_message
from projector.lines import Block, InUse, block_name, blocks, claim_counts
from projector.marks import named_evidence_of
from projector.measure import Measure
from projector.model import Candidate, JsonObject, Kept, Omitted, Projection, Section, Told, Withheld
from projector.permission import Permission
from projector.rejudge import NOT_AVAILABLE
from projector.render.packets import format_packet
from projector.render.sections import (
    CLAIM_SECTIONS,
    ClaimLine,
    ClaimSection,
    ClaimsText,
    ProgressText,
    format_background_line,
    format_claim_line,
    format_progress_item,
)
from projector.told import calls_in, claims_told, named_in, now_old, opening_of
from projector.turns import NOT_PERMITTED

NOT_IN_USE = "not in use"


@dataclass(frozen=True, slots=True)
class Rebuild:
    """The input has to be made anew, and why."""

    why: str


@dataclass(frozen=True, slots=True)
class Appended:
    """What stands behind the input before, and what the whole is then."""

    messages: tuple[JsonObject, ...]
    kept: tuple[Kept, ...]
    omitted: tuple[Omitted, ...]
    evidence: tuple[EvidenceId, ...]
    in_exchanges: tuple[EvidenceId, ...]
    cited: tuple[EvidenceId, ...]
    withheld: Withheld
    told: Told


def append(
    before: Projection, told: Told, material: Material, dialogue: Dialogue, measure: Measure, permission: Permission
) -> Appended | Rebuild:
    """What is new since the input before, or why that can stand no longer."""
    why = _broken(before, told, material, permission)
    if why:
        return Rebuild(why)
    passages = _passages(told, dialogue)
    if isinstance(passages, Rebuild):
        return passages
    in_full = frozenset[EvidenceId]().union(*map(dialogue.in_full, passages))
    return _Appending(before, told, material, passages, in_full).run(measure, permission)


def _broken(before: Projection, told: Told, material: Material, permission: Permission) -> str:
    """What of the input before holds no longer; empty when all does."""
    step, receipt = material.step, before.receipt
    was, now = receipt.profile, step.profile
    if (was.provider, was.model, was.counter) != (now.provider, now.model, now.counter):
        return "another model"
    if (receipt.task, receipt.task_revision) != (step.task.task, step.task.number):
        return "another task revision"
    if told.opening != opening_of(material):
        return "other instructions or tools"
    if told.principal != step.principal:
        return "another principal"
    if before.open_calls or last_message(step, told.n_messages) != told.last:
        return "another history"
    if now_old(material, told.shown) != told.now_old:
        return "it shows what is too old by now"
    allowed = permission.permitted(told.named)
    return "" if allowed | permission.masked(told.masks) >= told.named else "permission changed"


def _passages(told: Told, dialogue: Dialogue) -> tuple[Passage, ...] | Rebuild:
    """The groups of messages since, oldest first."""
    found: list[Passage] = []
    while (group := dialogue.take()) is not None and group.places[-1] >= told.n_messages:
        if group.places[0] < told.n_messages or not told.calls.isdisjoint(group.calls):
            return Rebuild("another history")
        if group.open_calls:
            return Rebuild("calls are open")
        if group.kind == "unusable":
            return Rebuild(group.note)
        if not dialogue.may_stand(group):
            return Rebuild(NOT_PERMITTED)
        found.append(dialogue.passage(group, told.shown))
    return tuple(reversed(found))


class _Appending:
    """Makes the end of one input."""

    def __init__(
        self, before: Projection, told: Told, material: Material, passages: tuple[Passage, ...], in_full: frozenset[EvidenceId]
    ) -> None:
        self._before = before
        self._told = told
        self._material = material
        self._passages = passages
        self._collected = material.collected
        self._items = material.step.progress
        self._blocks = blocks(material.judged)
        self._in_full = in_full
        self._in_use = InUse(material.step, material.collected)
        self._now = frozenset(line.id for every in self._blocks.values() for block in every for line in block.lines)

    def run(self, measure: Measure, permission: Permission) -> Appended:
        collected, shown = self._collected, self._told.shown | self._in_full
        asked = dict.fromkeys((*collected.needed, *collected.wanted))
        update = Update(
            progress=self._progress(),
            claims={name: self._claims(name) for name in CLAIM_SECTIONS},
            needs=collected.unmet if collected.unmet or self._told.needs else None,
            packets=tuple(collected.packets.get(evidence) for evidence in asked if evidence not in shown),
            background=self._background(measure),
            request=self._material.request,
        )
        said = update_message(update, self._material.dialect)
        messages = (*(message for passage in self._passages for message in passage.messages), said)
        told = self._told_now(update, messages, permission)
        before, in_results = self._before, [one for passage in self._passages for one in passage.evidence]
        return Appended(
            messages=messages,
            kept=(*self._kept_dialogue(), *_kept_sections(update, measure.message(said), measure)),
            omitted=self._omitted(told),
            evidence=_joined(before.evidence, (packet.id for packet in update.packets)),
            in_exchanges=_joined(before.in_exchanges, (one for one in in_results if one in self._in_full)),
            cited=_joined(before.cited, (one for one in named_evidence_of(list(messages)) if one in told.named)),
            withheld=self._withheld(update),
            told=told,
        )

    # What is new

    def _progress(self) -> ProgressText | None:
        """Items that are others since, and those at hand that are only counted so far."""
        changed = tuple(item for item in self._items if self._is_news(item))
        return ProgressText(changed, progress_counts(self._items)) if changed else None

    def _is_news(self, item: ProgressItem) -> bool:
        was = self._told.progress.get(item.subject)
        if item.subject in self._told.listed:
            return item != was
        return item.state is ProgressState.DOING or (item != was and item.state in SHOWN_STATES)

    def _claims(self, name: ClaimSection) -> ClaimsText | None:
        """Claims that came or changed since, those in use that are only counted so far, and ids of those that are none any more."""
        news = [block for block in self._blocks[name] if self._tells(name, block)]
        # more of one side of a conflict that is only counted so far: both sides with it
        told = frozenset((*news, *(block.after for block in news if block.after is not None and self._is_counted(block.after))))
        lines = tuple(line for block in self._blocks[name] if block in told for line in block.lines)
        gone = tuple(id_ for id_, (section, line) in self._told.claims.items() if section == name and line and id_ not in self._now)
        return ClaimsText(lines, claim_counts(name, self._blocks[name]), gone=gone) if lines or gone else None

    def _tells(self, name: ClaimSection, block: Block) -> bool:
        return any(self._is_told_otherwise(name, line) for line in block.lines) or (
            any(not self._told.claims[line.id][1] for line in block.lines) and self._in_use(block)
        )

    def _is_counted(self, block: Block) -> bool:
        return not all(self._told.claims.get(line.id, ("", ""))[1] for line in block.lines)

    def _is_told_otherwise(self, name: ClaimSection, line: ClaimLine) -> bool:
        section, told = self._told.claims.get(line.id, ("", ""))
        return section != name or (told != "" and told != format_claim_line(line))

    def _background(self, measure: Measure) -> tuple[Candidate, ...]:
        """Candidates that are not told yet, as far as the share of the background goes."""
        strategy = self._material.chosen.strategy
        left, cap = (self._material.dynamic_tokens * share // 100 for share in (strategy.background_share, strategy.candidate_share))
        found: list[Candidate] = []
        for one in prepare(self._material.step.candidates).ready:
            tokens = _price(one, measure)
            if format_background_line(background_line(one)) not in self._told.background and tokens <= min(left, cap):
                found.append(one)
                left -= tokens
        return tuple(found)

    # The account

    def _told_now(self, update: Update, messages: tuple[JsonObject, ...], permission: Permission) -> Told:
        told, step = self._told, self._material.step
        masks = frozenset(packet.id for packet in update.packets if MASKED in packet.transforms)
        shown = told.shown.union(self._in_full, (packet.id for packet in update.packets)) - masks
        lines = {id_: line for id_, (_, line) in told.claims.items() if line}
        lines |= {line.id: format_claim_line(line) for text in update.claims.values() if text is not None for line in text.lines}
        listed = (item.subject for item in (update.progress.items if update.progress is not None else ()))
        return replace(
            told,
            n_messages=step.n_messages,
            last=last_message(step, step.n_messages),
            now_old=now_old(self._material, shown),
            named=told.named | named_in(messages, permission) | masks,
            masks=told.masks | masks,
            shown=shown,
            calls=told.calls | calls_in(messages, self._material),
            progress={item.subject: item for item in self._items},
            listed=told.listed.union(listed),
            claims=claims_told(self._blocks, lines),
            needs=self._collected.unmet,
            background=told.background.union(format_background_line(background_line(one)) for one in update.background),
        )

    def _kept_dialogue(self) -> list[Kept]:
        return [Kept("dialogue", passage.group.name, passage.tokens, passage.note) for passage in self._passages]

    def _omitted(self, told: Told) -> tuple[Omitted, ...]:
        """What the input before left out of the dialogue stays out; all else is named as it stands now."""
        found = [line for line in self._before.omitted if line.section == "dialogue"]
        found += _left("evidence", self._collected.missing, "not available")
        left = self._material.judged.left
        for reason in dict.fromkeys(one.reason for one in left):
            found += _left("facts", (one.id for one in left if one.reason == reason), reason)
        waiting = (item.subject for item in self._items if item.state in SHOWN_STATES and item.subject not in told.listed)
        found += _left("progress", waiting, NOT_IN_USE)
        for name in CLAIM_SECTIONS:
            counted = (block_name(block) for block in self._blocks[name] if not any(told.claims[line.id][1] for line in block.lines))
            found += _left(name, counted, NOT_IN_USE)
        return tuple(found)

    def _withheld(self, update: Update) -> Withheld:
        before = self._before.receipt.withheld
        return replace(
            self._material.withheld,
            not_available=len(self._collected.missing),
            masked=before.masked + sum(MASKED in packet.transforms for packet in update.packets),
            claims=sum(left.reason == NOT_AVAILABLE for left in self._material.judged.left),
            results=before.results + sum(passage.n_withheld for passage in self._passages),
        )


def _kept_sections(update: Update, tokens: int, measure: Measure) -> list[Kept]:
    """Piece by piece; the lines around the pieces and the frame of the message stand with the request."""
    kept: list[Kept] = []
    for item in update.progress.items if update.progress is not None else ():
        kept.append(Kept("progress", item.subject, measure.piece(f"- {format_progress_item(item)}\n")))
    for name, text in update.claims.items():
        kept += [Kept(name, line.id, measure.piece(f"- {format_claim_line(line)}\n")) for line in (text.lines if text is not None else ())]
    kept += [Kept("evidence", packet.id, measure.piece(format_packet(packet))) for packet in update.packets]
    kept += [Kept("background", one.source or one.text[:40], _price(one, measure)) for one in update.background]
    return [*kept, Kept("request", "request and frame of the message", tokens - sum(line.tokens for line in kept))]


def _price(one: Candidate, measure: Measure) -> int:
    return measure.piece(f"- {format_background_line(background_line(one))}\n")


def _joined(before: Iterable[EvidenceId], more: Iterable[EvidenceId]) -> tuple[EvidenceId, ...]:
    return tuple(dict.fromkeys((*before, *more)))


def _left(section: Section, names: Iterable[str], reason: str) -> list[Omitted]:
    found = tuple(names)
    return [Omitted(section, found, None, reason)] if found else []
