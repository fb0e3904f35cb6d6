"""Compares one operation of the old version with the new version, and lists the operations there are."""

from dataclasses import dataclass

from api.compat_report.comparison import Comparison, Unresolved, is_there, lacking, new_cite, old_cite, resolve, side_of
from api.compat_report.exclusions import Exclusion, find_match
from api.compat_report.media import ask_reference, compare_bodies, compare_body, compare_result, compare_results
from api.compat_report.model import Cite, Need
from api.compat_report.numbers import is_same
from api.compat_report.parameters import compare_parameter, compare_parameters, shape_of
from api.compat_report.phrases import describe_operation
from api.compat_report.pointers import escape_token, split_pointer
from api.compat_report.schemas import compare_schemas
from api.compat_report.security import compare_scheme, compare_security
from api.compat_report.subjects import METHODS, OperationSubject, PairSubject, format_operation
from api.compat_report.view import Hidden, Node, View


@dataclass(frozen=True, slots=True)
class Absent:
    """The new version has no such operation: this container lacks it."""

    container: Node


def compare_operation(c: Comparison, subject: OperationSubject, rules: tuple[Exclusion, ...]) -> None:
    """One operation of the old version, unless a rule leaves it out."""
    path = f"/paths/{escape_token(subject.path)}"
    old = c.old.node(f"{path}/{subject.method}")
    with c.part():
        match = find_match(rules, old, subject.path)
        if match is not None:
            c.exclude(match.rule.text, f"{describe_operation(subject.method, subject.path)} is left out: {match.said}", match.cite)
            return
    with c.part():
        list_names(c.old.node(path))
    new = None
    with c.part():
        new = find_operation(c, subject)
        list_names(new.container if isinstance(new, Absent) else new.parent())
    if isinstance(new, Absent) and not c.needs:
        text = f"operation {describe_operation(subject.method, subject.path)} removed"
        c.add("operation-removed", text, old_cite(old), lacking(new.container))
    elif isinstance(new, Node) and not c.needs:
        _compare_parts(c, old, new, rules, subject)


def _compare_parts(c: Comparison, old: Node, new: Node, rules: tuple[Exclusion, ...], subject: OperationSubject) -> None:
    with c.part():
        _ask_when_marked(c, old, new, rules, subject)
    for compare in (compare_parameters, compare_bodies, compare_results, compare_security, _ask_about_callbacks):
        with c.part():
            try:
                compare(c, old, new)
            except Unresolved as fault:
                ask_reference(c, fault, f"a `$ref` in {describe_operation(subject.method, subject.path)} is not followed")


def find_operation(c: Comparison, subject: OperationSubject) -> Node | Absent:
    """The operation of the new version with the same method and a path of the same shape; raises Hidden."""
    path = _find_path(c.new, subject)
    if path is None and c.tried == 0:
        c.needs.setdefault(Need("new", f"/paths/{escape_token(subject.path)}", "keys"))
        raise Hidden(Need("new", "", operation=format_operation(subject.method, subject.path)))
    if path is None:
        paths = c.new.node("/paths")
        same = [name for name in list_names(paths) if shape_of(name) == shape_of(subject.path)]
        if not same:
            return Absent(paths)
        path = paths.child(subject.path if subject.path in same else same[0])
    operation = path.child(subject.method)
    if not operation.is_shown() and subject.method not in list_names(path):
        return Absent(path)
    return operation


def list_names(node: Node) -> tuple[str, ...]:
    """The names of a container whose members are not all wanted: read as names, not whole."""
    try:
        return node.names()
    except Hidden as hidden:
        raise Hidden(Need(node.view.side, node.pointer, "keys")) from hidden


def _find_path(view: View, subject: OperationSubject) -> Node | None:
    """A path item of this shape of which something is shown, the one of the same name first."""
    known = [split_pointer(pointer) for pointer in view.known_pointers()]
    names = [tokens[1] for tokens in known if len(tokens) > 1 and tokens[0] == "paths" and shape_of(tokens[1]) == shape_of(subject.path)]
    found = subject.path if subject.path in names else next(iter(names), None)
    return None if found is None else view.node(f"/paths/{escape_token(found)}")


def _ask_when_marked(c: Comparison, old: Node, new: Node, rules: tuple[Exclusion, ...], subject: OperationSubject) -> None:
    """A mark that the new version alone has leaves nothing out; that it was set is said."""
    marks = tuple(rule for rule in rules if rule.kind != "glob")
    match = find_match(marks, new, new.parent().token)
    if match is None:
        return
    name = "tags" if match.rule.kind == "tag" else split_pointer(match.rule.name)[0]
    text = f"{describe_operation(subject.method, subject.path)} is now marked: {match.said}"
    cites = (side_of(old, name), Cite("new", match.cite.pointer, "new"))
    c.ask("operation-marked-out", text, "the old version has no such mark, so the operation is compared", *cites)


def _ask_about_callbacks(c: Comparison, old: Node, new: Node) -> None:
    before, after = old.get("callbacks"), new.get("callbacks")
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
        cites = (old_cite(before), lacking(new) if after is None else new_cite(after))
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
        with c.part():
            item = paths.child(name)
            members = list_names(item)
            if "$ref" in members:
                cites = (old_cite(item), lacking(c.new.node("")))
                c.ask("operation-part-not-compared", "a path item stands behind `$ref`", "path items are not followed", *cites)
            for method in METHODS:
                if method in members:
                    c.subjects.setdefault(format_operation(method, name))


def compare_pair(c: Comparison, subject: PairSubject) -> None:
    """A pair of places that is compared on its own."""
    old, new = c.old.node(subject.old), c.new.node(subject.new)
    there = True
    for node in (old, new):
        with c.part():
            there = is_there(node) and there
    if c.needs:
        return
    if not there:
        cites = (Cite("old", "", "old", "keys"), Cite("new", "", "new", "keys"))
        c.ask("reference-not-followed", "a `$ref` leads to nothing", f"{subject.old} or {subject.new} is not there", *cites)
        return
    with c.part():
        try:
            _compare_kind(c, subject, old, new)
        except Unresolved as fault:
            ask_reference(c, fault, "a `$ref` is not followed")


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
            compare_scheme(c, old, new)
