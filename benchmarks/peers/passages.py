"""The documents that every package is given, and the passages that are asked for again. Needs a corpus.

A passage is a text that stands once in the first revision of its document and nowhere in the second: a string of a specification by its
pointer, or a line of a log by its number. So an answer out of the wrong revision cannot be taken for the right one.
"""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks import corpus

N_PASSAGES = 50
"""Of each document."""
TEXT_CHARS = (30, 300)
SMALL_LINES = 1_000
MAX_HITS = 50
"""A name that stands more often is everywhere."""
ERROR = re.compile(r"TEST-UNEXPECTED-|PROCESS-CRASH|\[taskcluster:error\]|\bERROR - ")
"""A line that a person who reads such logs calls an error; no package's own rule."""


@dataclass(frozen=True, slots=True)
class Document:
    """One tool output in two revisions."""

    name: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Passage:
    """What is asked for, and by what."""

    document: str
    text: str
    tokens: tuple[str, ...] = ()
    """Of its JSON Pointer."""
    names: tuple[str, ...] = ()
    """The last of these that is not everywhere, and the rarest before it: what somebody searches for who cannot read by pointer."""
    line: int | None = None
    """1-based."""


def read_documents() -> list[Document]:
    """A specification as it is written and as one line, a long log and a short one. Ends the program where there is no corpus."""
    logs = corpus.folder() / "logs"
    old, new = (json.loads(corpus.read(_version("box-json", name))) for name in ("2022-03-01", "2026-06-30-f0"))
    first, second = (_text(logs / "treeherder" / f"{name}.log.zst") for name in ("wpt-multiple", "crashtest-timeout"))
    pod = _text(logs / "holmesgpt" / "pod_logs_login.txt.zst").split("\n")
    return [
        Document("spec.json", *(json.dumps(one, indent=2, ensure_ascii=False) for one in (old, new))),
        Document("spec.min.json", *(json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in (old, new))),
        Document("ci.log", first, second),
        Document("pod.log", *("\n".join(pod[at : at + SMALL_LINES]) + "\n" for at in (2, 2 + SMALL_LINES))),
    ]


def _text(path: Path) -> str:
    return corpus.read(path).decode("utf-8", "replace").replace("\r\n", "\n")


def _version(family: str, name: str) -> Path:
    return next(path for path in corpus.versions(family) if path.name.startswith(name))


def sample_passages(documents: list[Document], seed: int = 7) -> list[Passage]:
    """The same for both forms of the specification."""
    chosen = random.Random(seed)
    spec, minified, log, pod = documents
    sample = [replace(one, names=_telling(one, spec)) for one in _some(list(_strings(json.loads(spec.old), ())), spec, chosen)]
    found = {
        spec.name: sample,
        minified.name: sample,
        log.name: _some(_lines(log), log, chosen),
        pod.name: _some(_lines(pod), pod, chosen),
    }
    return [replace(one, document=name) for name, passages in found.items() for one in passages]


def _lines(document: Document) -> list[Passage]:
    return [Passage("", line.strip(), line=n) for n, line in enumerate(document.old.split("\n"), 1)]


def _some(found: list[Passage], document: Document, chosen: random.Random) -> list[Passage]:
    chosen.shuffle(found)
    return list(islice((one for one in found if _is_apart(one.text, document)), N_PASSAGES))


def _strings(value: Any, at: tuple[str, ...]) -> Iterator[Passage]:
    if isinstance(value, str):
        yield Passage("", value, at)
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _strings(inner, (*at, str(name)))


def _telling(passage: Passage, spec: Document) -> tuple[str, ...]:
    counts = {one: spec.old.count(f'"{one}":') for one in passage.tokens if not one.isdigit()}
    *before, last = [one for one, count in counts.items() if count <= MAX_HITS]
    return (*sorted(before, key=lambda one: (counts[one], -passage.tokens.index(one)))[:1], last)


def _is_apart(text: str, document: Document) -> bool:
    least, most = TEXT_CHARS
    if not least <= len(text) <= most or not text.isprintable():
        return False
    written = text if document.name.endswith(".log") else json.dumps(text, ensure_ascii=False)
    return document.old.count(written) == 1 and written not in document.new


def error_lines(log: Document) -> list[str]:
    """The lines of the first revision that are errors, each once."""
    return list(dict.fromkeys(line.strip() for line in log.old.split("\n") if ERROR.search(line)))


def as_json(passage: Passage) -> dict[str, Any]:
    return asdict(passage)
