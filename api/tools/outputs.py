"""Answers as JSON, for doors that give more than text: one schema for each tool (JSON Schema 2020-12), and the answer in it.

A packet has the members of the command line's (docs/cli.md) but `value`, whose numbers no reader of JSON keeps as they were written; its
`next` is an object of arguments. Members may be added, none goes.
"""

from collections.abc import Mapping

import orjson

from api.presenters import Json, dumps, packet_json
from api.tools.context import ToolAnswer
from evidence_store.errors import JsonValue
from evidence_store.model import Outcome, Packet
from projector import continuing

Schema = Mapping[str, JsonValue]

_TEXT: Schema = {"type": "string"}
_WHOLE: Schema = {"type": "integer"}
_FLAG: Schema = {"type": "boolean"}
_ANY_TEXT: Schema = {"type": ["string", "null"]}
_ARGUMENTS: Schema = {"type": ["object", "null"], "description": "Arguments of the call that continues; null at the end."}
_SPAN: Schema = {"type": "array", "items": _WHOLE, "minItems": 2, "maxItems": 2}


def _object(members: Mapping[str, Schema], *optional: str) -> Schema:
    return {"type": "object", "properties": dict(members), "required": [name for name in members if name not in optional]}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


PACKET = _object(
    {
        "id": _TEXT,
        "resource": _TEXT,
        "revision": _WHOLE,
        "pointer": _TEXT,
        "quote": _TEXT,
        "selector": _TEXT,
        "format": _TEXT,
        "excerpt": _TEXT,
        "scope": _TEXT,
        "status": _TEXT,
        "digest": _TEXT,
        "bytes": _SPAN,
        "lines": _SPAN,
        "size": _WHOLE,
        "cut": {"type": ["object", "null"]},
        "outline": {"type": ["object", "null"]},
        "transforms": _list(_TEXT),
        "next": _ARGUMENTS,
    },
    "pointer",
    "quote",
    "selector",
)
_PACKETS = {"packets": _list(PACKET)}
_PAIR = _object({"change": _TEXT, "old": _TEXT, "new": _TEXT, "absent": _TEXT}, "old", "new", "absent")
_UNPROVEN = _object({"resource": _TEXT, "revision": _WHOLE, "why": _TEXT})
_ABOUT = _object({"resource": _TEXT, "pointer": _ANY_TEXT, "aspect": _TEXT}, "pointer", "aspect")
_CITATION = _object({"evidence": _TEXT, "role": _TEXT})
_CLAIM = _object(
    {
        "claim": _TEXT,
        "standing": _TEXT,
        "text": _TEXT,
        "about": _ABOUT,
        "citations": _list(_CITATION),
        "reason": _TEXT,
        "task_revision": _WHOLE,
    },
    "citations",
    "reason",
)
_ITEM = _object(
    {"subject": _TEXT, "state": _TEXT, "evidence": _list(_TEXT), "next": _TEXT, "uses": _list(_TEXT)}, "evidence", "next", "uses"
)
_RESOURCE = _object({"resource": _TEXT, "kind": _TEXT, "newest": _WHOLE, "format": _TEXT, "bytes": _WHOLE})

OUTPUTS: Mapping[str, Schema] = {
    "diff": _object({**_PACKETS, "pairs": _list(_PAIR), "more": _FLAG}),
    "get_evidence": _object({**_PACKETS, "folded": _FLAG}),
    "get_progress": _object({"items": _list(_ITEM), "next": _ARGUMENTS}),
    "list_claims": _object({"claims": _list(_CLAIM), "next": _ARGUMENTS}),
    "list_resources": _object({"resources": _list(_RESOURCE), "next": _ARGUMENTS}),
    "read_log": _object(_PACKETS),
    "read_spec": _object(_PACKETS),
    "record_claim": _object({"claim": _TEXT, "standing": _TEXT, "reason": _ANY_TEXT}),
    "record_progress": _object({"recorded": _WHOLE, "of": _WHOLE}),
    "search": _object({**_PACKETS, "hits": _WHOLE, "absent": _FLAG, "unproven": _list(_UNPROVEN), "more": _FLAG, "next": _ARGUMENTS}),
    "summary": _object(_PACKETS),
}
"""Tool to the schema of its answers; errors have `ERROR`."""
ERROR = _object(
    {"code": _TEXT, "message": _TEXT, "retry": _FLAG, "advice": {"enum": ["retry_with", "final"]}, "details": {"type": "object"}}
)


def structured(name: str, answer: ToolAnswer) -> dict[str, JsonValue]:
    """What the answer says, as JSON of the tool's schema, or of `ERROR`."""
    facts: dict[str, Json] = dict(answer.facts)  # type: ignore[arg-type]  # the same values, under another name
    if answer.outcome is not Outcome.OK:
        return _plain(facts | {"advice": "retry_with" if facts.get("retry") else "final"})
    properties = OUTPUTS[name]["properties"]
    assert isinstance(properties, Mapping)
    packets: dict[str, Json] = {"packets": [_packet(one) for one in answer.packets]} if "packets" in properties else {}
    return _plain(packets | facts)


def _plain(value: dict[str, Json]) -> dict[str, JsonValue]:
    shown: dict[str, JsonValue] = orjson.loads(dumps(value))
    return shown


def _packet(packet: Packet) -> dict[str, Json]:
    shown = packet_json(packet)
    shown.pop("value", None)
    return shown | {"next": next_arguments(packet)}


def next_arguments(packet: Packet) -> dict[str, Json] | None:
    """The arguments of `read_spec` or `read_log` that continue a packet, of `summary` that show all of one; None at its end."""
    if packet.next is None:
        return None
    place: dict[str, Json] = {"resource": packet.resource, "revision": packet.revision}
    found: dict[str, Json] = dict(continuing(packet.next) or {})  # type: ignore[arg-type]  # the same values, under another name
    if "max_tokens" in found:
        place["kind"] = packet.transforms[0].split("/")[1]
    if "children" in found:
        place["pointer"] = packet.selector.text
    return place | found


def next_option(arguments: Mapping[str, JsonValue]) -> str:
    """The option of `read` that arguments of `next_arguments` were made of."""
    if "max_tokens" in arguments:
        return f"--max-tokens {arguments['max_tokens']}"
    option = next(name for name in ("lines", "bytes", "children") if name in arguments)
    return f"{'--keys ' if arguments.get('view') == 'keys' else ''}--{option} {arguments[option]}"
