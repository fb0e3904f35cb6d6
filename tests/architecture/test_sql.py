"""Flags: SQLAlchemy imported outside the modules that hold statements, tables, connections and migrations.

Why: every SQL statement lives in `evidence_store/records/`; one place to look for an index, a lock or a missing workspace. The store's
methods hand out frozen values, never rows or connections.
The escape: a function in `records/` that takes a connection first and does not commit.
"""

import ast

from tests.architecture.modules import SourceFile, list_sources, parse_sample

# The journal keeps its own two statements: an event is written by whoever changes something, in that transaction.
ALLOWED = ("evidence_store.records", "evidence_store.tables", "evidence_store.database", "evidence_store.migrate", "evidence_store.journal")


def find_imports_of(package: str, source: SourceFile) -> list[str]:
    faults = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            roots = [(node.module or "").split(".")[0]]
        elif isinstance(node, ast.Import):
            roots = [name.name.split(".")[0] for name in node.names]
        else:
            continue
        if package in roots:
            faults.append(f"{source.path}:{node.lineno}")
    return faults


def test_sqlalchemy_stays_in_its_places() -> None:
    faults = [fault for source in list_sources() if not source.is_in(*ALLOWED) for fault in find_imports_of("sqlalchemy", source)]
    assert faults == []


def test_the_check_sees_both_forms() -> None:
    assert find_imports_of("sqlalchemy", parse_sample("from sqlalchemy.engine import Row\nimport sqlalchemy as sa\n")) != []
    assert find_imports_of("sqlalchemy", parse_sample("import sqlite3\n")) == []
