"""Regular expressions that mean the same in every Python that is supported."""

import re

from tests.architecture.modules import list_sources

# Before Python 3.11.5 a possessive group whose inside has to go back matches something else (python/cpython issue 106052).
POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{[0-9]*,?[0-9]*\})\+")
PATTERN = re.compile(r"""\br[bf]?(?:"[^"\n]*"|'[^'\n]*')""")


def test_no_pattern_has_a_possessive_group() -> None:
    found = [
        f"{source.path}: {pattern[0]}"
        for source in list_sources("evidence_store", "projector", "api")
        for pattern in PATTERN.finditer(source.text)
        if POSSESSIVE_GROUP.search(pattern[0])
    ]
    assert found == []
