"""An operation with the path item that it stands under; either may stand in another file, behind a `$ref`."""

from dataclasses import dataclass

from api.compat_report.comparison import ref_of, require_object, resolve
from api.compat_report.dialect import has_more_methods, methods_of
from api.compat_report.model import Cite, Need
from api.compat_report.phrases import Phrase, describe_operation
from api.compat_report.pointers import escape_token
from api.compat_report.subjects import METHODS, MORE
from api.compat_report.view import Hidden, Node, View


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One operation of one version."""

    place: Node
    """Where `paths` has it; a `$ref` is not followed."""
    item: Node
    """The path item that holds it, references followed."""
    node: Node
    """What describes it, references followed."""
    path: str
    """As this version spells it."""

    @property
    def phrase(self) -> Phrase:
        """What it is called. Where no pointer of it says so, the path and the place that refer to it are named as the source."""
        view, own = self.place.view, f"/paths/{escape_token(self.path)}"
        cites: tuple[Cite, ...] = ()
        if not self.place.pointer.startswith(f"{own}/"):
            cites = (Cite(view.side, own, "context", "keys"),)
        if not self.node.pointer.startswith(self.place.pointer):
            cites = (*cites, Cite(view.side, self.place.pointer, "context"))
        return Phrase(describe_operation(self.place.token, self.path), cites)


def find_item(view: View, path: str) -> Node:
    """The path item of exactly this name, references followed. Raises Hidden or a fault."""
    return find_items(view, path)[-1]


def find_items(view: View, path: str) -> tuple[Node, ...]:
    """The path item of exactly this name and, behind a `$ref`, the one that it refers to. Raises Hidden or a fault."""
    own = view.node(f"/paths/{escape_token(path)}")
    if not list_names(own):
        require_object(own)
    if "$ref" not in list_names(own):
        return (own,)
    item = resolve(own)
    return own, item if list_names(item) else require_object(item)


def find_place(view: View, path: str, method: str) -> Node | None:
    """Where the operation stands, beside a `$ref` of the path item or behind it. Raises Hidden or a fault."""
    for item in find_items(view, path):
        place = place_in(item, method)
        if place.is_shown() or method in list_methods(item):
            return place
    return None


def place_in(item: Node, method: str) -> Node:
    return item.child(method) if method in METHODS else item.child(MORE).child(method)


def list_methods(item: Node) -> tuple[str, ...]:
    """The methods that a path item describes by this version of the format. Raises Hidden or a fault."""
    names, known = list_names(item), methods_of(item.view)
    more = item.child(MORE) if MORE in names and has_more_methods(item.view) else None
    if more is not None and not list_names(more):
        require_object(more)
    return (*(name for name in known if name in names), *(() if more is None else list_names(more)))


def find_endpoint(view: View, path: str, method: str) -> Endpoint:
    """The operation, which must be there. Raises Hidden or a fault."""
    place = find_place(view, path, method)
    assert place is not None, f"{method} {path}"
    item = place.parent() if place.parent().token != MORE else place.parent().parent()
    return Endpoint(place, item, require_object(place if ref_of(place) is None else resolve(place)), path)


def list_names(node: Node) -> tuple[str, ...]:
    """The names of a container whose members are not all wanted: read as names, not whole."""
    try:
        return node.names()
    except Hidden as hidden:
        raise Hidden(Need(node.view.side, node.pointer, "keys")) from hidden
