"""docs/errors.md lists every error code of the packages, each with its class, exit code and HTTP status, and no other."""

import re

import pytest

import api.access
import api.errors
import api.readiness
import api.routes.problems
import evidence_store.errors
import projector.errors
from api.errors import exit_code
from api.routes.problems import status_of
from evidence_store import claim_rules
from evidence_store.errors import EvidenceStoreError
from tests.architecture.modules import list_sources
from tests.docs.error_codes import Spelled, collect_codes, collect_faults
from tests.docs.pages import iter_rows, read_page, spans_in

PAGE = read_page("errors.md")
ERRORS, FOUND = PAGE.split("\n# What is found, not raised\n")
ROWS = {Spelled(spans_in(row[0])[0], spans_in(row[1])[0]): row for row in iter_rows(ERRORS)}
ONLY_HTTP = (
    "NotReady",
    "AddressTooLong",
    "HeadersTooLarge",
    "BadParameters",
    "InternalFault",
    "OutsideRange",
    "Refused",
    "StateChanged",
    "StateNotNamed",
    "TooLarge",
    "TooManyRequests",
    "Unauthenticated",
)
"""Classes that no command can end with."""
NEVER_RAISED = ("EvidenceStoreError", "ProjectorError")
ANSWERS_OF_ROUTER = "Refused"
"""Its status is the router's own."""


def find_class(name: str) -> type[EvidenceStoreError]:
    for module in (evidence_store.errors, projector.errors, api.errors, api.access, api.readiness, api.routes.problems):
        found = getattr(module, name, None)
        if isinstance(found, type) and issubclass(found, EvidenceStoreError):
            return found
    raise AssertionError(f"there is no error class {name}")


def section(title: str) -> set[str]:
    """First code span of each row under a heading."""
    text = FOUND.split(f"## {title}\n")[1].split("\n## ")[0]
    return {spans_in(row[0])[0] for row in iter_rows(text)}


def test_the_page_lists_exactly_the_codes_of_the_packages() -> None:
    spelled = collect_codes().spelled
    assert {"missing on the page": sorted(spelled - set(ROWS)), "only on the page": sorted(set(ROWS) - spelled)} == {
        "missing on the page": [],
        "only on the page": [],
    }
    assert len(ROWS) == len(list(iter_rows(ERRORS))), "no row stands twice"


def test_no_code_is_given_in_a_way_that_the_collector_cannot_read() -> None:
    """A new line here is a code from a variable: teach `tests/docs/error_codes.py` where it is spelled."""
    assert collect_codes().unread == (
        "api/client/problems.py: code",
        "api/client/problems.py: code",
        "api/demo.py: turn.refusal.code",
        "evidence_store/database.py: code",
        "evidence_store/documents/json_faults.py: code",
        "evidence_store/documents/junit_check.py: exc.error_code",
        "evidence_store/documents/junit_read.py: code",
        "evidence_store/documents/yaml_read.py: code",
    )


@pytest.mark.parametrize("spelled", sorted(ROWS), ids=lambda spelled: f"{spelled.code}-{spelled.error}")
def test_exit_code_and_status_are_those_of_the_class(spelled: Spelled) -> None:
    _, _, exit_, status, when, _ = ROWS[spelled]
    error = find_class(spelled.error)("why")
    assert exit_ == ("–" if spelled.error in ONLY_HTTP else str(exit_code(error)))
    if spelled.error != ANSWERS_OF_ROUTER:
        assert status == str(status_of(error))
    assert when


@pytest.mark.parametrize("code", [spelled.code for spelled in ROWS if spelled.error not in NEVER_RAISED])
def test_each_row_says_what_to_do(code: str) -> None:
    assert all(row[5] for spelled, row in ROWS.items() if spelled.code == code)


def test_the_faults_of_the_two_checks_are_listed() -> None:
    # `integrity_mismatch` comes with the code of the error that was met
    assert section("Faults that `verify` finds") == collect_faults("evidence_store/store/checks.py") | {"integrity_mismatch"}
    dialects = [source.path for source in list_sources("projector") if source.path.startswith("projector/dialects/")]
    found = set().union(*map(collect_faults, ["projector/validate.py", *dialects]))
    assert section("Faults that `validate` finds") == found


def test_the_reasons_of_open_claims_are_listed() -> None:
    known = set(re.findall(r"^    ([a-z_]+(?::[A-Z]+)?)\s", claim_rules.__doc__ or "", re.MULTILINE))
    assert len(known) > 10
    assert section("Why a claim stays open") == known
