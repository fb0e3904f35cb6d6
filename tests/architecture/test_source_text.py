"""Flags: code that reads the text of an excerpt where nobody fences or escapes it.

Why: text from a source is data. It reaches a model or a page only through the places that label it: `projector/render/`
(fenced, every line marked) and `api/presenters` (escaped, named as a field). Read anywhere else it ends up in a message, a
log line or a decision.
The escape: hand the packet to one of the two. The store itself makes excerpts; the compatibility report is the reader that they
are for, and has only the rendered text to read; `api.tools.value_of` gives such a reader the excerpt as plain data. The state of a step
that cannot go on holds packets as they came (`projector.packet_json`): a member of JSON, to be read as a packet again. A new place is a
change of this list, in its own commit with the reason.
"""

import ast

from tests.architecture.modules import SourceFile, list_sources, parse_sample

SOURCE_TEXT = {"excerpt", "source_text"}
ALLOWED = ("evidence_store", "projector.render", "api.presenters", "api.compat_report", "api.tools.values", "projector.packet_json")


def find_reads(source: SourceFile) -> list[str]:
    return [
        f"{source.path}:{node.lineno}"
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute) and node.attr in SOURCE_TEXT and isinstance(node.ctx, ast.Load)
    ]


def test_source_text_is_read_only_where_it_is_fenced() -> None:
    faults = [fault for source in list_sources() if not source.is_in(*ALLOWED) for fault in find_reads(source)]
    assert faults == []


def test_the_check_sees_a_read() -> None:
    assert find_reads(parse_sample("def f(p):\n    return p.excerpt\n")) == ["projector/sample.py:2"]
    assert find_reads(parse_sample("def f(p):\n    return p.scope\n")) == []
