"""How secrets are told in text: what a rule is, and how a name and its value stand together in the forms that tools print.

Regular expressions are RE2 over bytes.
"""

from dataclasses import dataclass
from typing import Final

LEFT: Final = rb"(?:\b|\\[abfnrtv]|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]*m)"
"""Where a token may begin: also behind an escape whose last letter looks like a part of it."""
APART: Final = rb"(?:^|[^0-9A-Za-z+/_-]|\\[abfnrtv]|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]*m)"
"""The same for prefixes that may stand by chance in base64."""
BASE64URL: Final = rb"[0-9A-Za-z_-]"
WORDS: Final = rb"[A-Z_.-]+|[a-z_.-]+|[A-Z]?[a-z]+[0-9]{0,3}"
"""Letters of one case are a word or a placeholder; what issuers make holds digits or both cases."""

CLOSED: Final = rb"(?:\\*[\"'])?\]?"
"""Behind a name: its quotation mark, and the bracket of `headers['Authorization']`."""
_AS_VALUE: Final = rb"(?:\s*,?\s*(?:\\*[\"'])?(?i:value)(?:\\*[\"'])?)?"
"""`{"name": "Authorization", "value": "…"}` in JSON, YAML and XML."""
BLOCK: Final = rb"(?:[|>][0-9+-]{0,2}[ \t]*(?:#[^\n]*)?\r?\n[ \t]*)?"
"""The head of a YAML block scalar, whose text begins on the next line."""
NAMED: Final = CLOSED + _AS_VALUE
SAID: Final = NAMED + rb"\s*(?:=>|:=|[:=>])\s*" + BLOCK + rb"(?:[\[(]\s*)*(?:b?\\*[\"'])?"
"""Between a name and its value: `=`, `:`, in quotation marks and lists or not, or the end of an XML tag."""
SAID_OR_PAIR: Final = rb"(?:" + SAID + rb"|\\*[\"']\s*,\s*(?:[\[(]\s*)*b?\\*[\"'])"
"""The same, and a pair of two strings: `('Authorization', '…')`."""


@dataclass(frozen=True, slots=True)
class Rule:
    kind: str
    """Lower-case letters, digits and hyphens: what the mark says."""
    anchors: tuple[bytes, ...]
    """One of these stands in every match; in lower case where `any_case`."""
    pattern: bytes
    harmless: bytes | None = None
    """A secret that is this and nothing else is none: a placeholder, or words."""
    any_case: bool = False
    unless_before: bytes | None = None
    """Nor one that stands right before this."""
    is_pair: bool = False
    """Whether it is base64 of a name, a colon and a password, and harmless where it is not."""
