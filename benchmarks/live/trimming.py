"""`trim_messages` of langchain-core, as its documentation has it for agents, in an environment of its own (`trim_worker`)."""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from benchmarks.environments import ROOT, environment_of, is_made, make_environment
from benchmarks.live.history import Shorten

_ENVIRONMENT = environment_of("adapters", "langchain")


def is_installed() -> bool:
    """Whether it can be measured without installing anything."""
    return is_made(*_ENVIRONMENT)


@contextmanager
def open_trimming(counter: str, cap_tokens: int) -> Iterator[Shorten]:
    """Keeps the newest messages that fit, from a turn of the user on, and the system message. Raises EnvironmentMissing."""
    python = make_environment(*_ENVIRONMENT, "--require-hashes")
    words = [str(python), "-m", "benchmarks.live.trim_worker", counter, str(cap_tokens)]
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None, "a pipe"
        assert process.stdout is not None, "a pipe"
        given, made = process.stdin, process.stdout

        def shorten(messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
            given.write(json.dumps(list(messages)) + "\n")
            given.flush()
            found: list[Mapping[str, Any]] = json.loads(made.readline())
            return found

        yield shorten
