"""From the passages that a finding rests on to evidence ids: only packets that stand in the input, shown in full, can be cited."""

from dataclasses import dataclass

from api.compat_report.costs import count_chars
from api.compat_report.model import Argument, Call, Cite, Finding, Look, Need
from api.compat_report.pointers import locate
from api.compat_report.reading import CHARS_PER_TOKEN, Input
from api.compat_report.view import Hidden, Missing, View

SOURCE_TOKENS = 1_800
"""A passage of more than this is cited by the names of its members: they fit, and the place is the same."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A finding whose passages all stand in the input."""

    finding: Finding
    ids: tuple[str, ...]
    """In the order of the finding's cites."""


def find_cited(seen: Input, finding: Finding) -> Cited | tuple[Need, ...]:
    """The ids of all passages, or what is still to be read for them."""
    ids: list[str] = []
    needs: list[Need] = []
    for cite in finding.cites:
        view = seen.view(cite.side)
        look = choose_look(view, cite)
        packet = view.find_packet(cite.pointer, look)
        if packet is None:
            needs.append(Need(cite.side, cite.pointer, look))
        else:
            ids.append(packet.id)
    return tuple(needs) if needs else Cited(finding, tuple(ids))


def choose_look(view: View, cite: Cite) -> Look:
    """The passage itself, unless it is a container too large to be shown in full."""
    if cite.look == "keys" or view.find_packet(cite.pointer, "source") is not None:
        return cite.look
    if view.has_outline(cite.pointer):
        return "keys"
    try:
        value = view.find(cite.pointer)
    except Hidden:
        return "source"
    large = not isinstance(value, Missing) and isinstance(value, dict | list) and count_chars(value) // CHARS_PER_TOKEN > SOURCE_TOKENS
    return "keys" if large else "source"


def name_place(seen: Input, cite: Cite) -> dict[str, Argument]:
    """Resource and pointer of a passage, as a claim names what it is about."""
    found = locate(cite.pointer)
    return {"resource": found.resource or seen.versions.of(cite.side).resource, "pointer": found.pointer}


def claim_call(seen: Input, cited: Cited) -> Call:
    """The call that records a finding as a claim; the tool judges it."""
    finding = cited.finding
    citations = dict.fromkeys((evidence, cite.role) for evidence, cite in zip(cited.ids, finding.cites, strict=True))
    arguments: dict[str, Argument] = {
        "about": {**name_place(seen, finding.place), "aspect": finding.rule},
        "text": finding.text,
        "citations": [{"evidence": evidence, "role": role} for evidence, role in citations],
    }
    if finding.standing == "open":
        arguments |= {"standing": "open", "reason": finding.reason}
    elif finding.standing == "excluded":
        arguments |= {"standing": "excluded", "scope_rule": finding.reason}
    return Call("record_claim", arguments)
