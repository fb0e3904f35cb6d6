"""What an input tells: kept beside it, so that the input of the next step only has to say what is new (`append`)."""

from collections.abc import Iterable, Mapping

from evidence_store.model import MASKED, EvidenceId
from projector.fitted import Fitted, Material
from projector.history import last_message
from projector.layout import background_line
from projector.lines import Block, blocks
from projector.marks import named_evidence_of
from projector.model import JsonObject, Section, Told
from projector.permission import Permission
from projector.render.sections import CLAIM_SECTIONS, ClaimSection, format_background_line, format_claim_line


def told_anew(material: Material, fitted: Fitted, messages: tuple[JsonObject, ...], permission: Permission) -> Told:
    """Of an input that was made anew."""
    step, layout = material.step, fitted.layout
    listed = (layout.facts, layout.open, layout.excluded)
    masks = frozenset(packet.id for packet in layout.packets if MASKED in packet.transforms)
    shown = frozenset((*fitted.in_exchanges, *fitted.evidence)) - masks
    return Told(
        n_messages=step.n_messages,
        last=last_message(step, step.n_messages),
        opening=opening_of(material),
        principal=step.principal,
        now_old=now_old(material, shown),
        named=named_in(messages, permission) | masks,
        masks=masks,
        shown=shown,
        calls=calls_in(messages, material),
        progress={item.subject: item for item in material.step.progress},
        listed=frozenset(item.subject for item in layout.progress.items),
        claims=claims_told(blocks(material.judged), {line.id: format_claim_line(line) for text in listed for line in text.lines}),
        needs=layout.needs,
        background=frozenset(format_background_line(background_line(one)) for one in layout.background),
    )


def opening_of(material: Material) -> tuple[JsonObject, ...]:
    """What stands before the dialogue of an input, inside and outside its list, and the tools."""
    return (material.opening.outside, *material.opening.messages, *material.tools)


def now_old(material: Material, shown: frozenset[EvidenceId]) -> frozenset[EvidenceId]:
    """Of the evidence that an input shows, what is past its greatest age by now."""
    return frozenset(packet.id for packet in material.collected.packets.find_all(shown) if packet.age_s is not None)


def named_in(messages: Iterable[JsonObject], permission: Permission) -> frozenset[EvidenceId]:
    """All evidence that is named anywhere in the messages and may be."""
    return permission.permitted(named_evidence_of(list(messages)))


def calls_in(messages: Iterable[JsonObject], material: Material) -> frozenset[str]:
    """Ids of the calls in the messages."""
    return frozenset(call.call for message in messages for call in material.dialect.read(message, 0).calls if call.given)


def claims_told(every: Mapping[ClaimSection, tuple[Block, ...]], lines: Mapping[str, str]) -> dict[str, tuple[Section, str]]:
    """All claims of the three lists; `lines` are those that stand in the input."""
    return {line.id: (name, lines.get(line.id, "")) for name in CLAIM_SECTIONS for block in every[name] for line in block.lines}
