"""Steps, packets and histories for the tests of the projector."""

import random
from dataclasses import replace

import orjson
import tiktoken

from evidence_store.errors import JsonValue
from evidence_store.model import (
    About,
    Basis,
    Citation,
    ClaimView,
    Digest,
    EvidenceId,
    Format,
    LineRange,
    Packet,
    Pointer,
    ProgressItem,
    ProgressState,
    ResourceName,
    Selector,
    Span,
    Standing,
    TaskName,
    TaskRevision,
)
from projector import GivenEvidence, Outcome, Projected, Projection, counter_for, project
from projector.budget import Profile
from projector.model import Candidate, JsonObject, Need, Step
from projector.tokens.encodings import load_encoding

TASK = TaskRevision(TaskName("compare"), 2, "find what breaks clients", ("all paths",), ("tag=Beta",), ("read only",), ("also /labels?",))
PROFILE = Profile("openai", "gpt-4o", 32_768, 4_096, 1_024, "o200k_base")
WORDS = ("the", "limit", "of", "orders", "is", "50", "not", "100", "schema", "日志", "Größe", "données", "/paths", "👩\u200d👧", "x")


def evidence_id(number: int) -> EvidenceId:
    return EvidenceId(f"ev_{number:012d}")


def packet(
    number: int, excerpt: str = "50", *, labels: tuple[str, ...] = (), pointer: str | None = None, resource: str = "api/v2.json"
) -> Packet:
    return Packet(
        id=evidence_id(number),
        resource=ResourceName(resource),
        revision=1,
        selector=Selector("pointer", f"/paths/x{number}" if pointer is None else pointer),
        format=Format.JSON,
        excerpt=excerpt,
        scope="stable",
        status="observed",
        basis=Basis.OBSERVED,
        digest=Digest("sha256:" + "0" * 64),
        span=Span(0, len(excerpt.encode("utf-8", "surrogatepass"))),
        lines=LineRange(1, 1 + excerpt.count("\n")),
        column=0,
        size=1000,
        labels=labels,
    )


def claim(
    number: int,
    *ids: EvidenceId,
    standing: Standing = Standing.VERIFIED,
    task_revision: int = TASK.number,
    text: str = "",
    pointer: str = "/limit",
    reason: str = "",
) -> ClaimView:
    return ClaimView(
        id=f"C{number}",
        about=About(ResourceName("api/v2.json"), Pointer(pointer), "maximum"),
        text=text or f"claim number {number}",
        citations=tuple(Citation(one, "new") for one in ids),
        author="agent",
        standing=standing,
        reason=reason,
        checker="rule:limit" if standing is Standing.VERIFIED else None,
        task_revision=task_revision,
    )


def item(subject: str, state: ProgressState = ProgressState.DOING, *ids: EvidenceId) -> ProgressItem:
    return ProgressItem(subject, state, ids)


def user(text: str) -> JsonObject:
    return {"role": "user", "content": text}


def calling(*ids: str, text: str | None = None, **more: JsonValue) -> JsonObject:
    calls: list[JsonValue] = [
        {"id": one, "type": "function", "function": {"name": "read_spec", "arguments": '{"pointer":"/a"}'}} for one in ids
    ]
    return {"role": "assistant", "content": text, "tool_calls": calls, **more}


def result(call: str, text: str = "result text") -> JsonObject:
    return {"role": "tool", "tool_call_id": call, "content": text}


def exchange(*ids: str, text: str = "result text") -> tuple[JsonObject, ...]:
    return (calling(*ids), *(result(one, text) for one in ids))


def step(**changes: object) -> Step:
    base = Step(TASK, PROFILE, system="You compare API documents.", messages=(user("compare the versions"),))
    return replace(base, **changes)  # type: ignore[arg-type]


def outcome(made: Step, *more: Packet) -> Outcome:
    """The step projected over the packets in it and these."""
    given = [one for one in made.evidence if isinstance(one, Packet)]
    given += [one for packets in made.results.values() for one in packets]
    world = GivenEvidence([*given, *more])
    return project(made, world, counter_for(made.profile.counter), world)


def projection(made: Step, *more: Packet) -> Projection:
    found = outcome(made, *more)
    assert isinstance(found, Projected), found
    return found.projection


def words(rng: random.Random, n: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(n))


def content(made: Projection) -> str:
    """The sections of the user message."""
    return next(str(one["content"]) for one in reversed(made.messages) if one["role"] == "user")


def tiny(cap: int) -> Profile:
    """A profile with this input cap."""
    return Profile("openai", "gpt-4o", cap, 0, 0, "o200k_base", reserve=0)


def wild_history(rng: random.Random, n_groups: int) -> tuple[JsonObject, ...]:
    """Whole and broken exchanges, plain turns, empty texts, strange languages: what runs leave behind."""
    messages: list[JsonObject] = [user("compare the versions")]
    for number in range(n_groups):
        ids = [f"call_{number}_{at}" for at in range(rng.choice((1, 1, 2, 3)))]
        if rng.random() < 0.05:
            ids[-1] = "call_same"
        text = rng.choice((None, "", "Reading on.", words(rng, 5)))
        found = [result(one, rng.choice(("", "\n", words(rng, rng.randint(1, 300))))) for one in ids]
        rng.shuffle(found)
        if rng.random() < 0.15:
            found.pop()
        if rng.random() < 0.05:
            found.append(result("call_unknown"))
        between = [user("wait")] if rng.random() < 0.05 else []
        messages += [calling(*ids, text=text, reasoning_content="opaque"), *between, *found]
        if rng.random() < 0.3:
            messages += [{"role": "assistant", "content": rng.choice(("done so far", " ", words(rng, 20)))}, user(words(rng, 8))]
    return tuple(messages)


TOOLS = (
    {"type": "function", "function": {"name": "read_spec", "description": "Reads.", "parameters": {"type": "object", "properties": {}}}},
)


def encoding() -> tiktoken.Encoding:
    return load_encoding("o200k_base")


def recount(made: Projection) -> int:
    """The count rule, by tiktoken itself."""
    tools = len(encoding().encode_ordinary(orjson.dumps(made.tools).decode())) if made.tools else 0
    return len(encoding().encode_ordinary(orjson.dumps(made.messages).decode())) + tools + 12


def full_step(rng: random.Random, n_groups: int = 40) -> Step:
    packets = tuple(packet(number, words(rng, rng.randint(1, 120))) for number in range(12))
    return step(
        tools=TOOLS,
        messages=wild_history(rng, n_groups),
        progress=tuple(item(f"get /x{number}", rng.choice(list(ProgressState)), packets[number % 12].id) for number in range(60)),
        claims=tuple(
            claim(number, packets[number % 12].id, standing=rng.choice(list(Standing)), text=words(rng, 12)) for number in range(50)
        ),
        evidence=packets,
        needs=(Need("pointer", "/paths/x3"), Need("claim", "C999")),
        candidates=tuple(Candidate(words(rng, 30), f"note {number}", rng.choice("ab"), str(rng.random())) for number in range(20)),
    )
