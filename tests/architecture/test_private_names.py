"""Flags: an import of a `_private` name or module of ours from another module, in the packages and in the tests.

Why: what a module offers is what has no underscore; everything else may change with the next edit. A test that reaches inside
pins the inside.
The escape: make the name public where it is defined, or test through what is public.
"""

import ast

from tests.architecture.modules import PACKAGES, SourceFile, list_sources, parse_sample


def is_private(name: str) -> bool:
    return any(part.startswith("_") and not part.startswith("__") for part in name.split("."))


def find_private_imports(source: SourceFile) -> list[str]:
    faults = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom):
            taken = [f"{'.' * node.level}{node.module or ''}.{name.name}" for name in node.names]
        elif isinstance(node, ast.Import):
            taken = [name.name for name in node.names]
        else:
            continue
        ours = [name for name in taken if name.startswith(".") or name.split(".")[0] in PACKAGES]
        faults += [f"{source.path}:{node.lineno} {name}" for name in ours if is_private(name)]
    return faults


def test_nobody_reaches_into_private_names() -> None:
    assert [fault for source in list_sources(*PACKAGES, "tests", "benchmarks") for fault in find_private_imports(source)] == []


def test_the_check_sees_names_and_modules() -> None:
    assert find_private_imports(parse_sample("from evidence_store.frames import _pack\n")) != []
    assert find_private_imports(parse_sample("import evidence_store._inside\n")) != []
    assert find_private_imports(parse_sample("from . import _inside\n")) != []
    assert find_private_imports(parse_sample("from evidence_store import __version__\n")) == []
    assert find_private_imports(parse_sample("from os import _exit\n")) == []
