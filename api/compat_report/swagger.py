"""What only Swagger 2.0 has: a body among the parameters, and media types in two lists of the operation or of the document."""

from api.compat_report.comparison import Comparison, Fault, ask_fault, lacking, new_cite, old_cite, require_array, resolve
from api.compat_report.endpoints import Endpoint
from api.compat_report.forms import find_media_type
from api.compat_report.model import Direction
from api.compat_report.parameters import BODY, Parameter, Parameters, compare_referred, list_parameters
from api.compat_report.view import Node


def compare_body_parameters(c: Comparison, old: Endpoint, new: Endpoint) -> None:
    """The body of two operations, and the media types that it may have."""
    olds, news = list_parameters(c, old), list_parameters(c, new)
    if olds is None or news is None:
        return
    before, after = _find_body(olds), _find_body(news)
    if before is not None and after is not None:
        compare_referred(c, before.node, after.node)
    elif before is not None and news.is_complete:
        text = f"request body of {old.phrase.text} removed"
        c.add("request-body-removed", text, old_cite(before.node), lacking(_list_of(new)), *old.phrase.cites)
    elif after is not None and olds.is_complete:
        _report_new_body(c, after.node, old, new)
    if any(one.place in (BODY, "formData") for one in olds.by_key.values()):
        with c.part():
            _compare_media_types(c, old, new, "consumes", "request")


def compare_produced(c: Comparison, old: Endpoint, new: Endpoint) -> None:
    """The media types that may be answered."""
    _compare_media_types(c, old, new, "produces", "response")


def _find_body(parameters: Parameters) -> Parameter | None:
    return next((one for one in parameters.by_key.values() if one.place == BODY), None)


def _list_of(operation: Endpoint) -> Node:
    return operation.node.get("parameters") or operation.node


def _report_new_body(c: Comparison, body: Node, old: Endpoint, new: Endpoint) -> None:
    try:
        required = resolve(body).get("required")
    except Fault as fault:
        ask_fault(c, fault, "a `$ref` to a new request body is not followed")
        return
    if required is not None and required.value() is True:
        text = f"new required request body of {new.phrase.text}"
        c.add("request-body-required-added", text, new_cite(required), lacking(_list_of(old)), *new.phrase.cites)


def _compare_media_types(c: Comparison, old: Endpoint, new: Endpoint, keyword: str, direction: Direction) -> None:
    """Where the new version says nothing of media types any more, nothing is known to be lost, and that is asked."""
    before, after = (_find_list(operation, keyword) for operation in (old, new))
    if before is None or not require_array(before).items():
        return
    if after is None or not require_array(after).items():
        _ask_when_unsaid(c, old, new, before, after, direction)
        return
    kept = tuple(item.text() or "" for item in after.items())
    shared = before.parent().pointer == after.parent().pointer == ""
    for item in before.items():
        name = item.text() or ""
        if find_media_type(name, kept) is None:
            of = f"`{keyword}`" if shared else f"`{keyword}` of {old.phrase.text}"
            cites = () if shared else old.phrase.cites
            c.add(f"{direction}-media-type-removed", f"media type `{name}` removed from {of}", old_cite(item), new_cite(after), *cites)


def _ask_when_unsaid(c: Comparison, old: Endpoint, new: Endpoint, before: Node, after: Node | None, direction: Direction) -> None:
    shared = before.parent().pointer == "" and after is None
    of = "" if shared else f" of {old.phrase.text}"
    absent = (lacking(c.new.node("")),) if shared else (lacking(new.node), lacking(c.new.node("")))
    gone = absent if after is None else (new_cite(after),)
    reason = "which media types are left where none are listed cannot be seen"
    cites = (old_cite(before), *gone, *(() if shared else old.phrase.cites))
    c.ask(f"{direction}-keyword-not-compared", f"`{before.token}`{of} lists no media types any more", reason, *cites)


def _find_list(operation: Endpoint, keyword: str) -> Node | None:
    """The operation's own list, else that of the document."""
    own = operation.node.get(keyword)
    return own if own is not None else operation.node.view.node("").get(keyword)
