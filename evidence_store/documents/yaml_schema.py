"""Which value a YAML scalar is, by the core schema of YAML 1.2.2 (section 10.3.2).

`no`, `on`, dates, `12:30:45` and `1_000` are text; only `true`, `false` and `null` in their three spellings, and what
looks like a number, are not. A number keeps its spelling, so that nothing passes through a float.
"""

import re

from evidence_store.documents.model import NodeType, Number, Scalar

_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NUMBER = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", re.ASCII
)
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", re.ASCII)
_MAY_BE_NUMBER = frozenset("0123456789+-.")

_TAG = "tag:yaml.org,2002:"
STRING_TAGS = frozenset((_TAG + "str", "!"))
_NUMBER_TAGS = frozenset((_TAG + "int", _TAG + "float"))
_BOOLEAN_TAG = _TAG + "bool"
_NULL_TAG = _TAG + "null"
_COLLECTION_TAGS = frozenset((_TAG + "map", _TAG + "seq"))
KNOWN_TAGS = STRING_TAGS | _NUMBER_TAGS | _COLLECTION_TAGS | {_BOOLEAN_TAG, _NULL_TAG}


def plain_value(text: str) -> Scalar:
    """The value of a plain scalar without a tag."""
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if text[0] in _MAY_BE_NUMBER and _NUMBER.fullmatch(text):
        return Number(text)
    return text


def tagged_value(text: str, tag: str) -> Scalar:
    """The value of a scalar whose tag is one of the core schema's. Raises ValueError for text that is no such value."""
    if tag in STRING_TAGS:
        return text
    value = plain_value(text)
    fits = (
        (tag in _NUMBER_TAGS and isinstance(value, Number))
        or (tag == _BOOLEAN_TAG and isinstance(value, bool))
        or (tag == _NULL_TAG and value is None)
    )
    if not fits:
        raise ValueError(f"the text does not fit the tag {tag.removeprefix(_TAG)!r}")
    return value


def type_of(value: Scalar) -> NodeType:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case Number():
            return "number"
        case str():
            return "string"


def is_json_number(spelling: str) -> bool:
    """Whether JSON spells numbers this way (RFC 8259 section 6)."""
    return _JSON_NUMBER.fullmatch(spelling) is not None
