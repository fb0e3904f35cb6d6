"""Builds the documentation site, and checks every link of it.

    build/docs-env/bin/python .ci/docs_site.py build/docs build/site

Our pages link to files beside `docs/` (README.md, scripts of `examples/`). For the site these are made pages of their own, below `source/`,
in a copy; the pages themselves stay as they are. Ends with 1 where zensical warns, a link leads nowhere, or a page is not in the
navigation.
"""

import os
import re
import shutil
import subprocess
import sys
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = ROOT / "mkdocs.yml"
LINK = re.compile(r"(?<!!)(\[[^\]]*\])\(([^)\s#]+)(#[^)\s]*)?\)")
HOME = "index.md"
CLEAN = "No issues found"


class Links(HTMLParser):
    """Addresses and anchors of one page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag == "a" and named.get("href"):
            self.links.append(str(named["href"]))
        self.anchors.update(str(named[one]) for one in ("id", "name") if named.get(one))


def copy_pages(target: Path) -> None:
    """The pages with their links kept inside the copy."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ROOT / "docs", target)
    for folder in (one for one in target.iterdir() if one.is_dir() and not (one / "README.md").exists()):
        _list_pages(folder)
    for page in sorted(target.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        page.write_text(LINK.sub(partial(_inside, page=page, target=target), text), encoding="utf-8")


def _inside(found: re.Match[str], page: Path, target: Path) -> str:
    home = ROOT / "docs" / page.relative_to(target)
    if urlsplit(found[2]).scheme or "…" in found[2]:
        return found[0]
    linked = (home.parent / unquote(found[2])).resolve()
    if linked.is_relative_to(ROOT / "docs"):
        return f"{found[1]}({found[2].rstrip('/')}/{HOME})" if linked.is_dir() else found[0]
    made = target / "source" / f"{linked.relative_to(ROOT)}.md"
    if not made.exists():
        _make_page(linked, made)
    return f"{found[1]}({'../' * len(page.parent.relative_to(target).parts)}{made.relative_to(target).as_posix()})"


def _list_pages(folder: Path) -> None:
    """A page that leads to those of a folder."""
    titles = {page.name: page.read_text(encoding="utf-8").partition("# ")[2].split("\n")[0] for page in sorted(folder.glob("*.md"))}
    lines = [f"- [{title}]({name})" for name, title in titles.items()]
    (folder / HOME).write_text("\n".join([f"# {folder.name}", "", *lines, ""]), encoding="utf-8")


def _make_page(source: Path, made: Path) -> None:
    """A file of the repository as a page: its text, or the names in a folder."""
    made.parent.mkdir(parents=True, exist_ok=True)
    name = source.relative_to(ROOT).as_posix()
    text = "\n".join(sorted(one.name for one in source.iterdir())) if source.is_dir() else source.read_text(encoding="utf-8")
    made.write_text(f"# {name}\n\n````{'python' if source.suffix == '.py' else 'text'}\n{text}\n````\n", encoding="utf-8")


def build(site: Path) -> list[str]:
    """Runs zensical, and gives what it said if that is more than that all is well."""
    shutil.rmtree(site, ignore_errors=True)
    zensical = Path(sys.executable).parent / "zensical"
    words = [zensical, "build", "--clean", "--strict", "-f", SETTINGS]
    environment = os.environ | {"NO_COLOR": "1"}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    return [] if done.returncode == 0 and CLEAN in said else [said.strip()]


def find_dead_links(site: Path) -> list[str]:
    """Links of the built pages without a file or an anchor behind them."""
    pages = {page: _read(page) for page in sorted(site.rglob("*.html")) if page.name != "404.html"}
    dead = []
    for page, found in pages.items():
        for link in found.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or "…" in unquote(link):
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            target = target / "index.html" if target.is_dir() else target
            anchor = unquote(parts.fragment)
            if not target.is_file() or (anchor and target in pages and anchor not in pages[target].anchors):
                dead.append(f"{page.relative_to(site)}: {link}")
    return dead


def _read(page: Path) -> Links:
    parser = Links()
    parser.feed(page.read_text(encoding="utf-8"))
    return parser


def named_pages() -> list[str]:
    """The pages of the navigation, in its order."""
    return re.findall(r": ([\w/.-]+\.md)$", SETTINGS.read_text(encoding="utf-8"), re.MULTILINE)


def find_lone_pages(docs: Path) -> list[str]:
    """Pages that the navigation does not name."""
    named = set(named_pages())
    pages = (page.relative_to(docs).as_posix() for page in sorted(docs.rglob("*.md")))
    return [f"not in the navigation: {page}" for page in pages if page not in named]


def main(docs: Path, site: Path) -> int:
    copy_pages(docs)
    faults = [*find_lone_pages(ROOT / "docs"), *build(site)]
    if not faults:
        # models read the pages as they were written: llms.txt links to them
        shutil.copytree(
            docs, site, dirs_exist_ok=True, ignore=lambda _, names: [one for one in names if "." in one and not one.endswith(".md")]
        )
        faults = find_dead_links(site)
    print(
        "\n".join(faults)
        or f"docs: {len(list(site.rglob('*.html')))} pages, no warnings, no dead links: {site.relative_to(ROOT)}/index.html"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*(Path(word).resolve() for word in sys.argv[1:])))
