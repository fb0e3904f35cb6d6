"""`metrics`: of each series its number of points, least, mean, greatest and last, as exact decimals."""

import re
from typing import Final

from evidence_store.model import Format
from evidence_store.summaries.model import Material, Subject, Summarizer, not_of_kind
from evidence_store.summaries.numbers import Extreme, Statistics, decimal_of
from evidence_store.summaries.series import Series, find_series
from evidence_store.summaries.wording import MAX_TEXT_CHARS, counted, line_text, section

KIND: Final = "metrics"
MAX_SHOWN: Final = 30
_QUERY_HEAD: Final = re.compile(rb'"(?:resultType|pointlist|datapoints|MetricDataResults|Datapoints)"\s*:')
_EXPOSITION_HEAD: Final = re.compile(rb"^# (?:TYPE|HELP|UNIT) [a-zA-Z_:]", re.MULTILINE)
_TIME_COLUMN: Final = re.compile(rb'(?i)"?(?:time|timestamp|ts|date|datetime)"?[,;\t|]')


def summarize(material: Material) -> str:
    """Raises InvalidInput (`no_summary`) where there is no series."""
    found = find_series(material)
    if not found.has_points:
        raise not_of_kind(KIND, "it holds no series of numbers" + (" in its beginning" if found.is_cut else ""))
    lines = [_line(series) for series in found.series[:MAX_SHOWN]]
    n_points = sum(len(series.points) for series in found.series)
    more = ", more of it was not looked at" if found.is_cut else ""
    head = f"{KIND}: {len(found.series)} series, {counted(n_points, 'point')}{more}\n"
    return head + section("series (@N is point N at that place, 0-based, or line N):", lines, MAX_SHOWN, len(found.series))


def _line(series: Series) -> str:
    statistics = Statistics()
    for index, spelling in series.points:
        value = decimal_of(spelling)
        if value is not None:
            statistics.add(value, spelling, index)
    others = len(series.points) - statistics.n
    head = f"{line_text(series.name, MAX_TEXT_CHARS)} at {series.where}: n {len(series.points)}"
    odd = f", {others} not finite" if others else ""
    if not statistics.n:
        return head + odd
    least, greatest, last = statistics.least, statistics.greatest, statistics.last
    assert least is not None and greatest is not None and last is not None, "they are there with the first value"
    if statistics.n == 1:
        return f"{head}, value {last.spelling}{odd}"
    return f"{head}, min {_at(least)}, mean {statistics.mean()}, max {_at(greatest)}, last {_at(last)}{odd}"


def _at(one: Extreme) -> str:
    return f"{one.spelling} @{one.place}"


def applies(subject: Subject) -> bool:
    """What looks like the answer of a metrics store, the text of an exporter, or a table by time."""
    match subject.format:
        case Format.JSON | Format.YAML:
            return _QUERY_HEAD.search(subject.head) is not None
        case Format.TEXT:
            return _EXPOSITION_HEAD.search(subject.head) is not None
        case Format.CSV:
            return _TIME_COLUMN.match(subject.head.removeprefix(b"\xef\xbb\xbf").lstrip()) is not None
        case Format.JSONL | Format.JUNIT | Format.BYTES:
            return False


METRICS: Final = Summarizer(KIND, summarize, applies, streamed=frozenset((Format.TEXT,)))
