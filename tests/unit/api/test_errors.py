"""Errors at the doors: an exit code for each class, and one object that a machine reads."""

import pytest

from api.errors import EXIT_NOT_FOUND, EXIT_STORE_FAULT, EXIT_WRONG_USE, MAX_MESSAGE_CHARS, WrongUse, error_object, exit_code
from evidence_store import errors
from evidence_store.errors import EvidenceStoreError
from tests.credentials import SAMPLES, Sample

CLASSES = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, EvidenceStoreError)]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.InvalidInput("x"), EXIT_WRONG_USE),
        (errors.MalformedPointer("x"), EXIT_WRONG_USE),
        (errors.BadIndex("x"), EXIT_WRONG_USE),
        (errors.Ambiguous("x"), EXIT_WRONG_USE),
        (errors.RefusedDocument("x"), EXIT_WRONG_USE),
        (errors.LimitExceeded("x"), EXIT_WRONG_USE),
        (errors.Conflict("x"), EXIT_WRONG_USE),
        (WrongUse("x"), EXIT_WRONG_USE),
        (errors.NotFound("x"), EXIT_NOT_FOUND),
        (errors.NotContainer("x"), EXIT_NOT_FOUND),
        (errors.StoreFault("x"), EXIT_STORE_FAULT),
        (errors.IntegrityMismatch("x"), EXIT_STORE_FAULT),
        (errors.StoreMissing("x"), EXIT_STORE_FAULT),
        (errors.StoreUnavailable("x"), EXIT_STORE_FAULT),
    ],
)
def test_the_exit_code_follows_from_the_class(error: EvidenceStoreError, code: int) -> None:
    assert exit_code(error) == code


@pytest.mark.parametrize("one", CLASSES)
def test_no_error_ends_as_done_or_as_the_answer_no(one: type[EvidenceStoreError]) -> None:
    assert exit_code(one("x")) in (EXIT_WRONG_USE, EXIT_NOT_FOUND, EXIT_STORE_FAULT)


@pytest.mark.parametrize("one", CLASSES)
def test_every_class_has_a_code_of_its_own(one: type[EvidenceStoreError]) -> None:
    assert [other for other in CLASSES if other.code == one.code] == [one]


def test_the_object_holds_code_message_and_what_helps() -> None:
    error = errors.NotFound("no such thing", {"nearest": "/limit", "keys": ["maximum"]})
    assert error_object(error) == {"code": "not_found", "message": "no such thing", "nearest": "/limit", "keys": ["maximum"]}


def test_the_place_that_raised_may_give_a_more_exact_code() -> None:
    assert error_object(errors.NotFound("gone", code="unknown_id"))["code"] == "unknown_id"


def test_a_message_is_one_line() -> None:
    assert error_object(errors.InvalidInput("one\ntwo\r\n  three"))["message"] == "one two three"


def test_a_message_is_bounded() -> None:
    message = error_object(errors.InvalidInput("x" * 5000))["message"]
    assert isinstance(message, str)
    assert len(message) == MAX_MESSAGE_CHARS + 1


def test_details_are_a_copy() -> None:
    """What a caller does with its own mapping afterwards is not in the error."""
    details = {"limit": 1}
    error = errors.LimitExceeded("x", details)
    details["limit"] = 2
    assert error.details == {"limit": 1}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.kind)
def test_no_error_repeats_a_secret(sample: Sample) -> None:
    error = errors.NotFound(f"{sample.text!r} is not there", {"nearest": [sample.text], "at": {"text": sample.text}, "line": 3})
    told = error_object(error)
    assert sample.secret not in str(told)
    assert told["line"] == 3
    assert sample.secret in error.message
