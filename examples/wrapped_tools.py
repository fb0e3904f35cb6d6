"""Tools of your own with large outputs: stored whole, a packet for the model, and filters that it may ask for.

    python examples/wrapped_tools.py

No framework and no model: the calls below are those that a model would make.
"""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from api.settings import Settings
from api.wiring import open_services
from api.wrap import ResultBudget, ToolRules, ToolWrapper, WrapRules, wrap


def get_logs(pod: str) -> Iterator[str]:
    """The log of a pod, as it comes."""
    for n in range(20_000):
        yield f"2026-11-30T10:{n // 60 % 60:02}:{n % 60:02} INFO {pod} request {n} took {n * 7 % 90} ms\n"
    yield f"2026-11-30T10:59:59 ERROR {pod} upstream timed out after 30000 ms\n"


def get_pods() -> dict[str, list[dict[str, str]]]:
    """All pods."""
    return {"items": [{"name": f"api-{n}", "phase": "Failed" if n == 42 else "Running", "node": f"node-{n % 7}"} for n in range(900)]}


def main(folder: Path) -> None:
    rules = WrapRules(ResultBudget(window=32_768), tools={"get_pods": ToolRules(shown_tokens=500)})
    with open_services(Settings(folder), create=True) as services:
        wrapper = ToolWrapper(services, rules)
        logs, pods = wrap(wrapper, get_logs), wrap(wrapper, get_pods)
        with wrapper.calls(2):  # the two calls of one step share its budget
            for text in (logs("api-42"), pods()):
                print(text.split("\n", 1)[0])
        print(logs("api-42", grep="ERROR"))
        print(pods(pointer="/items/42", fields=["name", "phase"]))
        place = {"resource": "get_logs?pod=api-42", "lines": "tail:1"}
        print(wrapper.answer("read_log", place).text)


if __name__ == "__main__":
    with TemporaryDirectory() as store:
        main(Path(store))
