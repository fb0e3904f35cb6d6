"""Compares one operation of the old version with the new version, and lists the operations there are."""

import re
from dataclasses import dataclass

from api.compat_report.comparison import Comparison, Fault, ask_fault, is_there, lacking, new_cite, old_cite, quote, resolve, side_of
from api.compat_report.dialect import is_swagger
from api.compat_report.endpoints import Endpoint, find_endpoint, find_item, find_items, find_place, list_methods, list_names
from api.compat_report.exclusions import Exclusion, find_match
from api.compat_report.media import compare_bodies, compare_body, compare_result, compare_results
from api.compat_report.model import Cite, Need
from api.compat_report.numbers import is_same
from api.compat_report.parameters import compare_parameter, compare_parameters, shape_of
from api.compat_report.phrases import describe_operation
from api.compat_report.pointers import escape_token, split_pointer
from api.compat_report.schemas import compare_schemas
from api.compat_report.security import compare_scheme, compare_security
from api.compat_report.subjects import METHODS, MORE_METHOD, OperationSubject, PairSubject, format_operation
from api.compat_report.swagger import compare_body_parameters, compare_produced
from api.compat_report.view import Hidden, Node


@dataclass(frozen=True, slots=True)
class Absent:
    """The new version has no such operation: this container lacks it."""

    container: Node


def compare_operation(c: Comparison, subject: OperationSubject, rules: tuple[Exclusion, ...]) -> None:
    """One operation of the old version, unless a rule leaves it out."""
    try:
        _compare_operation(c, subject, rules)
    except Fault as fault:
        ask_fault(c, fault, f"a `$ref` in {describe_operation(subject.method, subject.path)} is not followed")


def _compare_operation(c: Comparison, subject: OperationSubject, rules: tuple[Exclusion, ...]) -> None:
    name = describe_operation(subject.method, subject.path)
    with c.part():
        place = find_place(c.old, subject.path, subject.method)
        if place is None:
            return  # the list of operations holds those that are there
        match = find_match(rules, place, subject.path)
        if match is not None:
            c.exclude(match.rule.text, f"{name} is left out: {match.said}", match.cite)
            return
    old: Endpoint | None = None
    new: Endpoint | Absent | None = None
    with c.part():
        old = find_endpoint(c.old, subject.path, subject.method)
        list_names(old.item)
    with c.part():
        new = find_operation(c, subject)
    if isinstance(new, Absent) and old is not None and not c.needs:
        c.add("operation-removed", f"operation {name} removed", old_cite(old.place), lacking(new.container), *old.phrase.cites)
    elif isinstance(new, Endpoint) and old is not None and not c.needs:
        _compare_parts(c, old, new, rules)


def _compare_parts(c: Comparison, old: Endpoint, new: Endpoint, rules: tuple[Exclusion, ...]) -> None:
    with c.part():
        _ask_when_marked(c, old, new, rules)
    bodies = (compare_body_parameters, compare_produced) if is_swagger(c.old) else (compare_bodies,)
    for compare in (compare_parameters, *bodies, compare_results, compare_security, _ask_about_callbacks):
        with c.part():
            try:
                compare(c, old, new)
            except Fault as fault:
                ask_fault(c, fault, f"a `$ref` in {old.phrase.text} is not followed")


def find_operation(c: Comparison, subject: OperationSubject) -> Endpoint | Absent:
    """The operation of the new version with the same method and a path of the same shape; raises Hidden or Unresolved."""
    path = _find_path(c, subject)
    if path is None and c.tried == 0 and subject.method in METHODS:
        c.needs.setdefault(Need("new", f"/paths/{escape_token(subject.path)}", "keys"))
        raise Hidden(Need("new", "", operation=format_operation(subject.method, subject.path)))
    if path is None:
        paths = c.new.node("/paths")
        names = list_names(paths)
        same = [name for name in names if shape_of(name) == shape_of(subject.path)]
        if subject.path not in same and same:
            same = _without_namesakes(c, same) or same
        if not same:
            return Absent(paths)
        path = subject.path if subject.path in same else same[0]
    if find_place(c.new, path, subject.method) is None:
        return Absent(find_item(c.new, path))
    endpoint = find_endpoint(c.new, path, subject.method)
    list_names(endpoint.item)
    return endpoint


def _without_namesakes(c: Comparison, names: list[str]) -> list[str]:
    """A path that the old version has under this very name is the counterpart of that one."""
    known = list_names(c.old.node("/paths"))
    return [name for name in names if name not in known]


