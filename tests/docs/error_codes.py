"""The error codes of the packages, read from their source: attributes of classes, and the more exact codes that places give."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tests.architecture.modules import ROOT, SourceFile, list_sources, read_source

DOCUMENTS = "evidence_store/documents/"


@dataclass(frozen=True, slots=True)
class Speller:
    """A function or class that takes a code on its way to an error."""

    path: str
    """Where calls of it are looked for: a file, or a folder with its slash."""
    name: str
    place: int
    """Of the code among the arguments."""
    error: str


SPELLERS = (
    Speller(DOCUMENTS, "refuse", 2, "RefusedDocument"),
    Speller(DOCUMENTS, "YamlFault", 1, "RefusedDocument"),
    Speller(f"{DOCUMENTS}yaml_read.py", "_refuse", 2, "RefusedDocument"),
    Speller(f"{DOCUMENTS}junit_read.py", "_refuse", 1, "RefusedDocument"),
    Speller("api/compat_report/agent.py", "Refusal", 0, "InvalidInput"),
)
TABLES = {"_FAULTS": "StoreUnavailable", "_CODES": "Refused"}
"""Constants that hold codes, and the class of the error that gets them."""


@dataclass(frozen=True, slots=True, order=True)
class Spelled:
    """A code as it stands in the source, and the class that it goes with."""

    code: str
    error: str


@dataclass(frozen=True, slots=True)
class Collected:
    spelled: frozenset[Spelled]
    unread: tuple[str, ...]
    """`code=…` arguments whose value this collector does not understand."""


def collect_codes() -> Collected:
    """All codes of all errors."""
    spelled: set[Spelled] = set()
    unread: list[str] = []
    for source in list_sources("evidence_store", "projector", "api"):
        constants = _constants(source.tree)
        spelled.update(_of_classes(source.tree))
        spelled.update(_of_tables(source.tree))
        spelled.update(_of_spellers(source))
        for call, value in _code_arguments(source.tree):
            given = _strings(value, constants)
            spelled.update(Spelled(code, _callee(call)) for code in given)
            if not given:
                unread.append(f"{source.path}: {ast.unparse(value)}")
    return Collected(frozenset(spelled), tuple(sorted(unread)))


def collect_faults(path: str) -> set[str]:
    """Codes of the faults that one module reports without raising."""
    source = read_source(ROOT / path)
    calls = [node for node in ast.walk(source.tree) if isinstance(node, ast.Call) and _callee(node) in ("Fault", "_fault", "fault")]
    return {found for call in calls if call.args and (found := _text(call.args[0])) is not None}


def _constants(tree: ast.Module) -> dict[str, str]:
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and (text := _text(node.value)) is not None:
            found[node.targets[0].id] = text
    return found


def _of_classes(tree: ast.Module) -> Iterator[Spelled]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for line in node.body:
                if isinstance(line, ast.Assign | ast.AnnAssign) and line.value is not None:
                    target = line.targets[0] if isinstance(line, ast.Assign) else line.target
                    code = _text(line.value)
                    if isinstance(target, ast.Name) and target.id == "code" and code is not None:
                        yield Spelled(code, node.name)


def _of_tables(tree: ast.Module) -> Iterator[Spelled]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in TABLES:
            error = TABLES[node.targets[0].id]
            values = ast.literal_eval(node.value).values()
            yield from (Spelled(value if isinstance(value, str) else value[0], error) for value in values)


def _of_spellers(source: SourceFile) -> Iterator[Spelled]:
    """Codes that are handed on by place."""
    spellers = {speller.name: speller for speller in SPELLERS if source.path.startswith(speller.path)}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and (speller := spellers.get(_callee(node))) and len(node.args) > speller.place:
            code = _text(node.args[speller.place])
            if code is not None:
                yield Spelled(code, speller.error)


def _code_arguments(tree: ast.Module) -> Iterator[tuple[ast.Call, ast.expr]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from ((node, keyword.value) for keyword in node.keywords if keyword.arg == "code")


def _strings(value: ast.expr, constants: dict[str, str]) -> set[str]:
    names = {constants[node.id] for node in ast.walk(value) if isinstance(node, ast.Name) and node.id in constants}
    return names | {text for node in ast.walk(value) if isinstance(node, ast.expr) and (text := _text(node)) is not None}


def _callee(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
