"""An inspection that is text: the indented `Name: value` lines of `kubectl describe`, and the table of `kubectl get`."""

import re
from collections.abc import Iterable
from typing import Final

from evidence_store.summaries.inspection_facts import Fact, Facts, is_bad_condition, is_trouble, topic_of
from evidence_store.summaries.wording import line_text, name

MAX_LINES: Final = 200_000
_FIELD: Final = re.compile(r"( *)([A-Za-z][\w ./()-]{0,60}):(?:\s+(.*))?")
_CONDITION: Final = re.compile(r" +([A-Z][A-Za-z]+) +(True|False|Unknown)\b.*", re.ASCII)
_EVENT: Final = re.compile(r" +(Warning|Normal) +(\S+) +(.*)", re.ASCII)
_TABLE_HEAD: Final = re.compile(r"(?:NAMESPACE +)?NAME +.*", re.ASCII)
_COLUMN: Final = re.compile(r"\S+(?: \S+)*")
_VALUE_CHARS: Final = 160


def facts_of_lines(lines: Iterable[str]) -> Facts:
    facts = Facts()
    path: list[tuple[int, str]] = []
    """Indentation and name of the fields around."""
    columns: list[tuple[str, int]] = []
    thing = ""
    for number, raw in enumerate(lines, 1):
        if number > MAX_LINES:
            facts.is_cut = True
            break
        line = raw.removesuffix("\r")
        if _TABLE_HEAD.fullmatch(line.rstrip()) and line.isupper():
            columns = [(found[0], found.start()) for found in _COLUMN.finditer(line)]
            continue
        if columns and line.strip() and not line.startswith(" "):
            _add_row(line, number, columns, facts)
            continue
        columns = []
        if path and path[0][1] in ("Conditions", "Events") and line.startswith(" ") and _add_listed(path[0][1], line, number, thing, facts):
            continue
        found = _FIELD.match(line)
        if found is None:
            continue
        indent, label, value = len(found[1]), found[2], (found[3] or "").strip()
        while path and path[-1][0] >= indent:
            path.pop()
        path.append((indent, label))
        if label == "Name" and not indent:
            thing = value
            facts.things.append(f"{name(thing)} at line {number}")
        elif value:
            _add_field([one for _, one in path], value, number, thing, facts)
    return facts


def _add_field(names: list[str], value: str, number: int, thing: str, facts: Facts) -> None:
    topic = topic_of(names)
    if topic is None:
        return
    owner = next((one for one in reversed(names[:-1]) if topic_of([one]) is None and one not in ("Limits", "Requests", "Containers")), "")
    of = _of(thing, owner)
    within = f"{names[-2]}/" if len(names) > 1 and names[-2] != owner and names[-2] != "Containers" else ""
    text = f"line {number}{of}: {within}{names[-1]}: {line_text(value, _VALUE_CHARS)}"
    facts.of(topic).append(Fact(text, is_trouble(topic, names[-1], value)))


def _add_listed(block: str, line: str, number: int, thing: str, facts: Facts) -> bool:
    """A row of the conditions or of the events."""
    if block == "Conditions" and (found := _CONDITION.fullmatch(line)):
        facts.states.append(Fact(f"line {number}{_of(thing)}: condition {found[1]} is {found[2]}", is_bad_condition(found[1], found[2])))
        return True
    if block == "Events" and (event := _EVENT.fullmatch(line)):
        facts.events.append(Fact(f"line {number}{_of(thing)}: {line_text(line, _VALUE_CHARS)}", event[1] == "Warning"))
        return True
    return False


def _of(*names: str) -> str:
    """Whose it is: the thing that is described, and the part of it in which the line stands."""
    known = " ".join(name(one) for one in names if one)
    return f" ({known})" if known else ""


def _add_row(line: str, number: int, columns: list[tuple[str, int]], facts: Facts) -> None:
    """A row of a table: cells stand under the beginnings of their heads, moved where an earlier cell is too long."""
    starts = [start for _, start in columns]
    cells = {head: line[start:end].strip() for (head, start), end in zip(columns, [*starts[1:], len(line)], strict=True)}
    thing = "/".join(cells[head] for head in ("NAMESPACE", "NAME") if head in cells)
    facts.things.append(f"{name(thing)} at line {number}")
    is_done = cells.get("STATUS") in ("Completed", "Succeeded")
    for head in ("READY", "STATUS", "RESTARTS"):
        value = cells.get(head, "")
        topic = topic_of([head])
        if value and topic is not None:
            is_bad = is_trouble(topic, head, value) and not (head == "READY" and is_done)
            facts.of(topic).append(Fact(f"line {number} ({name(thing)}): {head} {line_text(value, 60)}", is_bad))
