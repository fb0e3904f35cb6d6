"""Secrets on every way out of a store: tools, pages, HTTP, summaries, scorers; and proofs, which are of the stored bytes."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.projecting import candidates_of
from api.settings import Settings
from api.tools import ToolContext, call_tool
from api.wiring import open_services
from evidence_store.canonical import digest_of
from evidence_store.errors import Ambiguous, InvalidInput, JsonValue, NotFound
from evidence_store.excerpts import Children, NoLimit
from evidence_store.model import Currency, Integrity, LineRange, ResourceName, Selector, Span, Standing
from evidence_store.quote_context import QuoteContext
from evidence_store.secrets import SECRETS_MASKED
from evidence_store.store import EvidenceStore, open_store
from evidence_store.store.passages import Place
from evidence_store.store.put_request import PutRequest
from evidence_store.store.shown_quotes import QUOTE_MASKED
from tests.credentials import LOWER, PRIVATE_KEY, RUN_LOG, RUN_SECRETS, SAMPLES, Sample
from tests.factories import claim, deliver, open_step, put, read
from tests.fakes import CharacterLimit

LOG, ENV, YAML = ResourceName("ci/run.log"), ResourceName("env.json"), ResourceName("pod.yaml")
PASSWORD = "Pa55" + "w0rdXy"
SECRETS = tuple(RUN_SECRETS.values())
TOKEN = RUN_SECRETS["github"]
DOCUMENT = json.dumps({"token": TOKEN, "names": {TOKEN: 1}, "$ref": "#/names", "key": PRIVATE_KEY}).encode()


def require_none(text: str, secrets: Sequence[str] = SECRETS) -> None:
    assert [one for one in secrets if one in text] == []


def put_both(store: EvidenceStore) -> None:
    put(store, RUN_LOG, LOG)
    put(store, DOCUMENT, ENV)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_log", {"resource": LOG, "lines": "1-8"}),
        ("read_log", {"resource": LOG, "lines": "1-8", "max_tokens": 20}),
        ("read_log", {"resource": LOG, "quote": TOKEN}),
        ("read_log", {"resource": LOG, "quote": TOKEN + "!"}),
        ("read_log", {"resource": LOG, "search": TOKEN}),
        ("read_spec", {"resource": ENV, "pointer": ""}),
        ("read_spec", {"resource": ENV, "pointer": f"/names/{TOKEN}"}),
        ("read_spec", {"resource": ENV, "pointer": f"/name/{TOKEN}"}),
        ("read_spec", {"resource": ENV, "pointer": "/names/x"}),
        ("search", {"resource": LOG, "pattern": TOKEN}),
        ("search", {"resource": "*", "pattern": TOKEN}),
        ("search", {"resource": LOG, "pattern": TOKEN[::-1]}),
        ("summary", {"resource": LOG}),
        ("summary", {"resource": ENV}),
        ("diff", {"resource": LOG, "old_revision": 1, "new_revision": 2}),
        ("list_resources", {}),
        ("no_such_tool", {"token": TOKEN}),
    ],
)
def test_no_tool_tells_a_secret(store: EvidenceStore, tool: str, arguments: dict[str, JsonValue]) -> None:
    put_both(store)
    put(store, RUN_LOG.replace(b"step 2", b"step 3").replace(b"EXAMPLE0EXAMPLE0\n", b"EXAMPLE0EXAMPLE1\n"), LOG)
    context = ToolContext(store, lambda n_tokens: CharacterLimit(4 * n_tokens))
    answer = call_tool(context, tool, arguments, recording=False)
    require_none(answer.text, (*SECRETS, "EXAMPLE0EXAMPLE1"))
    for packet in answer.packets:
        require_none(f"{packet.selector.text} {packet.excerpt} {(packet.value or b'').decode()} {packet.outline}")


def test_no_page_and_no_json_of_one_tells_a_secret(store: EvidenceStore, folder: Path) -> None:
    put_both(store)
    found = [
        read(store, "1-8", LOG, kind="lines"),
        read(store, TOKEN, LOG, kind="quote"),
        read(store, "30-60", LOG, kind="bytes"),
        read(store, "/token", ENV),
        read(store, f"/names/{TOKEN}", ENV),
        read(store, "/names", ENV, view="keys"),
    ]
    paths = [path for one in found for path in (f"/evidence/{one.id}", f"/trace/{one.id}", f"/v1/evidence/{one.id}")]
    with open_services(Settings(folder)) as services:
        client = TestClient(create_app(services, unauthenticated=True))
        for path in (*paths, f"/resources/{LOG}@1/source", f"/resources/{LOG}@1/source?lines=2-3", f"/resources/{ENV}@1/source"):
            answer = client.get(path)
            assert answer.status_code == 200, path
            require_none(answer.text)
            assert "[masked" in answer.text, path
        for path in (f"/evidence/{TOKEN}", f"/trace/{TOKEN}", f"/v1/evidence/{TOKEN}"):
            answer = client.get(path)
            assert answer.status_code in (400, 404), path
            require_none(answer.text)
    with open_services(Settings(folder, show_secrets=True)) as services:
        assert TOKEN in TestClient(create_app(services, unauthenticated=True)).get(f"/resources/{LOG}@1/source").text


def test_what_a_scorer_finds_is_masked(store: EvidenceStore) -> None:
    put_both(store)
    found = store.retrieval.find("env dump notify connect token orders", [(LOG, None), (ENV, None)], 10, NoLimit())
    assert found
    for one in candidates_of(found):
        require_none(one.text)


def test_a_summary_counts_the_lines_of_the_source(store: EvidenceStore) -> None:
    raw = RUN_LOG + f"ERROR no answer of redis://:{RUN_SECRETS['url_password']}@cache:6379\n".encode()
    put(store, raw, LOG)
    summary = store.summaries.read(LOG, None, None, NoLimit())
    require_none(summary.excerpt)
    assert f"log: 9 lines (0 blank), {len(raw)} bytes" in summary.excerpt
    assert "ERROR no answer of redis://:" in summary.excerpt
    assert summary.span == Span(0, len(raw))
    assert SECRETS_MASKED in summary.transforms
    assert store.passages.get(summary.id, NoLimit()).excerpt == summary.excerpt


@pytest.mark.parametrize(
    "text",
    [
        f"kind: Pod\ntoken: {TOKEN}\n",
        f"kind: Pod\nenv: [{{name: T, value: {TOKEN}}}]\n",
        f"kind: Pod\nenv:\n  - name: T\n    value: {TOKEN}\n",
        f"kind: Pod\nurls: [{RUN_SECRETS['url_password']}, 'redis://:{RUN_SECRETS['url_password']}@cache']\npassword: {PASSWORD}\n",
        f"kind: Pod\npassword:\n  - {TOKEN} # one\n",
    ],
)
def test_yaml_with_a_secret_as_a_plain_scalar_has_a_summary(store: EvidenceStore, text: str) -> None:
    put(store, text.encode(), YAML)
    for kind in ("json-shape", None):
        summary = store.summaries.read(YAML, None, kind, NoLimit())
        require_none(summary.excerpt, (TOKEN, PASSWORD))
        assert SECRETS_MASKED in summary.transforms
    shown = read(store, "", YAML)
    require_none(f"{shown.excerpt} {(shown.value or b'').decode()}", (TOKEN, PASSWORD))


def test_what_is_shown_of_yaml_and_its_value_agree(store: EvidenceStore) -> None:
    quoted = f"{PASSWORD}''x"
    text = f'k: "\\x67{TOKEN[1:]}"\nm: "{TOKEN[:16]}\\\n  {TOKEN[16:]}"\nX-Api-Key: >-\n  {PASSWORD}{PASSWORD}\npassword: \'{quoted}\'\n'
    put(store, text.encode(), YAML)
    for pointer in ("", "/k", "/m", "/X-Api-Key", "/password"):
        packet = read(store, pointer, YAML)
        require_none(f"{packet.excerpt} {(packet.value or b'').decode()}", (TOKEN[1:], TOKEN[1:16], TOKEN[16:], PASSWORD))
        assert "[masked " in packet.excerpt
    assert (read(store, "/k", YAML).value, read(store, "/m", YAML).value) == (b'"[masked github-token]"', b'"[masked github-token]"')


def test_an_outline_tells_a_secret_by_the_name_beside_it(store: EvidenceStore) -> None:
    header = {"name": "Authorization", "value": f"Bearer {PASSWORD}", "more": ["x" * 200] * 9}
    put(store, json.dumps({"a": [header], "h": {"Authorization": [f"Bearer {PASSWORD}"]}}, indent=1).encode(), ENV)
    for pointer in ("/a/0", "/h/Authorization"):
        place = Place(ENV, None, Selector("pointer", pointer), children=Children(0, 2))
        outline = store.passages.read(place, NoLimit()).outline
        assert outline is not None
        assert [one.scalar for one in outline.entries if one.scalar and "Bearer" in one.scalar] == ['"Bearer [masked authorization]"']


def test_references_that_are_followed_are_masked(store: EvidenceStore) -> None:
    document = {"a": {"$ref": "#/b"}, "b": {"url": f"postgres://depot:{RUN_SECRETS['url_password']}@db/x"}}
    put(store, json.dumps(document).encode(), ENV)
    packet = store.references.expand(read(store, "/a", ENV).id, NoLimit())
    assert packet.value is not None
    assert json.loads(packet.value) == {"url": "postgres://depot:[masked url-password]@db/x"}
    assert SECRETS_MASKED in packet.transforms


@pytest.mark.parametrize("field", ["resource", "scope", "version_label", "label", "tool"])
def test_a_name_with_a_secret_in_it_is_refused(store: EvidenceStore, folder: Path, field: str) -> None:
    secret = f"https://depot:{RUN_SECRETS['url_password']}@host.test/x.json"
    request = PutRequest(LOG)
    wanted = {
        "resource": replace(request, resource=ResourceName(secret)),
        "scope": replace(request, scope=secret),
        "version_label": replace(request, version_label=secret),
        "label": replace(request, labels=("a", secret)),
        "tool": replace(request, origin=f"fetch --token {TOKEN}"),
    }[field]
    with pytest.raises(InvalidInput) as caught:
        store.sources.put(wanted, [b"{}"])
    assert (caught.value.error_code, caught.value.details) == ("secret_in_name", {"field": field})
    require_none(str(caught.value))
    assert store.sources.list_resources() == []
    with open_store(folder, show_secrets=True) as showing:
        assert showing.sources.put(wanted, [b"{}"]).created


# -- what stays as it was


@pytest.mark.parametrize("text", ["2-4", "1-8", "8-8"])
def test_places_ids_and_digests_are_of_the_stored_bytes(store: EvidenceStore, folder: Path, text: str) -> None:
    put_both(store)
    masked = read(store, text, LOG, kind="lines")
    with open_store(folder, show_secrets=True) as showing:
        plain = read(showing, text, LOG, kind="lines")
    raw = RUN_LOG[plain.span.start : plain.span.end]
    assert plain.excerpt.encode() == raw
    assert (masked.id, masked.span, masked.lines, masked.column) == (plain.id, plain.span, plain.lines, plain.column)
    assert store.passages.find(masked.id).excerpt_digest == digest_of(raw)
    assert store.sources.get_bytes(LOG, 1) == RUN_LOG


def test_the_store_verifies_with_masked_evidence_in_it(store: EvidenceStore) -> None:
    put_both(store)
    found = [read(store, "2-4", LOG, kind="lines"), read(store, TOKEN, LOG, kind="quote"), read(store, "/token", ENV)]
    store.summaries.read(LOG, None, None, NoLimit())
    assert store.checks.verify(deep=True).faults == ()
    for one in found:
        state = store.checks.state(one.id, None)
        assert (state.integrity, state.currency) == (Integrity.OK, Currency.NEWEST)


def test_a_quote_is_found_in_the_source_and_shown_as_its_mark(store: EvidenceStore) -> None:
    put_both(store)
    packet = read(store, f"GITHUB_TOKEN={TOKEN}", LOG, kind="quote")
    assert packet.excerpt == "GITHUB_TOKEN=[masked github-token]"
    assert packet.selector.text == packet.excerpt
    assert RUN_LOG[packet.span.start : packet.span.end] == f"GITHUB_TOKEN={TOKEN}".encode()
    with pytest.raises(NotFound):
        read(store, f"GITHUB_TOKEN={TOKEN}!", LOG, kind="quote")


@pytest.mark.parametrize(
    "quote",
    [
        "GITHUB_TOKEN=[masked github-token]",
        "env dump GITHUB_TOKEN=[masked github-token] aws_access_key_id = [masked aws-key-id]",
        "GITHUB_TOKEN=[masked github-token 7]\naws",
        "postgres://depot:[masked url-password]@db.example.test",
    ],
)
def test_a_quote_of_what_was_shown_is_found_at_its_place(store: EvidenceStore, quote: str) -> None:
    put_both(store)
    packet = read(store, quote, LOG, kind="quote")
    require_none(f"{packet.excerpt} {packet.selector.text}")
    assert QUOTE_MASKED in packet.transforms
    assert " ".join(packet.excerpt.split()) == " ".join(quote.replace(" 7]", "]").split())
    again = store.passages.get(packet.id, NoLimit())
    assert (again.excerpt, again.span, again.selector) == (packet.excerpt, packet.span, packet.selector)
    assert store.checks.verify(deep=True).faults == ()


@pytest.mark.parametrize(
    "quote", ["GITHUB_TOKEN=[masked aws-key-id]", "TOKEN=[masked github-token]\naws_access_key_id = x", "dump [masked github-token]"]
)
def test_a_mark_in_a_quote_stands_for_a_secret_of_its_kind_alone(store: EvidenceStore, quote: str) -> None:
    put_both(store)
    with pytest.raises(NotFound):
        read(store, quote, LOG, kind="quote")


def test_marks_of_a_quote_tell_values_apart(store: EvidenceStore) -> None:
    other = "gh" + "p_" + LOWER[:36]
    put(store, f"first {TOKEN} then {other} end\nfirst {TOKEN} then {TOKEN} end\n".encode(), LOG)
    with pytest.raises(Ambiguous) as caught:
        read(store, "then [masked github-token 2] end", LOG, kind="quote")
    assert caught.value.details["places"] == [[47, 96], [144, 193]]
    place = Place(
        LOG, None, Selector("quote", "first [masked github-token] then [masked github-token 2] end"), context=QuoteContext("", "\nfirst")
    )
    assert store.passages.read(place, NoLimit()).lines == LineRange(1, 1)


def test_a_passage_is_followed_into_the_next_revision(store: EvidenceStore) -> None:
    put_both(store)
    packet = read(store, "5-5", LOG, kind="lines")
    put(store, b"step 0\n" + RUN_LOG, LOG)
    answer = store.locations.locate(packet.id, LOG, 2, NoLimit())
    assert answer.packet is not None
    require_none(answer.packet.excerpt)
    assert answer.packet.lines is not None
    assert answer.packet.lines.first == 6


def test_a_claim_may_quote_what_stands_there_and_what_was_shown(store: EvidenceStore) -> None:
    put_both(store)
    packet = read(store, "7-8", LOG, kind="lines")
    step = open_step(store)
    deliver(store, step, packet)
    for text in ("`FAILED test_price: 12 != 13` in the run.", "It connects to `depot:[masked url-password]@db.example.test`."):
        assert claim(store, step, text, ("support", packet)).standing is Standing.VERIFIED


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.kind)
def test_json_stays_json_with_every_kind_of_secret(store: EvidenceStore, sample: Sample) -> None:
    raw = json.dumps({"before": 1, "said": sample.text, "after": [True]}).encode()
    put(store, raw, ENV)
    for pointer in ("", "/said"):
        packet = read(store, pointer, ENV)
        assert packet.value is not None
        shown = json.loads(packet.excerpt)
        assert shown == json.loads(packet.value)
        assert sample.secret not in json.dumps(shown)
        assert packet.transforms[0] == SECRETS_MASKED
