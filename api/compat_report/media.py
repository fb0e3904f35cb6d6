"""Compares what bodies hold: media types and their schemas, request bodies, response objects and their headers."""

from typing import Literal

from api.compat_report.comparison import (
    Comparison,
    Fault,
    ask_fault,
    follow_listed,
    lacking,
    new_cite,
    old_cite,
    quote,
    ref_of,
    require_object,
    resolve,
    side_of,
)
from api.compat_report.dialect import is_swagger, requires_responses
from api.compat_report.endpoints import Endpoint
from api.compat_report.forms import compare_encodings, find_media_type, is_form
from api.compat_report.model import Direction
from api.compat_report.phrases import Phrase, depth_of_method, describe_operation
from api.compat_report.pointers import locate, split_pointer
from api.compat_report.schemas import compare_schemas
from api.compat_report.view import Node

BodyKind = Literal["body", "result"]


def name_owner(node: Node) -> str:
    """What a body or a response is called, from the tokens of its pointer."""
    tokens = split_pointer(node.pointer)
    if locate(node.pointer).resource:
        return _name_part(tokens)
    if tokens[:1] == ("paths",) and len(tokens) > 3:
        depth = depth_of_method(tokens)
        operation, rest = describe_operation(tokens[depth - 1], tokens[1]), tokens[depth:]
        return f"response `{rest[1]}` of {operation}" if rest[:1] == ("responses",) and len(rest) > 1 else f"request body of {operation}"
    return f"`{tokens[-1]}`" if tokens else "the document"


def _name_part(tokens: tuple[str, ...]) -> str:
    """In another file no token names the operation."""
    if "responses" in tokens[:-1]:
        return f"response `{tokens[tokens.index('responses') + 1]}`"
    if "requestBody" in tokens:
        return "request body"
    return f"`{tokens[-1]}`" if tokens else "a part in a file of its own"


def compare_content(c: Comparison, old: Node, new: Node, direction: Direction, owner: Phrase) -> None:
    """Two maps of media types."""
    for name in require_object(old).names():
        with c.part():
            same = find_media_type(name, require_object(new).names())
            if same is None:
                rule = "request-media-type-removed" if direction == "request" else "response-media-type-removed"
                c.add(rule, f"media type `{name}` of {owner.text} removed", old_cite(old.child(name)), lacking(new), *owner.cites)
            else:
                _compare_media_type(c, old.child(name), new.child(same), direction, owner)


def _compare_media_type(c: Comparison, old: Node, new: Node, direction: Direction, owner: Phrase) -> None:
    old, new = resolve(old), resolve(new)
    if is_form(old.token):
        with c.part():
            compare_encodings(c, old, new, direction, owner)
    for keyword in ("schema", "itemSchema"):
        with c.part():
            _compare_media_schema(c, old, new, keyword, direction)


def _compare_media_schema(c: Comparison, old: Node, new: Node, keyword: str, direction: Direction) -> None:
    before, after = old.get(keyword), new.get(keyword)
    if before is not None and after is not None:
        compare_schemas(c, before, after, direction)
    elif direction == "request" and after is not None and before is None:
        c.add("request-schema-set", f"a schema for media type `{new.token}` of {name_owner(old)} set", lacking(old), new_cite(after))
    elif direction == "response" and before is not None and after is None:
        text = f"the schema for media type `{old.token}` of {name_owner(old)} removed"
        c.add("response-schema-removed", text, old_cite(before), lacking(new))


def compare_body(c: Comparison, old: Node, new: Node) -> None:
    """Two request bodies, references followed."""
    before, after = old.get("required"), new.get("required")
    if after is not None and after.value() is True and (before is None or before.value() is not True):
        c.add("request-body-required", f"{name_owner(new)} is required", side_of(old, "required"), new_cite(after))
    with c.part():
        _compare_contents(c, old, new, "request")


def compare_result(c: Comparison, old: Node, new: Node) -> None:
    """Two response objects, references followed."""
    with c.part():
        if is_swagger(old.view):
            _compare_only_schema(c, old, new)
        else:
            _compare_contents(c, old, new, "response")
    with c.part():
        _compare_headers(c, old, new)


def _compare_contents(c: Comparison, old: Node, new: Node, direction: Direction) -> None:
    before, after = old.get("content"), new.get("content")
    if before is not None:
        compare_content(c, before, after or new, direction, Phrase(name_owner(old)))


def _compare_only_schema(c: Comparison, old: Node, new: Node) -> None:
    """In Swagger 2.0 one schema stands for all media types; without it there is no body."""
    before, after = old.get("schema"), new.get("schema")
    if before is not None and after is not None:
        compare_schemas(c, before, after, "response")
    elif before is not None:
        c.add("response-body-removed", f"`schema` of {name_owner(old)} removed: it has no body any more", old_cite(before), lacking(new))


