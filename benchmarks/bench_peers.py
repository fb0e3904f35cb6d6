"""What becomes of a large tool output: ours against other packages that keep it out of the input, on the same documents.

Each package runs by its defaults in an environment of its own below `build/peers`. 50 passages of each of four documents are asked for: at
once, after the tool gave another output, after a restart, and by a process that has nothing but a copy of the store and what a report would
cite. No model is asked: a reader that knows pointer or line makes the calls that the package's own notice tells of. Needs a corpus. Words
after the command pick packages by a part of their label; ours always runs.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.environments import ROOT, EnvironmentMissing, make_environment
from benchmarks.peers.passages import Document, Passage, as_json, error_lines, read_documents, sample_passages
from benchmarks.peers.worker import CAP
from benchmarks.table import RESULTS

BUILD = ROOT / "build" / "peers"
REQUIREMENTS = ROOT / "benchmarks" / "peers" / "requirements"
RESULT_TOKENS = 4_915
"""15 % of a window of 32 768: what one answer may take."""
SEEN_CHARS = 80
"""An error line is named where so much of its beginning stands: its time stamp, and what kind of failure it is."""
TIMEOUT_S = 900
LOG = 2
"""The document whose error lines are asked for, by its place."""


@dataclass(frozen=True, slots=True)
class Peer:
    """One row of the tables."""

    label: str
    module: str
    variant: str
    package: str | None
    """Names the requirements; None for ours, in this environment."""


PEERS = (
    Peer("ours", "ours", "", None),
    Peer("deepagents, files on disk", "langchain", "deepagents", "langchain"),
    Peer("HolmesGPT, its limiter, with bash", "holmes", "", "holmes"),
    Peer("headroom", "headroom", "", "headroom"),
    Peer("ctxtual, SQLite", "ctxtual", "", "ctxtual"),
    Peer("Halo, files", "halo", "", "halo"),
    Peer("langchain-core `trim_messages(start_on=human)`", "langchain", "trim", "langchain"),
    Peer("langchain `ClearToolUsesEdit(keep=3)`", "langchain", "clear", "langchain"),
    Peer("langchain `SummarizationMiddleware`", "langchain", "summary", "langchain"),
)


class PeerFailed(Exception):
    """Its process ended with an error."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many of the passages were reached, and at what cost."""

    reached: int
    within: int
    """By answers that each fit the budget of one result."""
    asked: int
    calls: float
    tokens: float


@dataclass(frozen=True, slots=True)
class Errors:
    """How many of the error lines of a log a model is told of."""

    n_lines: int
    named: int
    whole: int
    named_by_search: int
    whole_by_search: int
    calls: int
    tokens: int
    """Of the search."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a package made of everything."""

    shown_tokens: tuple[int, ...]
    at_once: dict[str, Share]
    another_call: Share
    same_call: Share
    restarted: Share
    cited: Share
    errors: Errors


