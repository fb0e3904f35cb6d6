"""The benchmark with a model, against a scripted endpoint that has the errors of the protocol; and what it says without one."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from api.demo import of_standing, run_demo, shipped_pair
from api.loop import Bounds
from api.settings import Settings
from api.wiring import Services, open_services
from benchmarks import bench_live
from benchmarks.bench_live import cap_of_messages, chosen_tasks, main, profile_of, run_all
from benchmarks.environments import EnvironmentMissing
from benchmarks.live.client import Endpoint
from benchmarks.live.tasks import LiveTask, canonical, retention
from benchmarks.live.trimming import is_installed, open_trimming
from evidence_store.model import Standing
from tests.conftest import ROOT
from tests.integration.live_server import Comparer, FaultName, Finding, Model, Wish, serving

TASK = retention(7, 4)
BOUNDS = Bounds(max_steps=40, first_wait_s=0.0)
NOT_HERE = "not at hand"
BENCH_BOUNDS = replace(bench_live.BOUNDS, first_wait_s=0.0)
PROFILE = replace(profile_of("scripted", None), reserve=3_000)


def wishes(task: LiveTask) -> list[Wish]:
    """What a model that reads well would conclude."""
    sources = dict(task.sources)
    found = []
    for one in task.expected:
        (place,) = one.places
        line = sources[place.resource][: place.span.start].count(b"\n") + 1
        found.append(Wish(f"{one.name} is {one.words[0]}", place.resource, place.revision, line))
    return found


def measured(folder: Path, faults: dict[int, FaultName] | None = None, limit_tokens: int = 1_000_000) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for name, arm in bench_live.arms(PROFILE, BOUNDS, NOT_HERE):
        if isinstance(arm, str):
            continue
        model = Model(wishes(TASK), dict(faults or {}), limit_tokens)
        with serving(model) as url:
            found = bench_live.measure(TASK, name, arm, Endpoint(url, "scripted", 1_000), PROFILE, folder)
        rows[name] = {field: getattr(found, field) for field in found.__slots__} | {"model": model}
    return rows


def test_a_model_that_reads_well_finds_the_whole_list_in_each_way(tmp_path: Path) -> None:
    for name, row in measured(tmp_path).items():
        assert (row["how"], row["n_found"], row["n_open"], row["n_beside"]) == ("concluded", 8, 0, 0), name
        assert (row["n_expected"], row["n_place_calls"], row["n_place_misses"]) == (8, 12, 0), name
        assert (row["n_wrong_ids"], row["n_again"], row["n_wasted"], row["n_faults"]) == (0, 0, 0, 0), name
        assert (row["n_calls"], row["output_tokens"]) == (21, 21 * 7), name
        assert row["reported_tokens"] > 0, name
        assert row["peak_tokens"] <= row["billed_tokens"] <= row["input_tokens"], name
        lines = [json.loads(line) for line in (tmp_path / f"retention-seed-7-{name.replace(' ', '-')}.jsonl").read_text().splitlines()]
        assert len(lines) == 21, name
        assert lines[-1]["answer"]["choices"][0]["message"]["content"] == "Nothing is left.", name


def test_the_projector_outlives_the_errors_of_the_protocol(tmp_path: Path) -> None:
    faults: dict[int, FaultName] = {
        2: "limit",
        4: "cut",
        6: "cut_call",
        8: "bad_arguments",
        10: "empty",
        12: "down",
        14: "torn",
        17: "wrong_id",
    }
    row = measured(tmp_path, faults)["projector"]
    assert (row["how"], row["n_found"]) == ("concluded", 8)
    assert row["n_faults"] == 6
    assert row["n_wrong_ids"] == 1
    assert row["n_place_misses"] == 1
    text = (tmp_path / "retention-seed-7-projector.jsonl").read_text()
    for words in (
        "rate_limited",
        "the stream broke off",
        "within a chunk",
        "neither words nor calls",
        "unavailable: HTTP 503",
        "torn_pairs",
    ):
        assert words in text, words


class Impatient(Endpoint):
    """Waits for one answer hardly at all: the one that never comes."""

    def __call__(self, messages: Any, tools: Any) -> Any:
        self.n_asked = getattr(self, "n_asked", 0) + 1
        self.timeout_s = 0.01 if self.n_asked == SILENT else 600.0
        return super().__call__(messages, tools)


SILENT = 3


def test_silence_dropped_connections_and_endless_answers_are_asked_again_in_each_way(tmp_path: Path) -> None:
    for name, arm in bench_live.arms(PROFILE, BOUNDS, NOT_HERE):
        if isinstance(arm, str):
            continue
        with serving(Model(wishes(TASK), {SILENT: "silent", 7: "dropped", 9: "limit", 11: "down", 13: "endless"})) as url:
            found = bench_live.measure(TASK, name, arm, Impatient(url, "scripted", 1_000), PROFILE, tmp_path)
        assert (found.how, found.n_found, found.n_faults) == ("concluded", 8, 5), name
        assert "timed out" in (tmp_path / f"retention-seed-7-{name.replace(' ', '-')}.jsonl").read_text(), name


def test_torn_pairs_end_a_way_that_does_nothing_about_them(tmp_path: Path) -> None:
    row = measured(tmp_path, {14: "torn"})["full history"]
    assert row["how"] == "provider_failed"
    assert row["reason"].startswith("torn_pairs: HTTP 400")


def test_an_overflow_ends_the_whole_conversation_and_makes_the_projection_smaller(tmp_path: Path) -> None:
    rows = measured(tmp_path, limit_tokens=9_000)
    full, ours = rows["full history"], rows["projector"]
    assert full["how"] == "provider_failed"
    assert full["reason"].startswith("overflow: HTTP 400")
    assert full["n_found"] < 8
    assert (ours["how"], ours["n_found"], ours["n_faults"]) == ("concluded", 8, 1)


def test_a_model_that_reads_again_what_it_has_is_told_so(tmp_path: Path) -> None:
    class Forgetful(Model):
        def turn(self, messages: Any, tools: Any) -> dict[str, Any]:
            made = super().turn(messages, tools)
            n = len(self.requests)
            return super().turn(messages[:2], tools) if n in (2, 3) else made

    arm = dict(bench_live.arms(PROFILE, BOUNDS, NOT_HERE))["full history"]
    assert not isinstance(arm, str)
    with serving(Forgetful(wishes(TASK))) as url:
        found = bench_live.measure(TASK, "forgetful", arm, Endpoint(url, "scripted", 1_000), PROFILE, tmp_path)
    assert (found.n_again, found.n_wasted, found.n_found) == (2, 2, 8)


def test_the_canonical_task_has_what_the_comparison_verifies() -> None:
    task = canonical()
    assert len(task.expected) > 3
    assert all(one.places for one in task.expected)
    assert {place.revision for one in task.expected for place in (*one.places, *one.absent)} == {1, 2}
    assert len(task.sources) == 2
    assert len({name for name, _ in task.sources}) == 1


def findings(folder: Path) -> list[Finding]:
    """What the comparison without a model verifies, with the calls that read its evidence."""
    with open_services(Settings(folder), create=True) as services:
        known = of_standing(run_demo(services, *shipped_pair(), (), lambda news: None), Standing.VERIFIED)
        return [_finding(services, one.claim) for one in known]


def _finding(services: Services, claim: Any) -> Finding:
    about = {"resource": claim.resource, "pointer": claim.pointer, "aspect": claim.aspect}
    cited = []
    for one in claim.citations:
        packet = services.store.passages.get(one.evidence, services.limit(2_000))
        place = {"resource": packet.resource, "revision": packet.revision, "pointer": packet.selector.text, "max_tokens": 2_000}
        cited.append((one.role, one.evidence, {**place, "view": "keys"} if packet.transforms else place))
    return Finding(about, claim.text, cited)


def test_the_canonical_task_is_walked_to_its_end_in_each_way(tmp_path: Path) -> None:
    task, plan = canonical(), findings(tmp_path / "store")
    for name, arm in bench_live.arms(PROFILE, BENCH_BOUNDS, NOT_HERE):
        if isinstance(arm, str):
            continue
        with serving(Comparer((), findings=plan)) as url:
            found = bench_live.measure(task, name, arm, Endpoint(url, "scripted", 1_000), PROFILE, tmp_path)
        assert (found.how, found.n_found, found.n_open, found.n_beside) == ("concluded", len(plan), 0, 0), name
        assert (found.n_expected, found.n_place_misses, found.n_wrong_ids) == (len(plan), 0, 0), name


def test_the_table_has_a_row_for_each_way_and_says_what_was_not_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(Model(wishes(TASK))) as url:
        rows = run_all([TASK], Endpoint(url, "scripted", 1_000), PROFILE, tmp_path / "live", NOT_HERE, BOUNDS)
    assert [one["input"] for one in rows] == ["full history", "trim_messages", "projector"]
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == 5
    assert len({line.count("|") for line in shown}) == 1
    assert rows[1]["missing"] == NOT_HERE
    assert f"not measured: {NOT_HERE}" in shown[3]


@pytest.mark.skipif(not is_installed(), reason="langchain is not installed for its tests: make test")
def test_trimming_keeps_what_fits_from_a_turn_of_the_user_on(tmp_path: Path) -> None:
    with open_trimming(PROFILE.counter, cap_of_messages(PROFILE)) as trimming:
        arm = dict(bench_live.arms(PROFILE, BOUNDS, trimming))["trim_messages"]
        assert not isinstance(arm, str)
        with serving(Model(wishes(TASK))) as url:
            found = bench_live.measure(TASK, "trimmed", arm, Endpoint(url, "scripted", 1_000), PROFILE, tmp_path)
        asked = [
            {"role": "user", "content": "why?"},
            {"role": "assistant", "content": "x " * 2_000},
            {"role": "user", "content": "and now?"},
        ]
        assert (found.how, found.n_found) == ("concluded", 8)
        assert found.peak_tokens <= PROFILE.input_cap
    with open_trimming(PROFILE.counter, 1_000) as trimming:
        assert trimming(asked) == asked[2:]


def test_a_whole_run_leaves_its_figures_and_says_what_was_not_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(*_: object) -> object:
        raise EnvironmentMissing(NOT_HERE)

    monkeypatch.setattr(bench_live, "RESULTS", tmp_path)
    monkeypatch.setattr(bench_live, "open_trimming", missing)
    with serving(Comparer((), findings=findings(tmp_path / "store"))) as url:
        for name, value in {"MODEL_URL": url, "MODEL": "scripted", "TASKS": "canonical", "WINDOW": "65536"}.items():
            monkeypatch.setenv(name, value)
        assert main() == 0
    told = json.loads((tmp_path / "live.json").read_text())
    assert (told["model"], told["window"], [row["input"] for row in told["rows"]]) == (
        "scripted",
        65_536,
        ["full history", "trim_messages", "projector"],
    )
    assert (told["rows"][0]["n_found"], told["rows"][1]["missing"]) == (len(canonical().expected), NOT_HERE)
    assert {path.name for path in (tmp_path / "live").iterdir()} == {"canonical-full-history.jsonl", "canonical-projector.jsonl"}
    assert "transcripts in" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "value"), [("WINDOW", "large"), ("TASKS", "other"), ("MODEL_URL", "localhost:8080")])
def test_wrong_words_are_refused(name: str, value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("MODEL_URL", "http://localhost:1/v1")
    monkeypatch.setenv(name, value)
    assert main() == 2
    assert name in capsys.readouterr().err


def test_a_model_is_known_by_its_profile_or_gets_a_small_window() -> None:
    assert profile_of("gpt-4o", None).window == 128_000
    assert (profile_of("claude-opus-5", None).provider, profile_of("some.gguf", None).window) == ("openai", 32_768)
    assert profile_of("some.gguf", 8_192).input_cap == 8_192 - 1_024 - 256


def test_tasks_are_chosen_by_the_beginning_of_their_names() -> None:
    assert [task.name for task in chosen_tasks("canonical")] == ["canonical"]
    assert [task.name for task in chosen_tasks("retention")] == [f"retention, seed {seed}" for seed in (7, 11, 23)]


def test_without_an_endpoint_no_model_is_asked(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "benchmarks.bench_live"]
    done = subprocess.run(words, env={"PYTHONPATH": str(ROOT)}, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("no model was asked: give MODEL_URL")
