"""What each kind says of small outputs, to the letter where the text is the point."""

import pytest

from evidence_store.errors import InvalidInput, LimitExceeded
from evidence_store.model import Format
from evidence_store.summaries import series, shape, tables
from evidence_store.summaries.model import Material
from tests.unit.evidence_store.summary_outputs import chosen, summary

# -- log

LOG = (
    "2026-01-01T10:00:00Z INFO start pid 4242\n"
    "\n"
    "2026-01-01T10:00:01Z ERROR db 4242 gone after 12 ms\n"
    "2026-01-01T10:00:02Z WARN slow\n"
    "2026-01-01T10:00:03Z ERROR db 4242 gone after 15 ms\n"
    "\x1b[31m2026-01-01T10:00:04Z [error] last\x1b[0m\r\n"
    "plain\n"
)


def test_a_log_tells_levels_errors_and_what_repeats() -> None:
    assert summary("log", LOG, Format.TEXT) == (
        f"log: 7 lines (1 blank), {len(LOG)} bytes\n"
        "levels: error 3, warning 1, info 1, none 1\n"
        "times: 2026-01-01T10:00:00Z (line 1) to 2026-01-01T10:00:04Z (line 6)\n"
        "first error: line 3: 2026-01-01T10:00:01Z ERROR db 4242 gone after 12 ms\n"
        "last error: line 6: 2026-01-01T10:00:04Z [error] last\n"
        "errors, 3 lines, 2 different:\n"
        "- ×2, lines 3 to 5: 2026-01-01T10:00:01Z ERROR db 4242 gone after 12 ms\n"
        "- line 6: 2026-01-01T10:00:04Z [error] last\n"
        "repeated but for times, durations, addresses and process ids, 2 lines, 1 different:\n"
        "- ×2, lines 3 to 5: 2026-01-01T10:00:01Z ERROR db 4242 gone after 12 ms\n"
    )


def test_a_line_drawn_over_is_what_stood_there_last() -> None:
    text = summary("log", "10%\r20%\rerror: disk full\r\n", Format.TEXT)
    assert text.startswith("log: 1 line (0 blank)")
    assert "first error: line 1: error: disk full\n" in text


def test_a_log_without_a_line_and_one_in_another_encoding() -> None:
    assert summary("log", b"", Format.TEXT) == "log: 0 lines (0 blank), 0 bytes\nlevels: none named\n"
    wide = "\ufeffERROR größe\nnext 上\n".encode("utf-16-le")
    assert "first error: line 1: ERROR größe\n" in summary("log", wide, Format.TEXT)
    assert summary("log", wide, Format.TEXT).startswith("log: 2 lines")


# -- json-shape


def test_a_shape_merges_what_stands_at_one_place() -> None:
    assert summary("json-shape", '{"items": [{"id": 1, "tag": "a"}, {"id": 2}, {"id": null}], "n": []}', Format.JSON) == (
        "json-shape: object, 68 bytes, 10 nodes, depth 3\n"
        "places ([] any item, {} any member):\n"
        '- "" 1 object of 2 keys: items array, n array\n'
        "- /items 1 array of 3 items: 3 object\n"
        "- /n 1 array of 0 items\n"
        "- /items/[] 3 objects of 1-2 keys: id ×2 number|×1 null, tag ×1 string; first /items/0\n"
    )


def test_an_object_with_many_members_is_a_map() -> None:
    members = ",".join(f'"/p{n}": {{"get": {n}}}' for n in range(31))
    text = summary("json-shape", f"{{{members}}}", Format.JSON)
    assert '- "" 1 object of 31 keys, 31 different: 31 object\n' in text
    assert "- /{} 31 objects of 1 key: get number; first /~1p0\n" in text


def test_a_shape_of_yaml_and_of_a_scalar() -> None:
    assert summary("json-shape", "a: &x {b: 1}\nc: *x\n", Format.YAML).startswith("json-shape: object, 19 bytes, 5 nodes, depth 2\n")
    assert summary("json-shape", "5", Format.JSON) == "json-shape: number, 1 byte, 1 node, depth 0\n"


def test_where_the_bound_is_met_the_top_is_still_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shape, "MAX_NODES", 50)
    text = summary("json-shape", '{"a": [' + ",".join("[1]" for _ in range(40)) + "]}", Format.JSON)
    assert "more than 50 nodes, deeper than 2: what is below is left out\n" in text
    assert "- /a 1 array of 40 items: 40 array\n" in text


