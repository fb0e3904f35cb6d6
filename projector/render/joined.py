"""The sections of several messages read together: an input that was appended to says in each what was new then."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from projector.render.sections import ClaimLine, ClaimSection, ClaimsText, ProgressText, SectionsText

T = TypeVar("T")


def join_sections(parts: Sequence[SectionsText]) -> SectionsText:
    """What the messages of an input say together, oldest first: a later line takes the place of one of the same subject, claim or id."""
    progress = [part.progress for part in parts if part.progress is not None]
    items = {item.subject: item for one in progress for item in one.items}
    return SectionsText(
        task=_newest(part.task for part in parts),
        progress=ProgressText(tuple(items.values()), progress[-1].counts) if progress else None,
        facts=_join_claims("facts", parts),
        open=_join_claims("open", parts),
        excluded=_join_claims("excluded", parts),
        needs=parts[-1].needs if parts else (),
        evidence=tuple({packet.id: packet for part in parts for packet in part.evidence}.values()),
        background=tuple(line for part in parts for line in part.background),
        request=_newest(part.request for part in parts),
    )


def _newest(values: Iterable[T | None]) -> T | None:
    return next((value for value in reversed(tuple(values)) if value is not None), None)


def _join_claims(name: ClaimSection, parts: Sequence[SectionsText]) -> ClaimsText | None:
    said = [(section, text) for part in parts for section, text in part.claims if text is not None]
    mine = [text for section, text in said if section == name]
    lines: dict[str, ClaimLine] = {}
    for section, text in said:
        for gone in (*text.gone, *(line.id for line in text.lines)):
            lines.pop(gone, None)
        lines |= {line.id: line for line in text.lines} if section == name else {}
    if not mine:
        return None
    # what is appended lists all that is new, so that the rest is where the input that was made anew says
    not_listed = _newest(text.not_listed or None for text in mine) or ()
    return ClaimsText(tuple(lines.values()), mine[-1].counts, not_listed, _newest(text.pages or None for text in mine) or ())
