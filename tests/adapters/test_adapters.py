"""The adapters, each with its framework's own scripted model, in an environment of its own, which `make test` makes."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache

import pytest

from benchmarks.environments import environment_of, is_made, python_of
from tests.conftest import ROOT

FRAMEWORKS = ("adk", "langchain", "llama-index", "openai-agents", "pydantic-ai", "sdk")
FOLDER = ROOT / "tests" / "adapters"
MAX_S = 600


def module_of(framework: str) -> str:
    return f"{framework.replace('-', '_')}_checks"


def list_checks(framework: str) -> list[str]:
    tree = ast.parse((FOLDER / f"{module_of(framework)}.py").read_text(encoding="utf-8"))
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return [node.name for node in functions if node.name.startswith("check_")]


@cache
def ran(framework: str) -> Mapping[str, str | None] | str:
    """Check to how it failed; or why none could be run."""
    requirements, folder = environment_of("adapters", framework)
    if not is_made(requirements, folder):
        return f"{framework} is not installed for its tests: make test"
    words = [str(python_of(folder)), "-m", "tests.adapters.checks", module_of(framework)]
    environment = os.environ | {"SERVER_PYTHON": sys.executable}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=MAX_S, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"check"')]
    assert lines, done.stderr
    return {line["check"]: line["failure"] for line in lines}


@pytest.mark.parametrize(("framework", "check"), [(one, check) for one in FRAMEWORKS for check in list_checks(one)])
def test_an_adapter(framework: str, check: str) -> None:
    found = ran(framework)
    if isinstance(found, str):
        pytest.skip(found)
    assert found[check] is None, found[check]
