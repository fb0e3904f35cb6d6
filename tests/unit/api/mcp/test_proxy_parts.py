"""Parts of the proxy on their own: schemas that take an offloaded result, messages of the two eras, headers."""

from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator

from api.errors import UpstreamFailed
from api.mcp.proxy import eras, link
from api.mcp.proxy.catalog import widened
from api.mcp.proxy.messages import notification
from api.mcp.proxy.own import respelled
from api.mcp.proxy.upstream import Address, parse_header
from evidence_store.errors import InvalidInput

OFFLOADED = {"offloaded": {"resource": "r", "revision": 1, "size": 3}, "packets": []}
TREE = {"type": "object", "properties": {"inner": {"$ref": "#"}, "n": {"type": "integer"}}, "required": ["n"]}
DEFS = {
    "$defs": {"A": {"enum": [{"$ref": "#/no/schema"}]}},
    "type": "object",
    "properties": {"a": {"$ref": "#/$defs/A"}, "$ref": {"type": "string"}},
    "required": ["a"],
}
NAMED = {"$id": "urn:x", **DEFS}
ENVELOPE = eras.make_envelope({"name": "me", "version": "1"})


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        (TREE, {"n": 1, "inner": {"n": 2}}, {"n": 1, "inner": {"n": "x"}}),
        (DEFS, {"a": {"$ref": "#/no/schema"}, "$ref": "text"}, {"a": 1}),
        (NAMED, {"a": {"$ref": "#/no/schema"}}, {"a": 1}),
    ],
)
def test_a_schema_takes_what_it_took_and_an_offloaded_result(schema: dict[str, Any], good: Any, bad: Any) -> None:
    made = Draft202012Validator(widened(schema))
    made.check_schema(made.schema)
    assert [made.is_valid(one) for one in (good, OFFLOADED, bad)] == [True, True, False]


@pytest.mark.parametrize("params", [None, {}, {"name": "x"}, {"name": "x", "_meta": {"progressToken": 5}}])
def test_an_envelope_comes_and_goes(params: dict[str, Any] | None) -> None:
    with_it = eras.with_envelope(params, ENVELOPE, "error")
    assert (eras.envelope_of(with_it), eras.level_of(with_it)) == (ENVELOPE, "error")
    assert eras.without_envelope(with_it) == (params or None)
    assert eras.envelope_of(params) is None


def test_a_result_of_one_era_is_one_of_the_other() -> None:
    result = {"tools": [], "nextCursor": "2"}
    newer = eras.complete("tools/list", result, {"name": "s", "version": "1"})
    assert (newer["resultType"], newer["ttlMs"], newer["cacheScope"]) == ("complete", 0, "private")
    assert eras.plain(newer) == result
    assert "ttlMs" not in eras.complete("tools/call", {"content": []}, {})


@pytest.mark.parametrize(("level", "asked", "reached"), [("error", "info", True), ("debug", "info", False), ("such", "info", False)])
def test_messages_reach_who_asked_for_their_level(level: str, asked: str, reached: bool) -> None:
    assert eras.reaches(level, asked) is reached


def test_calls_are_named_as_our_tools_are_called_here_and_sources_are_left_alone() -> None:
    rest = '| read: read_log {"c":3}\nnote: read: read_log {}\n'
    names = {"read": "read", "search": "evidence_search", "get_evidence": "get_evidence"}
    given = 'read: read_log {"a":1}\nfind: search {"b":2}\n' + rest
    assert respelled(f'summary: summary {{"c":3}}\n{given}', names) == respelled(given, names)
    assert respelled(given, names) == 'read: read {"a":1}\nfind: evidence_search {"b":2}\n' + rest


@pytest.mark.parametrize("url", ["", "host", "ftp://host/mcp", "http://", "http://[", "http://host:port/mcp", "http://host:99999/mcp"])
def test_what_is_no_address_over_http_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="http://HOST"):
        Address(url)


def test_the_name_of_an_address_holds_no_secret() -> None:
    assert Address("https://me:secret@host:81/mcp?key=secret#secret").name == "https://host:81/mcp"


def test_more_than_a_server_ever_reads_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "MAX_QUEUED", 2)

    async def main() -> None:
        made = link.Link({}, lambda: None)
        for _ in range(2):
            made.send(notification("notifications/initialized"))
        with pytest.raises(UpstreamFailed, match="reads nothing: 2 messages"):
            made.send(notification("notifications/initialized"))
        made.lose("")

    anyio.run(main)


@pytest.mark.parametrize("given", ["a b: c", ": c", "a", "a: line\nbreak", "a: \x7f", "a: 日"])
def test_what_no_header_can_be_is_refused_and_not_repeated(given: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_header(given, {})
    assert caught.value.message in ("--header takes 'NAME: VALUE'", "--header a: its value has characters that no header can have")


def test_a_header_takes_its_secret_from_the_environment() -> None:
    assert parse_header("Authorization: Bearer ${TOKEN}", {"TOKEN": "a:b"}) == ("Authorization", "Bearer a:b")
    with pytest.raises(InvalidInput, match="no TOKEN"):
        parse_header("Authorization: Bearer ${TOKEN}", {})
