"""YAML bytes to a table of nodes, with faults named by line, column and byte."""

import re
from typing import Final, NoReturn

import yaml

from evidence_store.documents.encoding import UTF8_MARK
from evidence_store.documents.model import Limits
from evidence_store.documents.yaml_breaks import hide_breaks
from evidence_store.documents.yaml_offsets import ByteOffsets
from evidence_store.documents.yaml_pairs import hide_pairs
from evidence_store.documents.yaml_table import TableBuilder, YamlFault, YamlTable
from evidence_store.errors import RefusedDocument

_HALF: Final = re.compile(rb"\\(?:u|U0000)[dD][89a-fA-F][0-9a-fA-F]{2}")


def read_table(raw: bytes, limits: Limits) -> YamlTable:
    """The nodes of bytes that are UTF-8.

    Raises RefusedDocument (`line`, `column`, `byte`) for what is no YAML document of its own, LimitExceeded past a limit.
    """
    text = raw.removeprefix(UTF8_MARK)
    pairs = hide_pairs(text)
    hidden = hide_breaks(pairs.text)
    try:
        table = TableBuilder(limits, pairs).build(hidden.text)
    except YamlFault as exc:
        _refuse(raw, ByteOffsets(raw).byte(exc.char), exc.code, exc.why, exc)
    except yaml.reader.ReaderError as exc:
        _refuse(raw, len(raw) - len(text) + exc.position, "syntax", f"{exc.reason} (U+{int(exc.character):04X})", exc)
    except yaml.MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        at = ByteOffsets(raw).byte(mark.index) if mark else 0
        half = _HALF.fullmatch(raw, at - 2, at + 4) or _HALF.fullmatch(raw, at - 2, at + 8)
        if half is not None:
            _refuse(raw, half.start(), "lone_surrogate", "the escape gives half of a surrogate pair, and no character", exc)
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
