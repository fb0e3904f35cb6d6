"""Summaries of what runs and of what was tested: inspections and test reports."""

import json

import pytest

from evidence_store.errors import InvalidInput
from evidence_store.model import Format
from evidence_store.summaries import go_events, inspection_lines
from tests.unit.evidence_store.summary_outputs import chosen, summary

# -- inspection

POD = (
    '{"kind":"Pod","metadata":{"name":"web","namespace":"shop"},'
    '"spec":{"containers":[{"name":"c","resources":{"limits":{"memory":"128Mi"}}}]},'
    '"status":{"phase":"Running","conditions":[{"type":"Ready","status":"False","reason":"NotReady"},{"type":"DiskPressure","status":"False"}],'
    '"containerStatuses":[{"name":"c","ready":false,"restartCount":14,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}}'
)
POD_TEXT = (
    "inspection: 1 thing\n"
    "things:\n"
    '- Pod shop/web at ""\n'
    "state, 5, 3 to look at first:\n"
    '- /status/conditions/0 condition Ready is False ("NotReady")\n'
    "- /status/containerStatuses/0/ready false (c)\n"
    '- /status/containerStatuses/0/state/waiting/reason "CrashLoopBackOff" (c)\n'
    '- /status/phase "Running"\n'
    "- /status/conditions/1 condition DiskPressure is False\n"
    "restarts, 1:\n"
    "- /status/containerStatuses/0/restartCount 14 (c)\n"
    "limits, 1:\n"
    '- /spec/containers/0/resources/limits/memory "128Mi" (c)\n'
)


def test_an_inspection_says_first_what_is_in_trouble() -> None:
    assert chosen(POD, "pod.json")[0] == "inspection"
    assert summary("inspection", POD, Format.JSON) == POD_TEXT


def test_the_same_in_yaml_says_the_same() -> None:
    assert summary("inspection", "# a comment\n" + POD + "\n", Format.YAML) == POD_TEXT


def test_a_container_of_docker() -> None:
    state = '{"Status":"exited","OOMKilled":true,"ExitCode":137}'
    raw = f'[{{"Id":"a1","Name":"/db","State":{state},"RestartCount":0,"HostConfig":{{"Memory":134217728}}}}]'
    text = summary("inspection", raw, Format.JSON)
    assert "- container /db at /0\n" in text
    assert 'state, 3:\n- /0/State/Status "exited" (/db)\n- /0/State/OOMKilled true (/db)\n- /0/State/ExitCode 137 (/db)\n' in text
    assert "limits, 1:\n- /0/HostConfig/Memory 134217728 (/db)\n" in text


DESCRIBE = """Name:         web-1
Namespace:    shop
Status:       Running
Containers:
  web:
    State:          Waiting
      Reason:       CrashLoopBackOff
    Restart Count:  14
    Limits:
      memory:  128Mi
Conditions:
  Type              Status
  Initialized       True
  Ready             False
Events:
  Type     Reason   Age   From     Message
  Normal   Pulled   4m    kubelet  Image present
  Warning  BackOff  2m    kubelet  Back-off restarting
"""


def test_a_description_is_read_by_its_lines() -> None:
    assert chosen(DESCRIBE, "d.txt")[0] == "inspection"
    assert summary("inspection", DESCRIBE, Format.TEXT) == (
        "inspection: 1 thing\nthings:\n- web-1 at line 1\n"
        "state, 5, 3 to look at first:\n"
        "- line 6 (web-1 web): State: Waiting\n"
        "- line 7 (web-1 web): State/Reason: CrashLoopBackOff\n"
        "- line 14 (web-1): condition Ready is False\n"
        "- line 3 (web-1): Status: Running\n"
        "- line 13 (web-1): condition Initialized is True\n"
        "restarts, 1:\n- line 8 (web-1 web): Restart Count: 14\n"
        "limits, 1:\n- line 10 (web-1 web): Limits/memory: 128Mi\n"
        "events, 2, 1 to look at first:\n"
        "- line 18 (web-1): Warning  BackOff  2m    kubelet  Back-off restarting\n"
        "- line 17 (web-1): Normal   Pulled   4m    kubelet  Image present\n"
    )


