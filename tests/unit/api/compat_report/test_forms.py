"""Parts of a form: the media types that `encoding` says for a property, by direction."""

import json
from typing import Any

import pytest

from tests.unit.api.compat_report.harness import Run, breaking, places, run

Json = Any
TYPED = "contentType"


def document(encoding: Json, *, direction: str = "request", media_type: str = "multipart/form-data") -> str:
    schema = {"type": "object", "properties": {"f": {"type": "string"}}}
    content = {media_type: {"schema": schema, **({} if encoding is None else {"encoding": encoding})}}
    operation: Json = {"responses": {"200": {"description": "ok"}}}
    (operation if direction == "request" else operation["responses"]["200"]).update(
        {"requestBody": {"content": content}} if direction == "request" else {"content": content}
    )
    return json.dumps({"openapi": "3.1.0", "info": {}, "paths": {"/x": {"post": operation}}}, indent=1)


def compare(old: Json, new: Json, **more: Any) -> Run:
    return run(document(old, **more), document(new, **more))


def rules(done: Run) -> list[str]:
    return [str(claim["about"]["aspect"]) for claim in breaking(done)]


@pytest.mark.parametrize(
    ("wide", "narrow"), [("image/png, image/jpeg", "image/png"), ("image/*", "image/png"), ("*/*", "text/plain"), ("a/b", "a/c")]
)
def test_a_media_type_of_a_part_counts_by_direction(wide: str, narrow: str) -> None:
    old, new = {"f": {TYPED: wide}}, {"f": {TYPED: narrow}}
    assert rules(compare(old, new)) == ["request-encoding-narrowed"]
    assert rules(compare(new, old, direction="response")) == ["response-encoding-widened"]
    if narrow != "a/c":
        assert rules(compare(new, old)) == []
        assert rules(compare(old, new, direction="response")) == []


def test_both_places_and_the_name_of_the_part_are_told() -> None:
    done = compare({"f": {TYPED: "image/png, image/jpeg"}}, {"f": {TYPED: "image/png"}})
    (claim,) = breaking(done)
    assert claim["text"] == "property `f` of request body of `post /x` is no longer taken as `image/jpeg`"
    place = "/paths/~1x/post/requestBody/content/multipart~1form-data/encoding/f/contentType"
    assert places(done, claim) == {"old": [place], "new": [place]}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (None, {"f": {TYPED: "image/png"}}),
        ({"f": {TYPED: "image/png"}}, {}),
        ({"f": {TYPED: "image/png"}}, {"f": {TYPED: "image/png", "style": "form"}}),
        ({"f": {"headers": {}}}, {"f": {TYPED: "image/png", "headers": {}}}),
    ],
)
def test_what_only_one_side_says_or_the_rules_do_not_judge_is_asked(old: Json, new: Json) -> None:
    done = compare(old, new)
    assert [(claim["standing"], claim["about"]["aspect"]) for claim in done.claims] == [("open", "request-keyword-not-compared")]


def test_encoding_has_no_meaning_beside_a_body_that_is_no_form() -> None:
    assert compare({"f": {TYPED: "a/b"}}, {"f": {TYPED: "a/c"}}, media_type="application/json").claims == []
    assert rules(compare({"f": {TYPED: "a/b"}}, {"f": {TYPED: "a/c"}}, media_type="application/x-www-form-urlencoded")) != []
