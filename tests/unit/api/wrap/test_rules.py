"""Names of resources: readable where they can be, and never with a secret in them."""

from hypothesis import given
from hypothesis import strategies as st

from api.wrap import resource_name
from evidence_store.store.put_request import require_name
from tests.credentials import SAMPLES


def test_a_call_is_named_by_its_arguments_in_order() -> None:
    assert resource_name("get_logs", {"pod": "api-1", "limit": 5}) == "get_logs?limit=5&pod=api-1"
    assert resource_name("now", {}) == "now"


def test_long_arguments_are_named_by_a_digest_that_stays() -> None:
    name = resource_name("query", {"sql": "select 1 " * 100})
    assert name.startswith("query?~")
    assert len(name) < 40
    assert name == resource_name("query", {"sql": "select 1 " * 100}) != resource_name("query", {"sql": "select 2 " * 100})


def test_no_secret_stands_in_a_name() -> None:
    for sample in SAMPLES:
        assert sample.secret not in resource_name("fetch", {"header": sample.text})


def test_a_name_does_not_end_like_a_revision() -> None:
    assert resource_name("mail", {"to": "team@12"}).startswith("mail?~")
    assert resource_name("tool@3", {}) == "tool"


@given(st.text(), st.dictionaries(st.text(), st.text() | st.integers() | st.floats() | st.none() | st.lists(st.text())))
def test_every_call_has_a_name_that_a_resource_can_have(tool: str, arguments: dict[str, object]) -> None:
    require_name(resource_name(tool, arguments))  # type: ignore[arg-type]
