"""`put --tool` and `summary --tool`: a kind of summary is chosen by the tool whose output it is."""

from pathlib import Path

import pytest

from evidence_store.summaries import standard
from evidence_store.summaries.model import Material, Summarizer
from evidence_store.summaries.registry import Registry
from tests.e2e.command import Evidence


def count_lines(material: Material) -> str:
    return f"lines: {len(material.lines)}\n"


def registry_with_a_kind_of_a_tool() -> Registry:
    registry = standard.standard_registry()
    registry.register(Summarizer("lines", count_lines), tool="deploy_*")
    return registry


@pytest.fixture
def evidence_of_tools(evidence: Evidence, monkeypatch: pytest.MonkeyPatch) -> Evidence:
    """The command with a kind of its own."""
    monkeypatch.setattr("evidence_store.store.summaries.standard_registry", registry_with_a_kind_of_a_tool)
    return evidence


def test_the_tool_that_put_names_chooses_the_kind(evidence_of_tools: Evidence, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("INFO x\nERROR y\n")
    evidence = evidence_of_tools
    evidence("put", log, "--resource", "a.log", "--tool", "deploy_all").answer()
    assert evidence("summary", "a.log").answer()["transforms"] == ["summary/lines/1"]
    assert evidence("summary", "a.log", "--tool", "other").answer()["transforms"] == ["summary/log/1"]
    evidence("put", log, "--resource", "b.log").answer()
    assert evidence("summary", "b.log").answer()["transforms"] == ["summary/log/1"]
    assert evidence("summary", "b.log", "--tool", "deploy_x").answer()["excerpt"] == "lines: 2\n"


def test_a_kind_that_is_broken_ends_the_command_without_a_traceback(
    evidence: Evidence, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = Registry((Summarizer("mine", lambda material: str(1 // 0)),))
    monkeypatch.setattr("evidence_store.store.summaries.standard_registry", lambda: registry)
    log = tmp_path / "a.log"
    log.write_text("x\n")
    evidence("put", log, "--resource", "a.log").answer()
    error = evidence("summary", "a.log").error(4)
    assert (error["code"], error["kind"]) == ("summary_failed", "mine")
