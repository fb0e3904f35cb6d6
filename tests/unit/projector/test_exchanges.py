"""Histories as groups: what is whole stays as it is, what is torn is closed, put in order or named."""

from projector.dialects.openai_chat import OpenAiChat
from projector.exchanges import NO_OUTPUT, Group, iter_groups
from projector.model import JsonObject
from tests.unit.projector.steps import calling, exchange, result, user

GO = user("go")


def groups(*messages: JsonObject, closing: bool = False) -> list[Group]:
    return list(reversed(list(iter_groups(messages, OpenAiChat(), closing=closing))))


def sent(*messages: JsonObject) -> list[JsonObject]:
    return [one for group in groups(*messages) for one in group.messages]


def test_a_whole_history_comes_out_as_it_was() -> None:
    history = (GO, *exchange("a", "b", "c"), {"role": "assistant", "content": "done"}, user("thanks"))
    assert sent(*history) == list(history)
    assert [one.kind for one in groups(*history)] == ["user", "exchange", "assistant", "user"]


def test_results_in_another_order_stay_in_it() -> None:
    history = (GO, calling("a", "b"), result("b"), result("a"))
    assert sent(*history) == list(history)


def test_opaque_members_stay() -> None:
    turn = calling("a", reasoning_content="opaque", signature="c2ln")
    assert sent(GO, turn, result("a"))[1] == turn


def test_an_unanswered_call_at_the_end_is_open() -> None:
    last = groups(GO, calling("a", "b"), result("a"))[-1]
    assert (last.open_calls, last.messages) == (("b",), (calling("a", "b"), result("a")))


def test_an_unanswered_call_in_the_middle_is_closed_with_a_result_that_says_so() -> None:
    found = groups(GO, calling("a", "b", "c"), result("c", "third"), result("a", "first"), user("and?"))[1]
    assert [one.get("tool_call_id") for one in found.messages[1:]] == ["a", "b", "c"]
    assert "[error no_result]" in str(found.messages[2]["content"])
    assert found.note == "closed without a result: b"


def test_a_closing_step_has_no_open_calls() -> None:
    last = groups(GO, calling("a"), closing=True)[-1]
    assert (last.open_calls, len(last.messages)) == ((), 2)


def test_a_result_without_a_call_is_named_and_not_sent() -> None:
    found = groups(GO, result("x"), *exchange("a"))
    assert [(one.kind, one.messages, one.note) for one in found if one.kind == "unusable"] == [("unusable", (), "result without a call: x")]
    assert sent(GO, result("x"), *exchange("a")) == [GO, *exchange("a")]


def test_a_result_behind_a_user_turn_goes_back_to_its_call() -> None:
    assert sent(GO, calling("a"), user("also info"), result("a"), user("x")) == [GO, *exchange("a"), user("also info"), user("x")]


def test_a_result_before_its_call_goes_behind_it() -> None:
    assert sent(GO, result("a"), calling("a"), {"role": "assistant", "content": "done"})[:3] == [GO, *exchange("a")]


def test_calls_that_share_an_id_are_named_and_not_sent() -> None:
    same_turn = groups(GO, calling("x", "x"), result("x", "first"), result("x", "second"))
    assert same_turn[-1].kind == "unusable"
    assert "x" in same_turn[-1].note
    across = groups(GO, *exchange("x", text="first"), *exchange("x", text="second"))
    assert [one.kind for one in across] == ["user", "unusable", "exchange"]


def test_empty_texts_are_left_out_or_said() -> None:
    history = (GO, calling("a", text=""), result("a", " \n"), {"role": "assistant", "content": "\u200b"}, user("go on"))
    assert sent(*history) == [GO, calling("a"), result("a", NO_OUTPUT), user("go on")]


def test_system_messages_are_no_dialogue() -> None:
    assert sent({"role": "system", "content": "rules"}, GO) == [GO]
