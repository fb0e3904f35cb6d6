"""Reads our own source files for the checks in this folder: each file once, as text and as a tree."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("evidence_store", "projector", "api")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One of our Python files."""

    path: str
    """Relative to the repository, with slashes."""
    name: str
    """Dotted; a package's own name for its `__init__`."""
    text: str
    tree: ast.Module

    def is_in(self, *modules: str) -> bool:
        """Whether this is one of the modules, or stands below one that is a package."""
        return any(self.name == module or self.name.startswith(f"{module}.") for module in modules)


@cache
def list_sources(*folders: str) -> tuple[SourceFile, ...]:
    """The Python files below the folders, in a fixed order; without folders, those of the three packages."""
    return tuple(read_source(path) for folder in folders or PACKAGES for path in sorted((ROOT / folder).rglob("*.py")))


def read_source(path: Path) -> SourceFile:
    relative = path.relative_to(ROOT)
    parts = relative.with_suffix("").parts
    text = path.read_text(encoding="utf-8")
    return SourceFile(relative.as_posix(), ".".join(parts[:-1] if parts[-1] == "__init__" else parts), text, ast.parse(text))


def parse_sample(text: str, name: str = "projector.sample") -> SourceFile:
    """A source file that exists in a test only: each check is shown to find what it is there for."""
    return SourceFile(f"{name.replace('.', '/')}.py", name, text, ast.parse(text))


def iter_functions(source: SourceFile) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def names_in(annotation: ast.expr | None) -> set[str]:
    """All names in an annotation, also inside strings, unions and subscripts."""
    if annotation is None:
        return set()
    found: set[str] = set()
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= names_in(ast.parse(node.value, mode="eval").body) if node.value.isidentifier() else set()
    return found
