"""The documentation site: made pages are up to date, the navigation is whole, and what builds it sees dead links."""

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from benchmarks.environments import is_made
from tests.conftest import ROOT
from tests.docs.pages import DOCS
from tests.docs.reference import pages

SCRIPT = ROOT / ".ci" / "docs_site.py"
ENVIRONMENT = ROOT / "build" / "docs-env"


@pytest.fixture(scope="module")
def site() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_site", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", sorted(pages()))
def test_a_made_page_is_what_the_code_gives(name: str) -> None:
    """Red after a change of a command, a bound, an error or the navigation: `python -m tests.docs.reference` writes the pages anew."""
    assert (DOCS / name).read_text(encoding="utf-8") == pages()[name]


def test_every_page_stands_in_the_navigation_once(site: ModuleType) -> None:
    named = site.named_pages()
    assert site.find_lone_pages(DOCS) == []
    assert sorted(named) == sorted(set(named))
    assert [name for name in named if not (DOCS / name).is_file()] == []


def test_links_out_of_the_pages_lead_to_pages_made_of_their_files(site: ModuleType, tmp_path: Path) -> None:
    site.copy_pages(tmp_path / "docs")
    text = (tmp_path / "docs" / "wrapping.md").read_text(encoding="utf-8")
    assert "(source/examples/wrapped_tools.py.md)" in text
    made = (tmp_path / "docs" / "source" / "examples" / "wrapped_tools.py.md").read_text(encoding="utf-8")
    assert (ROOT / "examples" / "wrapped_tools.py").read_text(encoding="utf-8") in made
    example = (tmp_path / "docs" / "examples" / "pod-triage.md").read_text(encoding="utf-8")
    assert "(../source/examples/pod_triage.py.md)" in example
    assert "(../formats/summaries.md)" in example


def test_dead_links_and_anchors_of_a_built_site_are_seen(site: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "index.html").write_text('<h1 id="one">One</h1>', encoding="utf-8")
    links = ("there/", "there/#one", "there/#two", "away/", "https://example.org/x", "#here")
    (tmp_path / "index.html").write_text("".join(f'<a href="{one}">x</a>' for one in links), encoding="utf-8")
    assert site.find_dead_links(tmp_path) == ["index.html: there/#two", "index.html: away/", "index.html: #here"]


def test_the_settings_name_the_folders_that_make_names() -> None:
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert (settings["docs_dir"], settings["site_dir"]) == ("build/docs", "build/site")
    assert settings["theme"]["font"] is False, "a page of ours asks nobody else for a font"


@pytest.mark.skipif(not is_made(ROOT / "requirements" / "docs.txt", ENVIRONMENT), reason="what builds the site is not installed: make test")
def test_the_site_builds_without_warnings() -> None:
    words = [ENVIRONMENT / "bin" / "python", SCRIPT, ROOT / "build" / "docs", ROOT / "build" / "site"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no warnings, no dead links" in done.stdout
    assert "tutorial.md" in (ROOT / "build" / "site" / "llms.txt").read_text(encoding="utf-8")
