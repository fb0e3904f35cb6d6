"""What a YAML container rests on beside its own bytes."""

import pytest

from evidence_store.documents.detect import open_document
from evidence_store.documents.references import inner_hops
from evidence_store.documents.resolve import resolve
from evidence_store.model import Format

TEXT = b"""\
base: &base {x: 1}
more: &more
  <<: *base
  y: 2
list: &list [a, *base]
m:
  <<: *more
  z: [*base, *list]
own:
  a: &own 1
  b: *own
plain: {a: 1}
"""


def hops_of(pointer: str) -> list[tuple[str, str]]:
    document = open_document(TEXT, Format.YAML)
    return [(hop.kind, TEXT[hop.span.start : hop.span.end].decode()) for hop in inner_hops(document, resolve(document, pointer))]


@pytest.mark.parametrize(
    ("pointer", "want"),
    [
        ("/more", [("merge", "{x: 1}")]),
        ("/list", [("alias", "{x: 1}")]),
        ("/plain", []),
        ("/own", []),
        ("/own/b", []),
        ("", []),
    ],
)
def test_aliases_inside_lead_to_further_parts(pointer: str, want: list[tuple[str, str]]) -> None:
    assert hops_of(pointer) == want


def test_what_they_lead_to_may_lead_on() -> None:
    assert sorted(hops_of("/m")) == sorted([("merge", "<<: *base\n  y: 2"), ("alias", "[a, *base]"), ("alias", "{x: 1}")])
