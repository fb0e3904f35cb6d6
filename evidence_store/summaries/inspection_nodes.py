"""An inspection that is a document: facts by the names of members, conditions as one fact each, things by kind and name."""

from typing import Final

from evidence_store.documents.identity import scalar_text
from evidence_store.documents.model import Document, Node
from evidence_store.summaries.inspection_facts import Fact, Facts, is_bad_condition, is_trouble, topic_of
from evidence_store.summaries.walk import Placed, Walk, members, text_of
from evidence_store.summaries.wording import MAX_VALUE_CHARS, cut, name, pointer, quoted

_NAMES: Final = ("name", "Name")
_DETAILS: Final = ("reason", "message")
_STATUSES: Final = ("True", "False", "Unknown")


def facts_of_nodes(document: Document) -> Facts:
    facts, walk = Facts(), Walk(document)
    owners: list[tuple[int, str]] = []
    """Depth and name of the objects around, the outermost first."""
    condition: tuple[str, ...] | None = None
    for one in walk:
        while owners and owners[-1][0] >= len(one.tokens):
            owners.pop()
        if one.node.type == "object":
            inside = members(document, one.node)
            _add_thing(document, one, inside, facts)
            own = next((text for key in _NAMES if (text := text_of(document, inside.get(key)))), None)
            if own:
                owners.append((len(one.tokens), own))
            said = _condition(document, one, inside)
            if said is not None:
                facts.states.append(said)
                condition = one.tokens
        elif one.node.type != "array" and one.tokens and one.tokens[:-1] != condition:
            _add_fact(document, one, owners[-1][1] if owners else "", facts)
    facts.is_cut = walk.is_cut
    return facts


def _add_thing(document: Document, one: Placed, inside: dict[str, Node], facts: Facts) -> None:
    kind, metadata = text_of(document, inside.get("kind")), inside.get("metadata")
    if kind and metadata is not None and not kind.endswith("List") and kind != "List":
        known = members(document, metadata)
        own, space = text_of(document, known.get("name")), text_of(document, known.get("namespace"))
        shown = f"{space}/{own}" if own and space else own or "without a name"
        facts.things.append(f"{name(kind)} {name(shown)} at {pointer(one.tokens)}")
    elif "State" in inside and "Id" in inside:
        shown = text_of(document, inside.get("Name")) or text_of(document, inside["Id"]) or "without a name"
        facts.things.append(f"container {name(shown)} at {pointer(one.tokens)}")


def _condition(document: Document, one: Placed, inside: dict[str, Node]) -> Fact | None:
    type_, status = text_of(document, inside.get("type")), text_of(document, inside.get("status"))
    if type_ is None or status not in _STATUSES:
        return None
    details = [text for key in _DETAILS if (text := text_of(document, inside.get(key)))]
    said = f" ({', '.join(quoted(text, 2 * MAX_VALUE_CHARS) for text in details)})" if details else ""
    return Fact(f"{pointer(one.tokens)} condition {name(type_)} is {status}{said}", is_bad_condition(type_, status))


def _add_fact(document: Document, one: Placed, owner: str, facts: Facts) -> None:
    topic = topic_of(one.tokens)
    if topic is None:
        return
    text = cut(scalar_text(document, one.node), MAX_VALUE_CHARS)
    value = text_of(document, one.node) or text
    shown = quoted(value) if one.node.type == "string" else text
    of = f" ({name(owner)})" if owner else ""
    facts.of(topic).append(Fact(f"{pointer(one.tokens)} {shown}{of}", is_trouble(topic, one.tokens[-1], value)))
