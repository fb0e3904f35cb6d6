"""Rules of a task revision that leave operations out: `POINTER=VALUE` below the operation, `tag=NAME`, `glob:/path`.

A rule is matched against the old version, which holds the operation; what matched is cited. The word `beta` in a description or in a path
matches nothing unless a rule says so.
"""

import re
from dataclasses import dataclass
from typing import Literal

from api.compat_report.comparison import resolve
from api.compat_report.model import Cite
from api.compat_report.pointers import split_pointer
from api.compat_report.view import Node


@dataclass(frozen=True, slots=True)
class Exclusion:
    """One rule, as written and as understood."""

    text: str
    kind: Literal["pointer", "tag", "glob"]
    name: str
    """A pointer below the operation, a tag, or a pattern of paths."""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """A rule with the passage that it matched."""

    rule: Exclusion
    cite: Cite
    said: str
    """What the passage says, in the words of a sentence."""


def parse_exclusion(text: str) -> Exclusion | None:
    """The rule in a line of the task section; None for a line that is no rule of this form (it binds people, not this program)."""
    if text.startswith("glob:/"):
        return Exclusion(text, "glob", text.removeprefix("glob:"))
    name, equals, value = text.partition("=")
    if not equals or not name or " " in name:
        return None
    if name == "tag":
        return Exclusion(text, "tag", value)
    return Exclusion(text, "pointer", name if name.startswith("/") else f"/{name}", value)


def find_match(rules: tuple[Exclusion, ...], operation: Node, path: str) -> Match | None:
    """The first rule that leaves the operation out; raises Hidden, or Unresolved where it stands behind a `$ref` that leads nowhere."""
    for rule in rules:
        match = _match(rule, operation, path)
        if match is not None:
            return match
    return None


def _match(rule: Exclusion, operation: Node, path: str) -> Match | None:
    side = operation.view.side
    if rule.kind == "glob":
        matched = compile_glob(rule.name).fullmatch(path) is not None
        return Match(rule, Cite(side, operation.pointer, "scope", "keys"), "its path matches the rule") if matched else None
    operation = resolve(operation)
    if rule.kind == "tag":
        tags = operation.get("tags")
        tag = next((tag for tag in (tags.items() if tags else ()) if tag.text() == rule.name), None)
        return Match(rule, Cite(side, tag.pointer, "scope"), f"`{rule.name}` is among its `tags`") if tag else None
    node: Node | None = operation
    for token in split_pointer(rule.name):
        node = node.get(token) if node is not None else None
    if node is None or not _says(node, rule.value):
        return None
    return Match(rule, Cite(side, node.pointer, "scope"), f"`{split_pointer(rule.name)[-1]}` is `{rule.value}`")


def _says(node: Node, value: str) -> bool:
    found = node.value()
    return str(found).lower() == value.lower() if isinstance(found, bool) else node.text() == value


def compile_glob(pattern: str) -> re.Pattern[str]:
    """`*` stands for anything within a segment, `**` for anything across segments."""
    parts = re.split(r"(\*\*|\*)", pattern)
    return re.compile("".join({"**": ".*", "*": "[^/]*"}.get(part, re.escape(part)) for part in parts), re.DOTALL)
