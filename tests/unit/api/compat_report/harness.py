"""A run in memory: a small stand-in for the tools that answers in the documented grammar, and the loop that feeds a projected input.

Places are found with PyYAML's marks, not with the store, so that the agent is tried against the grammar alone.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from api.compat_report.agent import decide
from api.compat_report.model import Call, Refusal, Turn, Value
from api.tools import Number
from evidence_store.model import (
    EvidenceId,
    Format,
    LineRange,
    Outline,
    OutlineEntry,
    Pointer,
    ProgressItem,
    ProgressState,
    ResourceName,
    Selector,
    TaskName,
    TaskRevision,
)
from projector import PacketText, format_error
from projector.render.packets import format_packet_text
from projector.render.sections import ProgressText, format_progress, format_task

CHARS_PER_TOKEN = 3.5


def kind_of(node: yaml.Node) -> Any:
    """The type as an outline names it; scalars all count as strings here."""
    return "object" if isinstance(node, yaml.MappingNode) else "array" if isinstance(node, yaml.SequenceNode) else "string"


@dataclass(frozen=True)
class Source:
    """One document: its text and the node graph with character marks."""

    name: str
    text: str
    root: yaml.Node

    def find(self, pointer: str) -> yaml.Node | None:
        node: yaml.Node | None = self.root
        for token in (part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]):
            node = child_of(node, token) if node is not None else None
        return node

    def span(self, node: yaml.Node) -> str:
        return self.text[node.start_mark.index : node.end_mark.index].rstrip("\n ")


def load(name: str, text: str) -> Source:
    return Source(name, text, compose(text))


def compose(text: str) -> yaml.Node:
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    assert node is not None
    return node


def children_of(node: yaml.Node) -> list[tuple[str, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        return [(key.value, value) for key, value in node.value]
    if isinstance(node, yaml.SequenceNode):
        return [(str(at), item) for at, item in enumerate(node.value)]
    return []


def child_of(node: yaml.Node, token: str) -> yaml.Node | None:
    return dict(children_of(node)).get(token)


def value_of_node(node: yaml.Node) -> Value:
    if isinstance(node, yaml.MappingNode):
        return {key.value: value_of_node(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [value_of_node(item) for item in node.value]
    tag = node.tag.rpartition(":")[2]
    if tag == "null":
        return None
    if tag == "bool":
        return bool(node.value == "true")
    return Number(node.value) if tag in ("int", "float") else str(node.value)


def read_value(packet: PacketText) -> Value:
    """The value of an excerpt, from its text alone."""
    text = " " * (packet.column or 0) + (packet.excerpt or "")
    return value_of_node(compose(text))


def label_of(node: yaml.Node, at: int) -> str:
    value = value_of_node(node)
    if isinstance(value, dict):
        if isinstance(value.get("name"), str) and isinstance(value.get("in"), str):
            return f"{value['in']} {value['name']}"
        found = next((value[name] for name in ("$ref", "name", "id") if isinstance(value.get(name), str)), None)
        return str(found) if found is not None else str(at)
    return str(value) if not isinstance(value, list) else str(at)


def packet_for(source: Source, pointer: str, node: yaml.Node, view: str, children: str | None, max_tokens: int) -> PacketText:
    keys = view == "keys"
    mark = node.start_mark
    excerpt: str | None = source.span(node)
    names = [token for token, _ in children_of(node)]
    if keys and isinstance(node, yaml.SequenceNode):
        names = [label_of(item, at) for at, item in enumerate(node.value)]
    if keys:
        excerpt = json.dumps(names, ensure_ascii=False, separators=(",", ":"))
    outline, following = None, None
    if excerpt is not None and len(excerpt) / CHARS_PER_TOKEN > max_tokens and not keys:
        outline, following = outline_of(source, node, children, max_tokens)
        excerpt = None
    digest = hashlib.sha256(f"{source.name} {pointer} {keys} {children}".encode()).hexdigest()
    return PacketText(
        id=EvidenceId(
            "ev_"
            + "".join(
                "0123456789abcdefghjkmnpqrstvwxyz"[int(two, 16) % 32] for two in map("".join, zip(digest[::2], digest[1::2], strict=True))
            )[:12]
        ),
        resource=ResourceName(source.name),
        revision=1,
        selector=Selector("pointer", pointer),
        lines=LineRange(mark.line + 1, node.end_mark.line + 1),
        column=None if excerpt is None or "\n" not in excerpt else mark.column,
        format=Format.YAML,
        status="derived" if keys else "observed",
        scope="",
        transforms=("keys/1",) if keys else (),
        excerpt=excerpt,
        cut=None,
        outline=outline,
        next=following,
    )


def outline_of(source: Source, node: yaml.Node, children: str | None, max_tokens: int) -> tuple[Outline, str | None]:
    every = children_of(node)
    first = int(children.partition("-")[0]) if children else 0
    entries: list[OutlineEntry] = []
    for token, child in every[first:]:
        names = tuple(name for name, _ in children_of(child))[:8] if isinstance(child, yaml.MappingNode) else ()
        n_children = None if isinstance(child, yaml.ScalarNode) else len(children_of(child))
        scalar = source.span(child) if n_children is None else None
        entries.append(
            OutlineEntry(
                token, kind_of(child), len(source.span(child)), n_children, names, scalar if scalar and len(scalar) <= 80 else None
            )
        )
        if len(entries) * 40 > max_tokens:
            break
    after = first + len(entries)
    return Outline(kind_of(node), len(every), first, tuple(entries)), f"--children {after}-{after + 39}" if after < len(every) else None


@dataclass
class Run:
    """What a run leaves: claims and progress, and the input of each step."""

    sources: Mapping[str, Source]
    task: TaskRevision
    claims: list[dict[str, Any]] = field(default_factory=list)
    progress: dict[str, ProgressItem] = field(default_factory=dict)
    packets: dict[str, str] = field(default_factory=dict)
    pointers: dict[str, tuple[str, str]] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    refusal: Refusal | None = None

    def call(self, call: Call) -> str:
        arguments: Any = call.arguments
        if call.name == "record_progress":
            for item in arguments["items"]:
                self._record(item)
            return "recorded\n"
        if call.name == "record_claim":
            self.claims.append(dict(arguments))
            return f"claim: C{len(self.claims)}\n"
        assert call.name == "read_spec"
        return self._read(arguments)

    def _record(self, item: Any) -> None:
        if item["state"] == "todo" and item["subject"] in self.progress:
            return
        self.progress[item["subject"]] = ProgressItem(
            item["subject"],
            ProgressState(item["state"]),
            tuple(item.get("evidence", ())),
            item.get("next", ""),
            tuple(item.get("uses", ())),
        )

    def _read(self, arguments: Any) -> str:
        source = self.sources.get(arguments["resource"])
        if source is None:
            return format_error("not_found", f"there is no resource {arguments['resource']!r}", {"known": list(self.sources)}, retry=True)
        pointer = arguments.get("pointer")
        if "operation" in arguments:
            pointer = find_operation(source, arguments["operation"])
        node = None if pointer is None else source.find(pointer)
        if node is None or pointer is None:
            return format_error("not_found", "nothing there", {"container": "/paths"}, retry=True)
        packet = packet_for(
            source, pointer, node, arguments.get("view", "source"), arguments.get("children"), arguments.get("max_tokens", 2000)
        )
        text = format_packet_text(packet)
        self.packets[packet.id] = text
        self.pointers[packet.id] = (source.name, pointer)
        return text

    def input(self) -> str:
        doing = [item for item in self.progress.values() if item.state == "doing"]
        todo = [item for item in self.progress.values() if item.state == "todo"]
        counts: dict[str, int] = {}
        for item in self.progress.values():
            counts[item.state.value] = counts.get(item.state.value, 0) + 1
        held = dict.fromkeys(one for item in doing for one in item.evidence)
        section = ProgressText((*doing, *todo[:8]), tuple(counts.items()))
        shown = "".join(self.packets[one] for one in held if self.packets[one] not in self.results)
        return (
            format_task(self.task)
            + format_progress(section)
            + "".join(self.results)
            + "[evidence of this step]\n"
            + shown
            + "[end of evidence]\n"
        )


def find_operation(source: Source, words: str) -> str | None:
    from api.compat_report.parameters import shape_of
    from api.compat_report.pointers import escape_token

    method, path = words.split(" ", 1)
    paths = source.find("/paths")
    for name, item in children_of(paths) if paths is not None else ():
        if shape_of(name) == shape_of(path) and child_of(item, method) is not None:
            return f"/paths/{escape_token(name)}/{method}"
    return None


def run(
    old: str,
    new: str,
    excluded: Sequence[str] = ("x-stability-level=beta",),
    *,
    parts: Mapping[str, str] | None = None,
    change: Callable[[str], str] = str,
    max_steps: int = 400,
) -> Run:
    """Runs to the end; `parts` are further resources by name, `change` may take something away from each input."""
    sources = {name: load(name, text) for name, text in {"old": old, "new": new, **(parts or {})}.items()}
    task = TaskRevision(TaskName("t"), 1, "Find what breaks clients.", (), tuple(excluded), ("compare: old@1 -> new@1",))
    state = Run(sources, task)
    for _ in range(max_steps):
        text = change(state.input())
        state.inputs.append(text)
        turn = decide(text, read_value)
        state.turns.append(turn)
        if turn.refusal is not None or not turn.calls:
            state.refusal = turn.refusal
            return state
        state.results = [state.call(call) for call in turn.calls]
    raise AssertionError(f"no end after {max_steps} steps: {state.turns[-1].text}")


def places(state: Run, claim: Mapping[str, Any]) -> dict[str, list[str]]:
    """The cited pointers of a claim by role."""
    found: dict[str, list[str]] = {}
    for citation in claim["citations"]:
        found.setdefault(citation["role"], []).append(state.pointers[citation["evidence"]][1])
    return found


def breaking(state: Run) -> list[dict[str, Any]]:
    return [claim for claim in state.claims if "standing" not in claim]


__all__ = ["Pointer", "Run", "breaking", "places", "run"]
