"""An inspection that is a document: facts by the names of members, conditions as one fact each, things by kind and name."""

from typing import Final

from evidence_store.documents.identity import scalar_text
from evidence_store.documents.model import Document, Node
from evidence_store.summaries.inspection_facts import Fact, Facts, is_bad_condition, is_trouble, topic_of
from evidence_store.summaries.walk import Placed, Walk, members, text_of
from evidence_store.summaries.wording import MAX_VALUE_CHARS, cut, name, pointer, quoted

_NAMES: Final = ("name", "Name")
_DETAILS: Final = ("reason", "message")
DONE: Final = "PodCompleted"
"""The reason of a condition that is not met since there is nothing left to do."""
_STATUSES: Final = ("True", "False", "Unknown")


def facts_of_nodes(document: Document) -> Facts:
    facts, walk = Facts(), Walk(document)
    owners: list[tuple[int, str]] = []
    """Depth and name of the objects around, the outermost first; of one of several things with its namespace."""
    condition: tuple[str, ...] | None = None
    completed: tuple[str, ...] | None = None
    """The container whose work is done: it need not be ready."""
    for one in walk:
        while owners and owners[-1][0] >= len(one.tokens):
            owners.pop()
        if one.node.type == "object":
            inside = members(document, one.node)
            thing = _add_thing(document, one, inside, facts)
            own = next((text for key in _NAMES if (text := text_of(document, inside.get(key)))), None)
            if thing and one.tokens:
                owners.append((len(one.tokens), thing))
            elif own:
                owners.append((len(one.tokens), own))
            said = _condition(document, one, inside, owners)
            if said is not None:
                facts.states.append(said)
                condition = one.tokens
            if "ready" in inside and _is_completed(document, inside.get("state")):
                completed = one.tokens
        elif one.node.type != "array" and one.tokens and one.tokens[:-1] != condition:
            _add_fact(document, one, owners, completed, facts)
    facts.is_cut = walk.is_cut
    return facts


def _add_thing(document: Document, one: Placed, inside: dict[str, Node], facts: Facts) -> str:
    """The name of a thing; empty for what is none."""
    kind, metadata = text_of(document, inside.get("kind")), inside.get("metadata")
    if kind and metadata is not None and not kind.endswith("List") and kind != "List":
        known = members(document, metadata)
        own, space = text_of(document, known.get("name")), text_of(document, known.get("namespace"))
        shown = f"{space}/{own}" if own and space else own or "without a name"
        facts.things.append(f"{name(kind)} {name(shown)} at {pointer(one.tokens)}")
        return shown
    if "State" in inside and "Id" in inside:
        shown = text_of(document, inside.get("Name")) or text_of(document, inside["Id"]) or "without a name"
        facts.things.append(f"container {name(shown)} at {pointer(one.tokens)}")
        return shown
    return ""


def _of(owners: list[tuple[int, str]]) -> str:
    """Whose it is: the outermost and the innermost name around."""
    names = list(dict.fromkeys(owner for _, owner in (*owners[:1], *owners[-1:])))
    return f" ({' '.join(name(one) for one in names)})" if names else ""


def _is_completed(document: Document, state: Node | None) -> bool:
    ended = None if state is None else members(document, state).get("terminated")
    return ended is not None and text_of(document, members(document, ended).get("exitCode")) == "0"


def _condition(document: Document, one: Placed, inside: dict[str, Node], owners: list[tuple[int, str]]) -> Fact | None:
    type_, status = text_of(document, inside.get("type")), text_of(document, inside.get("status"))
    if type_ is None or status not in _STATUSES:
        return None
    details = [text for key in _DETAILS if (text := text_of(document, inside.get(key)))]
    said = f" ({', '.join(quoted(text, 2 * MAX_VALUE_CHARS) for text in details)})" if details else ""
    return Fact(
        f"{pointer(one.tokens)} condition {name(type_)} is {status}{said}{_of(owners)}",
        is_bad_condition(type_, status) and DONE not in details,
    )


def _add_fact(document: Document, one: Placed, owners: list[tuple[int, str]], completed: tuple[str, ...] | None, facts: Facts) -> None:
    topic = topic_of(one.tokens)
    if topic is None:
        return
    text = cut(scalar_text(document, one.node), MAX_VALUE_CHARS)
    value = text_of(document, one.node) or text
    shown = quoted(value) if one.node.type == "string" else text
    is_bad = is_trouble(topic, one.tokens[-1], value) and one.tokens != (*(completed or ()), "ready")
    facts.of(topic).append(Fact(f"{pointer(one.tokens)} {shown}{_of(owners)}", is_bad))
