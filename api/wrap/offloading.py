"""The core: the output of a tool, the rules and so many tokens give what the model gets. Frameworks and proxies stand on this.

Invariants, each with a test:
1. What was offloaded or filtered never has more tokens than its room, counted as it stands.
2. What fits passes byte for byte, and is what the tool gave.
3. Nothing is put in place of an output before the output is stored whole. A store that fails raises; nothing is lost in silence.
4. What the text leaves out can be read by the calls that the text names.
"""

import logging

from api.errors import details_of, message_of
from api.wrap.context import WrapContext
from api.wrap.display import Wanted, refer, show
from api.wrap.filters import Filters
from api.wrap.guarding import for_clearances, is_cleared
from api.wrap.marker import spelled_tool
from api.wrap.preview import Preview
from api.wrap.result import Output, Treatment, WrappedResult
from api.wrap.storing import keep, name_of
from evidence_store.errors import InvalidInput, NotFound
from evidence_store.records.sources import Revision
from projector import format_error

log = logging.getLogger("evidence_store.wrap")
"""Warnings of what was offloaded, filtered or withheld: names and sizes, never content."""


def offload(context: WrapContext, output: Output, room: int, filters: Filters | None = None) -> WrappedResult:
    """What the model gets for an output within `room` tokens; with filters, what they let through of all of it.

    Raises StoreFault, InvalidInput or Conflict where the output cannot be stored: it must not pass then either.
    """
    if not output.received.size:
        return _empty(output)
    if not filters and is_cleared(context, labels_of(context, output)):
        text = _text_that_fits(context, output, room)
        if text is not None:
            revision = keep(context, output) if context.rules.of(output.tool).keep_small else None
            return WrappedResult(text, output.value, Treatment.UNCHANGED, output.outcome, (), revision, beside=output.beside)
    revision, room = keep(context, output), context.names.room_in(room)
    if filters:
        return _handed(context, output, revision, _filtered(context, output, revision, filters, room), Treatment.FILTERED)
    rules = context.rules.of(output.tool)
    wanted = Wanted(output.tool, min(room, rules.shown_tokens), rules.summary_bytes)
    return _handed(context, output, revision, show(context, revision, wanted), Treatment.OFFLOADED)


def _empty(output: Output) -> WrappedResult:
    """Nothing came: told apart from an error, and from a result that says that there is nothing."""
    text = "" if output.beside else f"[empty {spelled_tool(output.tool)}: it ended without output]\n"
    treatment = Treatment.UNCHANGED if output.beside else Treatment.EMPTY
    return WrappedResult(text, output.value, treatment, output.outcome, beside=output.beside)


def _text_that_fits(context: WrapContext, output: Output, room: int) -> str | None:
    """The output as text where it may pass as it is."""
    if not context.rules.switches.offload:
        return output.received.text()
    most = context.tools.limit(room).max_bytes
    if most is not None and output.received.size > most:
        return None
    text = output.received.text()
    return text if context.fits(text, room) else None


def _handed(context: WrapContext, output: Output, revision: Revision, shown: Preview, treatment: Treatment) -> WrappedResult:
    """What was made of a stored output, as far as it may be seen."""
    tool = spelled_tool(output.tool)
    permitted = for_clearances(context, shown, labels_of(context, output), output.tool)
    if permitted is None:
        log.warning("withheld the result of %s: %d bytes, %s@%d", tool, revision.size, revision.resource, revision.number)
        text = format_error("withheld", "this result may not be shown here", {}, retry=False)
        return WrappedResult(text, text, Treatment.WITHHELD, output.outcome, revision=revision)
    text = context.names.spelled(permitted.text)
    n_shown = len(text.encode("utf-8", "replace"))
    place = (revision.size, revision.resource, revision.number)
    log.warning("%s the result of %s: %d bytes, %s@%d, %d bytes shown", treatment.value, tool, *place, n_shown)
    return WrappedResult(text, text, treatment, output.outcome, permitted.packets, revision, beside=output.beside)


def _filtered(context: WrapContext, output: Output, revision: Revision, filters: Filters, room: int) -> Preview:
    """What a filter lets through; an error that helps to mend it, and the whole or its id, where it leads nowhere."""
    try:
        return show(context, revision, Wanted(output.tool, room, filters=filters))
    except (NotFound, InvalidInput) as why:
        whole = refer(context, revision, output.tool)
        for rest in (show(context, revision, Wanted(output.tool, room, whole=True)) if revision.size <= room else whole, whole):
            for details in (details_of(why), {}):
                text = format_error(why.error_code, message_of(why)[:200], details, retry=True) + rest.text
                if context.fits(text, room):
                    return Preview(text, rest.packets)
        return whole


def labels_of(context: WrapContext, output: Output) -> tuple[str, ...]:
    """Those that guard an output: of its tool, and of the resource that it is a revision of. Asked only where somebody is not cleared."""
    labels = context.rules.of(output.tool).labels
    if context.rules.clearances is None:
        return labels
    known = context.tools.store.sources.find_resource(name_of(context, output))
    return tuple(dict.fromkeys((*labels, *(known.labels if known else ()))))