# -- records

RECORDS = (
    '{"items": [{"s": "ok", "n": 10, "at": "2026-01-01T00:00:00Z", "m": {"x": true}},'
    '{"s": "bad", "n": 2.50, "at": "2025-12-31T23:00:00-05:00"}, {"s": "ok", "n": 1e1, "at": "2026-01-01"}]}'
)


def test_records_tell_presence_extremes_and_sets() -> None:
    assert summary("records", RECORDS, Format.JSON) == (
        "records: 3 records at /items, 5 fields\n"
        "fields (@N is record N, at /items/N):\n"
        '- /s string: "ok" ×2 @0, "bad" ×1 @1\n'
        "- /n number: 2.50 @1 to 10 @0\n"
        "- /at string: 2026-01-01T00:00:00Z @0 to 2025-12-31T23:00:00-05:00 @1\n"
        "- /m object in 1 of 3 (first /items/0/m)\n"
        '- /m/x boolean in 1 of 3 (first /items/0/m/x): "true" ×1 @0\n'
    )


def test_large_numbers_and_long_fractions_keep_every_digit() -> None:
    text = summary("records", '[{"n": 9007199254740993}, {"n": 9007199254740992.5}]', Format.JSON)
    assert "- /n number: 9007199254740992.5 @1 to 9007199254740993 @0\n" in text


def test_records_of_csv_are_named_by_their_lines() -> None:
    assert summary("records", 'id,name\n\n1,"a\nb"\n7,c\n', Format.CSV) == (
        'records: 2 records in CSV, 2 fields\nfields (@N is line N):\n- id string: 1 @3 to 7 @5\n- name string: "a\\nb" ×1 @3, "c" ×1 @5\n'
    )


def test_many_values_are_told_by_their_number_and_one_of_them() -> None:
    raw = "\n".join(f'{{"name": "n{n}"}}' for n in range(20))
    assert '- /name string: 20 different, such as "n0" @0\n' in summary("records", raw, Format.JSONL)


def test_a_small_set_of_numbers_is_listed_behind_its_range() -> None:
    raw = "".join(f'{{"code": {code}}}\n' for code in (0, 0, 137))
    assert "- /code number: 0 @0 to 137 @2 (0 ×2, 137 ×1)\n" in summary("records", raw, Format.JSONL)


def test_a_column_of_numbers_with_other_values_still_has_a_range() -> None:
    cells = [str(n) for n in range(20)]
    raw = "id,load\n" + "".join(f"{n},{cell}\n" for n, cell in enumerate([*cells[:10], "N/A", *cells[10:], "N/A"]))
    assert '- load string: 0 @2 to 19 @22 in 20; 2 no numbers such as "N/A" @12\n' in summary("records", raw, Format.CSV)


def test_an_empty_cell_is_a_field_that_the_record_does_not_have() -> None:
    assert "- load string in 2 of 3 (first line 2): 1.5 @2 to 3 @4\n" in summary("records", "id,load\na,1.5\nb,\nc,3\n", Format.CSV)


# -- metrics


def test_series_of_a_query_are_exact() -> None:
    raw = (
        '{"data":{"resultType":"matrix","result":[{"metric":{"__name__":"load","host":"a b"},"values":[[1,"0.1"],[2,"0.2"],[3,"0.3"]]},'
        '{"metric":{"__name__":"up"},"values":[[1,"NaN"],[2,"1"]]}]}}'
    )
    assert chosen(raw, "q.json")[0] == "metrics"
    assert summary("metrics", raw, Format.JSON) == (
        "metrics: 2 series, 5 points\n"
        "series (@N is point N at that place, 0-based, or line N):\n"
        '- load{host="a b"} at /data/result/0/values: n 3, min 0.1 @0, mean 0.2, max 0.3 @2, last 0.3 @2\n'
        "- up at /data/result/1/values: n 2, value 1, 1 not finite\n"
    )


