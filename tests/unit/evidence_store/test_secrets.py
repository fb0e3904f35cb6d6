"""Secrets in text: each rule with what it is for and with what only looks like it. The invariants stand at the head of the module."""

import re
from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.model import Span
from evidence_store.secret_rules import KEY_HEAD, PRIVATE_KEY, RULES
from evidence_store.secrets import Masks, Secret, find_secrets, mask_text, masks_of
from tests.credentials import ASSIGNED, FILL, HEADERS, HEX, JWT, KEY_LINES, LOWER, SAMPLES, URLS, Sample
from tests.credentials import PRIVATE_KEY as KEY_TEXT

GITHUB = SAMPLES[0]
BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
HARMLESS = (
    "task-runner disk-usage risk-report mask-value",
    "task-0123456789abcdef0123456789abcdef disk-ABCDEFGHIJKLMNOPQRSTUVWXYZ012345",
    "sk-learn sk-my-small-model-name-of-the-week-2026 sk-XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX sk-ant-your_api_key_goes_here",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
    "trace 4bf92f3577b34da6a3ce929d0e0e4736 id 123e4567-e89b-42d3-a456-426614174000 ev_01J9Z3K5Q8W7E6R5T4Y3U2I1O0",
    "Bearer token missing in request",
    "Authorization: Bearer <token>, or Authorization: Bearer YOUR_TOKEN",
    'headers["Authorization"] = f"Bearer {token}"',
    "authorization: required  proxy-authorization: none",
    "password: (not set)  password=hunter2  secret: yes",
    "GITHUB_TOKEN=ghp_short  ghp_  ghs_xxx github_pat_",
    f"egghp_{FILL[:36]}",
    "glpat-xxxxxxxxxxxxxxxxxxxx glpat-short",
    f"AKIA{FILL[:15]} XAKIA{FILL[:16]} AKIA{FILL[:17]} AKIA{LOWER[:16]}",
    f"secret_access_key = {FILL[:39]}  secret_access_key = {FILL[:41]}  access_key = {FILL[:40]}",
    "aws_session_token = short  sessionToken: null",
    "xoxb-your-token-here xox xoxoxo",
    "https://hooks.slack.com/services/ https://hooks.slack.com/services/docs",
    "X-Api-Key: YOUR_API_KEY_GOES_HERE  x-api-key: small",
    "AIza AIzaShort",
    "sk_live_short stripe sk_test_",
    "npm_config_registry npm_lifecycle_event //registry.example.test/:_authToken=${NPM_TOKEN}",
    "hf_hub_download hf_abcdefghijklmnopqrstuvwxyzabcdefgh",
    "SG.short.short MSG.a.b",
    "dapi0123 dapi0123456789abcdef0123456789abcdefff",
    "lin_api_short  GOCSPX-short  ya29.short  whsec_short",
    "hvs.short shpat_0123 glsa_short_1 dckr_pat_short AccountKey=short AGE-SECRET-KEY-1SHORT pypi-AgEshort",
    "12345678:AAshort  ratio 1:AA",
    "eyJ eyJhbGci.eyJ.x data:image/png;base64,eyJhbGciOiJIUzI1NiJ9AAAA",
    "postgres://depot:***@db.example.test postgres://depot:password@db postgres://depot@db http://[::1]:80/@x",
    "http://example.test:8080/a@b mail a:b@example.test git@github.com:owner/name.git scp a:b c@d",
    "postgres://${USER}:${PASSWORD}@host postgres://user:$PASSWORD@host postgres://user:%s@host",
    "-----BEGIN PUBLIC KEY-----\n" + "\n".join(KEY_LINES) + "\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\n" + "\n".join(KEY_LINES) + "\n-----END CERTIFICATE-----",
    "the file begins with -----BEGIN RSA PRIVATE KEY-----, and ends elsewhere",
    "********",
    "[masked github-token] [masked github-token 2]",
    "",
)
"""What comes out as it went in."""


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.kind)
def test_only_the_characters_of_the_secret_are_masked(sample: Sample) -> None:
    assert mask_text(sample.text) == sample.shown


def test_each_rule_has_a_sample() -> None:
    texts = [*(one.text for one in SAMPLES), *ASSIGNED, *HEADERS, *(url.format("Pa55/w0rdXy") for url in URLS)]
    assert [rule for rule in RULES if not any(re.search(rule.pattern, text.encode()) for text in texts)] == []


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.kind)
@pytest.mark.parametrize(
    ("before", "after"), [("", ""), ("\n", "\n"), ('{"a": "', '"}'), ("x \x1b[31m", "\x1b[0m y"), ("\\n", "\\n"), ("(", ")")]
)
def test_a_secret_is_found_wherever_a_text_may_hold_it(sample: Sample, before: str, after: str) -> None:
    assert sample.secret not in mask_text(f"{before}{sample.text}{after}")


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert mask_text(text) == text


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.kind)
def test_masking_twice_changes_nothing_more(sample: Sample) -> None:
    assert mask_text(sample.shown) == sample.shown
    assert mask_text(f"{sample.shown} {sample.shown}") == f"{sample.shown} {sample.shown}"


def test_values_of_a_kind_are_told_apart_and_a_value_keeps_its_number() -> None:
    first, second = "gh" + "p_" + FILL[:36], "gh" + "p_" + LOWER[:36]
    assert mask_text(f"{first} {second} {first}") == "[masked github-token] [masked github-token 2] [masked github-token]"
    assert mask_text(f"[masked github-token 2] {first}") == "[masked github-token 2] [masked github-token 3]"


