"""Every block of a page that can be run is run, here or by the test that knows the page; and the runner sees what it is for."""

from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.docs.console import list_blocks, run_console, run_page, written_anew
from tests.docs.pages import list_pages

WHOLE = ("docs/tutorial.md", "docs/how-to.md")
"""Pages whose blocks are run one after the other, in one folder."""
FRAMEWORKS = ("adk", "langchain", "llama-index", "openai-agents", "pydantic-ai", "sdk")
ELSEWHERE = {
    **{f"docs/adapters/{name}.md": f"tests/adapters/{name.replace('-', '_')}_checks.py" for name in FRAMEWORKS},
    "README.md": "tests/docs/test_readme.py",
    "docs/client.md": "tests/docs/test_client_page.py",
    "docs/loop.md": "tests/docs/test_loop_page.py",
    "docs/wrapping.md": "tests/docs/test_wrapping.py",
    "docs/examples/broken-tests.md": "tests/docs/test_examples.py",
    "docs/examples/log-root-cause.md": "tests/docs/test_examples.py",
    "docs/examples/pod-triage.md": "tests/docs/test_examples.py",
    "docs/formats/summaries.md": "tests/unit/evidence_store/test_summaries.py",
}
"""Pages whose blocks ask for more, by the test that runs them."""


@pytest.mark.parametrize("name", WHOLE)
def test_a_page_runs_as_it_is_written_and_shows_what_comes_out(name: str, tmp_path: Path) -> None:
    ran = list(run_page((ROOT / name).read_text(encoding="utf-8"), tmp_path))
    assert len(ran) > 5
    assert [(one.command, one.gave) for one in ran if one.command != "python"] == [
        (one.command, one.shown) for one in ran if one.command != "python"
    ]


def test_no_page_has_a_block_that_nobody_runs() -> None:
    pages = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in list_pages()}
    with_blocks = {name for name, text in pages.items() if list_blocks(text)}
    assert sorted(with_blocks) == sorted({*WHOLE, *ELSEWHERE})


@pytest.mark.parametrize(("page", "test"), sorted(ELSEWHERE.items()))
def test_the_test_that_runs_a_page_names_it(page: str, test: str) -> None:
    text = (ROOT / test).read_text(encoding="utf-8")
    forms = (Path(page).name, f'run_page("{Path(page).stem}"', "f\"{name.replace('_', '-')}.md\"")
    assert any(form in text for form in forms)


def test_another_output_is_seen(tmp_path: Path) -> None:
    (ran,) = run_console("$ evidence init\nstore is not ready\n", tmp_path)
    assert (ran.shown, ran.gave) == ("store is not ready\n", "store ready: .evidence\n")


def test_a_command_that_fails_is_seen_unless_its_exit_code_is_shown(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="evidence resources: "):
        list(run_console("$ evidence resources\n", tmp_path))
    (ran,) = run_console("$ evidence resources; echo $?\n", tmp_path)
    assert ran.gave.endswith("\n4\n")


def test_a_page_is_written_anew_with_what_its_commands_give() -> None:
    page = "# Page\n\n```console\n$ evidence init\nold\n```\n\n```text\nold\n```\n"
    assert written_anew(page) == page.replace("$ evidence init\nold", "$ evidence init\nstore ready: .evidence")
