"""A Go test by its name, in the events of `go test -json`."""

import json

import pytest

from evidence_store.documents.cases import find_case
from evidence_store.documents.detect import open_document
from evidence_store.documents.model import Document
from evidence_store.errors import Ambiguous, NotFound
from evidence_store.model import Format

EVENTS = [
    {"Action": "start", "Package": "example.org/a"},
    {"Action": "run", "Package": "example.org/a", "Test": "TestOne"},
    {"Action": "output", "Package": "example.org/a", "Test": "TestOne", "Output": "boom\n"},
    {"Action": "fail", "Package": "example.org/a", "Test": "TestOne", "Elapsed": 0.1},
    {"Action": "pass", "Package": "example.org/a", "Test": "TestTwo/sub", "Elapsed": 0},
    {"Action": "pass", "Package": "example.org/b", "Test": "TestTwo/sub", "Elapsed": 0},
    {"Action": "fail", "Package": "example.org/a"},
    {"Action": "skip", "Package": "example.org/a", "Test": "TestOne"},
    {"Action": 1, "Test": 2},
]


def report() -> Document:
    return open_document("".join(json.dumps(event) + "\n" for event in EVENTS).encode(), Format.JSONL)


@pytest.mark.parametrize(
    ("name", "pointer"),
    [
        ("example.org/a/TestOne#1", "/3"),
        ("example.org/a/TestOne#2", "/7"),
        ("example.org/b/TestTwo/sub", "/5"),
        ("TestTwo/sub#2", "/5"),
        ("b/TestTwo/sub", "/5"),
    ],
)
def test_a_test_is_the_event_that_ends_it(name: str, pointer: str) -> None:
    assert find_case(report(), name) == pointer


def test_equal_names_are_told_apart_by_their_place() -> None:
    with pytest.raises(Ambiguous) as caught:
        find_case(report(), "TestTwo/sub")
    assert caught.value.details["known"] == ["TestTwo/sub#1", "TestTwo/sub#2"]


@pytest.mark.parametrize("name", ["TestThree", "TestOne#3", ""])
def test_what_is_not_there_says_what_is_and_what_failed_first(name: str) -> None:
    with pytest.raises(NotFound) as caught:
        find_case(report(), name)
    known = caught.value.details["known"]
    assert isinstance(known, list)
    assert known[0].startswith("example.org/a/TestOne#")
    assert len({find_case(report(), one) for one in known}) == len(known)
    assert caught.value.details["n_cases"] == 4


def test_a_document_of_another_kind_has_no_test_cases() -> None:
    with pytest.raises(NotFound) as caught:
        find_case(open_document(b"[]", Format.JSON), "a")
    assert caught.value.error_code == "no_structure"