def test_what_is_said_of_several_things_names_each() -> None:
    second = DESCRIBE.replace("web-1", "web-2").replace("Restart Count:  14", "Restart Count:  0")
    text = summary("inspection", f"{DESCRIBE}\n\n{second}".replace("\n", "\r\n"), Format.TEXT)
    assert text.startswith("inspection: 2 things\nthings:\n- web-1 at line 1\n- web-2 at line 21\n")
    assert "restarts, 2, 1 to look at first:\n- line 8 (web-1 web): Restart Count: 14\n- line 28 (web-2 web): Restart Count: 0\n" in text
    listed = summary("inspection", f'{{"kind":"List","items":[{POD},{POD.replace("web", "api")}]}}', Format.JSON)
    assert "- /items/1/status/containerStatuses/0/ready false (shop/api c)\n" in listed
    assert '- /items/0/status/conditions/0 condition Ready is False ("NotReady") (shop/web)\n' in listed


def test_what_is_done_need_not_be_ready() -> None:
    pod = (
        '{"kind":"Pod","metadata":{"name":"job"},"status":{"phase":"Succeeded",'
        '"conditions":[{"type":"Ready","status":"False","reason":"PodCompleted"}],'
        '"containerStatuses":[{"name":"c","ready":false,"restartCount":0,"state":{"terminated":{"exitCode":0,"reason":"Completed"}}}]}}'
    )
    assert "state, 5:\n" in summary("inspection", pod, Format.JSON)
    failed = summary("inspection", pod.replace('"exitCode":0', '"exitCode":1'), Format.JSON)
    assert "state, 5, 2 to look at first:\n- /status/containerStatuses/0/ready false (c)\n" in failed
    table = "NAME   READY   STATUS      RESTARTS   AGE\njob    0/1     Completed   0          1h\n"
    assert "state, 2:\n- line 2 (job): READY 0/1\n" in summary("inspection", table, Format.TEXT)


def test_lines_past_the_bound_are_said_to_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspection_lines, "MAX_LINES", 3)
    assert summary("inspection", DESCRIBE, Format.TEXT).startswith("inspection: 1 thing, more of it was not looked at\n")


def test_a_table_of_deployments() -> None:
    raw = "NAME   READY   UP-TO-DATE   AVAILABLE   AGE\nweb    1/3     3            1           1h\n"
    assert chosen(raw, "get.txt")[0] == "inspection"
    assert "state, 1:\n- line 2 (web): READY 1/3\n" in summary("inspection", raw, Format.TEXT)


def test_a_table_of_pods() -> None:
    raw = (
        "NAME    READY   STATUS             RESTARTS      AGE\n"
        "web-1   0/1     CrashLoopBackOff   14 (2m ago)   1h\n"
        "db-0    1/1     Running            0             3d\n"
    )
    assert chosen(raw, "get.txt")[0] == "inspection"
    text = summary("inspection", raw, Format.TEXT)
    assert "state, 4, 2 to look at first:\n- line 2 (web-1): READY 0/1\n- line 2 (web-1): STATUS CrashLoopBackOff\n" in text
    assert "restarts, 2, 1 to look at first:\n- line 2 (web-1): RESTARTS 14 (2m ago)\n" in text


# -- tests

JUNIT = (
    '<testsuites><testsuite name="s"><testcase name="good" classname="c"/>'
    '<testcase name="bad" classname="c"><failure message="1 is not 2&#10;more">trace</failure></testcase>'
    '<testcase name="odd"><skipped/></testcase></testsuite>'
    '<testsuite name="t/u"><testcase name="x"><error>\nboom\n</error></testcase></testsuite></testsuites>'
)


def test_a_report_tells_what_failed_first() -> None:
    assert chosen(JUNIT, "r.xml") == ["tests", "json-shape"]
    assert summary("tests", JUNIT, Format.JUNIT) == (
        "tests: 4 tests, 1 failed, 1 in error, 1 skipped, 1 passed in 2 suites\n"
        "failed:\n"
        "- failure /s/bad: 1 is not 2\n"
        "- error /t~1u/x: boom\n"
        "skipped:\n"
        "- /s/odd\n"
        "suites:\n"
        "- /s 3 tests, 1 failed, 0 in error, 1 skipped, 1 passed\n"
        "- /t~1u 1 test, 0 failed, 1 in error, 0 skipped, 0 passed\n"
    )


GO = (
    '{"Action":"run","Package":"p","Test":"TestA"}\n'
    '{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\\n"}\n'
    '{"Action":"output","Package":"p","Test":"TestA","Output":"hello\\n"}\n'
    '{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:11: no \\u001b[31mred\\n"}\n'
    '{"Action":"fail","Package":"p","Test":"TestA"}\n'
    '{"Action":"run","Package":"p","Test":"TestB"}\n'
    '{"Action":"fail","Package":"p"}\n'
)


