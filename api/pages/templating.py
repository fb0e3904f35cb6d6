"""From values to a page: the environment of the templates, in which every text is made visible and escaped."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from api.pages import links
from api.pages.visible import visible
from api.routes.conditional import respond
from evidence_store import VERSION

if TYPE_CHECKING:
    from jinja2 import Environment

HTML = "text/html"
_FOLDER = Path(__file__).parent / "templates"


def _finalize(value: object) -> object:
    """What every expression passes through before it is escaped; markup of our own stays as it is."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _thousands(number: int) -> str:
    return f"{number:,}"


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # memory of a server that shows no page

    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["thousands"] = _thousands
    environment.globals.update(
        version=VERSION,
        evidence_path=links.evidence_path,
        report_path=links.report_path,
        trace_path=links.trace_path,
        source_path=links.source_path,
    )
    return environment


def page(request: Request, template: str, values: Mapping[str, object], status: int = 200) -> Response:
    """The page of a template."""
    asks_for_keys = request.app.state.gatekeeper.asks_for_keys
    body = _environment().get_template(template).render({**values, "asks_for_keys": asks_for_keys}).encode("utf-8", "replace")
    return respond(request, body, HTML, status)
