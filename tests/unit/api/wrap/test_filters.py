"""Filters as arguments: offered where a tool has none, taken out, and checked before it is called."""

import inspect

import pytest

from api.wrap import Filters, ResultBudget, Switches, ToolRules, WrapRules, offer, take_filters, with_filters
from api.wrap.filters import SCHEMAS, described, signature_with
from api.wrap.rules import FILTERS
from evidence_store.errors import InvalidInput, JsonValue

RULES = WrapRules(ResultBudget(128_000))
SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {"pod": {"type": "string"}, "grep": {"type": "string"}},
    "required": ["pod"],
}


def test_filters_are_offered_beside_the_arguments_of_a_tool_where_it_has_none() -> None:
    made = with_filters(RULES, "get_logs", SCHEMA)
    assert list(made["properties"]) == ["pod", "grep", "tail_n", "fields", "pointer"]  # type: ignore[arg-type]
    assert made["properties"]["grep"] == {"type": "string"}  # type: ignore[index, call-overload]
    assert made["required"] == ["pod"]
    assert list(SCHEMA["properties"]) == ["pod", "grep"]  # type: ignore[arg-type]


def test_each_tool_may_offer_its_own() -> None:
    rules = WrapRules(ResultBudget(128_000), tools={"get_logs": ToolRules(filters=("tail_n",)), "now": ToolRules(filters=())})
    assert list(with_filters(rules, "get_logs", SCHEMA)["properties"]) == ["pod", "grep", "tail_n"]  # type: ignore[arg-type]
    assert with_filters(rules, "now", SCHEMA) == SCHEMA


def test_filters_can_be_switched_off_alone() -> None:
    rules = WrapRules(ResultBudget(128_000), Switches(filters=False))
    assert with_filters(rules, "get_logs", SCHEMA) == SCHEMA


@pytest.mark.parametrize("member", ["parameters", "input_schema", "inputSchema"])
def test_definitions_of_every_form_are_extended(member: str) -> None:
    (made,) = offer(RULES, [{"name": "get_logs", member: SCHEMA}])
    assert "tail_n" in made[member]["properties"]  # type: ignore[operator, index, call-overload]
    (chat,) = offer(RULES, [{"type": "function", "function": {"name": "get_logs", member: SCHEMA}}])
    assert "tail_n" in chat["function"][member]["properties"]  # type: ignore[operator, index, call-overload]


def test_a_closing_step_has_no_tools_where_that_is_switched_on() -> None:
    tools: list[dict[str, JsonValue]] = [{"name": "get_logs", "parameters": SCHEMA}]
    assert offer(RULES, tools, closing=True) == ()
    off = WrapRules(ResultBudget(128_000), Switches(closing_step=False))
    assert len(offer(off, tools, closing=True)) == 1


def test_filters_are_taken_out_of_the_arguments() -> None:
    taken = take_filters({"pod": "a", "grep": "ERROR|WARN"}, FILTERS)
    assert (taken.filters, taken.arguments) == (Filters(grep="ERROR|WARN"), {"pod": "a"})


def test_an_argument_of_the_tool_is_left_to_it() -> None:
    taken = take_filters({"grep": "x"}, ("tail_n",))
    assert (bool(taken.filters), taken.arguments) == (False, {"grep": "x"})


@pytest.mark.parametrize("nothing", [None, "", [], ()])
def test_what_models_write_for_nothing_asks_for_nothing(nothing: object) -> None:
    assert not take_filters(dict.fromkeys(FILTERS, nothing), FILTERS).filters


@pytest.mark.parametrize(
    "arguments",
    [
        {"grep": 3},
        {"grep": "("},
        {"tail_n": 0},
        {"tail_n": "5"},
        {"tail_n": True},
        {"fields": "name"},
        {"fields": [1]},
        {"fields": [""]},
        {"pointer": "items"},
        {"fields": ["/a~2"]},
        {"grep": "x", "tail_n": 5},
        {"grep": "x", "pointer": "/a"},
    ],
)
def test_wrong_filters_are_refused_before_the_tool_is_called(arguments: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        take_filters(arguments, FILTERS)


def test_a_signature_gets_keyword_parameters() -> None:
    def tool(pod: str, *more: int, **rest: str) -> str:
        return ""

    made = signature_with(inspect.signature(tool), ("grep", "tail_n"))
    assert list(made.parameters) == ["pod", "more", "grep", "tail_n", "rest"]
    assert made.parameters["grep"].default is None


# -- in docstrings


GREP = str(SCHEMAS["grep"]["description"])


def google(pod: str) -> str:
    """Logs of a pod.

    Args:
        pod: Its name,
            in full.

    Returns:
        Lines.
    """
    return pod


def sphinx(pod: str) -> str:
    """Logs of a pod.

    :param pod: Its name.
    """
    return pod


def numpy(pod: str) -> str:
    """Logs of a pod.

    Parameters
    ----------
    pod
        Its name.

    Returns
    -------
    str
    """
    return pod


def short(pod: str) -> str:
    """Logs of a pod."""
    return pod


def silent(pod: str) -> str:
    return pod


def test_each_style_is_kept() -> None:
    assert described(google, ("grep",)) == (
        f"Logs of a pod.\n\nArgs:\n    pod: Its name,\n        in full.\n    grep: {GREP}\n\nReturns:\n    Lines."
    )
    assert described(sphinx, ("grep",)) == f"Logs of a pod.\n\n:param pod: Its name.\n:param grep: {GREP}"
    assert described(numpy, ("grep",)) == (
        f"Logs of a pod.\n\nParameters\n----------\npod\n    Its name.\ngrep\n    {GREP}\n\nReturns\n-------\nstr"
    )


def test_without_a_list_of_arguments_one_is_made() -> None:
    assert described(short, ("grep",)) == f"Logs of a pod.\n\nArgs:\n    grep: {GREP}"
    assert described(silent, ("grep",)) == f"Args:\n    grep: {GREP}"


def test_without_filters_nothing_is_said() -> None:
    assert described(short, ()) == "Logs of a pod."
    assert described(silent, ()) is None
