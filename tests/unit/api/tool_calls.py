"""How the tests call tools and read what they answer."""

from collections.abc import Mapping

import orjson

from api.tools import ToolAnswer, ToolContext, call_tool
from evidence_store.errors import JsonValue
from evidence_store.excerpts import NoLimit
from evidence_store.model import Outcome, TextLimit
from projector import parse_errors, parse_packets
from tests.fakes import CharacterLimit

SPEC = (
    b'{"openapi": "3.0.3", "paths": {"/orders/{id}": {"get": {"parameters": [{"name": "limit", "in": "query",'
    b' "schema": {"maximum": 50}}], "x-stability-level": "beta"}}}, "components": {"schemas": {"Order": {"type": "object"}}}}'
)


def limit_of(n_tokens: int) -> TextLimit:
    return NoLimit() if n_tokens >= 2000 else CharacterLimit(n_tokens)


def call(context: ToolContext, name: str, **arguments: JsonValue) -> ToolAnswer:
    return call_tool(context, name, arguments, recording=True)


def excerpt(answer: ToolAnswer) -> str | None:
    (packet,) = parse_packets(answer.text)
    return packet.excerpt


def error(answer: ToolAnswer) -> tuple[str, bool]:
    """Code of the one error that was answered, and whether another input can succeed."""
    (found,) = parse_errors(answer.text)
    assert answer.outcome is Outcome.ERROR
    assert answer.packets == ()
    return found.code, found.retry


def details(answer: ToolAnswer) -> Mapping[str, JsonValue]:
    (found,) = parse_errors(answer.text)
    return dict(found.details)


def json_lines(answer: ToolAnswer) -> list[dict[str, JsonValue]]:
    return [orjson.loads(line[2:]) for line in answer.text.splitlines() if line.startswith("- ")]