@pytest.mark.parametrize("glue", ["\n", "\r\n", "\\n"])
def test_of_a_private_key_the_lines_between_its_edges_are_masked(glue: str) -> None:
    shown = mask_text(glue.join(KEY_TEXT.splitlines()))
    assert not any(line in shown for line in KEY_LINES)
    assert shown.startswith(KEY_TEXT.splitlines()[0])
    assert shown.endswith(KEY_TEXT.splitlines()[-1])
    assert f"[masked {PRIVATE_KEY}]" in shown
    assert shown.count("\n") == (0 if glue == "\\n" else len(KEY_LINES) + 1)


def test_a_private_key_without_its_end_ends_where_its_lines_end() -> None:
    text = "\n".join((*KEY_TEXT.splitlines()[:-1], "next step: done", "all well"))
    shown = mask_text(text)
    assert shown.splitlines()[-2:] == ["next step: done", "all well"]
    assert not any(line in shown for line in KEY_LINES)


def test_a_key_keeps_its_number_of_lines() -> None:
    assert mask_text(KEY_TEXT).count("\n") == KEY_TEXT.count("\n")
    assert re.match(KEY_HEAD, KEY_TEXT.encode())


def test_a_secret_is_found_behind_the_escapes_of_json() -> None:
    escaped = f'{{"a": "gh\\u0070_{FILL[:36]}"}}'.encode()
    assert find_secrets(escaped) == ()
    (found,) = find_secrets(escaped, escaped=True)
    assert escaped[found.span.start : found.span.end] == f"gh\\u0070_{FILL[:36]}".encode()


def test_a_secret_is_found_behind_colour_codes_in_its_midst() -> None:
    token = GITHUB.secret
    assert mask_text(f"a {token[:12]}\x1b[1m{token[12:]} b") == "a [masked github-token] b"


def test_a_known_secret_is_masked_without_its_name() -> None:
    known = masks_of([Secret("authorization", Span(0, 24), LOWER[:24].encode())])
    assert mask_text(f"value {LOWER[:24]}", known) == "value [masked authorization]"
    assert mask_text("short", masks_of([Secret("url-password", Span(0, 5), b"short")])) == "short"


def test_a_slice_of_a_secret_is_shown_as_its_mark() -> None:
    raw = GITHUB.text.encode()
    masks = masks_of(find_secrets(raw))
    (mark,) = masks.marks
    for start in range(len(raw)):
        for end in (start + 1, start + 9, len(raw)):
            part = raw[start:end]
            shown = masks.apply(part, start)
            inside = Span(start, min(end, len(raw)))
            if inside.end <= mark.span.start or inside.start >= mark.span.end:
                assert shown == part
            else:
                assert shown == raw[start : mark.span.start] + mark.text.encode() + raw[mark.span.end : end]


def test_without_a_secret_the_same_text_is_given_back() -> None:
    text = "nothing " * 1000
    assert mask_text(text) is text
    raw = text.encode()
    assert Masks().apply(raw, 7) is raw


@pytest.mark.parametrize("piece", ["ghp_", "eyJ", "sk-", "xoxb-", "://a:b@", "-----BEGIN PRIVATE KEY-----", "Authorization: Bearer "])
def test_a_text_of_nothing_but_beginnings_of_secrets_costs_no_more_for_each_byte(piece: str) -> None:
    raw = (piece * 400_000).encode()[:400_000]
    began = process_time()
    find_secrets(raw)
    # Once each of them was looked at with what stands behind it for 8 KiB: 4 seconds and more.
    assert process_time() - began < 1.5


# -- properties


@given(st.text(alphabet=st.characters(exclude_characters=":@/_-"), max_size=400))
def test_text_without_the_signs_of_prefixes_is_never_changed(text: str) -> None:
    assert mask_text(text) == text


@given(
    st.lists(st.sampled_from(["get", "token", "secret", "password", "key", "auth", "Bearer", "200", "v1.2", "done"]), max_size=40),
    st.sampled_from(" _-./"),
)
def test_words_alone_are_never_changed(words: list[str], glue: str) -> None:
    assert mask_text(glue.join(words)) == glue.join(words)


@given(st.binary(max_size=400))
def test_hex_is_never_changed(raw: bytes) -> None:
    assert mask_text(f"id={raw.hex()} sha256:{raw.hex()}") == f"id={raw.hex()} sha256:{raw.hex()}"


@given(st.text(alphabet=BASE64, max_size=2000))
def test_base64_is_never_changed(text: str) -> None:
    text = re.sub("AIza|A(KI|SI|BI|CC)A", "0", text)
    assert mask_text(f"data:image/png;base64,{text}") == f"data:image/png;base64,{text}"


@given(st.uuids(), st.integers(0, 2**63))
def test_ids_and_numbers_are_never_changed(id_: object, number: int) -> None:
    text = f"request {id_} took {number} ms: {number}.5"
    assert mask_text(text) == text


@given(st.lists(st.sampled_from([*SAMPLES, *HARMLESS[:8]]), max_size=6), st.sampled_from(["\n", " | ", "\r\n"]))
def test_no_secret_survives_in_any_company(parts: list[Sample | str], glue: str) -> None:
    text = glue.join(one.text if isinstance(one, Sample) else one for one in parts)
    shown = mask_text(text)
    assert not any(one.secret in shown for one in parts if isinstance(one, Sample))
    assert mask_text(shown) == shown
    assert shown.count("\n") == text.count("\n")


@given(st.binary(max_size=300))
def test_places_are_of_the_bytes_that_were_given(raw: bytes) -> None:
    whole = raw + b" " + JWT.encode() + b" " + HEX.encode()
    found = find_secrets(whole, escaped=True)
    assert all(whole[one.span.start : one.span.end] == one.value for one in found if one.value == JWT.encode())
    assert JWT.encode() in [one.value for one in found]
    assert all(a.span.end <= b.span.start for a, b in pairwise(found))
