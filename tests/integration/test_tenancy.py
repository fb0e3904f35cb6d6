"""What may not be seen looks as what is not there: every operation and every tool, asked of a store that has it and of one that has not."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote

import pytest

from api.access import OPERATIONS
from api.app import create_app
from api.tools.definitions import TOOLS
from tests.integration.tenancy import NORTH, SOUTH, Prepared, Things, World, client_of, prepare, services_in, worlds
from tests.integration.tenancy_asks import SAYINGS, Ask, asks, operations, tool_arguments

NAME_TAKEN = "name_unavailable"
"""A name in use cannot be given to another resource, and that cannot be hidden: whoever is refused learns that the name is in use."""
COUNTED = {"startRun": "run", "recordClaim": "claim"}
"""Answers that number what was made: numbers of runs and claims go on behind those of the same task that are hidden."""
ELSEWHERE = {"callMcp", "getMetrics", "showSignIn", "signIn", "signOut"}
"""MCP has a test of its own; the others read nothing of a workspace."""
MADE_AT_RANDOM = {"createKey": ("id", "secret")}
"""Members of answers that are another each time."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return prepare(tmp_path_factory.mktemp("tenancy"))


@pytest.fixture(scope="module")
def read_only(prepared: Prepared) -> Iterator[tuple[World, World]]:
    with worlds(prepared, prepared.folder, copied=False) as both:
        yield both


def described() -> Mapping[str, tuple[str, str]]:
    """Of an application over any store; its description is the same for all."""
    with TemporaryDirectory() as folder, services_in(Path(folder) / "store") as services:
        return operations(create_app(services).openapi())


OFFERED = described()


def told(world: World, operation: str, ask: Ask) -> Any:
    """All that is answered: status, headers, body, but for the id of the request and what is named above."""
    answer = world.asker.request(ask.method, ask.path, **ask.sent())
    request_id = answer.headers["request-id"]
    text, headers = answer.text.replace(request_id, "REQUEST"), {**answer.headers, "request-id": ""}
    unsteady = [*MADE_AT_RANDOM.get(operation, ()), *([COUNTED[operation]] if operation in COUNTED else ())]
    made = [str(answer.json()[name]) for name in unsteady if answer.is_success]
    for value in made:
        text = text.replace(value, "MADE")
    if made or request_id in answer.text:
        headers["etag"] = ""
    return answer.status_code, headers, text


def targets(prepared: Prepared) -> Iterator[tuple[Things, Things]]:
    """What the path names, and what query and body tell of."""
    for theirs in (prepared.hidden, prepared.foreign):
        yield prepared.ours, theirs
        yield theirs, theirs
        yield theirs, prepared.ours


def test_every_operation_says_how_it_is_asked() -> None:
    assert set(SAYINGS) == set(OFFERED) == set(OPERATIONS) - ELSEWHERE
    assert {tool.name for tool in TOOLS} == {"diff", "get_evidence"} | {
        tool.name for tool in TOOLS if tool_arguments(tool.name, Things("a", "b"))
    }


def require_alike(prepared: Prepared, both: tuple[World, World], operation: str) -> None:
    for named, rest in targets(prepared):
        for ask in asks(operation, *OFFERED[operation], named, rest):
            seen, unseen = (told(world, operation, ask) for world in both)
            if operation == "putRevision" and seen != unseen:
                taken = (seen[0], NAME_TAKEN in seen[2], unquote(ask.path.split("/")[3]))
                assert taken == (403, True, prepared.hidden.resource)
                continue
            assert seen == unseen, ask


@pytest.mark.parametrize("operation", [one for one, (method, _) in OFFERED.items() if method in ("GET", "HEAD")])
def test_reading_what_may_not_be_seen_is_reading_what_is_not_there(
    prepared: Prepared, read_only: tuple[World, World], operation: str
) -> None:
    require_alike(prepared, read_only, operation)


@pytest.mark.parametrize("operation", [one for one, (method, _) in OFFERED.items() if method not in ("GET", "HEAD")])
def test_writing_to_what_may_not_be_seen_is_writing_to_what_is_not_there(prepared: Prepared, tmp_path: Path, operation: str) -> None:
    with worlds(prepared, tmp_path, copied=True) as both:
        require_alike(prepared, both, operation)


def test_what_is_asked_for_is_there_for_who_may_see_it(prepared: Prepared, read_only: tuple[World, World]) -> None:
    """Else answers would be alike since nothing was asked for."""
    for theirs, secret in ((prepared.hidden, prepared.owners[NORTH]), (prepared.foreign, prepared.owners[SOUTH])):
        found = set()
        with client_of(read_only[0].services, secret) as client:
            for operation, (method, path) in OFFERED.items():
                for ask in asks(operation, method, path, theirs, theirs) if method == "GET" else ():
                    if client.request(method, ask.path, **ask.sent()).status_code < 400:
                        found.add(operation)
        assert {one for one, (method, _) in OFFERED.items() if method == "GET"} == found