def _compare_headers(c: Comparison, old: Node, new: Node) -> None:
    before, after = old.get("headers"), new.get("headers")
    names = {} if after is None else {name.lower(): name for name in after.names()}
    for name, header in ({} if before is None else before.members()).items():
        if name.lower() == "content-type":
            continue
        with c.part():
            if name.lower() in names and after is not None:
                _compare_header(c, header, after.child(names[name.lower()]))
            else:
                text = f"header `{name}` of {name_owner(old)} removed"
                c.add("response-header-removed", text, old_cite(header), lacking(after or new))


def _compare_header(c: Comparison, old: Node, new: Node) -> None:
    try:
        old, new = resolve(old), resolve(new)
    except Fault as fault:
        ask_fault(c, fault, "a `$ref` among the headers is not followed")
        return
    if is_swagger(old.view):
        compare_schemas(c, old, new, "response", at_root=True)
        return
    before, after = old.get("required"), new.get("required")
    if before is not None and before.value() is True and (after is None or after.value() is not True):
        c.add("response-header-optional", f"header `{old.token}` is no longer required", old_cite(before), side_of(new, "required"))
    schemas = old.get("schema"), new.get("schema")
    if schemas[0] is not None and schemas[1] is not None:
        compare_schemas(c, schemas[0], schemas[1], "response")


def compare_bodies(c: Comparison, old: Endpoint, new: Endpoint) -> None:
    """What two operations take."""
    before, after = old.node.get("requestBody"), new.node.get("requestBody")
    if before is not None and after is not None:
        compare_referable(c, "body", before, after)
    elif before is not None:
        phrase = old.phrase
        c.add("request-body-removed", f"request body of {phrase.text} removed", old_cite(before), lacking(new.node), *phrase.cites)
    elif after is not None:
        _report_new_body(c, after, old, new.phrase)


def _report_new_body(c: Comparison, body: Node, old: Endpoint, phrase: Phrase) -> None:
    try:
        required = resolve(body).get("required")
    except Fault as fault:
        ask_fault(c, fault, "a `$ref` to a new request body is not followed")
        return
    if required is not None and required.value() is True:
        text = f"new required request body of {phrase.text}"
        c.add("request-body-required-added", text, new_cite(required), lacking(old.node), *phrase.cites)


def compare_results(c: Comparison, old: Endpoint, new: Endpoint) -> None:
    """What two operations answer, by status."""
    before, after = _find_responses(old), _find_responses(new)
    lacks = old if before is None else new
    if (before is None) != (after is None) and requires_responses(lacks.node.view):
        _ask_when_missing(c, old, new, lacks)
    elif before is not None:
        _compare_statuses(c, old, new, before, after)


def _compare_statuses(c: Comparison, old: Endpoint, new: Endpoint, before: Node, after: Node | None) -> None:
    statuses = () if after is None else after.names()
    for status in before.names():
        if status.startswith("x-"):
            continue
        with c.part():
            same = next((one for one in (status, f"{status[:1]}XX") if one in statuses), None)
            if same is None or after is None:
                phrase = old.phrase
                text = f"response `{status}` of {phrase.text} removed"
                c.add("response-removed", text, old_cite(before.child(status)), lacking(after or new.node), *phrase.cites)
            else:
                compare_referable(c, "result", before.child(status), after.child(same))


def _find_responses(operation: Endpoint) -> Node | None:
    found = operation.node.get("responses")
    return None if found is None or (not found.names() and found.value() is None) else require_object(found)


def _ask_when_missing(c: Comparison, old: Endpoint, new: Endpoint, lacks: Endpoint) -> None:
    """Before 3.1 an operation has to say what it answers; one that does not was left unfinished, and nothing follows from it."""
    text = f"{old.phrase.text} has no `responses` in one version, so that what it answers is not compared"
    reason = f"{quote(lacks.node.pointer)} lacks the object `responses` that the format asks for"
    sides = [lacking(one.node) if one is lacks else side_of(one.node, "responses") for one in (old, new)]
    c.ask("malformed", text, reason, *sides, *old.phrase.cites)


def compare_referable(c: Comparison, kind: BodyKind, old: Node, new: Node) -> None:
    """In place where both stand here, as a pair of its own where one is referred to or not shown."""
    if not (old.is_shown() and new.is_shown()):
        c.use(kind, old, new)
    elif ref_of(old) is not None or ref_of(new) is not None:
        try:
            c.use(kind, *(follow_listed(node) for node in (old, new)))
        except Fault as fault:
            ask_fault(c, fault, f"the `$ref` of {name_owner(old)} is not followed")
    elif kind == "body":
        compare_body(c, require_object(old), require_object(new))
    else:
        compare_result(c, require_object(old), require_object(new))
