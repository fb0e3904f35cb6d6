"""What fuzzing begins with, and how it tells of what it found."""

import pytest

from benchmarks.fuzz import Fault, Run, format_runs, place_of, repeated
from benchmarks.fuzz_replay import promised
from benchmarks.fuzz_targets import TARGETS
from evidence_store.errors import EvidenceStoreError, NotFound
from evidence_store.model import LineRange, Span


@pytest.mark.parametrize("reader", TARGETS)
def test_every_input_to_begin_with_is_answered_or_refused_by_name(reader: str) -> None:
    n_answered = 0
    for seed in TARGETS[reader].seeds():
        try:
            TARGETS[reader].act(seed)
            n_answered += 1
        except EvidenceStoreError:
            continue
    assert n_answered, "some input gets through to the reader"


@pytest.mark.parametrize(
    ("reader", "broken", "by"),
    [
        ("json", "evidence_store.documents.json._length", lambda value: len(value) - 1),
        ("junit", "evidence_store.documents.junit_read.element_end", lambda raw, at: at),
        ("yaml", "benchmarks.fuzz_replay.lines_of_span", lambda raw, span: LineRange(1, raw.count(b"\n", 0, span.end) + 1)),
        ("quotes", "evidence_store.quotes._Text.span", lambda text, chars: Span(chars.start, chars.end)),
        ("search", "evidence_store.search._offset", lambda kept, at, *, at_end: at),
        ("locate", "evidence_store.locate.same_value", lambda *_: True),
        ("stored", "evidence_store.store.reader.RevisionReader.lines_of", lambda reader, span: LineRange(1, 1)),
    ],
)
def test_a_broken_promise_is_found(reader: str, broken: str, by: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices that are not the value, lines that do not hold the passage: a refusal of what was promised does not hide them."""
    monkeypatch.setattr(broken, by)
    assert any(is_fault(reader, seed) for seed in TARGETS[reader].seeds())


def is_fault(reader: str, data: bytes) -> bool:
    try:
        TARGETS[reader].act(data)
    except EvidenceStoreError:
        return False
    except Exception:
        return True
    return False


def test_a_refusal_of_what_was_promised_is_a_fault() -> None:
    with pytest.raises(AssertionError, match="it is there: NotFound"), promised("it is there"):
        raise NotFound("it is not")


def test_an_input_is_repeated_behind_its_switches() -> None:
    whole = repeated(b"\x01\x02[]", 2, in_halves=False)
    halves = repeated(b"\x01\x02[]", 2, in_halves=True)
    assert whole[:6] == b"\x01\x02[][]"
    assert halves.startswith(b"\x01\x02[[[[")
    assert halves.count(b"[") == halves.count(b"]")


def test_a_fault_is_named_by_where_it_came_from() -> None:
    with pytest.raises(EvidenceStoreError) as caught:
        TARGETS["pointers"].act(b"no pointer")
    assert place_of(caught.value).startswith("pointers.py:")
    assert place_of(caught.value).endswith(" _refuse")
    text = format_runs([Run("json", "atheris", 10, 4, 1.5, 0.1, 50_000_000, [Fault("ValueError: x", "a.py:1 f", 3, "json-1.bin", 9)])])
    assert "| json | atheris | 10 | 4 | 2 | 0.10 | 50 | 1 |" in text
    assert "- json: ValueError: x, 3 times, at a.py:1 f; json-1.bin" in text
