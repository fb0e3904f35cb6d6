"""Addresses of what is stored: text and values are inverses, whatever a resource is called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.mcp.addresses import (
    BlobAddress,
    ItemAddress,
    RevisionAddress,
    format_blob,
    format_item,
    format_resource,
    format_revision,
    parse_address,
)
from evidence_store.errors import NotFound
from evidence_store.model import Digest, Pointer, ResourceName

NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40)


@given(NAMES, st.integers(1, 10**9))
def test_names_and_numbers_come_back(name: str, number: int) -> None:
    assert parse_address(format_resource(name)) == RevisionAddress(ResourceName(name), None)
    assert parse_address(format_revision(name, number)) == RevisionAddress(ResourceName(name), number)
    assert format_resource(name).count("/") == 3


def test_ids_digests_and_pointers_come_back() -> None:
    digest = "sha256:" + "0" * 64
    assert parse_address(format_item("ev_tpvnrht0mge4")) == ItemAddress("ev_tpvnrht0mge4")
    assert parse_address(format_blob(digest)) == BlobAddress(Digest(digest))
    node = parse_address(format_revision("a/b.json", 2) + "#/paths/~1orders")
    assert node == RevisionAddress(ResourceName("a/b.json"), 2, Pointer("#/paths/~1orders"))


@pytest.mark.parametrize("name", [".", ".."])
def test_a_name_of_dots_is_no_step_of_a_path(name: str) -> None:
    assert "/." not in format_resource(name)


@pytest.mark.parametrize(
    "text", ["", "evidence://", "evidence://items/", "evidence://items/a/b", "evidence://resources/a/revisions/x", "http://items/a"]
)
def test_other_texts_are_no_addresses(text: str) -> None:
    with pytest.raises(NotFound):
        parse_address(text)
