"""The tools by name: what each is for, as a model is told, and the schema of its arguments (JSON Schema 2020-12)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from api.tools.answers import error_answer
from api.tools.arguments import Arguments
from api.tools.context import CallsElsewhere, ToolAnswer, ToolContext, Tools
from api.tools.outputs import OUTPUTS, Schema
from api.tools.reading import get_evidence, list_resources, read_log, read_spec, summary
from api.tools.recording import ROLES, get_progress, list_claims, record_claim, record_progress
from api.tools.searching import diff, search
from evidence_store.errors import EvidenceStoreError, InvalidInput, JsonValue


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    description: str
    properties: Mapping[str, Schema]
    required: tuple[str, ...]
    call: Callable[[ToolContext, Arguments], ToolAnswer]
    records: bool = False
    """Whether it writes progress or claims; no tool ever writes to a source."""

    @property
    def output(self) -> Schema:
        """The schema of its answers as JSON."""
        return OUTPUTS[self.name]

    @property
    def parameters(self) -> dict[str, JsonValue]:
        """The schema of its arguments."""
        return {
            "type": "object",
            "properties": dict(self.properties),
            "required": list(self.required),
            "additionalProperties": False,
        }

    def definition(self) -> dict[str, JsonValue]:
        """The tool in the form of OpenAI Chat."""
        return {"type": "function", "function": {"name": self.name, "description": self.description, "parameters": self.parameters}}


def _text(description: str) -> Schema:
    return {"type": "string", "description": description}


def _whole(description: str) -> Schema:
    return {"type": "integer", "description": description}


def _flag(description: str) -> Schema:
    return {"type": "boolean", "description": description}


def _texts(description: str) -> Schema:
    return {"type": "array", "items": {"type": "string"}, "description": description}


_RESOURCE = _text("Name of the resource.")
_REVISION = _whole("Revision number; without it the one that this run reads.")
_TOKENS = _whole("Tokens of the excerpt at most, 2000 by default. What is larger is answered with an outline or cut.")
_AFTER = _text("Continue after this one.")
_STATES: Schema = {"type": "string", "enum": ["todo", "doing", "done", "excluded", "blocked"]}
_ITEM: Schema = {
    "type": "object",
    "properties": {
        "subject": _text("What it is about."),
        "state": _STATES,
        "evidence": _texts("Evidence ids."),
        "next": _text("What to do next."),
        "uses": _texts("Subjects that this one rests on."),
    },
    "required": ["subject", "state"],
}
_CITATION: Schema = {
    "type": "object",
    "properties": {"evidence": _text("Evidence id."), "role": {"type": "string", "enum": list(ROLES)}},
    "required": ["evidence", "role"],
}
_ABOUT: Schema = {
    "type": "object",
    "properties": {"resource": _text("Resource."), "pointer": _text("JSON Pointer."), "aspect": _text("Which side of it.")},
    "required": ["resource"],
}

TOOLS: tuple[Tool, ...] = (
    Tool(
        "diff",
        "Pairs of places that differ between two revisions, as evidence of both sides.",
        {
            "resource": _RESOURCE,
            "old_revision": _whole("Older revision."),
            "new_revision": _whole("Newer revision."),
            "pointer": _text("Compare below this JSON Pointer only."),
        },
        ("resource", "old_revision", "new_revision"),
        diff,
    ),
    Tool(
        "get_evidence",
        "Show a stored evidence again, or what stands around it.",
        {"id": _text("Evidence id, ev_…."), "expand": _text("parent, full, or lines:N."), "max_tokens": _TOKENS},
        ("id",),
        get_evidence,
    ),
    Tool(
        "get_progress",
        "Where each subject of the task stands.",
        {"state": _STATES, "after": _AFTER, "limit": _whole("Items at most, 100 by default.")},
        (),
        get_progress,
    ),
    Tool(
        "list_claims",
        "Claims of the task with their standing and evidence.",
        {
            "standing": _text("Only this standing, such as verified."),
            "resource": _text("Only about this resource."),
            "pointer": _text("Only about this place or below it."),
            "text": _text("Only with these words, whatever their case."),
            "claims": _text("Only these, such as C12-C140: one of the pages that a section of the input names."),
            "after": _AFTER,
            "limit": _whole("Claims at most, 100 by default."),
        },
        (),
        list_claims,
    ),
    Tool("list_resources", "Resources that can be read, with their newest revision.", {"after": _AFTER}, (), list_resources),
    Tool(
        "read_log",
        "Read a place of a text resource as evidence. Give one of lines, bytes, quote, case.",
        {
            "resource": _RESOURCE,
            "revision": _REVISION,
            "lines": _text("A-B, from 1, both included; or head:N, tail:N, around:LINE:N."),
            "bytes": _text("A-B, from 0, the end not included."),
            "quote": _text("Text that stands there once."),
            "prefix": _text("With quote: what stands right before it."),
            "suffix": _text("With quote: what stands right after it."),
            "case": _text("Test case of a report, SUITE/NAME or PACKAGE/TEST."),
            "max_tokens": _TOKENS,
        },
        ("resource",),
        read_log,
    ),
    Tool(
        "read_spec",
        "Read a place of a JSON or YAML resource as evidence. Give one of pointer, operation, schema.",
        {
            "resource": _RESOURCE,
            "revision": _REVISION,
            "pointer": _text("JSON Pointer, such as /paths/~1orders/get."),
            "operation": _text("Method and path, such as get /orders."),
            "parameter": _text("With operation: name of one of its parameters."),
            "schema": _text("Name of a schema under components."),
            "fields": _texts("Only these members, each as an evidence of its own."),
            "view": {"type": "string", "enum": ["source", "keys"], "description": "keys: the member names, as evidence of what is absent."},
            "children": _text("A-B, from 0: outline of this range of children; with view keys, their keys."),
            "max_tokens": _TOKENS,
        },
        ("resource",),
        read_spec,
    ),
    Tool(
        "search",
        "Find lines of a resource, or of all whose names match a pattern; each hit is an evidence of its line, "
        "a long line may have several; no hit gives a receipt.",
        {
            "resource": _text("Name of the resource, or a pattern of names such as ci/*.log."),
            "revision": _REVISION,
            "pattern": _text("Text, or an RE2 expression with regex."),
            "regex": _flag("Read the pattern as RE2."),
            "ignore_case": _flag("Ignore case."),
            "limit": _whole("Hits at most, 20 by default."),
            "context": _whole("Lines around a hit, 0 by default."),
            "after": _whole("Continue after this byte, as next of an answer says."),
            "all_revisions": _flag("Search every revision, oldest first."),
        },
        ("resource", "pattern"),
        search,
    ),
    Tool(
        "summary",
        "What a resource holds, by its structure: levels and errors of a log, fields of records, failed tests, and where to read on.",
        {
            "resource": _RESOURCE,
            "revision": _REVISION,
            "kind": _text("json-shape, records, log, metrics, inspection or tests; without it the one that fits best."),
            "max_tokens": _TOKENS,
        },
        ("resource",),
        summary,
    ),
    Tool(
        "record_claim",
        "State a conclusion with its evidence. It is checked at once; the answer says where it stands and why.",
        {
            "about": _ABOUT,
            "text": _text("One sentence; its numbers, quotes and identifiers must stand in the evidence."),
            "citations": {"type": "array", "items": _CITATION},
            "standing": {"type": "string", "enum": ["open", "excluded"]},
            "scope_rule": _text("For excluded: the rule of the task that it matches."),
            "reason": _text("Why it stays open."),
        },
        ("about", "text", "citations"),
        record_claim,
        records=True,
    ),
    Tool(
        "record_progress",
        "Record where subjects stand. A todo for a known subject leaves it as it is.",
        {"items": {"type": "array", "items": _ITEM}},
        ("items",),
        record_progress,
        records=True,
    ),
)
BY_NAME = {tool.name: tool for tool in TOOLS}


def granted(*, recording: bool) -> tuple[Tool, ...]:
    """The tools in a fixed order: reading tools by name, then, where they are granted, those that record."""
    return tuple(tool for tool in TOOLS if recording or not tool.records)


def definitions(*, recording: bool) -> tuple[dict[str, JsonValue], ...]:
    """The definitions of the granted tools, in their order."""
    return tuple(tool.definition() for tool in granted(recording=recording))


def call_tool(context: Tools, name: str, arguments: Mapping[str, JsonValue], *, recording: bool) -> ToolAnswer:
    """Calls a tool, where the context says. What goes wrong is an answer too, so that the model can mend its call."""
    tool = BY_NAME.get(name)
    if tool is None or (tool.records and not recording):
        known = [one.name for one in granted(recording=recording)]
        return error_answer(InvalidInput(f"there is no tool {name[:80]!r}", {"known": known}, code="unknown_tool"))
    try:
        if isinstance(context, CallsElsewhere):
            return context.call(name, arguments)
        assert isinstance(context, ToolContext), "tools are called here or elsewhere"
        return tool.call(context, Arguments(name, arguments))
    except EvidenceStoreError as why:
        return error_answer(why)


__all__ = ["TOOLS", "Tool", "call_tool", "definitions", "granted"]
