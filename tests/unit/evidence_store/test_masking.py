"""Secrets of a source: told with what stands round a slice, in any encoding, at the places of the stored bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.masking import AFTER_BYTES, BEFORE_BYTES, mask_source
from evidence_store.model import Format, Span
from evidence_store.secrets import NO_MASKS, SECRETS_MASKED, SHOW_SECRETS
from tests.credentials import KEY_LINES, LOWER, PRIVATE_KEY, RUN_LOG, RUN_SECRETS, SAMPLES, Sample

TOKEN = SAMPLES[0]


def show(raw: bytes, span: Span, encoding: str = "utf-8") -> str:
    masks = mask_source(raw, encoding).masks(span)
    return masks.apply(raw[span.start : span.end], span.start, encoding).decode(encoding, "replace")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.kind)
def test_no_slice_shows_a_part_of_a_secret(sample: Sample) -> None:
    raw = b"before it\n" + sample.text.encode() + b"\nbehind it\n"
    at = raw.index(sample.secret.encode())
    end = at + len(sample.secret)
    for start in range(at - 8, end, 3):
        for stop in range(max(start, at) + 1, end + 8, 3):
            expected = raw[start : max(start, at)].decode() + f"[masked {sample.kind}]" + raw[end : max(end, stop)].decode()
            assert show(raw, Span(start, stop)) == expected


@given(st.integers(0, len(RUN_LOG)), st.integers(0, len(RUN_LOG)))
def test_no_slice_of_a_log_shows_a_secret_or_a_half_of_one(one: int, other: int) -> None:
    shown = show(RUN_LOG, Span(min(one, other), max(one, other)))
    assert [piece for piece in ("XAM", "PLE", "eyJ", "p4ss") if piece in shown] == []


@given(st.integers(0, len(RUN_LOG)), st.integers(0, len(RUN_LOG)))
def test_the_places_of_marks_are_those_of_the_stored_bytes(one: int, other: int) -> None:
    span = Span(min(one, other), max(one, other))
    for mark in mask_source(RUN_LOG).masks(span).marks:
        assert RUN_LOG[mark.span.start : mark.span.end] == mark.value
        assert mark.value.decode() in RUN_SECRETS.values()


@given(st.binary(max_size=300), st.data())
def test_a_slice_without_marks_is_given_back_itself(raw: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(raw)))
    part = raw[start:]
    masks = mask_source(raw).masks(Span(start, len(raw)))
    if not masks:
        assert masks.apply(part, start) is part


def test_a_line_of_a_private_key_is_told_by_its_first_line() -> None:
    raw = b"log\n" + PRIVATE_KEY.encode() + b"done\n"
    for line in KEY_LINES:
        at = raw.index(line.encode())
        assert show(raw, Span(at, at + len(line) + 1)) == "[masked private-key]\n"
    assert show(raw, Span(raw.index(b"done"), len(raw))) == "done\n"


TOKEN_END = TOKEN.secret[4:]
YAML = (
    ("plain: {}\n", TOKEN.secret),
    ("flow: {{t: {}, n: 1}}\n", TOKEN.secret),
    ('k: "\\x67hp_{}"\n', TOKEN_END),
    ('k: "\\u0067hp_{}"\n', TOKEN_END),
    ('m: "{}\\\n    {}"\nz: 1\n', TOKEN.secret[:19], TOKEN.secret[19:]),
    ("X-Api-Key: >-\n  {}\nz: 1\n", LOWER[:24]),
    ("env:\n  - name: DB_PASSWORD\n    value: {}\n", "Pa55" + "w0rdXy"),
    ('h: "Author\\x69zation: Bearer {}"\n', LOWER[:24]),
)


@pytest.mark.parametrize("text", YAML, ids=lambda text: text[0])
def test_no_slice_of_yaml_shows_a_part_of_a_secret(text: tuple[str, ...]) -> None:
    form, *parts = text
    raw = form.format(*parts).encode()
    masking = mask_source(raw, format=Format.YAML)
    hidden = [part[at : at + 5] for part in parts for at in range(0, len(part) - 4)]
    assert b"[masked " in masking.masks(Span(0, len(raw))).apply(raw, 0)
    for start in range(len(raw)):
        for end in range(start + 1, len(raw) + 1, 3):
            shown = masking.masks(Span(start, end)).apply(raw[start:end], start)
            assert [one for one in hidden if one.encode() in shown] == []
            assert shown.count(b"\n") == raw.count(b"\n", start, end)


def test_a_member_that_is_named_lines_before_is_told() -> None:
    raw = b'{\n  "name": "Authorization",\n  "value": "Bearer ' + LOWER[:24].encode() + b'"\n}\n'
    at = raw.index(b'  "value"')
    assert show(raw, Span(at, len(raw) - 2)) == '  "value": "Bearer [masked authorization]"\n'
    assert show(raw, Span(at + 30, at + 40)) == "[masked authorization]"


def test_a_slice_of_a_large_source_reads_a_bounded_part_of_it() -> None:
    read: list[Span] = []
    raw = b"x" * 1_000_000
    source = mask_source(raw)

    def spy(span: Span) -> bytes:
        read.append(span)
        return source.read(span)

    span = Span(500_000, 500_100)
    assert type(source)(spy, len(raw)).masks(span) == NO_MASKS
    assert sum(one.length for one in read) <= span.length + BEFORE_BYTES + AFTER_BYTES


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "latin-1", "shift_jis"])
def test_a_secret_is_found_in_other_encodings(encoding: str) -> None:
    raw = f"Zeile {TOKEN.text}\n".encode(encoding)
    assert show(raw, Span(0, len(raw)), encoding) == f"Zeile {TOKEN.shown}\n"
    middle = len(raw) // 2 // 4 * 4
    assert TOKEN.secret[-8:] not in show(raw, Span(middle, len(raw)), encoding)


def test_values_of_a_kind_have_numbers_in_the_order_of_the_slice() -> None:
    first, second = (sample.secret for sample in SAMPLES[:2])
    raw = f"{first}\n{second}\n{first}\n".encode()
    whole = show(raw, Span(0, len(raw)))
    assert whole == "[masked github-token]\n[masked github-token 2]\n[masked github-token]\n"


def test_nothing_is_masked_for_who_may_see_it() -> None:
    assert SHOW_SECRETS.masks(Span(0, len(RUN_LOG))) is NO_MASKS
    assert SHOW_SECRETS.text(TOKEN.text) == TOKEN.text


def test_an_empty_slice_has_no_marks() -> None:
    assert mask_source(RUN_LOG).masks(Span(20, 20)) is NO_MASKS
    assert SECRETS_MASKED == "secrets_masked/1"
