"""Compares what bodies hold: media types and their schemas, request bodies, response objects and their headers."""

from typing import Literal

from api.compat_report.comparison import Comparison, Unresolved, follow_if_ref, lacking, new_cite, old_cite, ref_of, resolve, side_of
from api.compat_report.dialect import is_swagger
from api.compat_report.endpoints import Endpoint
from api.compat_report.model import Cite, Direction
from api.compat_report.phrases import Phrase, describe_operation
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
        operation = describe_operation(tokens[2], tokens[1])
        return f"response `{tokens[4]}` of {operation}" if tokens[3] == "responses" and len(tokens) > 4 else f"request body of {operation}"
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
    for name in old.names():
        with c.part():
            same = find_media_type(name, new.names())
            if same is None:
                rule = "request-media-type-removed" if direction == "request" else "response-media-type-removed"
                c.add(rule, f"media type `{name}` of {owner.text} removed", old_cite(old.child(name)), lacking(new), *owner.cites)
            else:
                _compare_media_type(c, old.child(name), new.child(same), direction)


def find_media_type(name: str, others: tuple[str, ...]) -> str | None:
    """The one of these that stands for a media type: itself, itself without parameters, or a range that holds it."""
    plain = _plain(name)
    for wanted in (name, plain, f"{plain.partition('/')[0]}/*", "*/*"):
        found = next((other for other in others if wanted in (other, _plain(other))), None)
        if found is not None:
            return found
    return None


def _plain(name: str) -> str:
    return name.partition(";")[0].strip().lower()


def _compare_media_type(c: Comparison, old: Node, new: Node, direction: Direction) -> None:
    before, after = old.get("schema"), new.get("schema")
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
    except Unresolved as fault:
        ask_reference(c, fault, "a `$ref` among the headers is not followed")
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


def ask_reference(c: Comparison, fault: Unresolved, text: str) -> None:
    """An open question about a reference that cannot be followed."""
    side = fault.node.view.side
    other = c.new if side == "old" else c.old
    c.ask("reference-not-followed", text, fault.reason, Cite(side, fault.node.pointer, side), Cite(other.side, "", "absent", "keys"))


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
    except Unresolved as fault:
        ask_reference(c, fault, "a `$ref` to a new request body is not followed")
        return
    if required is not None and required.value() is True:
        text = f"new required request body of {phrase.text}"
        c.add("request-body-required-added", text, new_cite(required), lacking(old.node), *phrase.cites)


def compare_results(c: Comparison, old: Endpoint, new: Endpoint) -> None:
    """What two operations answer, by status."""
    before, after = old.node.get("responses"), new.node.get("responses")
    if before is None:
        return
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


def compare_referable(c: Comparison, kind: BodyKind, old: Node, new: Node) -> None:
    """In place where both stand here, as a pair of its own where one is referred to or not shown."""
    if not (old.is_shown() and new.is_shown()):
        c.use(kind, old, new)
    elif ref_of(old) is not None or ref_of(new) is not None:
        try:
            c.use(kind, follow_if_ref(old), follow_if_ref(new))
        except Unresolved as fault:
            ask_reference(c, fault, f"the `$ref` of {name_owner(old)} is not followed")
    elif kind == "body":
        compare_body(c, old, new)
    else:
        compare_result(c, old, new)
