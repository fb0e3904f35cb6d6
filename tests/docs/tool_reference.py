"""The reference of the tools in docs/tools.md, made from their definitions. `python -m tests.docs.tool_reference` writes it anew."""

from collections.abc import Iterator, Mapping
from typing import Any

from api.tools.definitions import TOOLS, Tool
from tests.docs.pages import DOCS

PAGE = DOCS / "tools.md"
BEGIN = "<!-- made by tests/docs/tool_reference.py: begin -->\n"
END = "<!-- made by tests/docs/tool_reference.py: end -->\n"
_TYPES = {"string": "text", "integer": "whole number", "boolean": "true or false", "object": "object", "array": "list"}


def reference() -> str:
    """All tools, in the order in which models get them."""
    return "\n".join(_section(tool) for tool in TOOLS)


def _section(tool: Tool) -> str:
    granted = " Only where recording is granted." if tool.records else ""
    definition: Any = tool.definition()
    parameters = definition["function"]["parameters"]
    lines = [f"### `{tool.name}`", "", f"{tool.description}{granted}", "", "| argument | type | |", "|---|---|---|"]
    return "\n".join([*lines, *_rows(parameters, "")]) + "\n"


def _rows(schema: Mapping[str, Any], prefix: str) -> Iterator[str]:
    required = schema.get("required", [])
    for name, member in schema["properties"].items():
        need = ", required" if name in required else ""
        yield f"| `{prefix}{name}` | {_type(member)}{need} | {_meaning(member)} |"
        if "properties" in member:
            yield from _rows(member, f"{prefix}{name}.")
        if "properties" in member.get("items", {}):
            yield from _rows(member["items"], f"{prefix}{name}[].")


def _type(member: Mapping[str, Any]) -> str:
    if member["type"] != "array":
        return _TYPES[member["type"]]
    return f"list of {'objects' if member['items']['type'] == 'object' else 'texts'}"


def _meaning(member: Mapping[str, Any]) -> str:
    values = ", ".join(f"`{value}`" for value in member.get("enum", ()))
    return " ".join(part for part in (member.get("description", ""), f"One of {values}." if values else "") if part)


def split_page(text: str) -> tuple[str, str, str]:
    """What stands before the reference, the reference, what stands behind it."""
    head, _, rest = text.partition(BEGIN)
    body, _, tail = rest.partition(END)
    return head, body, tail


def write_page() -> None:
    head, _, tail = split_page(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(f"{head}{BEGIN}{reference()}{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    write_page()
