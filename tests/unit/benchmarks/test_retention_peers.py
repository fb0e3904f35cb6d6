"""How the driver and a peer's process speak, with an adapter that needs no package."""

import io
import json
from typing import Any

import pytest

from benchmarks.retention.peer_worker import Message, serve
from benchmarks.retention.peers import PEERS, REQUIREMENTS


class Growing:
    """Everything that came; fails when it is told to."""

    def __init__(self) -> None:
        self.tools: list[Message] = [{"type": "function"}]
        self.summary_tokens = 0
        self._messages: list[Message] = []

    def start(self, system: Message) -> None:
        self._messages = [system]

    def take(self, new: list[Message]) -> None:
        self._messages += new

    def make(self) -> Any:
        self.summary_tokens += 7
        if self._messages[-1]["content"] == "fail":
            raise RuntimeError("too long")
        return self._messages

    def plain(self, made: Any) -> list[Message]:
        return list(made)

    def grep(self, key: str) -> str:
        return key


def said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *asked: Message) -> list[Message]:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(json.dumps(one) + "\n" for one in asked)))
    serve(Growing())
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_message_is_sent_once_and_named_by_its_number_afterwards(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    system, first, second = ({"role": "user", "content": text} for text in ("s", "a", "b"))
    tools, one, two, found = said(monkeypatch, capsys, {"start": system}, {"next": [first]}, {"next": [second]}, {"grep": "key"})
    assert tools == {"tools": [{"type": "function"}]}
    assert (one["parts"], two["parts"]) == ([system, first], [0, 1, second])
    assert (one["summary_tokens"], one["failure"], found) == (7, "", {"text": "key"})


def test_what_a_package_raises_is_its_answer(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    start, fail = {"start": {"role": "user", "content": "s"}}, {"next": [{"role": "user", "content": "fail"}]}
    _, answer = said(monkeypatch, capsys, start, fail)
    assert (answer["parts"], answer["failure"]) == ([], "RuntimeError: too long")


def test_each_peer_has_pinned_requirements_without_an_index() -> None:
    for package in {peer.package for peer in PEERS}:
        lines = (REQUIREMENTS / f"{package}.txt").read_text(encoding="utf-8").splitlines()
        pins = [line for line in lines if not line.startswith("#")]
        assert all(line.count("==") == 1 and "://" not in line and not line.startswith("-") for line in pins)
