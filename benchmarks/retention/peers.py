"""The strategies of other packages: an environment for each package set, and a process for each strategy in it.

Environments are made below `build/` from the files in `requirements/`; what is there already is used again. A set that cannot be installed
is a fact to report, not an error.
"""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.environments import ROOT, EnvironmentMissing, make_environment
from benchmarks.retention.scenario import Call, Message, Scenario
from benchmarks.retention.strategies import Made, first_message, reading_tools
from evidence_store.model import Packet

BUILD = ROOT / "build" / "retention"
REQUIREMENTS = Path(__file__).parent / "requirements"


@dataclass(frozen=True, slots=True)
class PeerName:
    """A strategy of a package set."""

    label: str
    package: str
    """Names the file in `requirements/` and the module `peer_…`."""
    strategy: str
    max_calls: int | None = None
    """Longer runs are left out, where a strategy takes minutes for one input."""


PEERS = (
    PeerName("langchain-core `trim_messages(last)`", "langchain", "trim"),
    PeerName("langchain-core `trim_messages(last, start_on=human, include_system)`", "langchain", "trim-human"),
    PeerName("langchain `ClearToolUsesEdit(keep=3)`", "langchain", "clear"),
    PeerName("langchain `SummarizationMiddleware`, head-and-tail summarizer", "langchain", "summary-head-tail"),
    PeerName("langchain `SummarizationMiddleware`, untrimmed, perfect summarizer", "langchain", "summary-perfect"),
    PeerName("deepagents, head-and-tail summarizer", "langchain", "deepagents-head-tail"),
    PeerName("deepagents, perfect summarizer", "langchain", "deepagents-perfect"),
    PeerName("deepagents, perfect summarizer, exact counter", "langchain", "deepagents-exact"),
    PeerName("openai-agents `ToolOutputTrimmer()`", "agents", "default"),
    PeerName("openai-agents `ToolOutputTrimmer(recent_turns=1)`", "agents", "recent"),
    PeerName("agent-framework `ContextWindowCompactionStrategy`, its estimate", "framework", "estimate"),
    PeerName("agent-framework `ContextWindowCompactionStrategy`, exact counter", "framework", "exact"),
    PeerName("LlamaIndex `Memory`", "llama", "memory"),
    # It counts what is left of the whole history anew for each user turn that it takes away.
    PeerName("LlamaIndex `ChatMemoryBuffer`, runs of up to 80 calls", "llama", "buffer", max_calls=80),
)


class PeerMissing(Exception):
    """The package set is not here and cannot be installed, or its process ended."""


def environment(package: str) -> Path:
    """The interpreter of the set's environment, made unless it is there. Raises PeerMissing."""
    try:
        return make_environment(REQUIREMENTS / f"{package}.txt", BUILD / package)
    except EnvironmentMissing as why:
        raise PeerMissing(str(why)) from why


class Peer:
    """One strategy of a peer, as a process; see `strategies.Strategy`."""

    def __init__(self, name: PeerName) -> None:
        words = [str(environment(name.package)), "-m", "benchmarks.retention.peer_worker", name.package, name.strategy]
        log = BUILD / f"{name.package}-{name.strategy}.log"
        with log.open("w") as stderr:
            self._process = subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True)
        self._log = log
        self._sent: list[Message] = []
        self.tools: tuple[Message, ...] = (*reading_tools(), *self._read()["tools"])

    def __enter__(self) -> "Peer":
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()

    def start(self, scenario: Scenario) -> None:
        self._sent = []
        self._write({"start": first_message(scenario)})

    def make(self, call: Call, more: tuple[Message, ...], results: dict[str, tuple[Packet, ...]]) -> Made:
        self._write({"next": more or call.fresh})
        found = self._read()
        messages = []
        for part in found["parts"]:
            if not isinstance(part, int):
                self._sent.append(part)
            messages.append(self._sent[part] if isinstance(part, int) else part)
        return Made(tuple(messages), found["seconds"], found["summary_tokens"], found["failure"])

    def grep(self, key: str) -> str:
        self._write({"grep": key})
        return str(self._read()["text"])

    def _write(self, value: Message) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(value) + "\n")
        self._process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise PeerMissing(f"its process ended: {self._log.read_text().strip().splitlines()[-1:]}")
        found: dict[str, Any] = json.loads(line)
        return found
