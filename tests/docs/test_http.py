"""docs/http.md names every path that the server answers, and no other."""

import ast
import re

from tests.architecture.modules import SourceFile, list_sources
from tests.docs.pages import read_page

PAGE = read_page("http.md")
PATH = re.compile(r"`(?:(?:GET|HEAD|POST|PUT|DELETE) )?(/[^`?]*)(?:\?[^`]*)?`")
NO_ROUTES = {"/v1", "/v1/resources/stable-v2%2Fopenapi.json"}
"""What the page names beside paths: the part before those for programs."""
STYLE = "/style.css"
"""Fetched by the pages, of no use to a reader."""


def routes_of(source: SourceFile) -> set[str]:
    """Paths of a module as a reader writes them, without the converters of the framework."""
    prefix, paths = "", []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "APIRouter":
            prefix = next((ast.literal_eval(word.value) for word in node.keywords if word.arg == "prefix"), "")
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and re.fullmatch(r"router\.(get|head|post|put|delete)", ast.unparse(node.func))
        ):
            paths.append(str(ast.literal_eval(node.args[0])))
    return {re.sub(r"\{(\w+):\w+\}", r"{\1}", prefix + path) for path in paths}


def test_every_path_is_described_and_no_other() -> None:
    answered = set().union(*(routes_of(source) for source in list_sources("api/routes", "api/pages"))) | {"/v1/openapi.json"}
    assert len(answered) > 5
    described = set(PATH.findall(PAGE)) - NO_ROUTES
    assert described == answered - {STYLE}
