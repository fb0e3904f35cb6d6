"""Settings: the argument, else the variable, else the default; a folder or a file: URL."""

from dataclasses import fields
from pathlib import Path

import pytest

from api.errors import WrongUse
from api.settings import AT_URL, CLAIM_LABELS_VARIABLE, LIMIT_VARIABLES, SECRETS_VARIABLE, folder_of, read_settings
from evidence_store.documents.model import Limits


def test_the_argument_wins_over_the_variable_and_that_over_the_default() -> None:
    assert read_settings("a", {"EVIDENCE_STORE_URL": "b"}).store == Path("a")
    assert read_settings(None, {"EVIDENCE_STORE_URL": "b"}).store == Path("b")
    assert read_settings(None, {}).store == Path(".evidence")


def test_an_empty_variable_is_none() -> None:
    assert read_settings(None, {"EVIDENCE_STORE_URL": ""}).store == Path(".evidence")


@pytest.mark.parametrize(
    ("address", "folder"),
    [
        ("/srv/evidence", "/srv/evidence"),
        ("a b/ü", "a b/ü"),
        ("100%25/%00", "100%25/%00"),
        ("a:b", "a:b"),
        ("file:///srv/evidence", "/srv/evidence"),
        ("file://localhost/srv/evidence", "/srv/evidence"),
        ("file:/srv/evidence", "/srv/evidence"),
        ("file:///srv/a%20b/%C3%BC", "/srv/a b/ü"),
        ("FILE:///srv/evidence", "/srv/evidence"),
    ],
)
def test_a_folder_is_a_path_or_a_file_url(address: str, folder: str) -> None:
    assert folder_of(address) == Path(folder)


@pytest.mark.parametrize("address", ["s3://bucket/a", "postgresql://host/db", "sqlite:///a.db", "file://host/a"])
def test_another_kind_of_address_is_refused(address: str) -> None:
    with pytest.raises(WrongUse) as caught:
        folder_of(address)
    assert caught.value.details == {"known": ["file"]}


@pytest.mark.parametrize("address", ["https://host/a", "HTTP://host", "http://[a"])
def test_a_server_where_a_folder_is_wanted_says_what_asks_one(address: str) -> None:
    with pytest.raises(WrongUse, match="at a URL there are cat, check, ") as caught:
        folder_of(address)
    assert caught.value.details == {"known": list(AT_URL)}


@pytest.mark.parametrize("address", ["a\0b", "file:///a%00b", "s3://[a"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(WrongUse):
        folder_of(address)


def test_each_limit_has_a_variable() -> None:
    assert set(LIMIT_VARIABLES) == {field.name for field in fields(Limits)}
    found = read_settings(None, {"EVIDENCE_STORE_MAX_BYTES": "1000", "EVIDENCE_STORE_MAX_NODES": "7"}).limits
    assert (found.max_bytes, found.max_nodes, found.max_repeats) == (1000, 7, Limits().max_repeats)


@pytest.mark.parametrize("text", ["0", "-1", "many", "1.5", "٣", "9" * 20])
def test_a_limit_is_a_whole_number_above_0(text: str) -> None:
    with pytest.raises(WrongUse, match="EVIDENCE_STORE_MAX_DEPTH"):
        read_settings(None, {"EVIDENCE_STORE_MAX_DEPTH": text})


def test_secrets_are_masked_unless_it_is_said_that_they_are_shown() -> None:
    assert not read_settings(None, {}).show_secrets
    assert not read_settings(None, {SECRETS_VARIABLE: ""}).show_secrets
    assert not read_settings(None, {SECRETS_VARIABLE: "mask"}).show_secrets
    assert read_settings(None, {SECRETS_VARIABLE: "show"}).show_secrets


@pytest.mark.parametrize("word", ["Show", "yes", "1", "masked", " show"])
def test_a_word_that_is_not_known_does_not_show_secrets(word: str) -> None:
    with pytest.raises(WrongUse, match="must be mask or show"):
        read_settings(None, {SECRETS_VARIABLE: word})


def test_which_labels_claims_get_is_one_of_three_words() -> None:
    assert read_settings(None, {}).claim_labels == "cited"
    assert read_settings(None, {CLAIM_LABELS_VARIABLE: "run"}).claim_labels == "run"
    with pytest.raises(WrongUse):
        read_settings(None, {CLAIM_LABELS_VARIABLE: "all"})
