"""Flags: a package whose `__all__` is not what is committed here, or a name in it that leads nowhere.

Why: what a package lists is what others may rest on; a name that appears or goes is a decision, not a side effect of an edit.
The escape: change the list here in the commit that changes the face, and say so in CHANGELOG.md.
"""

import ast
import importlib

import pytest

from tests.architecture.modules import PACKAGES, ROOT, SourceFile, parse_sample, read_source

FACES_FILE = ROOT / "tests" / "architecture" / "public_faces.txt"


def read_faces() -> dict[str, list[str]]:
    """Package to names, from lines `package: name name …`."""
    lines = [line for line in FACES_FILE.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return {package: names.split() for package, _, names in (line.partition(":") for line in lines)}


def find_face(source: SourceFile) -> list[str]:
    """The names in `__all__`, as written; empty when there is none."""
    for node in source.tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            assert isinstance(node, ast.Assign | ast.AnnAssign)
            assert node.value is not None
            return [str(name) for name in ast.literal_eval(node.value)]
    return []


@pytest.mark.parametrize("package", PACKAGES)
def test_the_face_of_a_package_is_the_committed_list(package: str) -> None:
    assert sorted(find_face(read_source(ROOT / package / "__init__.py"))) == sorted(read_faces().get(package, []))


@pytest.mark.parametrize("package", PACKAGES)
def test_each_listed_name_leads_somewhere(package: str) -> None:
    module = importlib.import_module(package)
    assert [name for name in find_face(read_source(ROOT / package / "__init__.py")) if not hasattr(module, name)] == []


def test_the_reader_sees_both_forms() -> None:
    assert find_face(parse_sample('__all__ = ["a", "b"]\n')) == ["a", "b"]
    assert find_face(parse_sample('__all__: tuple[str, ...] = ("a",)\n')) == ["a"]
    assert find_face(parse_sample("x = 1\n")) == []
