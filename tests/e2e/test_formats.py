"""Every format through the command line, in this process: put, read by its own selectors, get again, verify."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from api.cli import main

EVENTS = b'{"Action":"run","Test":"TestA"}\n\n{"Action":"fail","Test":"TestB","Elapsed":1.10}\n'
REPORT = b"""<testsuites><testsuite name="api"><testcase name="ok"/><testcase name="twice"/><testcase name="twice"/>
<testcase name="late"><failure message="4 &lt; 5">trace</failure></testcase></testsuite></testsuites>
"""

Answer: TypeAlias = dict[str, Any]
Command: TypeAlias = Callable[..., Answer]


@pytest.fixture
def run(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Command:
    """Runs a command with `--json` and gives its answer; for another exit code than 0 the error object."""

    def command(*words: str, exits: int = 0) -> Answer:
        code = main([*words, "--store", str(tmp_path / "store"), "--json"])
        out, err = capfdbinary.readouterr()
        assert code == exits, err
        answer: Answer = json.loads(err if exits else out)
        return answer

    command("init")
    return command


@pytest.fixture
def put(run: Command, tmp_path: Path) -> Command:
    def command(name: str, raw: bytes, *options: str, exits: int = 0) -> Answer:
        (tmp_path / name).write_bytes(raw)
        return run("put", str(tmp_path / name), "--resource", name, *options, exits=exits)

    return command


def again(run: Command, packet: Answer) -> Answer:
    """The same evidence by its id: it says the same and its bytes are sound."""
    got = run("get", packet["id"])
    assert got["integrity"] == "ok"
    assert {name: got[name] for name in packet} == packet
    return got


def test_records_of_json_lines_are_read_by_index(run: Command, put: Command) -> None:
    assert put("events.jsonl", EVENTS)["format"] == "jsonl"
    packet = again(run, run("read", "events.jsonl", "--pointer", "/1/Elapsed"))
    assert (packet["excerpt"], packet["lines"]) == ("1.10", [3, 3])
    assert again(run, run("read", "events.jsonl", "--lines", "3-3"))["excerpt"].startswith('{"Action":"fail"')
    assert run("read", "events.jsonl", "--pointer", "/2", exits=3)["code"] == "not_found"
    assert len(run("read", "events.jsonl", "--pointer", "", "--children", "0-9")["outline"]["children"]) == 2
    assert run("get", packet["id"], "--expand", "parent")["pointer"] == "/1"
    refused = put("bad.jsonl", b'{"a":1}\n{"a":}\n', exits=2)
    assert (refused["line"], refused["column"]) == (2, 6)


def test_a_record_that_moved_is_located_by_what_it_holds(run: Command, put: Command) -> None:
    put("events.jsonl", EVENTS)
    packet = run("read", "events.jsonl", "--pointer", "/1")
    put("events.jsonl", b'{"Action":"start"}\n' + EVENTS)
    found = run("locate", packet["id"], "--in", "events.jsonl@2")
    assert (found["verdict"], found["packet"]["pointer"]) == ("moved", "/2")
    assert run("diff", "events.jsonl@1", "events.jsonl@2")["noise"] == {}


def test_test_cases_are_read_by_name_and_counted(run: Command, put: Command) -> None:
    assert put("report.xml", REPORT)["counts"] == {"tests": 4, "failures": 1, "errors": 0, "skipped": 0}
    assert run("resources", "report.xml")["revisions"][0]["counts"]["failures"] == 1
    packet = again(run, run("read", "report.xml", "--case", "api/late"))
    assert packet["excerpt"] == '<testcase name="late"><failure message="4 &lt; 5">trace</failure></testcase>'
    assert packet["value"]["failure"] == {"message": "4 < 5", "text": "trace"}
    start, end = packet["bytes"]
    assert REPORT[start:end].decode() == packet["excerpt"]
    assert len(run("read", "report.xml", "--case", "api/twice", exits=2)["places"]) == 2
    assert run("read", "report.xml", "--case", "api/twice#2")["bytes"] == run("read", "report.xml", "--pointer", "/api/twice#2")["bytes"]
    assert run("read", "report.xml", "--case", "api/none", exits=3)["known"][0] == "api/late"
    assert run("read", "report.xml", "--case", "api/late", "--lines", "1-1", exits=2)["code"] == "wrong_use"
    assert "DOCTYPE" in put("bomb.xml", b"<!DOCTYPE t>\n<testsuite/>", exits=2)["message"]


def test_another_format_has_no_test_cases(run: Command, put: Command) -> None:
    put("run.log", b"FAILED\n")
    put("a.json", b"{}")
    assert run("read", "run.log", "--case", "a/b", exits=3)["code"] == "no_structure"
    assert run("read", "a.json", "--case", "a/b", exits=3)["code"] == "no_structure"


@pytest.mark.parametrize(
    ("name", "raw", "format", "selector"),
    [
        ("go.log", b'{"Action":"run","Package":"p","Test":"T"}\n{"Action":"fail","Package":"p","Test":"T"}\n', "jsonl", ("--case", "p/T")),
        ("junit.out", REPORT, "junit", ("--case", "api/late")),
        ("api.txt", b"openapi: 3.0.0\npaths: {/a: {get: {}}}\n", "yaml", ("--operation", "get /a")),
        ("api.md", b'{"a": 1}', "json", ("--pointer", "/a")),
    ],
)
def test_a_text_that_looks_like_a_document_says_how_it_is_read_as_one(
    run: Command, put: Command, tmp_path: Path, name: str, raw: bytes, format: str, selector: tuple[str, str]
) -> None:
    put(name, raw)
    error = run("read", name, *selector, exits=3)
    assert (error["code"], error["format"], error["known"]) == ("no_structure", "text", [format])
    assert f"--format {format}" in error["message"]
    assert put(name, raw, "--format", format, exits=2)["code"] == "format_differs", "hence another name"
    run("put", str(tmp_path / name), "--resource", f"again/{name}", "--format", format)
    assert run("read", f"again/{name}", *selector)["format"] == format


@pytest.mark.parametrize(
    ("name", "raw"),
    [("run.log", b"[INFO] no document\n"), ("run.csv", b"a,b\n1,2\n"), ("run.bin", b"\x89PNG\0"), ("none.log", b""), ("torn", b'{"a": \n')],
)
def test_what_looks_like_no_document_is_told_which_there_are(run: Command, put: Command, name: str, raw: bytes) -> None:
    stored = put(name, raw)
    error = run("read", name, "--case", "a/b", exits=3)
    assert (error["code"], error["format"]) == ("no_structure", stored["format"])
    assert error["known"] == ["json", "jsonl", "yaml", "junit"]
    assert "--format" in error["message"]


def test_a_row_of_csv_is_read_by_its_lines(run: Command, put: Command) -> None:
    notes = {note["code"] for note in put("rows.csv", b'a;b\n1;"x\ny"\n')["notes"]}
    assert notes == {"table", "long_rows"}
    assert again(run, run("read", "rows.csv", "--lines", "2-3"))["excerpt"] == '1;"x\ny"\n'


@pytest.mark.parametrize(
    ("encoding", "options", "transform"),
    [
        ("utf-16", (), "decoded/1=utf-16le"),
        ("utf-16be", ("--media-type", "text/plain; charset=utf-16be"), "decoded/1=utf-16be"),
        ("gb18030", ("--media-type", "text/plain; charset=GBK"), "decoded/1=gb18030"),
        ("gb18030", (), "decoded/1=gb18030"),
    ],
)
def test_text_in_other_encodings_is_read_searched_and_quoted(
    run: Command, put: Command, encoding: str, options: tuple[str, ...], transform: str
) -> None:
    lines = ["测试开始，上海订单服务", "FAILED “库存” 超时", "", "结束"]
    raw = "\n".join(lines).encode(encoding)
    assert "encoding" in {note["code"] for note in put("run.log", raw, *options)["notes"]}
    for number in (1, 2, 4):
        packet = again(run, run("read", "run.log", "--lines", f"{number}-{number}"))
        assert packet["excerpt"].removesuffix("\n") == lines[number - 1]
        assert packet["transforms"] == [transform]
        assert packet["lines"] == [number, number]
    (hit,) = run("search", "run.log", "库存.*超时", "--regex")["packets"]
    start, end = hit["match"]
    assert raw[start:end].decode(transform.partition("=")[2]) == "库存” 超时"
    quote = again(run, run("read", "run.log", "--quote", 'FAILED "库存"'))
    assert (quote["excerpt"], quote["transforms"]) == ("FAILED “库存”", [transform, "quote_folded/1=quotes"])
    assert (quote["lines"], quote["column"]) == ([2, 2], 0)
    assert run("verify", "--deep")["ok"] is True


def test_quotes_are_exact_folded_ambiguous_or_refused(run: Command, put: Command) -> None:
    put("page.txt", "The depot’s gate – built 1997.\nup to 30 kg, up to 30 kg\n".encode())
    assert again(run, run("read", "page.txt", "--quote", "gate – built"))["transforms"] == []
    folded = again(run, run("read", "page.txt", "--quote", "depot's gate - built"))
    assert (folded["excerpt"], folded["transforms"]) == ("depot’s gate – built", ["quote_folded/1=quotes,dashes"])
    assert again(run, run("read", "page.txt", "--quote", "built 199"))["transforms"] == ["quote_in_word/1"]
    assert len(run("read", "page.txt", "--quote", "up to 30 kg", exits=2)["places"]) == 2
    assert run("read", "page.txt", "--quote", "a", exits=2)["code"] == "quote_too_short"
    assert run("read", "page.txt", "--quote", "gate was built", exits=3)["code"] == "not_found"
    assert run("verify", "--deep")["ok"] is True


def test_a_quote_within_a_node_is_looked_for_there_alone(run: Command, put: Command) -> None:
    put("a.json", '{"a": "the “north” gate, north", "b": "the “north” gate"}'.encode())
    found = again(run, run("read", "a.json", "--quote", 'the "north" gate', "--pointer", "/b"))
    assert (found["excerpt"], found["bytes"][0] > 40) == ("the “north” gate", True)
    error = run("read", "a.json", "--quote", "north", "--pointer", "/a", exits=2)
    raw = '{"a": "the “north” gate, north", "b": "the “north” gate"}'.encode()
    assert [raw[start:end] for start, end in error["places"]] == [b"north", b"north"]


def test_json_in_yaml_is_read_as_it_is_in_json(run: Command, put: Command) -> None:
    raw = b'{"mood": "\\ud83d\\ude00 ok", "k\\ud83d\\ude00": [1, 2]}\n'
    for name in ("a.json", "a.yaml"):
        put(name, raw)
    for pointer in ("/mood", "/k\U0001f600/1"):
        json_packet, yaml_packet = (again(run, run("read", name, "--pointer", pointer)) for name in ("a.json", "a.yaml"))
        assert (yaml_packet["bytes"], yaml_packet["value"]) == (json_packet["bytes"], json_packet["value"])
    assert len(run("search", "a.yaml", "\U0001f600 ok")["packets"]) == 1
    assert json.loads(run("read", "a.yaml", "--pointer", "", "--keys")["excerpt"]) == ["mood", "k\U0001f600"]
    refused = put("half.yaml", b'a: "\\ud83d"\n', exits=2)
    assert (refused["code"], refused["line"], refused["column"]) == ("lone_surrogate", 1, 5)


DEEP = b"a: " + b"[" * 600 + b"1" + b"]" * 600 + b"\n"
DEEP_REPORT = b"<testsuites>" + b"<testsuite name='s'>" * 600 + b"<testcase name='t'/>" + b"</testsuite>" * 600 + b"</testsuites>"
ALIASES = b"a: &a [" + b"1, " * 1200 + b"1]\nb: [" + b"*a, " * 999 + b"*a]\n"
MERGES = b"m0: &m0 {k: 1}\n" + b"".join(b"m%d: &m%d {<<: *m%d}\n" % (n, n, n - 1) for n in range(1, 41))


@pytest.mark.parametrize(
    ("name", "raw", "variable", "pointer"),
    [
        ("deep.yaml", DEEP, "MAX_DEPTH", "/a" + "/0" * 600),
        ("deep.xml", DEEP_REPORT, "MAX_DEPTH", "/" + "~1".join("s" * 600) + "/t"),
        ("aliases.yaml", ALIASES, "MAX_ALIAS_NODES", "/b/999/1199"),
        ("merges.yaml", MERGES, "MAX_MERGE_DEPTH", "/m40/k"),
    ],
)
def test_a_stored_document_is_opened_under_the_bounds_that_are_set(
    run: Command, put: Command, monkeypatch: pytest.MonkeyPatch, name: str, raw: bytes, variable: str, pointer: str
) -> None:
    refused = put(name, raw, exits=2)
    assert refused["code"] == "limit_exceeded"
    monkeypatch.setenv(f"EVIDENCE_STORE_{variable}", "2000000")
    put(name, raw)
    packet = again(run, run("read", name, "--pointer", pointer))
    assert run("summary", name, "--kind", "json-shape")["transforms"] == ["summary/json-shape/1"]
    assert run("verify", "--deep")["ok"] is True
    monkeypatch.delenv(f"EVIDENCE_STORE_{variable}")
    for words in (("read", name, "--pointer", pointer), ("get", packet["id"])):
        assert run(*words, exits=2)["limit"] == refused["limit"]
    assert run("read", name, "--lines", "1-1")["revision"] == 1
