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


DRAWN = b"x\n10%\r20% " + SECRET + b"\r\x1b[K30%\rdone\r\ny\n"


@pytest.mark.parametrize(
    ("options", "excerpt"),
    [((), "20% [masked github-token]\r\n"), (("--context", "1"), "x\n20% [masked github-token]\r\ny\n"), (("--max-tokens", "3"), "20% ")],
    ids=["alone", "with lines round it", "cut"],
)
def test_the_frame_of_a_hit_is_shown(evidence: Evidence, tmp_path: Path, options: tuple[str, ...], excerpt: str) -> None:
    put(evidence, tmp_path, DRAWN)
    (packet,) = evidence("search", "run.log", "20%", *options).answer()["packets"]
    n_others = len(b"10%\r\r\x1b[K30%\rdone")
    assert packet["excerpt"].startswith(excerpt.strip(" "))
    assert f"hit_frame/1={n_others}" in packet["transforms"]
    assert packet["lines"] == ([1, 3] if "--context" in options else [2, 2])


def test_a_hit_in_the_frame_that_stood_there_last_is_shown_as_ever(evidence: Evidence, tmp_path: Path) -> None:
    put(evidence, tmp_path, DRAWN)
    (packet,) = evidence("search", "run.log", "done").answer()["packets"]
    assert packet["excerpt"] == "done\r\n"
    assert packet["transforms"][-1].startswith("frames_left_out/1=")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_hit_over_two_frames_shows_both(evidence: Evidence, tmp_path: Path, encoding: str) -> None:
    put(evidence, tmp_path, "x\n1%\rab\rcd\rend\n".encode(encoding))
    (packet,) = evidence("search", "run.log", "b.c", "--regex").answer()["packets"]
    assert "ab\ncd" in packet["excerpt"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_lines_that_end_with_cr_alone_are_all_shown(evidence: Evidence, tmp_path: Path, encoding: str) -> None:
    put(evidence, tmp_path, "one\rtwo\rthree\r".encode(encoding))
    packet = evidence("read", "run.log", "--lines", "1").answer()
    assert (packet["excerpt"], packet["lines"]) == ("one\ntwo\nthree\n", [1, 1])
    assert "cr_line_ends/1" in packet["transforms"]
    (hit,) = evidence("search", "run.log", "two").answer()["packets"]
    assert "two\n" in hit["excerpt"]
    cut = evidence("read", "run.log", "--lines", "1", "--max-tokens", "4").answer()
    rest = evidence("read", "run.log", *cut["next"].split()).answer()
    assert cut["next"].startswith("--bytes")
    assert cut["excerpt"] + rest["excerpt"] == packet["excerpt"]


def test_a_document_with_cr_as_line_ends_is_shown_whole(evidence: Evidence, tmp_path: Path) -> None:
    put(evidence, tmp_path, b'{\r"a": 1,\r"b": 2\r}', "a.json")
    assert evidence("read", "a.json", "--pointer", "").answer()["excerpt"] == '{\n"a": 1,\n"b": 2\n}'


def test_a_metrics_summary_names_a_series_without_a_point(evidence: Evidence, tmp_path: Path) -> None:
    series = '{"metric":{"__name__":"load","host":"%s"},"values":%s}'
    matrix = ",".join(series % one for one in (("a", '[[1,"2"]]'), ("b", "[]"), ("c", "[[1,null]]")))
    put(evidence, tmp_path, f'{{"data":{{"resultType":"matrix","result":[{matrix}]}}}}'.encode(), "load.json")
    excerpt = evidence("summary", "load.json").answer()["excerpt"]
    assert excerpt.startswith("metrics: 3 series, 1 point\n")
    assert 'load{host="b"} at /data/result/1/values: n 0\n' in excerpt
    assert 'load{host="c"} at /data/result/2/values: n 0\n' in excerpt


def test_the_cases_that_are_named_can_be_asked_for(evidence: Evidence, tmp_path: Path) -> None:
    case = '<testcase classname="k" name="t"/>'
    suites = f'<testsuites><testsuite name="s">{case * 2}</testsuite><testsuite name="s">{case}</testsuite></testsuites>'
    put(evidence, tmp_path, suites.encode(), "junit.xml")
    known = evidence("read", "junit.xml", "--case", "nope").error(3)["known"]
    places = [tuple(evidence("read", "junit.xml", "--case", one).answer()["bytes"]) for one in known]
    assert len(set(places)) == len(places) == 3


def test_a_diff_of_utf_16_texts_is_by_their_lines(evidence: Evidence, tmp_path: Path) -> None:
    whole = "\ufeff上a\nok\nab\n".encode("utf-16le")
    put(evidence, tmp_path, whole)
    put(evidence, tmp_path, whole.replace(b"o", b"x") + b"x")
    pairs = evidence("diff", "run.log@1", "run.log@2").answer()["pairs"]
    assert [(one["change"], one["old"] and one["old"]["lines"], one["new"]["lines"]) for one in pairs] == [
        ("changed", [2, 2], [2, 2]),
        ("added", None, [4, 4]),
    ]
