"""YAML bytes to a table of nodes, with faults named by line, column and byte."""

from typing import NoReturn

import yaml

from evidence_store.documents.encoding import UTF8_MARK
from evidence_store.documents.model import Limits
from evidence_store.documents.yaml_breaks import hide_breaks
from evidence_store.documents.yaml_offsets import ByteOffsets
from evidence_store.documents.yaml_table import TableBuilder, YamlFault, YamlTable
from evidence_store.errors import RefusedDocument


def read_table(raw: bytes, limits: Limits) -> YamlTable:
    """The nodes of bytes that are UTF-8.

    Raises RefusedDocument (`line`, `column`, `byte`) for what is no YAML document of its own, LimitExceeded past a limit.
    """
    text = raw.removeprefix(UTF8_MARK)
    hidden = hide_breaks(text)
    try:
        table = TableBuilder(limits).build(hidden.text)
    except YamlFault as exc:
        _refuse(raw, ByteOffsets(raw).byte(exc.char), exc.code, exc.why, exc)
    except yaml.reader.ReaderError as exc:
        _refuse(raw, len(raw) - len(text) + exc.position, "syntax", f"{exc.reason} (U+{int(exc.character):04X})", exc)
    except yaml.MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        at = ByteOffsets(raw).byte(mark.index) if mark else 0
        _refuse(raw, at, "syntax", exc.problem or exc.context or "the text does not fit the grammar", exc)
    if hidden.stand_ins:
        # Anchors and tags are ASCII to this parser.
        table.texts = [one if one is None else hidden.restored(one) for one in table.texts]
    return table


def _refuse(raw: bytes, at: int, code: str, why: str, cause: Exception) -> NoReturn:
    line = raw.count(b"\n", 0, at) + 1
    column = len(raw[raw.rfind(b"\n", 0, at) + 1 : at].decode("utf-8", "replace")) + 1
    details = {"line": line, "column": column, "byte": at}
    raise RefusedDocument(f"not YAML at line {line}, column {column}: {why}", details, code=code) from cause
