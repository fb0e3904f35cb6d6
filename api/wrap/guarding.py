"""Who may see what of a result: labels against the clearances that the rules name. Without clearances nobody asks.

What is hidden looks as if it were not there, and so does what is not: both answers are one. Tools that tell of claims and progress
are not there for who has clearances: what is written there may repeat what they may not see.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import orjson

from api.tools.answers import error_answer
from api.tools.context import ToolAnswer
from api.wrap.context import WrapContext
from api.wrap.marker import spelled_tool
from api.wrap.preview import Preview
from evidence_store.errors import EvidenceStoreError, InvalidInput, JsonValue, NotFound
from evidence_store.ids import read_id
from evidence_store.model import ResourceName, masked_packet
from projector import Principal, format_packet, only_masked

_UNGUARDED = ("get_progress", "list_claims")
_RECORDING = ("record_claim", "record_progress")
LISTING = "list_resources"


def is_cleared(context: WrapContext, labels: tuple[str, ...]) -> bool:
    """Whether what these labels guard may be seen as it is."""
    return context.rules.clearances is None or context.rules.clearances.issuperset(labels)


def for_clearances(context: WrapContext, shown: Preview, labels: tuple[str, ...], tool: str) -> Preview | None:
    """What may be shown to who asks: as it is, as masks, or nothing (None)."""
    if is_cleared(context, labels):
        return shown
    if not _is_masked(context, labels):
        return None
    masked = tuple(map(masked_packet, shown.packets))
    text = f"[masked {spelled_tool(tool)}]\n" + "".join(map(format_packet, masked))
    return replace(shown, text=text, packets=masked)


def guarded_answer(context: WrapContext, name: str, arguments: Mapping[str, JsonValue], answered: Callable[[], ToolAnswer]) -> ToolAnswer:
    """The answer of one of our tools as far as it may be seen; `answered` gives it in full."""
    if context.rules.clearances is None or name in _RECORDING:
        return answered()
    if name in _UNGUARDED:
        return error_answer(InvalidInput(f"there is no tool {name!r}", code="unknown_tool"))
    if name == LISTING:
        return _cleared_lines(context, answered())
    try:
        labels = _labels_asked_for(context, arguments)
    except EvidenceStoreError as why:
        return error_answer(why)
    if is_cleared(context, labels):
        return answered()
    if not _is_masked(context, labels):
        return error_answer(_absent(arguments))
    packets = tuple(map(masked_packet, answered().packets))
    return ToolAnswer("".join(map(format_packet, packets)) or "nothing\n", packets)


def _is_masked(context: WrapContext, labels: tuple[str, ...]) -> bool:
    principal = Principal(tuple(sorted(context.rules.clearances or ())))
    return only_masked(labels, principal, context.tools.store.permissions.policies())


def _labels_asked_for(context: WrapContext, arguments: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """The labels of all that a call names. Raises NotFound for what is not there, InvalidInput for what is no id."""
    store = context.tools.store
    labels: list[str] = []
    if isinstance(id_ := arguments.get("id"), str):
        found = store.permissions.labels_of([read_id(id_).id])
        if not found:
            raise _absent(arguments)
        labels += [label for one in found.values() for label in sorted(one)]
    if isinstance(name := arguments.get("resource"), str):
        try:
            names = store.sources.list_matching(ResourceName(name))
        except NotFound as why:
            raise _absent(arguments) from why
        labels += [label for one in names for label in _labels_of(context, one)]
    return tuple(dict.fromkeys(labels))


def _labels_of(context: WrapContext, name: ResourceName) -> tuple[str, ...]:
    found = context.tools.store.sources.find_resource(name)
    return found.labels if found else ()


def _absent(arguments: Mapping[str, JsonValue]) -> NotFound:
    if "id" in arguments:
        return NotFound("there is no such evidence", code="unknown_id")
    return NotFound("there is no such resource")


def _cleared_lines(context: WrapContext, answer: ToolAnswer) -> ToolAnswer:
    """The lines of a listing whose resources may be seen, or are masked: their names say where something stands."""
    kept = []
    for line in answer.text.splitlines(keepends=True):
        name = orjson.loads(line[2:]).get("resource") if line.startswith("- ") else None
        labels = _labels_of(context, ResourceName(name)) if isinstance(name, str) else ()
        if is_cleared(context, labels) or _is_masked(context, labels):
            kept.append(line)
    return replace(answer, text="".join(kept) or "no resources\n")
