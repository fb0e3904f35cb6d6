"""How a wrapper is opened: by name or for a while, with a window or with rules, and what is wrong with other words."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from api.adapters import History, Results, open_wrapper
from api.wrap import ResultBudget, ToolRules, ToolWrapper, Treatment, WrapRules, wrap
from evidence_store.errors import InvalidInput
from tests.integration.wrapping import logs


def get_logs(pod: str) -> str:
    return logs(3_000)


def test_a_wrapper_works_by_name_and_closes_its_store(tmp_path: Path) -> None:
    wrapper = open_wrapper(tmp_path / "store", window=8_000)
    assert isinstance(wrapper, ToolWrapper)
    assert wrapper.call("get_logs", get_logs, {"pod": "api"}).treatment is Treatment.OFFLOADED
    wrapper.close()
    wrapper.close()


def test_a_wrapper_is_open_for_a_while(tmp_path: Path) -> None:
    async def ask() -> str:
        async with open_wrapper(tmp_path / "store", window=8_000) as wrapper:
            return wrap(wrapper, get_logs)("api")  # type: ignore[no-any-return]

    assert asyncio.run(ask()).startswith("[offloaded get_logs: ")
    with open_wrapper(str(tmp_path / "store"), window=8_000) as wrapper:
        assert "get_logs?pod=api" in wrapper.answer("list_resources", {}).text


def test_rules_stand_in_place_of_the_window(tmp_path: Path) -> None:
    rules = WrapRules(ResultBudget(8_000), tools={"get_logs": ToolRules(tokens=100_000)})
    with open_wrapper(tmp_path / "store", rules=rules) as wrapper:
        assert wrapper.call("get_logs", get_logs, {"pod": "api"}).treatment is Treatment.UNCHANGED


@pytest.mark.parametrize("given", [{}, {"window": "200k"}, {"window": 2.5e5}, {"window": True}, {"window": -1}, {"window": 5}])
def test_what_is_no_window_is_refused_in_words(tmp_path: Path, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=r"window|tokens") as why:
        open_wrapper(tmp_path / "store", **given)
    assert why.value.error_code == "wrong_use"


@pytest.mark.parametrize("cap", [-1, 0, 100])
def test_a_cap_that_holds_no_step_is_refused(tmp_path: Path, cap: int) -> None:
    with open_wrapper(tmp_path / "store", window=8_000) as wrapper:
        with pytest.raises(InvalidInput, match="does not hold the results of one step, which may have 2400"):
            History(Results(wrapper), cap)
        History(Results(wrapper), 2_400)


def test_a_partial_function_has_the_name_of_what_it_calls(tmp_path: Path) -> None:
    with open_wrapper(tmp_path / "store", window=8_000) as wrapper:
        assert wrap(wrapper, partial(partial(get_logs), pod="api"))().startswith("[offloaded get_logs: ")
