"""Documents with one operation around one schema, and the rules that an edit of it breaks."""

import json
from typing import Any

from tests.unit.api.compat_report.harness import breaking, run

Json = Any


def document(direction: str, schema: Json, *, version: str = "3.1.0", schemas: Json = None) -> str:
    """A document with one operation that takes, or answers with, this schema."""
    body = {"application/json": {"schema": schema}}
    operation: Json = {"responses": {"200": {"description": "ok"}}}
    if direction == "request":
        operation["requestBody"] = {"content": body}
    else:
        operation["responses"]["200"]["content"] = body
    return json.dumps(
        {"openapi": version, "info": {}, "paths": {"/x": {"post": operation}}, "components": {"schemas": schemas or {}}}, indent=1
    )


def rules(direction: str, old: Json, new: Json, **more: Any) -> list[str]:
    """The rules that the edit breaks, without what stays open."""
    done = run(document(direction, old, **more), document(direction, new, **more))
    return sorted(claim["about"]["aspect"] for claim in breaking(done))


def open_rules(direction: str, old: Json, new: Json) -> list[str]:
    done = run(document(direction, old), document(direction, new))
    return sorted(claim["about"]["aspect"] for claim in done.claims if claim.get("standing") == "open")
