"""Evidence ids: golden values, what they depend on, and how people write them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.canonical import digest_of
from evidence_store.errors import InvalidInput
from evidence_store.ids import ALPHABET, MAX_LENGTH, Identity, read_id, short_id
from evidence_store.model import DEFAULT_WORKSPACE, Digest, ResourceName, Span, WorkspaceName

API = Identity(
    DEFAULT_WORKSPACE, ResourceName("stable-v2/openapi.json"), 1, digest_of(b'{"limit": {"maximum": 50}}\n'), (Span(22, 24),), None
)
LOG_BYTES = "Größe: 日志\n".encode()
LOG = Identity(DEFAULT_WORKSPACE, ResourceName("日志/run-1.log"), 3, digest_of(LOG_BYTES), (Span(0, len(LOG_BYTES)),), None)
HEX = st.text("0123456789abcdef", min_size=64, max_size=64).map(lambda text: Digest(f"sha256:{text}"))


@pytest.mark.parametrize(
    ("identity", "id_"),
    [
        (API, "ev_tpvnrht0mge4"),
        (replace(API, parts=(Span(0, 26),)), "ev_yfnsa6eeyzy7"),
        (replace(API, parts=(Span(10, 25),), transform="keys/1"), "ev_1y0bvf45yc9w"),
        (LOG, "ev_9akwgyjsmypp"),
    ],
)
def test_the_golden_ids_never_change(identity: Identity, id_: str) -> None:
    assert short_id(identity.digest()) == id_


@pytest.mark.parametrize(
    "other",
    [
        replace(API, workspace=WorkspaceName("second")),
        replace(API, resource=ResourceName("stable-v2/openapi.yaml")),
        replace(API, revision=2),
        replace(API, blob=digest_of(b"")),
        replace(API, parts=(Span(22, 23),)),
        replace(API, parts=(Span(22, 24), Span(0, 1))),
        replace(API, transform="keys/1"),
    ],
)
def test_every_member_of_the_identity_counts(other: Identity) -> None:
    assert other.digest() != API.digest()


def test_the_short_form_is_the_first_sixty_bits() -> None:
    digest = Digest("sha256:" + "08" + "42" * 7 + "ff" * 24)
    bits = f"{int(digest[7:], 16):0256b}"
    assert short_id(digest) == "ev_" + "".join(ALPHABET[int(bits[n * 5 : n * 5 + 5], 2)] for n in range(12))


@given(HEX, st.integers(1, MAX_LENGTH))
def test_a_longer_form_begins_with_the_shorter_one(digest: Digest, length: int) -> None:
    assert short_id(digest, length + 2).startswith(short_id(digest, length))


@given(HEX)
def test_an_id_as_it_is_given_out_is_read_unfolded(digest: Digest) -> None:
    for length in (12, 14, MAX_LENGTH):
        read = read_id(short_id(digest, length))
        assert read.id == short_id(digest, length)
        assert not read.folded


@pytest.mark.parametrize("written", ["EV_TPVNRHT0MGE4", "ev_tpvnrhtomge4", "Ev_TpvnrhtOmge4", " ev_tpvnrht0mge4\n"])
def test_case_and_the_letter_o_are_folded_and_said(written: str) -> None:
    read = read_id(written)
    assert read.id == "ev_tpvnrht0mge4"
    assert read.folded


@pytest.mark.parametrize("written", ["ev_iy0bvf45yc9w", "ev_ly0bvf45yc9w", "ev_Ly0bvf45yc9w", "ev_Iy0bvf45yc9w"])
def test_i_and_l_are_read_as_one(written: str) -> None:
    assert read_id(written).id == "ev_1y0bvf45yc9w"


@pytest.mark.parametrize(
    "written",
    ["", "ev_", "ev-tpvnrht0mge4", "tpvnrht0mge4", "ev_tpvnrht0mgeu", "ev_tpvn rht0", "ev_" + "0" * 53, "ev_日志", "rp_0123456789ab"],
)
def test_what_is_no_id_is_told_apart_from_an_unknown_one(written: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_id(written)
    assert caught.value.error_code == "malformed_id"


def test_an_id_that_was_cut_is_an_id_all_the_same() -> None:
    """It names nothing, which is `unknown_id` and not a slip of the form."""
    assert read_id("ev_tpvnrht0").id == "ev_tpvnrht0"