FORMS = (
    ('{"result":[{"metric":{"job":"a"},"value":[1700000000.5,"7"]}]}', Format.JSON, '{job="a"} at /result/0/value: n 1, value 7'),
    (
        '{"series":[{"metric":"x","pointlist":[[1,0.5],[2,null],[3,1e1]]}]}',
        Format.JSON,
        "x at /series/0/pointlist: n 2, min 0.5 @0, mean 5.25, max 1e1 @2, last 1e1 @2",
    ),
    (
        '[{"target":"x","datapoints":[[5,1700000000],[7,1700000060]]}]',
        Format.JSON,
        "x at /0/datapoints: n 2, min 5 @0, mean 6, max 7 @1, last 7 @1",
    ),
    (
        '{"Label":"cpu","Timestamps":[1,2],"Values":[1.25,2.50]}',
        Format.JSON,
        "cpu at /Values: n 2, min 1.25 @0, mean 1.875, max 2.50 @1, last 2.50 @1",
    ),
    (
        '{"t":1,"cpu":0.1}\n{"t":2,"cpu":0.30}\n',
        Format.JSONL,
        "/cpu at /0/cpu: n 2, min 0.1 @0, mean 0.2, max 0.30 @1, last 0.30 @1",
    ),
    (
        '{"name":"a","value":1}\n{"name":"b","value":5}\n{"name":"a","value":3}\n',
        Format.JSONL,
        "a at /0/value: n 2, min 1 @0, mean 2, max 3 @2, last 3 @2",
    ),
    ("time,cpu\n2026-01-01,3\n2026-01-02,1\n", Format.CSV, "cpu at line 2: n 2, min 1 @3, mean 2, max 3 @2, last 1 @3"),
    (
        '# TYPE x counter\nx{a="}"} 10 1700\ny 2\nx{a="}"} 20\n',
        Format.TEXT,
        'x{a="}"} at line 2: n 2, min 10 @2, mean 15, max 20 @4, last 20 @4',
    ),
)


@pytest.mark.parametrize(("raw", "format", "line"), FORMS)
def test_series_are_found_in_the_usual_forms(raw: str, format: Format, line: str) -> None:
    assert f"- {line}\n" in summary("metrics", raw, format)


def test_points_of_a_series_are_no_series_of_their_own() -> None:
    assert summary("metrics", '{"pointlist":[[1,0.5],[2,1.5]]}', Format.JSON).startswith("metrics: 1 series, 2 points\n")


# -- choosing


@pytest.mark.parametrize(
    ("raw", "name", "kinds"),
    [
        (LOG, "a.log", ["log"]),
        ('[{"a": 1}]', "a.json", ["records", "json-shape"]),
        ('{"a": 1}', "a.json", ["json-shape"]),
        ('{"total": 2, "next": "x\\"y", "items": [{"a": 1}]}', "a.json", ["records", "json-shape"]),
        ('{"info": {}, "items": [{"a": 1}]}', "a.json", ["json-shape"]),
        ('{"openapi": "3.0.0", "servers": [{"url": "/"}]}', "a.json", ["json-shape"]),
        ('{"a": 1}\n', "a.jsonl", ["records", "json-shape"]),
        ("time,a\n1,2\n", "a.csv", ["metrics", "records"]),
        ("id,a\n1,2\n", "a.csv", ["records"]),
        (b"\x89PNG\r\n", "a.png", []),
    ],
)
def test_kinds_are_tried_in_this_order(raw: bytes | str, name: str, kinds: list[str]) -> None:
    assert chosen(raw, name) == kinds


# -- bounds


def test_too_many_lines_are_not_held_at_once() -> None:
    with pytest.raises(LimitExceeded) as why:
        Material(b"\n" * 1_000_001, Format.TEXT).lines  # noqa: B018 (a property that raises)
    assert why.value.details["limit"] == 1_000_000


def test_samples_past_the_bound_are_looked_at_before_they_are_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series, "MAX_POINTS", 3)
    assert summary("metrics", "a 1\n" * 5, Format.TEXT).startswith("metrics: 1 series, 3 points, more of it was not looked at\n")
    with pytest.raises(InvalidInput, match="no metrics summary: it holds no series of numbers in its beginning"):
        summary("metrics", "no sample at all\n" * 9 + "a 1\n" * 5, Format.TEXT)


def test_points_past_the_bound_are_said_to_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series, "MAX_POINTS", 10)
    raw = '{"a": [1, 2, 3], "b": [1, 2, 3, 4, 5, 6, 7, 8]}'
    assert summary("metrics", raw, Format.JSON).startswith("metrics: 1 series, 3 points, more of it was not looked at\n")


def test_records_past_the_bound_are_said_to_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_NODES", 10)
    raw = "".join(f'{{"a": {n}}}\n' for n in range(20))
    assert summary("records", raw, Format.JSONL).startswith('records: 20 records at "", the first 5 looked at, 1 field\n')
