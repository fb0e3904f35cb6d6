"""What the versions of the format do differently: Swagger 2.0, OpenAPI 3.0, 3.1 and 3.2, read off the document itself.

The comparison asks here and nowhere else; what is spelled in two ways and means one thing is one rule.
"""

import re

from api.compat_report.subjects import METHODS
from api.compat_report.view import Node, View


def version_node(view: View) -> Node:
    """Where the document says which version it is."""
    return view.node("/swagger" if is_swagger(view) else "/openapi")


def is_swagger(view: View) -> bool:
    """Whether it is Swagger 2.0."""
    names = view.node("").names()
    return "swagger" in names and "openapi" not in names


def has_draft_references(view: View) -> bool:
    """Whether members beside `$ref` have no meaning, as in all versions before 3.1."""
    return is_swagger(view) or (view.node("/openapi").text() or "").startswith("3.0")


def requires_responses(view: View) -> bool:
    """Whether each operation has to say what it answers, as in all versions before 3.1."""
    return has_draft_references(view)


def methods_of(view: View) -> tuple[str, ...]:
    """The methods that a path item may describe under their own names; `query` came with 3.2."""
    return METHODS if has_more_methods(view) else tuple(name for name in METHODS if name != "query")


def has_more_methods(view: View) -> bool:
    """Whether a path item may describe further methods, as from 3.2 on."""
    return not is_swagger(view) and re.match(r"3\.[01](\.|$|-)", view.node("/openapi").text() or "") is None


def null_mark(view: View) -> str:
    """The member that lets a schema take null: that of 3.0, the extension of 2.0 that tools agree on, nothing in 3.1."""
    if is_swagger(view):
        return "x-nullable"
    return "nullable" if has_draft_references(view) else ""


def scheme_place(view: View) -> str:
    """The container of the security schemes."""
    return "/securityDefinitions" if is_swagger(view) else "/components/securitySchemes"
