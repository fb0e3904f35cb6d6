"""Secrets through the command line: no command gives one out, and harmless text comes out as it went in."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.credentials import RUN_LOG, RUN_SECRETS
from tests.e2e.cases import Check, expected, list_cases, list_checks, read_input, source_of, verbs
from tests.e2e.command import Done, Evidence

MADE = {"run.log": RUN_LOG, "secrets.txt": "".join(f"{one}\n" for one in RUN_SECRETS.values()).encode()}
"""Inputs of `s01`, which are made so that no scanner trips over a file of ours."""


def input_of(case: Path, name: str) -> bytes:
    return MADE[name] if case.name.startswith("s01") else read_input(case, name)


def put_input(evidence: Evidence, check: Check) -> bytes:
    raw, name = input_of(check.case, check.told["file"]), check.told["file"]
    path = evidence.folder.parent / name
    path.write_bytes(raw)
    evidence("put", path, "--resource", name).answer()
    return raw


@pytest.mark.parametrize("case", list_cases("s0"), ids=lambda case: case.name[:3])
def test_the_inputs_are_the_bytes_that_they_were(case: Path) -> None:
    for name, told in expected(case)["inputs"].items():
        raw = input_of(case, name)
        assert (len(raw), hashlib.sha256(raw).hexdigest()) == (told["bytes"], told["sha256"])


def test_each_verb_of_the_cases_is_bound() -> None:
    assert verbs("s0") == {"everything_we_emit", "find", "mask"}


def every_answer(evidence: Evidence, name: str, raw: bytes, needles: Sequence[str]) -> Iterator[Done]:
    """What each command that shows content says of a resource, as JSON and as text."""
    n_lines, store = raw.count(b"\n"), ("--store", evidence.folder)
    id_ = evidence("read", name, "--lines", f"1-{n_lines}").answer()["id"]
    for words in (
        *(("read", name, "--lines", f"{n}-{n}") for n in range(1, n_lines + 1)),
        *(("read", name, "--bytes", f"{at}-{min(at + 30, len(raw))}") for at in range(0, len(raw) - 1, 23)),
        ("read", name, "--lines", f"1-{n_lines}", "--max-tokens", "40"),
        *(("search", name, needle, "--context", "2") for needle in needles),
        ("search", name, "EXAMPLE[0-9]", "--regex"),
        *(("read", name, "--quote", needle) for needle in needles),
        ("read", name, "--quote", needles[0] + " and no more"),
        ("read", name, "--pointer", "/" + needles[0]),
        ("summary", name),
        ("get", id_, "--expand", "full"),
        ("get", id_, "--expand", "lines:1"),
        ("trace", id_),
        ("resources", name),
        ("read", needles[0], "--lines", "1-1"),
        ("diff", f"{name}@1", f"{name}@1", "--pointer", "/" + needles[0]),
    ):
        yield evidence(*words)
        yield evidence.bare(*words, *store)


def require_none(done: Done, secrets: Sequence[str]) -> None:
    said = (done.out + done.err).decode()
    assert "Traceback" not in said
    assert [one for one in secrets if one in said] == []


@pytest.mark.parametrize("check", list_checks("everything_we_emit", "s0"))
def test_everything_we_emit(evidence: Evidence, check: Check) -> None:
    raw = put_input(evidence, check)
    secrets = input_of(check.case, check.expect["contains_none_of"]).decode().splitlines()
    for done in every_answer(evidence, check.told["file"], raw, secrets):
        require_none(done, secrets)
    packet = evidence("read", check.told["file"], "--lines", "1-8").answer()
    assert all(text in packet["excerpt"] for text in check.expect["contains"])
    assert packet["transforms"] == ["secrets_masked/1"]
    assert source_of(packet, raw) == raw
    assert packet["excerpt"].count("\n") == raw.count(b"\n")


@pytest.mark.parametrize("check", list_checks("find", "s0"))
def test_find(evidence: Evidence, check: Check) -> None:
    put_input(evidence, check)
    done = evidence("search", check.told["file"], check.told["needle"])
    assert all(check.told["needle"] not in packet["excerpt"] for packet in done.answer()["packets"])


@pytest.mark.parametrize("check", list_checks("mask", "s0"))
def test_mask(evidence: Evidence, check: Check) -> None:
    raw = put_input(evidence, check)
    packet = evidence("read", check.told["file"], "--lines", f"1-{raw.count(bytes([10]))}").answer()
    assert check.expect["text"] == "unchanged"
    assert (packet["excerpt"].encode(), packet["transforms"]) == (raw, [])


def test_what_is_stored_is_what_came(evidence: Evidence) -> None:
    check = list_checks("everything_we_emit", "s0")[0].values[0]
    raw = put_input(evidence, check)
    assert evidence("cat", "run.log").out == raw
    assert evidence("resources", "run.log").answer()["revisions"][0]["digest"] == f"sha256:{hashlib.sha256(raw).hexdigest()}"
    evidence("read", "run.log", "--quote", RUN_SECRETS["github"]).answer()
    evidence("read", "run.log", "--lines", "2-4").answer()
    assert evidence("verify", "--deep").answer()["ok"]


def test_who_may_see_them_is_shown_them(evidence: Evidence, monkeypatch: pytest.MonkeyPatch) -> None:
    check = list_checks("everything_we_emit", "s0")[0].values[0]
    raw = put_input(evidence, check)
    masked = evidence("read", "run.log", "--lines", "1-8").answer()
    monkeypatch.setenv("EVIDENCE_STORE_SECRETS", "show")
    shown = evidence("read", "run.log", "--lines", "1-8").answer()
    assert (shown["excerpt"].encode(), shown["transforms"]) == (raw, [])
    assert (shown["id"], shown["bytes"], shown["lines"]) == (masked["id"], masked["bytes"], masked["lines"])
    monkeypatch.setenv("EVIDENCE_STORE_SECRETS", "yes")
    assert evidence("read", "run.log", "--lines", "1-8").error(2)["known"] == ["mask", "show"]


DOCUMENT = {
    "names": {RUN_SECRETS["github"]: 1},
    "env": {"url": f"postgres://depot:{RUN_SECRETS['url_password']}@db/x"},
    "key": RUN_SECRETS["model"],
}


def test_a_document_is_masked_in_its_values_outlines_keys_and_differences(evidence: Evidence) -> None:
    path, secrets = evidence.folder.parent / "env.json", [RUN_SECRETS[one] for one in ("github", "url_password", "model")]
    for document in (DOCUMENT, {**DOCUMENT, "key": "s" + "k-" + "ANOTHER9" * 5, "names": {RUN_SECRETS["github"]: 2}}):
        path.write_text(json.dumps(document))
        evidence("put", path, "--resource", "env.json").answer()
    whole = evidence("read", "env.json@1", "--pointer", "").answer()
    pointer = f"/names/{RUN_SECRETS['github']}"
    for words in (
        ("read", "env.json", "--pointer", ""),
        ("read", "env.json", "--pointer", "", "--max-tokens", "30"),
        ("read", "env.json", "--pointer", "", "--children", "0-2"),
        ("read", "env.json", "--pointer", "/names", "--keys"),
        ("read", "env.json", "--pointer", "/names", "--keys", "--max-tokens", "10"),
        ("read", "env.json", "--pointer", pointer),
        ("read", "env.json", "--pointer", "/names/none"),
        ("read", "env.json", "--pointer", pointer + "/more"),
        ("diff", "env.json@1", "env.json@2"),
        ("locate", whole["id"], "--in", "env.json@2"),
        ("get", whole["id"], "--expand", "refs"),
        ("summary", "env.json"),
        ("search", "env.json", "sk-"),
    ):
        for done in (evidence(*words), evidence.bare(*words, "--store", evidence.folder)):
            require_none(done, [*secrets, "ANOTHER9" * 2])
    assert json.loads(json.dumps(whole["value"]))["key"] == "[masked api-key]"
    assert json.loads(whole["excerpt"]) == whole["value"]
    assert list(evidence("read", "env.json", "--pointer", "/names", "--keys").answer()["value"]) == ["[masked github-token]"]
