"""A random walk over real documents: what a pointer leads to in the store, against `jsonpointer` in the whole document.

Each place is read through a store as `evidence read` reads it (so through the span index where there is one). Its slice is parsed
alone and must be the value that `jsonpointer` finds in the whole document; the packet's value must be that too; and its lines are the
fewest that hold the slice. The whole document is parsed by other readers than ours: JSON by the standard library, numbers kept as
they are spelled; YAML by PyYAML's composer under the core schema of YAML 1.2, by its scanner in Python where that is quick enough.
"""

import json
import random
import re
import sys
import tempfile
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, Union

import yaml
from jsonpointer import JsonPointer
from yaml._yaml import CParser

from benchmarks import corpus
from benchmarks.table import Bound, Row, is_quick, publish
from evidence_store.documents.values import MAX_VALUE_BYTES
from evidence_store.excerpts import NoLimit
from evidence_store.model import Format, Packet, ResourceName, Selector
from evidence_store.records.sources import Revision
from evidence_store.store import EvidenceStore, init_store, open_store
from evidence_store.store.passages import Place
from evidence_store.store.put_request import PutRequest

FAMILIES = (
    "github-json", "github-deref-json", "stripe-spec3-json", "kubernetes-swagger", "discord-json", "box-json", "adyen-checkout",
    "twilio-json", "cloudflare-json", "openai-yaml", "figma-yaml", "twilio-verify-yaml", "stripe-spec3-yaml",
)  # fmt: skip
N_POINTERS = 600 if is_quick() else 10_000
PYTHON_YAML_BYTES = 500_000
"""Up to which YAML is read by the scanner in Python, which shares no code with the one in C, at a hundredth of its speed."""
STOP = 0.12
"""Chance to stop at a container; else the walk goes on into it."""


@dataclass(frozen=True, slots=True)
class Spelled:
    """A number as it is written: equal to no text."""

    text: str


Value: TypeAlias = Union[str, Spelled, bool, "list[Value]", "dict[str, Value]", None]


@dataclass
class Walked:
    """What came of one document."""

    family: str
    n_bytes: int
    format: Format
    n_pointers: int = 0
    n_hops: int = 0
    n_by_value: int = 0
    """Places whose slice holds an alias, so that it says its value only together with the anchor's place."""
    seconds: float = 0
    differences: tuple[str, ...] = ()


# -- the other reading


def read_json(raw: bytes) -> Value:
    value: Value = json.loads(raw, parse_int=Spelled, parse_float=Spelled, parse_constant=Spelled)
    return value


_NUMBER = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"


class _Core(yaml.resolver.BaseResolver):
    """Tags of plain scalars by the core schema (YAML 1.2.2 section 10.3.2)."""


