"""Inputs in the forms of four providers: what stands outside, sections and evidence, tools, gaps, and a change of provider."""

import json
from dataclasses import replace

import pytest

from evidence_store.errors import JsonValue
from projector import MustWait, Segment, outcome_json, parse_sections, step_from_json, validate
from projector.dialects.forms import Item
from projector.dialects.table import dialect_for
from projector.layout import GAP
from projector.minified import minified
from projector.model import JsonObject, Principal, Projection, Step
from projector.render.packets import format_packet
from projector.render.sections import parse_task
from tests.unit.projector.histories import PROVIDERS, Said, sections_text, text_in, written
from tests.unit.projector.steps import PROFILE, TASK, TOOLS, outcome, packet, projection, step, tiny

TURNS = [
    Said("user", "compare"),
    Said("assistant", "Reading.", ("a", "b"), reasoning=True),
    Said("results", results=(("a", "first"), ("b", "second"))),
    Said("assistant", "so far so good"),
    Said("user", "and now?"),
]


def step_for(provider: str, turns: list[Said], model: str = "gpt-4o", **changes: object) -> Step:
    return step(profile=replace(PROFILE, provider=provider, model=model), messages=written(turns, provider), **changes)


def items_of(made: Projection, provider: str) -> list[Item]:
    dialect = dialect_for(provider)
    return [dialect.read(message, place) for place, message in enumerate(made.messages)]


def all_text(made: Projection) -> str:
    """All texts of an input, those of evidence blocks included."""
    return json.dumps([made.outside, made.messages], ensure_ascii=False)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_sections_read_alike_in_every_form(provider: str) -> None:
    made = projection(step_for(provider, TURNS, evidence=(packet(1), packet(2, "a\nb"))))
    found = parse_sections(sections_text(made.messages[-1]))
    assert found.request == "and now?"
    assert [one.id for one in found.evidence] == [packet(1).id, packet(2).id]
    assert found.facts is not None
    assert sections_text(made.messages[-1]) == sections_text(
        projection(step_for("openai", TURNS, evidence=(packet(1), packet(2, "a\nb")))).messages[-1]
    )


@pytest.mark.parametrize(
    ("provider", "member"), [("openai-responses", "instructions"), ("anthropic", "system"), ("gemini", "system_instruction")]
)
def test_the_task_stands_outside_and_is_counted(provider: str, member: str) -> None:
    made = projection(step_for(provider, TURNS))
    assert list(made.outside) == [member]
    told = made.outside[member]
    blocks = told if isinstance(told, list) else told["parts"] if isinstance(told, dict) else [{"text": told}]
    text = text_in(blocks[-1])
    assert text.startswith("You compare API documents.")
    assert parse_task(text) == TASK
    longer = projection(replace(step_for(provider, TURNS), system="You compare API documents. " + "Read on. " * 50))
    assert longer.tokens > made.tokens + 90
    assert longer.receipt.dynamic_used == made.receipt.dynamic_used


def test_chat_has_nothing_outside() -> None:
    assert projection(step_for("openai", TURNS)).outside == {}


def test_anthropic_evidence_is_search_results_behind_one_breakpoint() -> None:
    made = projection(step_for("anthropic", TURNS, evidence=(packet(1),)))
    blocks = made.messages[-1]["content"]
    assert isinstance(blocks, list)
    assert blocks[1] == {
        "type": "search_result",
        "source": f"evidence://items/{packet(1).id}",
        "title": "api/v2.json@1 pointer /paths/x1",
        "content": [{"type": "text", "text": format_packet(packet(1))}],
        "citations": {"enabled": True},
    }
    system = made.outside["system"]
    assert isinstance(system, list)
    assert isinstance(system[-1], dict)
    assert system[-1]["cache_control"] == {"type": "ephemeral"}
    assert json.dumps([made.outside, made.messages]).count("cache_control") == 1


