"""The lines that stand before what is shown of a stored output: what it is, how large, what is left out, and the call that reads it.

    [offloaded get_logs: 28,311,552 bytes, 412,000 lines, stored whole; left out: lines 121-411899]
    read: read_log {"resource":"get_logs?pod=api","revision":1,"lines":"121-411899"}

What is too large to be summarised while the call waits says so, with the bound and the call that makes the summary.

The call is one of `api.tools`, its arguments JSON on one line. Nothing of a source stands here but the tool's and the resource's name.
"""

from collections.abc import Mapping

from api.tools.answers import json_line
from evidence_store.documents.detect import STRUCTURED
from evidence_store.errors import JsonValue
from evidence_store.model import EvidenceId, Format
from evidence_store.records.sources import Revision


def format_offload(tool: str, revision: Revision, n_lines: int | None, said: str, no_summary_over: int | None = None) -> str:
    """The head line; `said` is what is shown or left out. Without a number of lines, none is said.

    `no_summary_over` is the bound in bytes that a summary would have met.
    """
    lines = "" if n_lines is None else f", {n_lines:,} line{'' if n_lines == 1 else 's'}"
    kept = "stored whole" if revision.complete else "stored as far as it came"
    head = f"[offloaded {spelled_tool(tool)}: {revision.size:,} bytes{lines}, {kept}; {said}"
    if no_summary_over is None:
        return f"{head}]\n"
    return f"{head}; no summary over {no_summary_over:,} bytes]\n" + format_call("summary", "summary", place_of(revision))


def format_call(word: str, tool: str, arguments: Mapping[str, JsonValue]) -> str:
    """`word: TOOL {arguments}`."""
    return f"{word}: {tool} {json_line(arguments)}\n"


def place_of(revision: Revision, **more: JsonValue) -> dict[str, JsonValue]:
    """Arguments that name a revision, and a place in it."""
    return {"resource": revision.resource, "revision": revision.number, **more}


def format_reading(revision: Revision) -> str:
    """The calls that read on in a revision, whatever is shown of it."""
    if revision.format in STRUCTURED:
        read = format_call("read", "read_spec", place_of(revision, pointer=""))
    else:
        read = format_call("read", "read_log", place_of(revision, lines="1-100"))
    return read + format_call("find", "search", place_of(revision, pattern="TEXT"))


def format_bytes_offload(tool: str, revision: Revision) -> str:
    """Of what is no text."""
    said = f"{revision.media_type}, no text to show"
    end = min(revision.size, 256)
    return format_offload(tool, revision, None, said) + format_call("read", "read_log", place_of(revision, bytes=f"0-{end}"))


def format_reference(revision: Revision, whole: EvidenceId) -> str:
    """The shortest form: the id of the whole, for a room that holds nothing more."""
    kept = "stored whole" if revision.complete else "stored as far as it came"
    return f"[offloaded: {revision.size:,} bytes, {kept}]\n" + format_call("read", "get_evidence", {"id": whole})


def is_text(revision: Revision) -> bool:
    return revision.format is not Format.BYTES


def spelled_tool(text: str) -> str:
    """A tool's name as it is where that is plain, else as JSON."""
    plain = text.replace("_", "").replace("-", "").replace(".", "").isalnum() and len(text) <= 200
    return text if plain else json_line(text[:200].encode("utf-8", "replace").decode())
