"""Tools that read: resources, specifications, stored evidence."""

from api.tools.answers import json_line, list_answer, packets_answer
from api.tools.arguments import Arguments
from api.tools.context import DEFAULT_MAX_TOKENS, MAX_MAX_TOKENS, ToolAnswer, ToolContext
from evidence_store.documents.cases import find_case
from evidence_store.documents.model import Document
from evidence_store.documents.openapi import find_operation, find_parameter, find_schema
from evidence_store.documents.resolve import resolve
from evidence_store.documents.text import parse_bytes, require_line_form
from evidence_store.errors import InvalidInput, JsonValue
from evidence_store.excerpts import Children
from evidence_store.ids import read_id
from evidence_store.model import Pointer, ResourceName, Selector
from evidence_store.pointers import join, plain_form
from evidence_store.quote_context import NO_CONTEXT, QuoteContext
from evidence_store.store.found import View
from evidence_store.store.passages import Place

LISTED_RESOURCES = 100


def list_resources(context: ToolContext, arguments: Arguments) -> ToolAnswer:
    """Names, kinds and newest revisions, one JSON line each."""
    after = arguments.find_text("after") or ""
    arguments.finish()
    found = context.store.sources.list_resources(after, LISTED_RESOURCES + 1)
    rows: list[tuple[str, JsonValue]] = []
    for resource, newest in found[:LISTED_RESOURCES]:
        one: dict[str, JsonValue] = {"resource": resource.name, "kind": resource.kind.value, "newest": newest.number}
        one |= {"format": newest.format.value, "bytes": newest.size}
        rows.append((f"- {json_line(one)}", one))
    following = found[LISTED_RESOURCES - 1][0].name if len(found) > LISTED_RESOURCES else None
    return list_answer("resources", rows, following, "no resources")


def read_spec(context: ToolContext, arguments: Arguments) -> ToolAnswer:
    """A node of a JSON or YAML revision by pointer, operation, parameter or schema."""
    name = ResourceName(arguments.text("resource"))
    asked = arguments.find_int("revision", 1, 2**53 - 1)
    pointer, operation = arguments.find_text("pointer"), arguments.find_text("operation")
    parameter, schema = arguments.find_text("parameter"), arguments.find_text("schema")
    fields, children = arguments.texts("fields"), arguments.find_text("children")
    view: View = "keys" if arguments.one_of("view", ("source", "keys")) == "keys" else "source"
    max_tokens = arguments.find_int("max_tokens", 1, MAX_MAX_TOKENS) or DEFAULT_MAX_TOKENS
    arguments.finish()
    revision = pinned(context, name, asked)
    document = context.store.sources.get_tree(context.store.sources.get_revision(name, revision))
    base = _pointer_of(document, pointer, operation, parameter, schema)
    pointers = [join(base, one) for one in fields] if fields else [base]
    range_ = None if children is None else read_children(children)
    places = [Place(name, revision, Selector("pointer", one), view, range_) for one in pointers]
    return packets_answer(context.store.passages.read_all(places, context.limit(max_tokens)))


def _pointer_of(document: Document, pointer: str | None, operation: str | None, parameter: str | None, schema: str | None) -> Pointer:
    given = [one for one in (pointer, operation, schema) if one is not None]
    if len(given) != 1 or (parameter is not None and operation is None):
        raise InvalidInput("give one of pointer, operation and schema; parameter goes with operation", code="bad_argument")
    if operation is not None:
        place = find_operation(document, operation)
        return (place if parameter is None else find_parameter(document, place, parameter)).pointer
    if schema is not None:
        return find_schema(document, schema).pointer
    resolve(document, pointer or "")
    return plain_form(pointer or "")


def read_log(context: ToolContext, arguments: Arguments) -> ToolAnswer:
    """Lines, bytes, a quoted text or a test case of any revision."""
    name = ResourceName(arguments.text("resource"))
    asked = arguments.find_int("revision", 1, 2**53 - 1)
    given = {kind: text for kind in ("lines", "bytes", "quote", "case") if (text := arguments.find_text(kind)) is not None}
    around = QuoteContext(arguments.find_text("prefix") or "", arguments.find_text("suffix") or "")
    max_tokens = arguments.find_int("max_tokens", 1, MAX_MAX_TOKENS) or DEFAULT_MAX_TOKENS
    arguments.finish()
    if len(given) != 1 or (around != NO_CONTEXT and "quote" not in given):
        raise InvalidInput("give one of lines, bytes, quote and case; prefix and suffix go with quote", code="bad_argument")
    revision = pinned(context, name, asked)
    ((kind, text),) = given.items()
    place = Place(name, revision, _selector(context, name, revision, kind, text), context=around)
    return packets_answer((context.store.passages.read(place, context.limit(max_tokens)),))


def _selector(context: ToolContext, name: ResourceName, revision: int, kind: str, text: str) -> Selector:
    match kind:
        case "case":
            document = context.store.sources.get_tree(context.store.sources.get_revision(name, revision))
            return Selector("pointer", find_case(document, text))
        case "quote":
            return Selector("quote", text)
        case "bytes":
            parse_bytes(text)
            return Selector("bytes", text)
        case _:
            require_line_form(text)
            return Selector("lines", text)


def summary(context: ToolContext, arguments: Arguments) -> ToolAnswer:
    """What a tool output holds, by its structure: derived evidence of the whole revision."""
    name = ResourceName(arguments.text("resource"))
    asked, kind = arguments.find_int("revision", 1, 2**53 - 1), arguments.find_text("kind")
    max_tokens = arguments.find_int("max_tokens", 1, MAX_MAX_TOKENS) or DEFAULT_MAX_TOKENS
    arguments.finish()
    return packets_answer((context.store.summaries.read(name, pinned(context, name, asked), kind, context.limit(max_tokens)),))


def get_evidence(context: ToolContext, arguments: Arguments) -> ToolAnswer:
    """A stored evidence by its id, or what stands around it."""
    id_ = read_id(arguments.text("id"))
    expand = arguments.find_text("expand")
    max_tokens = arguments.find_int("max_tokens", 1, MAX_MAX_TOKENS) or DEFAULT_MAX_TOKENS
    arguments.finish()
    limit = context.limit(max_tokens)
    passages = context.store.passages
    packet = passages.get(id_.id, limit) if expand is None else passages.expand(id_.id, expand, limit)
    notes = ("note: the id was read with its letters folded",) if id_.folded else ()
    return packets_answer((packet,), *notes, facts={"folded": id_.folded})


def read_children(text: str) -> Children:
    """`A-B`, 0-based and inclusive."""
    span = parse_bytes(text)
    return Children(span.start, span.end)


def pinned(context: ToolContext, name: ResourceName, revision: int | None) -> int:
    """The revision that this call reads: within a run the one that it is pinned to."""
    if context.step is None:
        return context.store.sources.get_revision(name, revision).number
    return context.store.runs.pinned(context.step.run, name, revision)
