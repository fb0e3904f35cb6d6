"""Flags: code of the store or the projector that reads the process environment.

Why: both are libraries. What they do must follow from their arguments, or two callers in one process get in each other's way
and a test passes on one machine only.
The escape: read it in `api/settings.py` and pass the value down as an argument.
"""

import ast

from tests.architecture.modules import SourceFile, list_sources, parse_sample

READERS = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}
ALLOWED = ("api.settings", "api.cli")


def find_environment_access(source: SourceFile) -> list[str]:
    faults = []
    for node in ast.walk(source.tree):
        named = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os" and node.attr in READERS
        taken = isinstance(node, ast.ImportFrom) and node.module == "os" and any(name.name in READERS for name in node.names)
        if named or taken:
            faults.append(f"{source.path}:{getattr(node, 'lineno', 0)}")
    return faults


def test_only_the_settings_read_the_environment() -> None:
    faults = [fault for source in list_sources() if not source.is_in(*ALLOWED) for fault in find_environment_access(source)]
    assert faults == []


def test_the_check_sees_both_spellings() -> None:
    assert len(find_environment_access(parse_sample("import os\nx = os.environ['A']\ny = os.getenv('B')\n"))) == 2
    assert len(find_environment_access(parse_sample("from os import environ\n"))) == 1
    assert find_environment_access(parse_sample("import os\nx = os.fspath('a')\n")) == []
