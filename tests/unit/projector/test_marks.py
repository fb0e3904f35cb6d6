"""Marks in place of evidence in a stored input: nothing of it stays, the list stays valid, and all else stays as it was."""

from dataclasses import replace

import pytest

from evidence_store.errors import JsonValue
from evidence_store.model import EvidenceId
from projector import Mark, format_packet, mark_messages, mark_object, named_evidence_of, validate
from projector.minified import minified
from projector.model import JsonObject
from tests.unit.projector.histories import PROVIDERS
from tests.unit.projector.steps import PROFILE, claim, evidence_id, exchange, packet, projection, step, user

GONE: dict[EvidenceId, Mark] = {evidence_id(1): "withheld", evidence_id(2): "erased"}


def made(provider: str) -> tuple[tuple[JsonObject, ...], JsonObject]:
    """An input with two packets that go and one that stays, and a claim about each."""
    packets = (packet(1, "the secret\nof one"), packet(2, "the secret of two"), packet(3, "what stays"))
    claims = tuple(claim(n, evidence_id(n), text=f"{'secret' if n < 3 else 'plain'} claim {n}") for n in (1, 2, 3))
    found = projection(step(profile=replace(PROFILE, provider=provider), evidence=packets, claims=claims))
    return found.messages, found.outside


@pytest.mark.parametrize("provider", PROVIDERS)
def test_packets_and_lines_are_marked_in_every_form(provider: str) -> None:
    messages, outside = made(provider)
    marked, beside = mark_messages(messages, provider, GONE), mark_object(outside, GONE)
    text = minified([marked, beside])
    assert "secret" not in text
    assert "what stays" in text
    assert "plain claim 3" in text
    assert f"[withheld {evidence_id(1)}]" in text
    assert f"[erased {evidence_id(2)}]" in text
    assert validate(marked, provider) == validate(messages, provider)
    assert mark_messages(marked, provider, GONE) == marked


@pytest.mark.parametrize("provider", PROVIDERS)
def test_without_marks_nothing_changes(provider: str) -> None:
    messages, outside = made(provider)
    assert mark_messages(messages, provider, {}) == messages
    assert mark_messages(messages, provider, {evidence_id(9): "erased"}) == messages
    assert mark_object(outside, {}) == outside
    assert set(named_evidence_of([messages, outside])) == {evidence_id(n) for n in (1, 2, 3)}


def test_a_result_that_names_it_is_marked_whole_and_so_are_arguments() -> None:
    body = f"{format_packet(packet(1, 'the secret'))}{format_packet(packet(3, 'what stays'))}and more of the secret"
    call, answer = exchange("x", text=body)
    calls: JsonValue = [
        {"id": "x", "type": "function", "function": {"name": "f", "arguments": f'{{"cites":"{evidence_id(1)}","text":"s"}}'}}
    ]
    marked = mark_messages((user("go"), {**call, "tool_calls": calls}, answer, user(f"a\nsee {evidence_id(2)}: s\nb")), "openai", GONE)
    assert marked[2]["content"] == f"[withheld {evidence_id(1)}]"
    assert f'{{\\"marked\\":[\\"withheld {evidence_id(1)}\\"]}}' in minified(marked[1])
    assert marked[3]["content"] == f"a\n[erased {evidence_id(2)}]\nb"
    assert marked[0] == user("go")
    assert mark_messages(marked, "openai", GONE) == marked


def test_a_packet_without_its_end_is_marked_to_the_end() -> None:
    torn = format_packet(packet(1, "the secret"))[:-30]
    (marked,) = mark_messages((user(f"before\n{torn}"),), "openai", GONE)
    assert marked["content"] == f"before\n[withheld {evidence_id(1)}]"
