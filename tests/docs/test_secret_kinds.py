"""Each kind of secret that a mark may say is named on the page of documents."""

from evidence_store.secret_rules import PRIVATE_KEY, RULES
from tests.conftest import ROOT


def test_each_kind_of_secret_is_named() -> None:
    page = (ROOT / "docs" / "formats" / "documents.md").read_text()
    assert [kind for kind in {PRIVATE_KEY, *(rule.kind for rule in RULES)} if f"`{kind}`" not in page] == []
