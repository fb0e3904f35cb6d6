"""What is served over HTTP breaks no client of what was released last, and the description that is kept has all of it."""

import orjson

from tests.docs.openapi_document import KEPT, RENEW, breaking, served


def test_no_client_of_the_last_release_breaks() -> None:
    assert breaking(KEPT.read_bytes(), served()) == []


def test_what_was_added_is_in_the_kept_description() -> None:
    assert KEPT.read_bytes() == served(), f"after an addition: {RENEW}"


def test_the_comparison_sees_what_breaks() -> None:
    changed = orjson.loads(KEPT.read_bytes())
    limit = next(one for one in changed["paths"]["/v1/resources"]["get"]["parameters"] if one["name"] == "limit")
    limit["schema"]["maximum"] = 10
    del changed["paths"]["/v1/evidence/{id}"]
    found = breaking(KEPT.read_bytes(), orjson.dumps(changed))
    assert len(found) == 2
    assert any("maximum" in one for one in found)
