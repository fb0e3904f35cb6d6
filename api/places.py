"""Places to read, as the command line and HTTP are asked for them: one selector of a revision, and how what stands there is shown."""

from dataclasses import dataclass
from typing import Literal

from api.errors import WrongUse
from api.tools.reading import read_children
from evidence_store.documents.cases import find_case
from evidence_store.documents.model import Document
from evidence_store.documents.openapi import find_operation, find_parameter, find_schema
from evidence_store.model import Pointer, ResourceName, Selector
from evidence_store.pointers import join
from evidence_store.quote_context import NO_CONTEXT, QuoteContext
from evidence_store.store import EvidenceStore
from evidence_store.store.found import View
from evidence_store.store.passages import Place

_SELECTORS: tuple[Literal["quote", "lines", "bytes", "pointer"], ...] = ("quote", "lines", "bytes", "pointer")
_NAMES = ("operation", "schema", "case")


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for; None where nothing was said."""

    resource: ResourceName
    revision: int | None
    pointer: str | None = None
    lines: str | None = None
    bytes: str | None = None
    quote: str | None = None
    prefix: str = ""
    suffix: str = ""
    case: str | None = None
    operation: str | None = None
    parameter: str | None = None
    schema: str | None = None
    fields: tuple[str, ...] = ()
    """Members of the node, each to be read as an evidence of its own."""
    view: View = "source"
    children: str | None = None


def find_places(store: EvidenceStore, asked: Asked) -> tuple[Place, ...]:
    """The place, or one for each of `fields`, all in one revision. Raises WrongUse, and what finding a name in a document raises."""
    number = store.sources.get_revision(asked.resource, asked.revision).number
    children = None if asked.children is None else read_children(asked.children)
    context = QuoteContext(asked.prefix, asked.suffix)
    selector, within = _selector(store, asked, number)
    if context != NO_CONTEXT and selector.kind != "quote":
        raise WrongUse("prefix and suffix stand beside a quote")
    if asked.fields and selector.kind != "pointer":
        raise WrongUse("fields are members of a node: name it by a pointer, an operation or a schema")
    chosen = [Selector("pointer", join(Pointer(selector.text), one)) for one in asked.fields] or [selector]
    return tuple(Place(asked.resource, number, one, asked.view, children, within, context) for one in chosen)


def _selector(store: EvidenceStore, asked: Asked, number: int) -> tuple[Selector, Pointer | None]:
    """The one selector that was given, and the node in which a quote must stand."""
    given = [kind for kind in _SELECTORS if getattr(asked, kind) is not None]
    named = [kind for kind in _NAMES if getattr(asked, kind) is not None]
    if asked.parameter is not None and named != ["operation"]:
        raise WrongUse("a parameter stands beside an operation")
    if len(named) == 1 and not given:
        # Which names there are is told by who looks for one that there is not.
        store.sources.require_unmasked(asked.resource)
        document = store.sources.get_tree(store.sources.get_revision(asked.resource, number))
        return Selector("pointer", _named_place(asked, document)), None
    if given == ["quote", "pointer"] and not named:
        return Selector("quote", asked.quote or ""), Pointer(asked.pointer or "")
    if len(given) != 1 or named:
        known = "pointer, lines, bytes, quote, case, operation and schema"
        raise WrongUse(f"give one of {known}; only a quote may stand beside a pointer")
    return Selector(given[0], getattr(asked, given[0])), None


def _named_place(asked: Asked, document: Document) -> Pointer:
    if asked.case is not None:
        return find_case(document, asked.case)
    if asked.schema is not None:
        return find_schema(document, asked.schema).pointer
    operation = find_operation(document, asked.operation or "")
    return operation.pointer if asked.parameter is None else find_parameter(document, operation, asked.parameter).pointer