def test_events_of_go_test_tell_what_failed_and_what_never_ended() -> None:
    assert chosen(GO, "t.jsonl")[0] == "tests"
    assert summary("tests", GO, Format.JSONL) == (
        "tests: 2 tests, 1 failed, 0 skipped, 0 passed, 1 unfinished, in 1 package, 1 of them failed (7 events)\n"
        "failed:\n- p TestA ended at /4, wrote at /3: a_test.go:11: no red\n"
        "unfinished:\n- p TestB began at /5\n"
        "failed packages:\n- p ended at /6\n"
    )


def test_the_same_events_kept_as_text_are_named_by_their_lines() -> None:
    text = summary("tests", GO + "exit status 1\n", Format.TEXT)
    assert "(7 events; 1 other line passed over)\n" in text
    assert "- p TestA ended at line 5, wrote at line 4: a_test.go:11: no red\n" in text


def test_lines_that_are_no_events_are_no_report() -> None:
    with pytest.raises(InvalidInput, match="no tests summary"):
        summary("tests", '{"a": 1}\n{"b": 2}\n', Format.JSONL)


def events(*found: tuple[str, str, str, str]) -> str:
    """Action, package, test, output."""
    names = ("Action", "Package", "Test", "Output")
    return "".join(json.dumps({name: text for name, text in zip(names, one, strict=True) if text}) + "\n" for one in found)


def test_a_panic_after_a_test_that_passed_is_told_of_its_package() -> None:
    raw = events(("run", "p", "T", ""), ("output", "p", "T", "panic: test timed out\n"), ("pass", "p", "T", ""), ("fail", "p", "", ""))
    text = summary("tests", raw, Format.JSONL)
    assert text.startswith("tests: 1 test, 0 failed, 0 skipped, 1 passed, 0 unfinished, in 1 package, 1 of them failed (4 events)\n")
    assert "failed packages:\n- p ended at /3, wrote at /1: panic: test timed out\n" in text


def test_a_package_that_does_not_build_tells_what_the_compiler_said() -> None:
    raw = (
        '{"ImportPath":"p [p.test]","Action":"build-output","Output":"# p [p.test]\\n"}\n'
        '{"ImportPath":"p [p.test]","Action":"build-output","Output":"a_test.go:3:2: undefined: x\\n"}\n'
        '{"ImportPath":"p [p.test]","Action":"build-fail"}\n'
        '{"Action":"fail","Package":"p","FailedBuild":"p [p.test]"}\n'
    )
    assert chosen(raw, "t.out")[0] == "tests"
    text = summary("tests", raw, Format.TEXT)
    assert text.startswith("tests: 0 tests, 0 failed, 0 skipped, 0 passed, 0 unfinished, in 1 package, 1 of them failed (4 events)\n")
    assert "- p ended at line 4, wrote at line 2: a_test.go:3:2: undefined: x\n" in text


def test_a_test_in_which_another_failed_comes_behind_it() -> None:
    raw = events(*(("fail", "p", test, "") for test in ("A", "A/b", "A/b/c", "B")))
    assert "failed:\n- p A/b/c ended at /2\n- p B ended at /3\n- p A ended at /0\n- p A/b ended at /1\n" in summary(
        "tests", raw, Format.JSONL
    )


def test_a_test_that_failed_and_passed_in_a_later_run_is_told() -> None:
    raw = events(("run", "p", "T", ""), ("fail", "p", "T", ""), ("run", "p", "T", ""), ("pass", "p", "T", ""))
    text = summary("tests", raw, Format.JSONL)
    assert text.startswith("tests: 1 test, 0 failed, 0 skipped, 1 passed, 0 unfinished, in 1 package, 0 of them failed (4 events)\n")
    assert text.endswith("failed, and passed in a later run:\n- p T failed at /1, passed at /3\n")


@pytest.mark.parametrize("name", ["t.out", "t.log", "t.txt"])
def test_events_behind_other_lines_are_found_in_any_text(name: str) -> None:
    raw = "go: downloading x v1\n+ go test -json ./...\n" + GO
    assert chosen(raw, name)[0] == "tests"
    assert "(7 events; 2 other lines passed over)\n" in summary("tests", raw, Format.TEXT)


def test_more_tests_than_are_told_apart_are_said_to_be_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(go_events, "MAX_TESTS", 3)
    raw = events(*(("pass", "p", f"T{n}", "") for n in range(5)))
    text = summary("tests", raw, Format.JSONL)
    assert text.startswith("tests: 3 tests, 0 failed, 0 skipped, 3 passed, 0 unfinished, in 1 package, 0 of them failed (5 events;")
    assert "; the first 3 tests and packages told apart)\n" in text
