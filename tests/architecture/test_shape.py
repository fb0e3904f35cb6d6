"""Flags: files of more than 400 lines, functions of more than 60, modules without a docstring, names that say nothing.

Why: a file holds one subject and its name is the subject's noun; a reader who opens it must see at once what it is for and what it
must not do. Long files and `utils.py` are where two subjects have grown into one.
The escape: split. Where that would hurt, name the file or function in `LONG` with the reason. The versions of the schema are not
measured: each is one transaction, written out in full, and never edited after its release.
"""

import ast

from tests.architecture.modules import SourceFile, iter_functions, list_sources, parse_sample

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
NAMELESS = {"utils", "util", "helpers", "helper", "common", "base", "misc"}
MAX_ADAPTER_LINES = 80
"""Of statements in a module of `api/adapters`: what translates for a framework has no room for rules of its own."""
LONG: dict[str, str] = {}
"""`path` or `path:function` to the reason why it may be longer."""
FROZEN = "migrations/versions/"
FOLDERS = ("evidence_store", "projector", "api", "migrations", "tests", "benchmarks", "examples")


def find_long(source: SourceFile) -> list[str]:
    n_lines = source.text.count("\n")
    faults = [f"{source.path}: {n_lines} lines"] if n_lines > MAX_FILE_LINES and source.path not in LONG else []
    for function in iter_functions(source):
        length = (function.end_lineno or function.lineno) - function.lineno + 1
        if length > MAX_FUNCTION_LINES and f"{source.path}:{function.name}" not in LONG:
            faults.append(f"{source.path}:{function.name}: {length} lines")
    return faults


def count_statement_lines(source: SourceFile) -> int:
    """Lines that are neither blank, comment, import nor docstring."""
    others: set[int] = set()
    for node in ast.walk(source.tree):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        if isinstance(node, ast.stmt) and (is_text or isinstance(node, ast.Import | ast.ImportFrom)):
            others |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = enumerate(source.text.splitlines(), 1)
    return sum(n not in others and bool(line.strip()) and not line.lstrip().startswith("#") for n, line in lines)


def opens_with_docstring(source: SourceFile) -> bool:
    first = source.tree.body[0] if source.tree.body else None
    return first is not None and source.tree.body[0].lineno == 1 and bool(source.text.startswith(('"""', 'r"""')))


def test_no_file_and_no_function_is_too_long() -> None:
    measured = [source for source in list_sources(*FOLDERS) if not source.path.startswith(FROZEN)]
    assert [fault for source in measured for fault in find_long(source)] == []


def test_adapters_stay_thin() -> None:
    measured = {source.path: count_statement_lines(source) for source in list_sources("api/adapters")}
    assert {path: n for path, n in measured.items() if n > MAX_ADAPTER_LINES} == {}


def test_each_module_opens_with_a_docstring() -> None:
    assert [source.path for source in list_sources(*FOLDERS) if not opens_with_docstring(source)] == []


def test_file_names_are_nouns_of_their_subject() -> None:
    assert [source.path for source in list_sources(*FOLDERS) if source.name.rpartition(".")[2] in NAMELESS] == []


def test_the_checks_see_what_they_are_for() -> None:
    assert find_long(parse_sample("x = 1\n" * 401)) == ["projector/sample.py: 401 lines"]
    assert find_long(parse_sample("def f():\n" + "    x = 1\n" * 60)) == ["projector/sample.py:f: 61 lines"]
    assert find_long(parse_sample("def f():\n" + "    x = 1\n" * 59)) == []
    assert count_statement_lines(parse_sample('"""Doc."""\nimport os\n\n# why\nx = 1\ny = 2\n')) == 2
    assert not opens_with_docstring(parse_sample("import os\n"))
    assert not opens_with_docstring(parse_sample(""))
    assert opens_with_docstring(parse_sample('"""What it is for."""\n'))
