"""Where the cases say that something stands: a citation names the original text, not a flattened copy."""

from pathlib import Path

import pytest

from api.tools import ToolContext
from evidence_store.excerpts import NoLimit
from evidence_store.model import Pointer, ResourceName, Selector
from evidence_store.store.passages import Place
from tests.factories import make_store, put
from tests.unit.api.compat_report.harness import breaking, places, run
from tests.unit.api.tool_calls import call, limit_of

CASES = Path(__file__).parents[3] / "fixtures" / "cases"
REGION = "{name: region, in: query, required: true, schema: {type: string"
OWN, SHARED = "/paths/~1orders/get/parameters/0", "/paths/~1orders/parameters/0"
BOX, BASE = "/components/schemas/Box/allOf/1/properties/weight", "/components/schemas/Base/properties/weight"


def document(case: str, name: str) -> str:
    return (next(CASES.glob(f"{case}*")) / name).read_text(encoding="utf-8")


def cited(old: str, new: str) -> dict[str, list[str]]:
    """The places of the first breaking change."""
    done = run(old, new)
    return {role: list(found) for role, found in places(done, breaking(done)[0]).items()}


@pytest.mark.parametrize(("name", "operation", "pointer"), [
    ("before.yaml", "get /orders", OWN),
    ("after.yaml", "get /orders", SHARED),
    ("after.yaml", "post /orders", SHARED),
])  # fmt: skip
def test_a_parameter_of_an_operation_is_read_where_it_stands(tmp_path: Path, name: str, operation: str, pointer: str) -> None:
    with make_store(tmp_path) as store:
        put(store, document("o03", name).encode(), "api.yaml")
        answer = call(ToolContext(store, limit_of), "read_spec", resource="api.yaml", operation=operation, parameter="region")
        wanted = store.passages.read(Place(ResourceName("api.yaml"), 1, Selector("pointer", Pointer(pointer))), NoLimit())
    (packet,) = answer.packets
    assert packet.id == wanted.id
    assert packet.pointer == pointer


def test_a_parameter_that_moved_to_the_path_is_cited_where_it_stands_in_each_version() -> None:
    before, after = (
        document("o03", name).replace(REGION, f"{REGION}, maxLength: {n}") for name, n in (("before.yaml", 9), ("after.yaml", 5))
    )
    found = cited(before.replace(REGION, f"{REGION}, maxLength: 9"), after.replace(REGION, f"{REGION}, maxLength: 5"))
    assert found["old"][0] == f"{OWN}/schema/maxLength"
    assert found["new"] == [f"{SHARED}/schema/maxLength"]


def test_a_property_that_moved_into_a_part_is_cited_where_it_stands_in_each_version() -> None:
    before, after = document("o08", "before.yaml"), document("o08", "after.yaml")
    found = cited(before, after.replace("weight: {type: number}", "weight: {type: string}"))
    assert (found["old"], found["new"]) == ([f"{BOX}/type"], [f"{BASE}/type"])
