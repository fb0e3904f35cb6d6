"""docs/client.md runs as it is written against a server, shows what comes out, and names the commands that work at a URL."""

import re
from pathlib import Path

import pytest

from api.settings import AT_URL
from evidence_store.access import Grant
from tests.docs.pages import read_page
from tests.serving import served

PAGE = read_page("client.md")
BLOCKS = re.findall(r"^```python\n(.*?)^```\n+```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_examples_run_and_show_what_the_page_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    with served(tmp_path, *Grant) as server:
        for block, shown in BLOCKS:
            code = block.replace("https://store.example", server.url).replace("es_…", server.key)
            exec(compile(code, "client.md", "exec"), names)  # our own page, as a reader would run it
            assert capsys.readouterr().out == shown
    assert len(BLOCKS) == PAGE.count("```python\n")


def test_the_commands_that_work_at_a_url_are_named() -> None:
    section = PAGE.split("## The command line\n")[1]
    assert set(re.findall(r"`([a-z]+)`", section)) - {"value"} == set(AT_URL)