_Core.add_implicit_resolver("null", re.compile(r"(?:null|Null|NULL|~|)\Z"), None)
_Core.add_implicit_resolver("bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), None)
_Core.add_implicit_resolver("number", re.compile(rf"(?:{_NUMBER})\Z"), None)
_Core.add_implicit_resolver("merge", re.compile(r"<<\Z"), None)


class _PythonLoader(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser, yaml.composer.Composer, _Core):
    def __init__(self, text: bytes) -> None:
        yaml.reader.Reader.__init__(self, text)
        yaml.scanner.Scanner.__init__(self)
        yaml.parser.Parser.__init__(self)
        yaml.composer.Composer.__init__(self)
        _Core.__init__(self)


class _CLoader(CParser, _Core):
    def __init__(self, text: bytes) -> None:
        CParser.__init__(self, text)
        _Core.__init__(self)


def read_yaml(raw: bytes) -> Value:
    loader: Any = (_PythonLoader if len(raw) <= PYTHON_YAML_BYTES else _CLoader)(raw)
    return value_of(loader.get_single_node())


def value_of(node: Any) -> Value:
    match node:
        case yaml.ScalarNode():
            return scalar_of(node)
        case yaml.SequenceNode():
            return [value_of(item) for item in node.value]
        case _:
            return dict(members_of(node))


def scalar_of(node: Any) -> Value:
    text: str = node.value
    match node.tag.removeprefix("tag:yaml.org,2002:"):
        case "null":
            return None
        case "bool":
            return text.lower() == "true"
        case "number" | "int" | "float":
            return Spelled(text)
        case _:
            return text


def members_of(mapping: Any) -> Iterator[tuple[str, Value]]:
    """Members with those that merge keys bring; what is written wins."""
    written = {key.value: value_of(value) for key, value in mapping.value if key.tag != "merge"}
    yield from written.items()
    for key, value in mapping.value:
        if key.tag == "merge":
            for source in value.value if isinstance(value, yaml.SequenceNode) else (value,):
                for name, brought in members_of(source):
                    if name not in written:
                        written[name] = brought
                        yield name, brought


# -- the walk


def pointers_of(whole: Value, n_pointers: int, chance: random.Random) -> Sequence[str]:
    """Different places, each by a walk from the root; as many as there are of them at most."""
    found: dict[str, None] = {"": None}
    for _ in range(20 * n_pointers):
        if len(found) >= n_pointers:
            break
        value, tokens = whole, list[str]()
        while isinstance(value, dict | list) and value and (not tokens or chance.random() > STOP):
            token: str | int = chance.choice(list(value)) if isinstance(value, dict) else chance.randrange(len(value))
            value = value[token]  # type: ignore[index]
            tokens.append(str(token))
        found[JsonPointer.from_parts(tokens).path] = None
    return tuple(found)


class Checker:
    """Compares places of one stored document with the whole of it."""

    def __init__(self, store: EvidenceStore, revision: Revision, raw: bytes, whole: Value) -> None:
        self._store, self._revision, self._raw, self._whole = store, revision, raw, whole
        self._reader = store.passages.get_reader(revision)
        self._line_starts = [0, *(found.end() for found in re.finditer(b"\n", raw))]
        self.n_hops = 0
        self.n_by_value = 0

    def faults(self, pointer: str) -> Iterator[str]:
        """What does not hold at this place."""
        place = Place(self._revision.resource, self._revision.number, Selector("pointer", pointer))
        packet = self._store.passages.read(place, NoLimit())
        theirs = JsonPointer(pointer).resolve(self._whole)
        raw = self._raw[packet.span.start : packet.span.end]
        self.n_hops += len(packet.hops)
        if self._reader.read(packet.span) != raw:
            yield "the store gives other bytes than were put in"
        if packet.value is None:
            if packet.span.length <= MAX_VALUE_BYTES:
                yield "no value is given"
        elif "number_as_text" not in packet.transforms and read_json(packet.value) != theirs:
            yield f"the packet's value is {packet.value[:80]!r}"
        yield from self._slice_faults(packet, raw, theirs)
        yield from self._hop_faults(packet)
        yield from self._line_faults(packet, raw)

    def _slice_faults(self, packet: Packet, raw: bytes, theirs: Value) -> Iterator[str]:
        if self._revision.format is Format.JSON:
            if read_json(raw) != theirs:
                yield f"the slice is {raw[:80]!r}"
            return
        try:
            mine = read_yaml(b" " * (packet.column or 0) + raw + b"\n")
        except yaml.composer.ComposerError:
            # An alias in it names a place outside it: the packet's value was compared.
            self.n_by_value += 1
            return
        if mine != theirs:
            yield f"the slice is {raw[:80]!r}"

    def _hop_faults(self, packet: Packet) -> Iterator[str]:
        """An alias stands where a hop says, and its anchor before the place that it leads to."""
        for hop in packet.hops:
            name = self._raw[hop.span.start : hop.span.end]
            if hop.kind == "alias" and not name.startswith(b"*"):
                yield f"the hop is {name[:80]!r}"
            if hop.kind == "alias" and hop is packet.hops[-1] and b"&" + name[1:] not in self._raw[: packet.span.start]:
                yield f"no anchor {name[:80]!r} stands before the place"

    def _line_faults(self, packet: Packet, raw: bytes) -> Iterator[str]:
        starts, lines = self._line_starts, packet.lines
        last = max(packet.span.start, packet.span.end - 1)
        if (lines.first, lines.last) != (bisect_right(starts, packet.span.start), bisect_right(starts, last)):
            yield f"the lines are {lines.first}-{lines.last}"
        if raw not in self._reader.read(self._reader.span_of_lines(lines)):
            yield "the lines do not hold the slice"


def walk(store: EvidenceStore, family: str, n_pointers: int) -> Walked:
    path = corpus.versions(family)[-1]
    raw = corpus.read(path)
    revision = store.sources.put(PutRequest(ResourceName(path.name.removesuffix(".zst"))), [raw]).revision
    whole = read_json(raw) if revision.format is Format.JSON else read_yaml(raw)
    checker = Checker(store, revision, raw, whole)
    done = Walked(family, len(raw), revision.format)
    started, faults = time.perf_counter(), list[str]()
    for pointer in pointers_of(whole, n_pointers, random.Random(11)):
        done.n_pointers += 1
        faults += [f"{family} {pointer}: {fault}" for fault in checker.faults(pointer)]
    done.n_hops, done.n_by_value = checker.n_hops, checker.n_by_value
    done.seconds, done.differences = time.perf_counter() - started, tuple(faults)
    return done


def format_walked(all_walked: Sequence[Walked]) -> str:
    lines = ["| document | format | bytes | pointers | hops | by value only | s | differences |", "|---|---|---:|---:|---:|---:|---:|---:|"]
    lines += [
        f"| {one.family} | {one.format.value} | {one.n_bytes} | {one.n_pointers} | {one.n_hops} | {one.n_by_value} | {one.seconds:.1f} "
        f"| {len(one.differences)} |"
        for one in all_walked
    ]
    return "\n".join(lines)


def main() -> int:
    done: list[Walked] = []
    with tempfile.TemporaryDirectory() as folder:
        init_store(Path(folder) / "store")
        for family in FAMILIES:
            # A store of its own process state: what one document keeps in memory is no help to the next.
            with open_store(Path(folder) / "store", show_secrets=True) as store:
                done.append(walk(store, family, -(-N_POINTERS // len(FAMILIES))))
    print(format_walked(done), end="\n\n")
    differences = [difference for one in done for difference in one.differences]
    for difference in differences[:40]:
        print(f"bench-walk: {difference}", file=sys.stderr)
    n_pointers = sum(one.n_pointers for one in done)
    rows = [
        Row(
            "pointers without a difference, of those walked",
            n_pointers - len({d.partition(": ")[0] for d in differences}),
            n_pointers,
            Bound("==", 1),
        ),
        Row("pointers walked against those asked for", n_pointers, N_POINTERS, Bound(">=", 1)),
        Row("documents walked against 10", len(done), 10, Bound(">=", 1)),
    ]
    return publish("walk", rows)


if __name__ == "__main__":
    sys.exit(main())
