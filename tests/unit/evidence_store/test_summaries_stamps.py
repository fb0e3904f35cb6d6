"""Which time of a line is its stamp, and that a log's `times` are stamps and nothing else."""

import pytest

from evidence_store.model import Format
from evidence_store.summaries.stamps import stamp_of
from tests.unit.evidence_store.summary_outputs import summary

AT = "2026-01-01T10:00:00Z"


@pytest.mark.parametrize(
    "line",
    [
        "{} ready",
        "  {} ready",
        "[{}] ready",
        "\x1b[32m{}\x1b[0m ready",
        '"{}","ready"',
        "INFO {} ready",
        "[INFO] {} ready",
        "info: {} ready",
        "E {} ready",
        "[INFO] [main] [{}] ready",
        "[pod/web-1/nginx] {} ready",
        "web-1  | {} ready",
        "web-1  | [{}] ready",
        "    x_test.go:12: {} ready",
        "{} stderr F ready",
        "stderr F {} ready",
        "stdout: {} ready",
        "<34>1 {} host app - - - ready",
        "[task {}] 10:00:00 INFO ready",
        "[taskcluster:warn {}] ready",
    ],
)
def test_a_stamp_stands_at_the_start_behind_what_is_usual_there(line: str) -> None:
    assert stamp_of(line.format(AT)) == ("start", AT)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ('{{"level": "info", "ts": "{}", "msg": "ready"}}', "record"),
        ('{{"Time":"{}","Action":"run"}}', "record"),
        ('time="{}" level=info msg=ready', "pair"),
        ('level=info msg="it is ready" ts={}', "pair"),
    ],
)
def test_a_record_has_it_in_a_member(line: str, kind: str) -> None:
    assert stamp_of(line.format(AT)) == (kind, AT)


@pytest.mark.parametrize(
    "line",
    [
        "ready",
        "[INFO] Finished at: {}",
        "Certificate expired on {}",
        "expires: {}",
        "error: no certificate until {}",
        "Build info: version: '3.1.0', time: '{}'",
        "GET /orders?since={} 200",
        'ready until={}',
        '{{"expires": "{}"}}',
        '{{"msg": "valid from {}"}}',
        '{{"msg": "{{\\"time\\": \\"{}\\"}}"}}',
        '  "start": "{}",',
        "id-{}",
        "a b c | {}",
    ],
)  # fmt: skip
def test_a_time_of_which_a_message_speaks_is_no_stamp(line: str) -> None:
    assert stamp_of(line.format(AT)) is None


def times_of(*lines: str) -> list[str]:
    return [line for line in summary("log", "\n".join(lines) + "\n", Format.TEXT).split("\n") if line.startswith("times")]


def test_the_times_of_a_log_are_of_its_stamps() -> None:
    log = (
        "certificate valid from 1999-01-01 00:00:00",
        "INFO 2026-01-01 10:00:00 start",
        "2026-01-01 10:00:09 ERROR expired on 2024-08-03 17:00:08",
        "ExpiredCertException: expired on 2024-08-03 17:00:08",
    )
    assert times_of(*log) == ["times: 2026-01-01 10:00:00 (line 2) to 2026-01-01 10:00:09 (line 3)"]


def test_the_times_of_a_log_are_of_one_kind() -> None:
    """A record that a line holds has a time of its own; where all lines are records, it is the stamp."""
    record = '{"time": "1999-01-01T00:00:00Z"}'
    assert times_of(record, "2026-01-01 10:00:00 a", record, "2026-01-01 10:00:01 b", record) == [
        "times: 2026-01-01 10:00:00 (line 2) to 2026-01-01 10:00:01 (line 4)"
    ]
    assert times_of(record, record) == ["times: 1999-01-01T00:00:00Z (line 1) to 1999-01-01T00:00:00Z (line 2)"]


def test_a_log_without_stamps_has_no_times() -> None:
    assert times_of("expired on 2024-08-03 17:00:08", "expires: 2024-08-03 17:00:08") == []


def test_a_hostile_line_is_looked_at_in_no_time() -> None:
    assert stamp_of("[a" * 100 + AT) is None
    assert stamp_of("a.b" * 70 + " " + AT) is None
    assert stamp_of("- | " * 50 + AT) is None
    assert stamp_of("a=b " * 50 + AT) is None
