"""References between the files of one upload: followed where the file is stored, cited where they lead, and never out of the store."""

import pytest

from api.compat_report.memo import Memo, format_memo, parse_memo
from api.compat_report.pointers import find_target, is_root, locate, parent_of, split_pointer
from tests.unit.api.compat_report.harness import Run, breaking, run

ROOT = """openapi: 3.0.3
info: {}
paths:
  /orders/{id}:
    $ref: 'SIDE/paths.yaml#/orders'
  /health:
    get:
      $ref: 'SIDE/health.yaml'
components:
  schemas:
    Id: {type: IDTYPE}
"""
PATHS = """orders:
  parameters:
  - {name: id, in: path, required: true, schema: {type: string}}
  get:
    responses:
      '200':
        description: ok
        content:
          application/json:
            schema: {$ref: 'models/order.yaml'}
"""
ORDER = """type: object
properties:
  id: {$ref: '../../SIDE#/components/schemas/Id'}
  parent: {$ref: 'order.yaml'}
  note: {type: NOTETYPE}
"""
HEALTH = "responses: {'200': {description: ok}, STATUS}\n"


def parts(side: str, note: str, status: str = "'404': {description: no}") -> dict[str, str]:
    return {
        f"{side}/paths.yaml": PATHS,
        f"{side}/models/order.yaml": ORDER.replace("SIDE", side).replace("NOTETYPE", note),
        f"{side}/health.yaml": HEALTH.replace("STATUS", status),
    }


def compare(note: str, id_: str = "string", status: str = "'404': {description: no}", *, without: str = "") -> Run:
    old, new = (ROOT.replace("SIDE", side).replace("IDTYPE", kind) for side, kind in (("old", "string"), ("new", id_)))
    stored = {**parts("old", "string"), **parts("new", note, status)}
    return run(old, new, parts={name: text for name, text in stored.items() if name != without})


def told(done: Run) -> list[tuple[str, str, str]]:
    return sorted((claim["about"]["aspect"], claim["about"]["resource"], claim["about"]["pointer"]) for claim in breaking(done))


def test_the_same_documents_in_several_files_have_no_findings() -> None:
    done = compare("string")
    assert done.claims == []
    assert {name for name, item in done.progress.items() if item.state == "done"} >= {"get /orders/{id}", "get /health"}


def test_a_change_is_cited_in_the_file_in_which_it_stands() -> None:
    done = compare("integer")
    assert told(done) == [("response-type-widened", "old/models/order.yaml", "/properties/note/type")]
    cited = [done.pointers[one["evidence"]] for one in breaking(done)[0]["citations"]]
    assert cited == [("old/models/order.yaml", "/properties/note/type"), ("new/models/order.yaml", "/properties/note/type")]


def test_a_reference_back_to_the_root_leads_to_the_revision_that_is_compared() -> None:
    assert told(compare("string", "integer")) == [("response-type-widened", "old", "/components/schemas/Id/type")]


def test_a_response_that_is_gone_from_an_operation_in_a_file_of_its_own() -> None:
    done = compare("string", status="x-none: 1")
    assert told(done) == [("response-removed", "old/health.yaml", "/responses/404")]
    assert "`get /health`" in breaking(done)[0]["text"]


@pytest.mark.parametrize(("without", "n_found"), [("new/models/order.yaml", 0), ("new/paths.yaml", 0), ("old/health.yaml", 1)])
def test_a_file_that_is_not_stored_is_an_open_question(without: str, n_found: int) -> None:
    """What does not rest on that file is compared all the same."""
    done = compare("integer", without=without)
    assert len(breaking(done)) == n_found
    assert {claim["about"]["aspect"] for claim in done.claims if claim.get("standing") == "open"} == {"reference-not-followed"}
    assert all(item.state == "done" for item in done.progress.values())


def test_files_that_refer_to_each_other_in_a_circle_end() -> None:
    circle = {f"{side}/{a}.yaml": f"{{$ref: {b}.yaml}}\n" for side in ("old", "new") for a, b in (("a", "b"), ("b", "a"))}
    old, new = (f"openapi: 3.1.0\npaths:\n  /x:\n    $ref: '{side}/a.yaml'\n" for side in ("old", "new"))
    done = run(old, new, parts=circle)
    assert [claim["about"]["aspect"] for claim in done.claims] == ["reference-not-followed"]


@pytest.mark.parametrize(
    ("ref", "home", "address"),
    [
        ("#/a~1b", "/x", "/a~1b"),
        ("#/a%20b", "demo/1/p.yaml#/x", "demo/1/p.yaml#/a b"),
        ("p.yaml", "/x", "demo/1/p.yaml#"),
        ("../shared/p.yaml#/y", "demo/1/m/q.yaml#/x", "demo/1/shared/p.yaml#/y"),
        ("../api.yaml#/y", "demo/1/m/q.yaml#/x", "/y"),
        ("../../../../etc/passwd", "demo/1/m/q.yaml#/x", None),
        ("/etc/passwd", "/x", None),
        ("file:///etc/passwd", "/x", None),
        ("https://example.org/p.yaml", "/x", None),
        ("//example.org/p.yaml", "/x", None),
        ("C:\\p.yaml", "/x", None),
        ("#anchor", "/x", None),
        ("", "/x", None),
    ],
)
def test_where_a_reference_leads(ref: str, home: str, address: str | None) -> None:
    assert find_target(ref, home, "demo/1/api.yaml") == address


def test_an_address_comes_apart_into_resource_and_pointer() -> None:
    found = locate("demo/p.yaml#/a~1b/c#d")
    assert (found.resource, found.pointer) == ("demo/p.yaml", "/a~1b/c#d")
    assert split_pointer("demo/p.yaml#/a~1b/c#d") == ("a/b", "c#d")
    assert parent_of("demo/p.yaml#/a") == "demo/p.yaml#" == parent_of("demo/p.yaml#")
    assert [is_root(one) for one in ("", "demo/p.yaml#", "/a#", "demo/p.yaml#/a#", "/a")] == [True, True, False, False, False]


def test_a_memo_keeps_the_names_of_absent_files() -> None:
    memo = Memo(tried=2, cited=("ev_tpvnrht0mge4",), absent=("demo/ev_abc page 3.yaml", "b.yaml"))
    assert parse_memo(format_memo(memo)) == memo
