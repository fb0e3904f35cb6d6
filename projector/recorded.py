"""What the calls of a history recorded, as progress or as a claim: that stands for old exchanges.

Only calls of the recording tools that were answered with `recorded: …` or `claim: ID` count. What a call asked for and did not get was
not recorded.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from evidence_store.errors import JsonValue
from evidence_store.model import EvidenceId, ProgressItem, ProgressState
from projector.dialects.arguments import parse_arguments
from projector.dialects.forms import Part, objects_in
from projector.model import JsonObject

RECORDING_TOOL: Final = "record_progress"
CLAIMING_TOOL: Final = "record_claim"
_ANSWER: Final = "recorded: "
_CLAIM: Final = re.compile(r"claim: (\S+)(?:\n|$)")
_STATES: Final = frozenset(state.value for state in ProgressState)


def is_recording(call: Part, result: Part | None) -> bool:
    """Whether a call recorded progress, and was told so."""
    return call.name == RECORDING_TOOL and result is not None and not result.failed and result.text.startswith(_ANSWER)


def find_claim(call: Part, result: Part | None) -> str | None:
    """The id of the claim that a call recorded, where it was told one."""
    if call.name != CLAIMING_TOOL or result is None or result.failed:
        return None
    found = _CLAIM.match(result.text)
    return found[1] if found is not None else None


def items_of(call: Part) -> tuple[ProgressItem, ...]:
    """The items of a recording call; what is none is passed over."""
    found = (_item(one) for one in objects_in(parse_arguments(call.arguments).get("items")))
    return tuple(one for one in found if one is not None)


def _item(members: JsonObject) -> ProgressItem | None:
    subject, state, then = members.get("subject"), members.get("state"), members.get("next") or ""
    if not isinstance(subject, str) or not isinstance(state, str) or state not in _STATES or not isinstance(then, str):
        return None
    return ProgressItem(
        subject, ProgressState(state), tuple(map(EvidenceId, _texts(members.get("evidence")))), then, _texts(members.get("uses"))
    )


def _texts(value: JsonValue) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list | tuple) else ()


def merged(known: Sequence[ProgressItem], recorded: Iterable[ProgressItem]) -> tuple[ProgressItem, ...]:
    """The step's items, which are newer than any in the history, and behind them the newest of each further subject.

    As where they are stored, a `todo` for a known subject leaves it as it is.
    """
    subjects = {item.subject for item in known}
    found: dict[str, ProgressItem] = {}
    for item in recorded:
        if item.subject not in subjects and not (item.state is ProgressState.TODO and item.subject in found):
            found[item.subject] = item
    return (*known, *found.values())
