"""The parameters of an operation: those of the path plus its own, matched by place and name, path parameters by their place in the path."""

import re
from dataclasses import dataclass

from api.compat_report.comparison import (
    Comparison,
    Fault,
    Malformed,
    ask_fault,
    lacking,
    new_cite,
    old_cite,
    ref_of,
    require_array,
    require_object,
    resolve,
    side_of,
)
from api.compat_report.dialect import is_swagger
from api.compat_report.endpoints import Endpoint
from api.compat_report.media import compare_content
from api.compat_report.model import Cite
from api.compat_report.phrases import describe_parameter
from api.compat_report.schemas import compare_schemas
from api.compat_report.shapes import find_core, find_parts, find_types
from api.compat_report.view import Hidden, Node

_LABEL = re.compile(r"(query|querystring|header|path|cookie|formData|body) (.+)", re.DOTALL)
BODY = "body"
"""The place of the parameter that is the body, in Swagger 2.0."""
_STYLES = {"query": "form", "cookie": "form", "path": "simple", "header": "simple"}


def shape_of(path: str) -> str:
    """The path with the names inside the braces taken out: two paths of one shape are the same endpoint."""
    return re.sub(r"\{[^}]*\}", "{}", path)


def template_names(path: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\{([^}]*)\}", path))


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter in force, and the list that it stands in."""

    place: str
    name: str
    node: Node
    """As written: a `$ref` is not followed."""

    def key(self, names: tuple[str, ...]) -> tuple[str, str]:
        """What it is matched by: header names in any case, path parameters by their place."""
        if self.place == "path" and self.name in names:
            return "path", str(names.index(self.name))
        return self.place, self.name.lower() if self.place == "header" else self.name


@dataclass(frozen=True, slots=True)
class Parameters:
    """All parameters in force of one operation, by what they are matched by."""

    by_key: dict[tuple[str, str], Parameter]
    is_complete: bool
    """False where one could not be read, which is asked: it may be any that seems to be missing."""


def compare_parameters(c: Comparison, old: Endpoint, new: Endpoint) -> None:
    """All parameters of two operations but the body."""
    olds, news = list_parameters(c, old), list_parameters(c, new)
    if olds is None or news is None:
        return
    for key, parameter in olds.by_key.items():
        with c.part():
            if parameter.place == BODY:
                continue
            if key in news.by_key:
                compare_referred(c, parameter.node, news.by_key[key].node)
            elif parameter.place != "path" and news.is_complete:
                phrase = describe_parameter(parameter.node)
                cites = () if ref_of_shown(parameter.node) is None else phrase.cites
                c.add("request-parameter-removed", f"{phrase.text} removed", old_cite(parameter.node), *_lists(new), *cites)
    for key, parameter in news.by_key.items():
        with c.part():
            if key not in olds.by_key and parameter.place not in ("path", BODY) and olds.is_complete:
                _report_new(c, parameter, old)


def ref_of_shown(node: Node) -> str | None:
    return ref_of(node) if node.is_shown() else None


def _report_new(c: Comparison, parameter: Parameter, old: Endpoint) -> None:
    try:
        target = resolve(parameter.node)
    except Fault as fault:
        ask_fault(c, fault, "a `$ref` among the parameters is not followed")
        return
    required = target.get("required")
    if required is not None and required.value() is True:
        phrase = describe_parameter(parameter.node)
        cites = () if target.pointer == parameter.node.pointer else phrase.cites
        c.add("request-parameter-required-added", f"new required {phrase.text}", new_cite(parameter.node), *_lists(old), *cites)


def _lists(operation: Endpoint) -> tuple[Cite, ...]:
    """The names in the parameter lists of an operation, which show what they do not hold."""
    owners = (operation.node, operation.item)
    return tuple(lacking(owner.get("parameters") or owner) for owner in owners)


def list_parameters(c: Comparison, operation: Endpoint) -> Parameters | None:
    """The parameters of the path, overridden by those of the operation; None while not all of them are shown."""
    names = template_names(operation.path)
    found: dict[tuple[str, str], Parameter] = {}
    n_needs, is_complete = len(c.needs), True
    for owner in (operation.item, operation.node):
        with c.part():
            array = owner.get("parameters")
            listed = [] if array is None else _listed(c, array)
            found |= {parameter.key(names): parameter for parameter in listed if parameter is not None}
            is_complete = is_complete and None not in listed
    return Parameters(found, is_complete) if len(c.needs) == n_needs else None


def _listed(c: Comparison, array: Node) -> list[Parameter | None]:
    """The items of one list, None for what cannot be read; where the list is too large to be shown, its labels do."""
    labels = array.view.find_packet(array.pointer, "keys")
    found: list[Parameter | None] = []
    try:
        items = require_array(array).items()
    except Fault as fault:
        ask_fault(c, fault, "")
        return [None]
    except Hidden:
        if labels is None or labels.names is None:
            raise
        array.view.used.setdefault(labels.id)
        return [_labelled(array.child(str(at)), label) for at, label in enumerate(labels.names)]
    for item in items:
        with c.part():
            try:
                found.append(_read(item))
            except Fault as fault:
                ask_fault(c, fault, "a `$ref` among the parameters is not followed")
                found.append(None)
    return found


def _labelled(item: Node, label: str) -> Parameter:
    found = _LABEL.fullmatch(label)
    return Parameter(found[1], found[2], item) if found else _read(item)


def _read(item: Node) -> Parameter:
    target = require_object(resolve(item))
    place, name = target.child("in").text(), target.child("name").text()
    if place is None or name is None:
        raise Malformed(target, "a parameter with `name` and `in`")
    return Parameter(place, name, item)


def compare_referred(c: Comparison, old: Node, new: Node) -> None:
    """In place where both stand here, as a pair of its own where one is referred to or not shown."""
    if not (old.is_shown() and new.is_shown()) or ref_of(old) is not None or ref_of(new) is not None:
        c.use("parameter", *(resolve(node) if node.is_shown() else node for node in (old, new)))
        return
    compare_parameter(c, old, new)


def compare_parameter(c: Comparison, old: Node, new: Node) -> None:
    """One parameter on both sides, references followed."""
    before, after = old.get("required"), new.get("required")
    if after is not None and after.value() is True and (before is None or before.value() is not True):
        phrase = describe_parameter(old)
        rule = "request-body-required" if old.child("in").text() == BODY else "request-parameter-required"
        c.add(rule, f"{phrase.text} is required", side_of(old, "required"), new_cite(after), *phrase.cites)
    if is_swagger(old.view) and old.child("in").text() != BODY:
        _compare_plain(c, old, new)
        return
    with c.part():
        _compare_serialization(c, old, new)
    schemas, contents = (old.get("schema"), new.get("schema")), (old.get("content"), new.get("content"))
    if schemas[0] is not None and schemas[1] is not None:
        compare_schemas(c, schemas[0], schemas[1], "request")
    elif contents[0] is not None and contents[1] is not None:
        compare_content(c, contents[0], contents[1], "request", describe_parameter(old))
    elif any(schemas) and any(contents):
        phrase = describe_parameter(old)
        sides = (old_cite(schemas[0] or contents[0] or old), new_cite(schemas[1] or contents[1] or new))
        c.add("request-parameter-serialization-changed", f"{phrase.text} is written in another way", *sides, *phrase.cites)


def _compare_plain(c: Comparison, old: Node, new: Node) -> None:
    """In Swagger 2.0 a parameter that is no body says itself what a schema would."""
    with c.part():
        formats = [(stated.text() if (stated := node.get("collectionFormat")) else None) or "csv" for node in (old, new)]
        arrays = all(node.child("type").text() == "array" for node in (old, new))
        if arrays and formats[0] != formats[1]:
            phrase = describe_parameter(old)
            sides = side_of(old, "collectionFormat"), side_of(new, "collectionFormat")
            text = f"`collectionFormat` of {phrase.text} changed"
            c.add("request-parameter-serialization-changed", text, *sides, *phrase.cites)
    compare_schemas(c, old, new, "request", at_root=True)


def _compare_serialization(c: Comparison, old: Node, new: Node) -> None:
    styles = _style(old), _style(new)
    explodes = _explode(old, styles[0]), _explode(new, styles[1])
    if not _is_structured(old) and not _is_structured(new):
        return
    for keyword, values in (("style", styles), ("explode", explodes)):
        if values[0] != values[1]:
            phrase = describe_parameter(old)
            text = f"`{keyword}` of {phrase.text} changed"
            c.add("request-parameter-serialization-changed", text, side_of(old, keyword), side_of(new, keyword), *phrase.cites)
            return


def _style(node: Node) -> str:
    stated = node.get("style")
    return (stated.text() if stated else None) or _STYLES.get(node.child("in").text() or "", "form")


def _explode(node: Node, style: str) -> bool:
    stated = node.get("explode")
    return stated.value() is True if stated else style == "form"


def _is_structured(node: Node) -> bool:
    """Whether style and explode change what is written: not for a plain scalar."""
    schema = node.get("schema")
    if schema is None or not schema.is_shown():
        return schema is not None
    core = find_core(schema)
    if core.is_reference:
        return True
    names = find_types(find_parts(core.node), core.node).names
    return names is None or bool(names & {"array", "object"})
