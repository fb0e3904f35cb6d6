"""An operation with the path item that it stands under; either may stand in another file, behind a `$ref`."""

from dataclasses import dataclass

from api.compat_report.comparison import ref_of, resolve
from api.compat_report.model import Cite, Need
from api.compat_report.phrases import Phrase, describe_operation
from api.compat_report.pointers import escape_token, locate
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
        """What it is called. Where it stands in another file no pointer of it says so, and the path item is named as the source."""
        text = describe_operation(self.place.token, self.path)
        if locate(self.node.pointer).resource == "":
            return Phrase(text)
        return Phrase(text, (Cite(self.place.view.side, self.place.pointer, "context"),))


def find_item(view: View, path: str) -> Node:
    """The path item of exactly this name, references followed. Raises Hidden or Unresolved."""
    item = view.node(f"/paths/{escape_token(path)}")
    return resolve(item) if "$ref" in list_names(item) else item


def find_endpoint(view: View, path: str, method: str) -> Endpoint:
    """The operation, which must be there. Raises Hidden or Unresolved."""
    item = find_item(view, path)
    place = item.child(method)
    return Endpoint(place, item, place if ref_of(place) is None else resolve(place), path)


def list_names(node: Node) -> tuple[str, ...]:
    """The names of a container whose members are not all wanted: read as names, not whole."""
    try:
        return node.names()
    except Hidden as hidden:
        raise Hidden(Need(node.view.side, node.pointer, "keys")) from hidden