def _find_path(c: Comparison, subject: OperationSubject) -> str | None:
    """A path of this shape of which something is shown, the one of the same name first."""
    shape = shape_of(subject.path)
    known = [split_pointer(pointer) for pointer in c.new.known_pointers() if pointer.startswith("/paths/")]
    names = list(dict.fromkeys(tokens[1] for tokens in known if shape_of(tokens[1]) == shape))
    if subject.path in names:
        return subject.path
    return next(iter(_without_namesakes(c, names)), None) if names else None


def _ask_when_marked(c: Comparison, old: Endpoint, new: Endpoint, rules: tuple[Exclusion, ...]) -> None:
    """A mark that the new version alone has leaves nothing out; that it was set is said."""
    marks = tuple(rule for rule in rules if rule.kind != "glob")
    match = find_match(marks, new.node, new.path)
    if match is None:
        return
    name = "tags" if match.rule.kind == "tag" else split_pointer(match.rule.name)[0]
    text = f"{old.phrase.text} is now marked: {match.said}"
    cites = (side_of(old.node, name), Cite("new", match.cite.pointer, "new"), *old.phrase.cites)
    c.ask("operation-marked-out", text, "the old version has no such mark, so the operation is compared", *cites)


def _ask_about_callbacks(c: Comparison, old: Endpoint, new: Endpoint) -> None:
    before, after = old.node.get("callbacks"), new.node.get("callbacks")
    if before is None:
        return
    try:
        changed = after is None or not is_same(before.value(), after.value())
    except Hidden:
        # Too large to be shown: what cannot be seen to be the same is asked about.
        if c.tried < 3:
            raise
        changed = True
    if changed:
        cites = (old_cite(before), lacking(new.node) if after is None else new_cite(after))
        c.ask("operation-part-not-compared", "`callbacks` changed or are too large", "the rules do not judge callbacks", *cites)


def list_operations(c: Comparison, page: int) -> None:
    """The operations in the paths that are shown, as subjects; `page` is the first child of the page that is awaited."""
    if "webhooks" in list_names(c.old.node("")):
        cites = (Cite("old", "/webhooks", "old", "keys"), Cite("new", "", "new", "keys"))
        c.ask("operation-part-not-compared", "`webhooks` are not compared", "the rules do not judge webhooks", *cites)
    paths = c.old.node("/paths")
    shown = next((one for one in c.old.pages("/paths") if one.first == page), None)
    names = list(paths.names()) if shown is None else list(shown.children or {})
    for name in names:
        if name.startswith("x-"):
            continue
        with c.part():
            try:
                methods = dict.fromkeys(method for item in find_items(c.old, name) for method in list_methods(item))
            except Fault as fault:
                ask_fault(c, fault, "a path item stands behind a `$ref` that is not followed")
                continue
            for method in methods:
                _list_operation(c, name, method)


def _list_operation(c: Comparison, path: str, method: str) -> None:
    if method in METHODS or re.fullmatch(MORE_METHOD, method):
        c.subjects.setdefault(format_operation(method, path))
    else:
        cites = (Cite("old", f"/paths/{escape_token(path)}", "old", "keys"), Cite("new", "", "absent", "keys"))
        c.ask("operation-part-not-compared", "an operation of another method is not compared", f"{quote(method)} is no method", *cites)


def compare_pair(c: Comparison, subject: PairSubject) -> None:
    """A pair of places that is compared on its own."""
    old, new = c.old.node(subject.old), c.new.node(subject.new)
    gone: list[str] = []
    for node in (old, new):
        with c.part():
            if not is_there(node):
                gone.append(f"{quote(node.pointer)} is not there in the {node.view.side} version")
    if c.needs:
        return
    if gone:
        cites = (Cite("old", "", "old", "keys"), Cite("new", "", "new", "keys"))
        c.ask("reference-not-followed", "a `$ref` leads to nothing", " and ".join(gone), *cites)
        return
    with c.part():
        try:
            _compare_kind(c, subject, old, new)
        except Fault as fault:
            ask_fault(c, fault, "a `$ref` is not followed")


def _compare_kind(c: Comparison, subject: PairSubject, old: Node, new: Node) -> None:
    match subject.kind:
        case "request" | "response":
            compare_schemas(c, old, new, subject.kind, at_root=True)
        case "request-value":
            compare_schemas(c, old, new, "request", at_root=True, with_null=False)
        case "response-value":
            compare_schemas(c, old, new, "response", at_root=True, with_null=False)
        case "parameter":
            compare_parameter(c, resolve(old), resolve(new))
        case "body":
            compare_body(c, resolve(old), resolve(new))
        case "result":
            compare_result(c, resolve(old), resolve(new))
        case "scheme":
            compare_scheme(c, resolve(old), resolve(new))
