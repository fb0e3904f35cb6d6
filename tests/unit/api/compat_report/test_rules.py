"""The table of rules, the page that explains it, and the code that uses it name the same rules."""

import re
from pathlib import Path

import pytest

from api.compat_report.rules import RULES, require_rule

ROOT = Path(__file__).parents[4]
SOURCES = "\n".join(
    path.read_text(encoding="utf-8") for path in sorted((ROOT / "api" / "compat_report").glob("*.py")) if path.name != "rules.py"
)
BUILT = {
    f"{direction}-{rest}"
    for direction in ("request", "response")
    for rest in (
        "items-set",
        "items-lifted",
        "further-properties-narrowed",
        "further-properties-widened",
        "discriminator-changed",
        "keyword-not-compared",
    )
}
"""Names that the code puts together; the tests of the schemas use them."""


def test_the_page_lists_each_rule_with_its_words() -> None:
    page = (ROOT / "docs" / "compat-rules.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| (.*?) \| (conclusion|open question) \|$", page, re.MULTILINE)
    assert rows == [(rule.id, rule.when, "conclusion" if rule.decides else "open question") for rule in RULES]


@pytest.mark.parametrize("name", [rule.id for rule in RULES if rule.id not in BUILT])
def test_each_rule_is_used(name: str) -> None:
    assert f'"{name}"' in SOURCES


def test_an_unknown_rule_is_a_fault() -> None:
    with pytest.raises(KeyError):
        require_rule("request-anything")
