"""Texts as the command shows them: cut anywhere, drawn over, with other line ends."""

from pathlib import Path

import pytest

from tests.e2e.command import Evidence

SECRET = b"ghp_" + b"0123456789abcdefghij0123456789abcdef"


def put(evidence: Evidence, folder: Path, raw: bytes, name: str = "run.log") -> None:
    evidence("init")
    (folder / "in").write_bytes(raw)
    evidence("put", folder / "in", "--resource", name).answer()


STUBBORN = {
    "not UTF-8": b"a\x80\x80\xff\xfe\xf0\x9f\n\xff",
    "a secret": b"at " + SECRET + b" end\n",
    "secrets": (SECRET + b"\n") * 2,
    "torn UTF-16": "\ufeff\U0001f600ok\n".encode("utf-16le") + b"\xff",
    "wide characters": "\U0001f600\u4e2d\n".encode(),
    "escape sequences": b"\x1b[31mred\x1b[0m\n",
}


@pytest.mark.parametrize("n_tokens", [1, 2, 3, 5])
@pytest.mark.parametrize("raw", STUBBORN.values(), ids=STUBBORN)
def test_following_next_comes_to_the_end_with_any_limit(evidence: Evidence, tmp_path: Path, raw: bytes, n_tokens: int) -> None:
    put(evidence, tmp_path, raw)
    asked, seen = "--bytes 0-100", list[str]()
    while asked:
        assert asked not in seen
        seen.append(asked)
        packet = evidence("read", "run.log", *asked.split(), "--max-tokens", str(n_tokens)).answer()
        assert packet["cut"] is None or packet["cut"]["shown"][1] > packet["cut"]["shown"][0]
        assert SECRET[4:12].decode() not in packet["excerpt"]
        asked = packet["next"]
    assert packet["bytes"][1] == len(raw)


def test_a_summary_that_is_cut_says_of_how_much_and_how_to_see_it_all(evidence: Evidence, tmp_path: Path) -> None:
    put(evidence, tmp_path, b"".join(b"ERROR %d of it went wrong\n" % n for n in range(100)))
    packet = evidence("summary", "run.log", "--max-tokens", "20").answer()
    option, n_tokens = packet["next"].split()
    whole = evidence("summary", "run.log", option, n_tokens).answer()
    assert (option, whole["cut"], whole["id"]) == ("--max-tokens", None, packet["id"])
    assert packet["cut"]["whole"] == [0, len(whole["excerpt"].encode())]
    said = evidence.bare("summary", "run.log", "--max-tokens", "20", "--store", evidence.folder).out.decode()
    assert f"cut: bytes 0-{packet['cut']['shown'][1]} of 0-{packet['cut']['whole'][1]}, next" in said