def test_marks_of_the_caller_do_not_stay() -> None:
    marked: JsonObject = {"role": "user", "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]}
    history = (*[marked] * 6, *written(TURNS, "anthropic"))
    made = projection(replace(step_for("anthropic", []), messages=history))
    assert json.dumps(made.messages).count("cache_control") == 0
    assert made.messages[0] == {"role": "user", "content": [{"type": "text", "text": "x"}]}


@pytest.mark.parametrize(
    ("provider", "found"),
    [
        ("openai", TOOLS[0]),
        (
            "openai-responses",
            {
                "type": "function",
                "name": "read_spec",
                "description": "Reads.",
                "parameters": {"type": "object", "properties": {}},
                "strict": False,
            },
        ),
        ("anthropic", {"name": "read_spec", "description": "Reads.", "input_schema": {"type": "object", "properties": {}}}),
        (
            "gemini",
            {
                "functionDeclarations": [
                    {"name": "read_spec", "description": "Reads.", "parametersJsonSchema": {"type": "object", "properties": {}}}
                ]
            },
        ),
    ],
)
def test_tools_are_converted_and_own_ones_stay(provider: str, found: JsonObject) -> None:
    own: JsonObject = {"type": "own_tool_20260101", "name": "x"}
    assert projection(step_for(provider, TURNS, tools=(*TOOLS, own))).tools == (found, own)
    closing = projection(step_for(provider, TURNS, tools=TOOLS, closing=True))
    # one provider refuses calls in a list without definitions
    assert closing.tools == ((found,) if provider == "anthropic" else ())
    assert closing.outside.get("tool_choice") == ({"type": "none"} if provider == "anthropic" else None)
    assert projection(step_for(provider, TURNS, closing=True)).tools == ()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_open_exchange_stands_at_the_very_end(provider: str) -> None:
    turns = [*TURNS, Said("assistant", "", ("c", "d"), reasoning=True), Said("results", results=(("d", "fourth"),))]
    made = projection(step_for(provider, turns))
    assert made.open_calls == ("c",)
    n_open = len(written(turns[-2:], provider))
    assert made.messages[-n_open:] == written(turns[-2:], provider)
    assert validate(made.messages, provider, allow_open=True) == ()


@pytest.mark.parametrize("provider", ["anthropic", "gemini"])
def test_a_user_turn_that_the_form_wants_is_said_to_be_left_out(provider: str) -> None:
    made = projection(step_for(provider, [Said("assistant", "Hello."), *TURNS[:-1], TURNS[-1]]))
    items = items_of(made, provider)
    assert [item.side for item in items][:2] == ["user", "assistant"]
    assert items[0].text == GAP
    lines = [line for line in made.receipt.kept if line.name == "in place of turns left out"]
    assert [line.tokens > 0 for line in lines] == [True]
    # the request is asked again at the end, so that nothing stands between two turns of the assistant
    turns = [*TURNS, Said("assistant", "", ("c",)), Said("results", results=(("c", "x"),))]
    again = projection(step_for(provider, turns))
    assert validate(again.messages, provider) == ()
    assert [item.text for item in items_of(again, provider)].count(GAP) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_words_of_the_user_beside_results_are_kept(provider: str) -> None:
    """In two forms a user's words may stand in the message of the results, of which one has no call any more."""
    turns = [
        TURNS[0],
        Said("results", "also look at info" if provider in ("anthropic", "gemini") else "", results=(("gone", "x"),)),
        TURNS[-1],
    ]
    made = projection(step_for(provider, turns, results={"gone": (packet(1, "limit is 50"),)}))
    assert ("also look at info" in all_text(made)) == (provider in ("anthropic", "gemini"))
    assert "limit is 50" in all_text(made)
    assert any(line.reason == "result without a call: gone" for line in made.omitted)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_the_principal_may_not_see_is_withheld_in_every_form(provider: str) -> None:
    secret = packet(7, "secret words", labels=("secret",))
    turns = [*TURNS[:2], Said("results", results=(("a", format_packet(secret)), ("b", "second"))), *TURNS[3:]]
    hidden = projection(step_for(provider, turns, results={"a": (secret,)}))
    assert "secret words" not in all_text(hidden)
    assert [part.text for item in items_of(hidden, provider) for part in item.results] == ["withheld", "second"]
    shown = projection(step_for(provider, turns, results={"a": (secret,)}, principal=Principal(("secret",))))
    assert shown.in_exchanges == (secret.id,)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_results_go_by_reference_when_they_do_not_fit(provider: str) -> None:
    turns = [*TURNS[:2], Said("results", results=(("a", "word " * 3000), ("b", "second")))]
    made = step_for(provider, turns, results={"a": (packet(1, "x" * 20),)})
    made = replace(made, profile=replace(tiny(1_500), provider=provider))
    asked = outcome_json(outcome(made))
    assert (asked["outcome"], asked["calls"]) == ("externalise", ["a"])
    found = projection(replace(made, strategy="externalise"))
    assert [part.text for item in items_of(found, provider) for part in item.results] == [f"see evidence {packet(1).id}", "second"]
    assert any(line.note == "results by reference" for line in found.receipt.kept)


# Another provider or model


@pytest.mark.parametrize("before", PROVIDERS)
@pytest.mark.parametrize("after", PROVIDERS)
def test_a_history_goes_on_in_another_form(before: str, after: str) -> None:
    earlier = Segment(before, written(TURNS, before), "model-1")
    made = projection(replace(step_for(after, [Said("user", "go on")], model="model-2", evidence=()), earlier=(earlier,)))
    items = items_of(made, after)
    (asked,) = [item for item in items if item.calls] if after != "openai-responses" else [Item("assistant")]
    assert after == "openai-responses" or [part.call for part in asked.calls] == ["a", "b"]
    assert [(part.call, part.text) for item in items for part in item.results] == [("a", "first"), ("b", "second")]
    for gone in ("opaque", "c2ln", "rs_1", "b3A="):
        assert gone not in all_text(made)
    (line,) = [line for line in made.receipt.kept if line.section == "dialogue" and "1-" in line.name]
    assert line.note == "converted from model-1; opaque items left out: 1"


def test_the_same_model_goes_on_without_a_change() -> None:
    earlier = Segment("anthropic", written(TURNS, "anthropic"), "m")
    made = projection(replace(step_for("anthropic", [Said("user", "go on")], model="m"), earlier=(earlier,)))
    assert "c2ln" in all_text(made)
    assert not [line.note for line in made.receipt.kept if line.note]


def test_another_model_of_the_provider_keeps_images_and_loses_what_is_opaque() -> None:
    turns = [Said("user", "look", image=True), *TURNS[1:]]
    for provider in PROVIDERS:
        earlier = Segment(provider, written(turns, provider), "m")
        made = projection(replace(step_for(provider, [Said("user", "go on")], model="gpt-4o"), earlier=(earlier,)))
        assert written(turns[:1], provider)[0] in made.messages
        assert validate(made.messages, provider) == ()
        assert any("opaque items left out: 1" in line.note for line in made.receipt.kept)


def test_images_do_not_move_to_another_provider_and_the_note_says_so() -> None:
    turns = [Said("user", "look", image=True), *TURNS[1:]]
    earlier = Segment("anthropic", written(turns, "anthropic"))
    made = projection(replace(step_for("openai", [Said("user", "go on")]), earlier=(earlier,)))
    assert {"role": "user", "content": "look"} in made.messages
    assert any(line.note == "converted from anthropic; parts other than text left out: 1" for line in made.receipt.kept)


def test_calls_of_another_model_get_a_signature_where_the_model_wants_one() -> None:
    earlier = Segment("openai", written(TURNS, "openai"))
    made = projection(replace(step_for("gemini", [Said("user", "go on")], model="gemini-3-pro"), earlier=(earlier,)))
    assert all_text(made).count("skip_thought_signature_validator") == 1
    older = projection(replace(step_for("gemini", [Said("user", "go on")], model="gemini-2.5-pro"), earlier=(earlier,)))
    assert "skip_thought_signature_validator" not in all_text(older)


@pytest.mark.parametrize("after", PROVIDERS)
def test_ids_that_not_every_provider_takes_are_made_anew(after: str) -> None:
    odd = "call:1/" + "x" * 60
    turns = [Said("user", "go"), Said("assistant", "", (odd,)), Said("results", results=((odd, "text"),)), Said("user", "next")]
    earlier = Segment("openai-responses" if after != "openai-responses" else "openai", ())
    earlier = replace(earlier, messages=written(turns, earlier.provider))
    made = projection(replace(step_for(after, [Said("user", "go on")]), earlier=(earlier,), results={odd: (packet(1),)}))
    ids = {part.call for item in items_of(made, after) for part in (*item.calls, *item.results)}
    assert len(ids) == 1
    assert len(ids.pop()) <= 40


def test_calls_of_gemini_without_ids_are_known_by_their_place() -> None:
    long = [TURNS[0], TURNS[1], Said("results", results=(("a", "word " * 3000), ("b", "second")))]
    history = written(long, "gemini", ids=False)
    made = replace(step_for("gemini", []), messages=history, results={"call_at_1_0": (packet(1),)}, evidence=(packet(1),))
    found = projection(replace(made, profile=replace(tiny(1_500), provider="gemini"), strategy="externalise"))
    assert [part.text for item in items_of(found, "gemini") for part in item.results] == [f"see evidence {packet(1).id}", "second"]
    moved = projection(replace(step_for("openai", [Said("user", "go on")]), earlier=(Segment("gemini", history),)))
    assert [part.call for item in items_of(moved, "openai") for part in item.results] == ["call_at_1_0", "call_at_1_1"]


def test_a_change_waits_for_open_calls() -> None:
    earlier = Segment("anthropic", written(TURNS[:2], "anthropic"))
    found = outcome(replace(step_for("openai", []), earlier=(earlier,)))
    assert isinstance(found, MustWait)
    assert found.calls == ("a", "b")
    later = projection(replace(step_for("openai", [Said("user", "go on")]), earlier=(earlier,)))
    assert any("closed without a result: a, b" in line.note for line in later.receipt.kept)


def test_places_count_through_the_whole_history() -> None:
    earlier = Segment("openai", written(TURNS, "openai"))
    made = projection(replace(step_for("openai", [Said("user", "x"), Said("assistant", "y"), Said("user", "z")]), earlier=(earlier,)))
    assert [line.name for line in made.receipt.kept if line.section == "dialogue"] == [
        "messages 1-3",
        "message 7",
        "message 6",
        "message 5",
        "message 4",
        "message 0",
    ]


def test_instructions_of_the_caller_move_along() -> None:
    system: JsonObject = {"role": "developer", "content": "be brief"}
    earlier = Segment("openai", (system, *written(TURNS, "openai")))
    for provider in PROVIDERS:
        assert "be brief" in all_text(projection(replace(step_for(provider, [Said("user", "go on")]), earlier=(earlier,))))


_NOTHING: tuple[JsonValue, ...] = ("", " \n", None, [], 5, {}, [{"type": "text", "text": ""}])
_CONTENTS: tuple[JsonObject, ...] = ({}, *({"content": one} for one in _NOTHING))
EMPTY: list[JsonObject] = [{"role": role, **content} for role in ("system", "developer") for content in _CONTENTS]


@pytest.mark.parametrize("message", EMPTY, ids=str)
@pytest.mark.parametrize("provider", ["openai", "openai-responses"])
def test_an_instruction_that_says_nothing_is_named_and_never_sent(provider: str, message: JsonObject) -> None:
    profile = {"provider": provider, "model": "m", "counter": "bytes"}
    made = projection(step_from_json({"profile": profile, "messages": [message, {"role": "user", "content": "q"}]}))
    assert [(line.names, line.reason) for line in made.omitted] == [(("message 0",), "neither text nor calls")]
    assert message not in made.messages
    assert validate(made.messages, provider) == ()


@pytest.mark.parametrize("message", EMPTY, ids=str)
@pytest.mark.parametrize("source", ["openai", "openai-responses"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_empty_instruction_of_another_provider_is_named_too(provider: str, source: str, message: JsonObject) -> None:
    made = projection(replace(step_for(provider, [Said("user", "go on")]), earlier=(Segment(source, (message,)),)))
    assert [(line.names, line.reason) for line in made.omitted] == [(("message 0",), "neither text nor calls")]
    assert validate(made.messages, provider) == ()
    assert '""' not in json.dumps(made.outside)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_instruction_of_another_provider_is_its_words(provider: str) -> None:
    """Its blocks are of a type that the provider at work does not know; what is no text cannot be said again."""
    source, kind = ("openai", "text") if provider == "openai-responses" else ("openai-responses", "input_text")
    image: JsonObject = {"role": "developer", "content": [{"type": "input_image", "image_url": "data:"}]}
    rule: JsonObject = {"role": "developer", "content": [{"type": kind, "text": "be brief"}]}
    made = projection(replace(step_for(provider, [Said("user", "go on")]), earlier=(Segment(source, (image, rule)),)))
    assert "be brief" in all_text(made)
    assert rule not in made.messages
    assert "data:" not in all_text(made)
    assert [line.names for line in made.omitted] == [("message 0",)]


def test_a_step_names_what_came_earlier() -> None:
    made = step_from_json({"profile": {"provider": "gemini", "model": "gemma"}, "earlier": [{"provider": "openai", "messages": []}]})
    assert made.earlier == (Segment("openai", ()),)


@pytest.mark.parametrize("closing", [False, True])
@pytest.mark.parametrize("rebuild_to", [None, 50])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_used_is_the_rule_of_the_format_page(provider: str, rebuild_to: int | None, closing: bool) -> None:
    """With every member that stands outside: what a closing step and an input that grows put there, too."""
    base = step_for(provider, TURNS, tools=TOOLS, closing=closing, rebuild_to=rebuild_to)
    made = projection(replace(base, profile=replace(base.profile, counter="bytes")))
    texts = [minified(made.messages), *map(minified, made.outside.values()), *([minified(made.tools)] if made.tools else [])]
    assert made.tokens == sum(len(text.encode()) for text in texts) + 12
    named: set[str] = {"openai": set(), "openai-responses": {"instructions"}, "anthropic": {"system"}, "gemini": {"system_instruction"}}[
        provider
    ]
    named |= {"cache_control"} if provider == "anthropic" and rebuild_to else set()
    named |= {"tool_choice"} if provider == "anthropic" and closing else set()
    assert set(made.outside) == named
