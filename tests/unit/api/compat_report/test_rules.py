"""The table of rules, the page that explains it, and the code that uses it name the same rules."""

import re
from pathlib import Path

import pytest

from api.compat_report.rules import RULES, require_rule

ROOT = Path(__file__).parents[4]
SOURCES = "\n".join(
    path.read_text(encoding="utf-8") for path in sorted((ROOT / "api" / "compat_report").glob("*.py")) if path.name != "rules.py"
)


def test_the_page_lists_each_rule_with_its_words() -> None:
    page = (ROOT / "docs" / "compat-rules.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| (.*?) \| (conclusion|open question) \|$", page, re.MULTILINE)
    assert rows == [(rule.id, rule.when, "conclusion" if rule.decides else "open question") for rule in RULES]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.id))
def test_each_rule_is_used(rule: object) -> None:
    name = str(getattr(rule, "id", ""))
    direction, _, rest = name.partition("-")
    built = f"{{pair.direction}}-{rest}" in SOURCES or any(
        f"{direction}-{{unbound}}-{verb}" in SOURCES for verb in ("{verb}",) if rest.count("-")
    )
    assert f'"{name}"' in SOURCES or built


def test_an_unknown_rule_is_a_fault() -> None:
    with pytest.raises(KeyError):
        require_rule("request-anything")
