"""The comparison of packages that keep large outputs: what is sampled, what counts as reached, and ours through all phases."""

import sys
from pathlib import Path

import pytest

from benchmarks.bench_peers import PEERS, REQUIREMENTS, Trial, format_tables, found_errors, share
from benchmarks.peers.passages import Document, Passage
from benchmarks.peers.worker import MAX_CALLS, Kept, Wanted, stands_in, work

LINES = [f"line {n} of the first run, told apart by {n * 7919}" for n in range(3_000)]


def wanted(text: str) -> Wanted:
    return {"document": "x", "text": text, "tokens": [], "names": [], "line": 1}


class Shelf:
    """A keeper whose reading tool answers page by page, and never finds what is not there."""

    def keep(self, name: str, call: str, text: str) -> Kept:
        return Kept(text[:5], name)

    def read(self, handle: str, wanted: Wanted) -> list[str]:
        return [f"page {n}" for n in range(20)]

    def errors(self, handle: str) -> list[str]:
        return ["an error"]

    def cite(self, handle: str, wanted: Wanted) -> str:
        return handle

    def close(self) -> None:
        """Nothing to close."""


def test_a_passage_is_found_as_it_is_and_as_json_writes_it() -> None:
    assert stands_in(wanted('say "a"'), 'they say "a" here')
    assert stands_in(wanted('say "a"'), '{"x": "say \\"a\\""}')
    assert not stands_in(wanted('say "a"'), "say a")


def test_reading_ends_where_the_passage_stands_and_after_so_many_calls(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("begin and more")
    read = [[0, wanted(text)] for text in ("begin", "page 2", "nowhere")]
    found = work(Shelf(), {"keep": [["x", "c", str(tmp_path / "x")]], "read": read, "errors": [0]})
    assert [(one["reached"], one["calls"]) for one in found["read"]] == [(True, 0), (True, 3), (False, MAX_CALLS)]
    assert found["errors"] == [{"text": "an error", "calls": 1, "tokens": 2}]


def test_what_is_over_the_budget_of_a_result_is_told_apart() -> None:
    read = [{"reached": True, "calls": 1, "tokens": 9_000, "largest": 9_000}, {"reached": False, "calls": 6, "tokens": 1, "largest": 1}]
    assert (share(read).reached, share(read).within, share(read).asked) == (1, 0, 2)
    assert share([]).tokens == 0


def test_an_error_line_is_named_by_its_beginning_and_whole_to_its_end() -> None:
    line = "2026 ERROR - " + "x" * 100
    found = found_errors([line], line[:90], {"text": line, "calls": 1, "tokens": 40})
    assert (found.named, found.whole, found.named_by_search, found.whole_by_search) == (1, 0, 1, 1)


def test_ours_reaches_every_passage_in_every_phase(tmp_path: Path) -> None:
    """Each phase is a process of its own, as in the benchmark."""
    log, other = "\n".join(LINES) + "\n", "\n".join(LINES).replace("first", "second") + "\n"
    documents = [Document(name, log, other) for name in ("a.log", "b.log", "ci.log")]
    passages = [Passage(one.name, LINES[n], line=n + 1) for one in documents for n in (200, 1_500, 2_900)]
    found = Trial(PEERS[0], Path(sys.executable), documents, passages, tmp_path).run()
    shares = [*found.at_once.values(), found.another_call, found.same_call, found.restarted, found.cited]
    assert [one.within == one.asked for one in shares] == [True] * len(shares)
    assert "| ours | 9 | 9 | 9 | 9 | 9 |" in format_tables({"ours": found}, [one.name for one in documents])


@pytest.mark.parametrize("package", sorted({peer.package for peer in PEERS if peer.package}))
def test_requirements_are_exact(package: str) -> None:
    lines = (REQUIREMENTS / f"{package}.txt").read_text(encoding="utf-8").splitlines()
    assert all("==" in line for line in lines if not line.startswith("#"))