class Trial:
    """The phases of one package, in a folder of its own."""

    def __init__(self, peer: Peer, python: Path, documents: Sequence[Document], passages: Sequence[Passage], folder: Path) -> None:
        self._peer, self._python, self._folder = peer, python, folder
        self._documents, self._passages = documents, passages
        self._place = {document.name: at for at, document in enumerate(documents)}
        for document in documents:
            (folder / f"old-{document.name}").write_bytes(document.old.encode())
            (folder / f"new-{document.name}").write_bytes(document.new.encode())

    def run(self) -> Found:
        first = self._keep("old", "call_old")
        told = [[self._place[one.document], as_json(one)] for one in self._passages]
        before = self._work("store", first, told, [LOG])
        # again with the outputs of a second call behind them
        later = self._keep("new", "call_new")
        after = self._work("other", [*first, *later], self._without_history(before, told, len(first)), [])
        overwritten = self._work("same", [*first, *self._keep("new", "call_old")], self._without_history(before, told, len(first)), [])
        self._work("store", later, [], [])
        kept = before["kept"]
        resumed = [[[kept[at][1], kept[at][0]], passage] for at, passage in told]
        restarted = self._work("store", [], resumed, [])
        self._copy("store", "copied")
        cites = [[[one["cite"], ""], passage] for one, (_, passage) in zip(before["read"], told, strict=True)]
        cited = self._work("copied", [], cites, [])
        return self._scored(before, after, overwritten, restarted, cited)

    def _without_history(self, before: dict[str, Any], told: list[list[Any]], n_first: int) -> list[list[Any]]:
        """A strategy that shapes the whole input is asked by the input as it then is; packets of others stay where they were."""
        return [[at if before["kept"][at][1] else at + n_first, passage] for at, passage in told]

    def _keep(self, revision: str, call: str) -> list[list[str]]:
        named = [(document.name, self._folder / f"{revision}-{document.name}") for document in self._documents]
        return [[name, f"{call}_{n}", str(path)] for n, (name, path) in enumerate(named)]

    def _copy(self, old: str, new: str) -> None:
        if (self._folder / old).exists():
            shutil.copytree(self._folder / old, self._folder / new)
            shutil.rmtree(self._folder / old)

    def _work(self, store: str, keep: list[list[str]], read: list[list[Any]], errors: list[int]) -> dict[str, Any]:
        """One process. What a package keeps in the home of its user is part of the store."""
        folder = self._folder / store
        folder.mkdir(exist_ok=True)
        job = {"peer": self._peer.module, "variant": self._peer.variant, "folder": str(folder)}
        asked = json.dumps(job | {"keep": keep, "read": read, "errors": errors})
        words = [str(self._python), "-m", "benchmarks.peers.worker"]
        env = {"HOME": str(folder), "TMPDIR": str(self._folder), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
        done = subprocess.run(words, input=asked, cwd=ROOT, env=env, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        if done.returncode != 0:
            raise PeerFailed("; ".join(done.stderr.strip().splitlines()[-1:]) or f"ended with {done.returncode}")
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def _scored(self, before: dict[str, Any], *later: dict[str, Any]) -> Found:
        by_document = {
            name: share([one for one, asked in zip(before["read"], self._passages, strict=True) if asked.document == name])
            for name in self._place
        }
        another, same, restarted, cited = (share(one["read"]) for one in later)
        shown = before["kept"][LOG][0] if before["tokens"][LOG] <= CAP else ""
        errors = found_errors(error_lines(self._documents[LOG]), shown, before["errors"][0])
        return Found(tuple(before["tokens"]), by_document, another, same, restarted, cited, errors)


def found_errors(lines: Sequence[str], shown: str, searched: dict[str, Any]) -> Errors:
    def named(text: str, length: int | None) -> int:
        return sum(line[:length] in text for line in lines)

    found = searched["text"]
    counts = (named(shown, SEEN_CHARS), named(shown, None), named(found, SEEN_CHARS), named(found, None))
    return Errors(len(lines), *counts, searched["calls"], searched["tokens"])


def share(read: Sequence[dict[str, Any]]) -> Share:
    found = [one for one in read if one["reached"]]
    within = sum(one["largest"] <= RESULT_TOKENS for one in found)
    if not found:
        return Share(0, 0, len(read), 0, 0)
    return Share(len(found), within, len(read), mean(one["calls"] for one in found), mean(one["tokens"] for one in found))


def try_peer(peer: Peer, documents: Sequence[Document], passages: Sequence[Passage]) -> Found | str:
    """What was found, or why there is nothing."""
    try:
        python = Path(sys.executable) if peer.package is None else environment(peer.package)
        with TemporaryDirectory() as folder:
            return Trial(peer, python, documents, passages, Path(folder)).run()
    except (EnvironmentMissing, PeerFailed, subprocess.TimeoutExpired) as why:
        return str(why)[:200]


def environment(package: str) -> Path:
    return make_environment(REQUIREMENTS / f"{package}.txt", BUILD / package)


def format_tables(found: dict[str, Found], names: Sequence[str]) -> str:
    head = [f"| package | {' | '.join(f'{name}' for name in names)} |", f"| --- |{' ---: |' * len(names)}"]
    sizes = [f"| {label} | {' | '.join(f'{n:,}'.replace(',', ' ') for n in one.shown_tokens)} |" for label, one in found.items()]
    reach = [f"| package | {' | '.join(f'{name} | calls | tokens' for name in names)} |", f"| --- |{' ---: |' * 3 * len(names)}"]
    reach += [f"| {label} | {' | '.join(_cells(one.at_once[name]) for name in names)} |" for label, one in found.items()]
    later = [
        "| package | at once | another call | the same call id | restart | by a third process |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for label, one in found.items():
        shares = (one.another_call, one.same_call, one.restarted, one.cited)
        at_once = sum(each.reached for each in one.at_once.values())
        later.append(f"| {label} | {at_once} | {' | '.join(str(each.reached) for each in shares)} |")
    errors = ["| package | named | whole | by search: named | whole | calls | tokens |", f"| --- |{' ---: |' * 6}"]
    for label, found_there in ((label, one.errors) for label, one in found.items()):
        figures = astuple(found_there)[1:]
        errors.append(f"| {label} | {' | '.join(map(str, figures))} |")
    return "\n\n".join("\n".join(table) for table in ([*head, *sizes], reach, later, errors))


def _cells(one: Share) -> str:
    return f"{one.reached} ({one.within}) | {one.calls:.1f} | {one.tokens:,.0f}".replace(",", " ")


def main(words: Sequence[str]) -> int:
    documents = read_documents()
    passages = sample_passages(documents)
    found: dict[str, Found] = {}
    missing: dict[str, str] = {}
    for peer in PEERS:
        if words and peer.package is not None and not any(word in peer.label for word in words):
            continue
        print(f"try: {peer.label}", file=sys.stderr)
        tried = try_peer(peer, documents, passages)
        if isinstance(tried, str):
            missing[peer.label] = tried
        else:
            found[peer.label] = tried
    print(format_tables(found, [document.name for document in documents]))
    for label, why in missing.items():
        print(f"\n{label}: {why}")
    RESULTS.mkdir(parents=True, exist_ok=True)
    shaped = {"found": found, "missing": missing}
    (RESULTS / "peers.json").write_text(json.dumps(shaped, default=_plain, indent=1), encoding="utf-8")
    return 0 if "ours" in found and _keeps_its_bounds(found["ours"], len(passages)) else 1


def _keeps_its_bounds(ours: Found, n_passages: int) -> bool:
    """Every passage of ours is reached within the budget of one result, at once and in every later phase."""
    shares = [*ours.at_once.values(), ours.another_call, ours.same_call, ours.restarted, ours.cited]
    return all(one.within == one.asked for one in shares) and ours.cited.asked == n_passages


def _plain(value: object) -> object:
    return {name: getattr(value, name) for name in value.__slots__}  # type: ignore[attr-defined]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
