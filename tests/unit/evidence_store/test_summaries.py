"""Summaries: their wording, exact numbers, the registry, and what holds for every kind."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence_store.diff_lines import diff_lines
from evidence_store.documents.detect import detect, inspect
from evidence_store.documents.resolve import resolve
from evidence_store.errors import InvalidInput, NotFound
from evidence_store.model import Format, ResourceName
from evidence_store.summaries.model import Material, Subject, Summarizer, not_of_kind
from evidence_store.summaries.noise import noise_of
from evidence_store.summaries.numbers import Statistics, decimal_of
from evidence_store.summaries.registry import Registry
from evidence_store.summaries.standard import standard_registry
from evidence_store.summaries.times import moment_of
from evidence_store.summaries.wording import line_text, listed, name, pointer, quoted, section
from tests.docs.pages import code_block, read_page

KINDS = standard_registry().kinds


def material(raw: bytes, format: Format) -> Material:
    return Material(raw, format, inspect(raw, detect(raw, format=format)).notes)


def subject(head: bytes = b"", format: Format = Format.TEXT, tool: str | None = None, resource: str = "a.log") -> Subject:
    return Subject(ResourceName(resource), "text/plain; charset=utf-8", format, len(head), head, tool)


def said(kind: str) -> Summarizer:
    return Summarizer(kind, lambda material: f"{kind}: x\n")


# -- words


def test_names_values_and_lines_stay_on_one_line() -> None:
    assert [name("a.b/c"), name("a b"), name("größe"), name("")] == ["a.b/c", '"a b"', "größe", '""']
    assert quoted('say "x"\n\u202e\U000e0041') == '"say \\"x\\"\\n\\u202e\\udb40\\udc41"'
    assert line_text("  \x1b[31mred\x1b[0m\u2028end  ") == "red\\u2028end"
    assert name("x" * 100) == '"' + "x" * 60 + '…"'


def test_a_pointer_is_readable_or_a_json_string() -> None:
    assert [pointer(("a/b", "0")), pointer(()), pointer(("a b",)), pointer(("\u202e",))] == ["/a~1b/0", '""', '"/a b"', '"/\\u202e"']


def test_a_section_says_how_many_are_left_out() -> None:
    assert section("t:", ["a", "b", "c"], 2) == "t:\n- a\n- b\n- and 1 more\n"
    assert section("t:", ["a"], 1, 9) == "t:\n- a\n- and 8 more\n"
    assert section("t:", [], 2) == ""
    assert [listed(["a", "b", "c"], 2), listed(["a"], 2)] == ["a, b and 1 more", "a"]


# -- numbers and times


def test_numbers_are_decimals_and_what_is_none_is_told() -> None:
    assert decimal_of("1e2") == Decimal(100)
    assert decimal_of("0.1") == Decimal("0.1")
    assert [decimal_of(text) for text in ("NaN", "0x1F", "1e99999", "", "१", "9" * 101)] == [None] * 6


def test_a_mean_is_exact_or_says_that_it_is_rounded() -> None:
    assert mean("0.1", "0.2", "0.3") == "0.2"
    assert mean("1", "2") == "1.5"
    assert mean("1", "1", "2") == "~1.33333333333"
    assert mean("1e9999", "1") == "~5E+9998"
    assert mean("100", "300") == "200"
    assert mean("0", "-0.0") == "0"


def mean(*spellings: str) -> str:
    statistics = Statistics()
    for at, spelling in enumerate(spellings):
        value = decimal_of(spelling)
        assert value is not None
        statistics.add(value, spelling, at)
    return statistics.mean()


def test_extremes_keep_spelling_and_first_place() -> None:
    statistics = Statistics()
    for at, spelling in enumerate(("2.50", "1e0", "2.5", "1")):
        statistics.add(Decimal(spelling), spelling, at)
    assert statistics.least is not None
    assert statistics.greatest is not None
    assert statistics.last is not None
    assert (statistics.least.spelling, statistics.least.place) == ("1e0", 1)
    assert (statistics.greatest.spelling, statistics.greatest.place, statistics.last.spelling) == ("2.50", 0, "1")


def test_times_are_put_in_order_across_offsets() -> None:
    assert moment_of("2026-01-01T01:00:00+01:00") == moment_of("2026-01-01T00:00:00Z") == moment_of("2026-01-01")
    early, late = moment_of("2026-01-01T00:00:00.0000000001Z"), moment_of("2026-01-01T00:00:00.0000000002Z")
    assert early is not None
    assert late is not None
    assert early < late
    assert [moment_of(text) for text in ("2026-13-01", "yesterday", "12:00:00", "2026-01-01T25:00:00Z")] == [None] * 4


# -- noise

PIECES = st.sampled_from(
    ["2026-01-01T10:00:00Z", "2026-01-01 10:00:01,5", "10:00:00.123", "12 ms", "3s", "0xdeadbeef", "0x12", "pid 42", "PID=77", "42", "4.2",
     "done", "größe", " ", "1s2"]
)  # fmt: skip
LINES = st.lists(st.lists(PIECES, max_size=5).map(" ".join), min_size=1, max_size=5)


@given(LINES, st.lists(PIECES, max_size=5).map(" ".join))
def test_lines_are_folded_by_the_noise_rules_of_diff(lines: list[str], other: str) -> None:
    """Red on the day the rules part: then this is another version of `log`."""
    old, new = lines[0], other
    # Each side of a diff knows the process ids that stand in it; so does each of these.
    folded_alike = noise_of([old])(old) == noise_of([new])(new)
    compared = diff_lines(f"{old}\n".encode(), f"{new}\n".encode())
    assert (compared.pairs == ()) is folded_alike


def test_a_process_id_is_noise_only_where_some_line_names_it() -> None:
    fold = noise_of(["started pid 4242", "x"])
    assert fold("4242 said 17") == "\0process\0 said 17"
    assert fold("14242 and 4242.5") == "14242 and 4242.5"


# -- the registry


def test_a_rule_needs_every_pattern_that_it_has() -> None:
    registry = Registry()
    registry.register(said("by-tool"), tool="deploy_*", resource="*.log")
    assert [one.kind for one in registry.candidates(subject(tool="deploy_all"))] == ["by-tool"]
    assert registry.candidates(subject(tool="other")) == ()
    assert registry.candidates(subject()) == ()
    assert registry.candidates(subject(tool="deploy_all", resource="a.json")) == ()


def test_the_latest_rule_comes_first_and_each_kind_once() -> None:
    registry = Registry((said("old"),))
    registry.register(said("mine"), media_type="text/*")
    registry.register(said("later"), resource="*")
    assert [one.kind for one in registry.candidates(subject())] == ["later", "mine", "old"]


def test_another_text_under_a_known_transform_is_refused() -> None:
    registry = standard_registry()
    with pytest.raises(InvalidInput, match="another kind or version") as why:
        registry.register(said("log"))
    assert why.value.error_code == "bad_kind"
    newer = Summarizer("log", lambda material: "log: x\n", version=2)
    registry.register(newer, tool="x")
    assert registry.get_kind("log") == newer
    assert registry.get_transform("summary/log/1") != newer, "what is stored is replayed as it was made"


@pytest.mark.parametrize("kind", ["", "Log", "a b", "a/1", "9a"])
def test_a_bad_name_of_a_kind_is_refused(kind: str) -> None:
    with pytest.raises(InvalidInput, match="no kind"):
        Registry().register(said(kind))


def test_unknown_kinds_are_answered_with_those_that_are_known() -> None:
    with pytest.raises(InvalidInput) as why:
        standard_registry().get_kind("logs")
    assert (why.value.error_code, why.value.details["known"]) == ("unknown_kind", list(KINDS))
    with pytest.raises(NotFound):
        standard_registry().get_transform("summary/mine/1")


def test_the_example_of_the_documentation_works() -> None:
    names: dict[str, object] = {}
    exec(compile(code_block(read_page("formats/summaries.md"), "python"), "summaries.md", "exec"), names)
    deployments = names["deployments"]
    assert callable(deployments)
    assert deployments(material(b"x\nDEPLOY a\n", Format.TEXT)) == "deployments: 1, the last on line 2\n"
    with pytest.raises(InvalidInput, match="no deployments summary"):
        deployments(material(b"x\n", Format.TEXT))


def test_every_kind_has_its_place_on_the_format_page() -> None:
    page = read_page("formats/summaries.md")
    assert [kind for kind in KINDS if f"| `{kind}` |" not in page] == []


# -- what holds for every kind

NAMES = st.text(max_size=6) | st.sampled_from(["name", "status", "values", "State", "restartCount"])
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["2026-01-01", "1.5", "\x1b[31m", "\u202e"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=25,
)


def check_text(text: str, kind: str) -> None:
    assert text.startswith(f"{kind}: ")
    assert text.endswith("\n")
    for line in text.split("\n")[1:-1]:
        assert line.startswith("- ") or line.endswith(":") or line.split(":")[0] in ("levels", "times", "first error", "last error")
    assert not any(char in text for char in "\r\x1b\u2028\u202e\0")


def find_text(kind: str, made: Material) -> str | None:
    """None for an output that is not of the kind; every other error is a fault."""
    try:
        return standard_registry().get_kind(kind).summarize(made)
    except InvalidInput as why:
        if why.error_code != "no_summary":
            raise
        return None


@given(DOCUMENTS)
def test_any_document_has_the_same_bounded_text_each_time(value: object) -> None:
    raw = json.dumps(value).encode()
    for kind in KINDS:
        text = find_text(kind, material(raw, Format.JSON))
        assert text == find_text(kind, material(raw, Format.JSON))
        assert text is not None or kind != "json-shape"
        check_text(text or f"{kind}: \n", kind)


@given(st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
def test_any_text_has_a_log_summary_with_lines_of_ours_only(raw: bytes) -> None:
    for kind in ("log", "inspection", "metrics", "tests"):
        text = find_text(kind, material(raw, Format.TEXT))
        assert text is not None or kind != "log"
        check_text(text or f"{kind}: \n", kind)


@given(DOCUMENTS)
def test_the_pointers_of_a_shape_lead_somewhere(value: object) -> None:
    made = material(json.dumps({"a": value}).encode(), Format.JSON)
    text = standard_registry().get_kind("json-shape").summarize(made)
    for line in text.split("\n"):
        _, found, place = line.partition("; first ")
        if found:
            assert resolve(made.document, json.loads(place) if place.startswith('"') else place).is_container


def test_an_output_of_another_kind_is_said_to_be_none() -> None:
    error = not_of_kind("x", "why")
    assert (error.error_code, error.message) == ("no_summary", "no x summary: why")
    for kind in KINDS:
        with pytest.raises(InvalidInput, match=f"no {kind} summary"):
            standard_registry().get_kind(kind).summarize(material(b"\x89PNG\0", Format.BYTES))
