"""YAML bytes to a table of nodes, with faults named by line, column and byte."""

from typing import NoReturn

import yaml

from evidence_store.documents.encoding import UTF8_MARK
from evidence_store.documents.model import Limits
from evidence_store.documents.yaml_offsets import ByteOffsets
from evidence_store.documents.yaml_table import Shape, TableBuilder, YamlFault, YamlTable
from evidence_store.errors import RefusedDocument


def read_table(raw: bytes, limits: Limits) -> YamlTable:
    """The nodes of bytes that are UTF-8.

    Raises RefusedDocument (`line`, `column`, `byte`) for what is no YAML document of its own, LimitExceeded past a limit.
    """
    text = raw.removeprefix(UTF8_MARK)
    try:
        table = TableBuilder(limits).build(text)
        _require_merge_sources(table)
    except YamlFault as exc:
        _refuse(raw, ByteOffsets(raw).byte(exc.char), exc.code, exc.why, exc)
    except yaml.reader.ReaderError as exc:
        _refuse(raw, len(raw) - len(text) + exc.position, "syntax", f"{exc.reason} (U+{ord(exc.character):04X})", exc)
    except yaml.MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        at = ByteOffsets(raw).byte(mark.index) if mark else 0
        _refuse(raw, at, "syntax", exc.problem or exc.context or "the text does not fit the grammar", exc)
    return table


def _require_merge_sources(table: YamlTable) -> None:
    for mapping, items in table.items.items():
        if table.shapes[mapping] != Shape.MAPPING:
            continue
        for key, value in zip(items[::2], items[1::2], strict=True):
            if table.is_merge_key(key) and not _gives_mappings(table, value):
                raise YamlFault(table.starts[key], "bad_merge", "'<<' takes a mapping or a list of mappings (quoted, it is a member name)")


def _gives_mappings(table: YamlTable, value: int) -> bool:
    target = table.target(value)
    if table.shapes[target] == Shape.SEQUENCE:
        return all(table.shapes[table.target(item)] == Shape.MAPPING for item in table.items[target])
    return table.shapes[target] == Shape.MAPPING


def _refuse(raw: bytes, at: int, code: str, why: str, cause: Exception) -> NoReturn:
    line = raw.count(b"\n", 0, at) + 1
    column = len(raw[raw.rfind(b"\n", 0, at) + 1 : at].decode("utf-8", "replace")) + 1
    details = {"line": line, "column": column, "byte": at}
    raise RefusedDocument(f"not YAML at line {line}, column {column}: {why}", details, code=code) from cause
