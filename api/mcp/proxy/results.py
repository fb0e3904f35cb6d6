"""What becomes of a result of the upstream: it passes as it is, or a packet stands in place of what is over the budget and stored whole.

The texts of a result and its structured content are two forms, each held to the budget on its own. Where both say the same they are
stored once.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from api.mcp.calls import RUN_META
from api.mcp.proxy.catalog import OFFLOADED
from api.mcp.proxy.messages import Json
from api.mcp.proxy.own import OwnTools, Wanted, packets_json, respelled
from api.mcp.runs import format_run
from api.wrap import Filters, Output, Treatment, WrapContext, WrappedResult, encode, offload, spool_of
from api.wrap.arguments import plain_arguments
from api.wrap.budget import MIN_ROOM_TOKENS
from api.wrap.endings import store_failed
from api.wrap.forms import JSON, json_text
from evidence_store.errors import EvidenceStoreError
from evidence_store.model import Outcome

OFFLOADED_META = "evidence/offloaded"
STRUCTURED_PART: Json = {"~part": "structured"}
"""Beside the arguments that name the resource of structured content, where the texts have one of their own."""
_NAMES_TOKENS = 16
"""Kept free for names of our tools that are longer here, beside what a prefix takes."""
_N_NAMES = 2
"""Names of our tools in what stands in place of a result, at most."""


@dataclass(frozen=True, slots=True)
class UpstreamCall:
    """A call of a tool of the upstream."""

    tool: str
    arguments: Mapping[str, Any]
    """Without filters of ours."""
    filters: Filters


@dataclass(frozen=True, slots=True)
class Parts:
    """What stands in place of the texts and of the structured content; None where that passes, or goes with the other."""

    texts: WrappedResult | None
    structured: WrappedResult | None
    keeps_texts: bool

    @property
    def replaced(self) -> tuple[WrappedResult, ...]:
        return tuple(one for one in (self.texts, self.structured) if one is not None)


class Results:
    """Treats results. `passes` is quick; `treat` is for worker threads."""

    def __init__(self, context: WrapContext, own: OwnTools, prefix: str) -> None:
        self._context = context
        self._names_tokens = _NAMES_TOKENS + _N_NAMES * len(prefix)  # no text has more tokens than bytes
        self._own = own

    def passes(self, call: UpstreamCall, result: Json) -> bool:
        """Whether a result passes, told from its bytes alone: no text has more tokens than bytes. False: it has to be looked at."""
        rules = self._context.rules
        if not _is_content(result) or (not rules.switches.offload and not call.filters):
            return True
        if call.filters or rules.of(call.tool).keep_small or rules.clearances is not None:
            return False
        room = rules.tokens_of(call.tool)
        if len(encode(_texts(result)).raw) > room:
            return False
        structured = result.get("structuredContent")
        return structured is None or len(json_text(structured).encode("utf-8", "surrogatepass")) <= room

    def treat(self, call: UpstreamCall, result: Json, names: Mapping[str, str], is_wanted: Wanted) -> Json:
        """The result for the client. One that cannot be stored is an error, and holds nothing of what it was."""
        if result.get("isError"):
            call = replace(call, filters=Filters())  # words of an error are no result to look for something in
        try:
            parts = self._parts(call, result)
            return self._handed(call, result, parts, names, is_wanted) if parts.replaced else result
        except EvidenceStoreError as why:
            return _replaced(result, store_failed(why).text, (), is_error=True)

    def _parts(self, call: UpstreamCall, result: Json) -> Parts:
        structured = result.get("structuredContent")
        if structured is not None and _is_of_items(result, structured):
            rows = self._offload_rows(call, result) or self._offload_texts(call, result)
            return Parts(None, rows, keeps_texts=rows is None)
        if structured is None or _says_the_same(result, structured):
            texts = self._offload_texts(call, result)
            return Parts(texts, None, keeps_texts=texts is None)
        if call.filters.pointer is not None or call.filters.fields:
            return Parts(None, self._offload_structured(call, result), keeps_texts=False)
        texts = self._offload_texts(call, result)
        other = None if texts is not None and call.filters else self._offload_structured(call, result)
        return Parts(texts, other, keeps_texts=texts is None)

    def _handed(self, call: UpstreamCall, result: Json, parts: Parts, names: Mapping[str, str], is_wanted: Wanted) -> Json:
        text, run = "", ""
        for one in parts.replaced:
            shown = respelled(one.text, names)
            run = format_run(self._own.keep(call.tool, plain_arguments(call.arguments), one, shown, is_wanted))
            text += shown
        beside = [one for one in result["content"] if parts.keeps_texts or not _is_text(one)]
        at = 0 if parts.keeps_texts else next((n for n, one in enumerate(result["content"]) if _is_text(one)), 0)
        made = _replaced(result, text, beside, at, is_error=bool(result.get("isError")))
        place = _place(parts.replaced[0])
        if "structuredContent" in result:
            packets = tuple(packet for one in parts.replaced for packet in one.packets)
            made["structuredContent"] = {OFFLOADED: place, **packets_json(text, packets)}
        return {**made, "_meta": {**(result.get("_meta") or {}), RUN_META: run, OFFLOADED_META: place}}

    def _offload_texts(self, call: UpstreamCall, result: Json) -> WrappedResult | None:
        encoded = encode({"content": result["content"], "isError": bool(result.get("isError"))})
        return self._offload(call, encoded.raw, encoded.media_type, {}, result)

    def _offload_rows(self, call: UpstreamCall, result: Json) -> WrappedResult | None:
        """The structured content in place of its items as texts, where those are over the budget: only so pointers lead into it."""
        rows, texts = _rows(result["structuredContent"]), encode(_texts(result)).raw.decode("utf-8", "replace")
        room = self._room(call)
        if self._context.fits(rows, room) and not self._context.fits(texts, room):
            room = max(MIN_ROOM_TOKENS, self._context.counter().count(rows) - 1)
        return self._offload(call, rows.encode("utf-8", "surrogatepass"), JSON, {}, result, room)

    def _offload_structured(self, call: UpstreamCall, result: Json) -> WrappedResult | None:
        """Under a name of its own where there are texts, so that no resource is now the one and now the other."""
        more = STRUCTURED_PART if any(map(_is_text, result["content"])) else {}
        return self._offload(call, json_text(result["structuredContent"]).encode("utf-8", "surrogatepass"), JSON, more, result)

    def _room(self, call: UpstreamCall) -> int:
        return max(MIN_ROOM_TOKENS, self._context.rules.tokens_of(call.tool) - self._names_tokens)

    def _offload(
        self, call: UpstreamCall, raw: bytes, media_type: str | None, more: Json, result: Json, room: int | None = None
    ) -> WrappedResult | None:
        """What stands in its place within a room, else that of a result; None where it passes."""
        outcome = Outcome.ERROR if result.get("isError") else Outcome.OK
        room = self._room(call) if room is None else room
        with spool_of(raw) as received:
            output = Output(call.tool, received, plain_arguments({**call.arguments, **more}), None, media_type, outcome)
            found = offload(self._context, output, room, call.filters)
        return None if found.treatment in (Treatment.UNCHANGED, Treatment.EMPTY) else found


def _is_content(result: Json) -> bool:
    """Whether it is the result of a call that came to its end: not a question back, not a task that goes on."""
    return isinstance(result.get("content"), list) and result.get("resultType") in (None, "complete")


def _texts(result: Json) -> Json:
    return {"content": result["content"], "isError": False}


def _is_text(block: Any) -> bool:
    """Whether it has gone into the text of a result (docs/wrapping.md, "Forms")."""
    return bool(encode([block]).raw) and not encode([block]).beside


def _place(one: WrappedResult) -> Json:
    revision = one.revision
    return {} if revision is None else {"resource": revision.resource, "revision": revision.number, "size": revision.size}


def _replaced(result: Json, text: str, beside: Any, at: int = 0, *, is_error: bool) -> Json:
    """The result with a text of ours for what was offloaded, behind `at` blocks of what stands beside it; whatever else it has stays."""
    rest = {name: value for name, value in result.items() if name not in ("content", "structuredContent", "isError")}
    block = {"type": "text", "text": text.encode("utf-8", "replace").decode()}
    made = {**rest, "content": [*beside[:at], block, *beside[at:]]}
    return {**made, "isError": is_error} if is_error or "isError" in result else made


def _is_of_items(result: Json, structured: Any) -> bool:
    """Whether each text is the JSON of one item of the structured content, and any item has members: as lines they would have no places."""
    blocks = [block.get("text") for block in result["content"] if isinstance(block, Mapping) and block.get("type") == "text"]
    items = _only(structured)
    if len(blocks) < 2 or not isinstance(items, list) or len(items) != len(blocks):
        return False
    return any(isinstance(one, Mapping | list) for one in items) and [_read(text) for text in blocks] == items


def _only(structured: Any) -> Any:
    """What the only member of an object holds, as servers wrap a list; else the value itself."""
    return next(iter(structured.values())) if isinstance(structured, Mapping) and len(structured) == 1 else structured


def _rows(structured: Any) -> str:
    """JSON with an item on each line, so that filters by lines find items."""
    rows = ",\n".join(map(json_text, _only(structured)))
    return f"{{{json_text(next(iter(structured)))}:[\n{rows}\n]}}\n" if isinstance(structured, Mapping) else f"[\n{rows}\n]\n"


def _says_the_same(result: Json, structured: Any) -> bool:
    """Whether the texts are the structured content, as most servers write both: its JSON, or what its only member holds."""
    blocks = [block.get("text") for block in result["content"] if isinstance(block, Mapping) and block.get("type") == "text"]
    read = [_read(text) for text in blocks]
    forms: list[Any] = [read, blocks]
    if len(read) == 1:
        forms += [read[0], blocks[0]]
    only = next(iter(structured.values())) if isinstance(structured, Mapping) and len(structured) == 1 else None
    return structured in forms or (only is not None and only in forms)


def _read(text: Any) -> Any:
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return text
