"""Steps with generated histories in four forms: what the properties of the nine rules hold for (`test_rules.py`).

Parallel calls that failed, came late, or were never answered; reasoning and signatures; images; empty texts; ids used twice; two providers
or models before this one; text in many scripts; evidence that the principal may not see, in results, claims, progress and words.
"""

import random
from collections.abc import Iterator
from dataclasses import replace

import orjson
from hypothesis import strategies as st

from evidence_store.model import ClaimView, EvidenceId, Packet, ProgressState, Standing
from projector.model import Candidate, JsonObject, Need, Principal, Projection, Segment, Step
from projector.render.packets import format_error, format_packet
from projector.render.sections import SectionsText, parse_sections
from projector.strategy import CLAIMANTS, NAMED_STRATEGIES, Strategy, StrategyName
from tests.unit.projector.histories import PROVIDERS, Said, broken_turns, sections_text, whole_turns, written
from tests.unit.projector.steps import PROFILE, TOOLS, claim, encoding, evidence_id, item, packet, step, words

SECRET = "hunter2"
"""Stands in evidence with a label, and in whatever was said of it; and nowhere else."""
LABEL = "vault"
SECRET_IDS = tuple(map(evidence_id, (900, 901)))
OPAQUE = ("reasoning_content", "encrypted_content", "thinking", "thoughtSignature")
"""One of these names what only its model can read, in any form."""

providers = st.sampled_from(PROVIDERS)


class Drawn:
    """A generated step, with a repr of one line: the step itself fills pages."""

    def __init__(self, step: Step) -> None:
        self.step = step

    def __repr__(self) -> str:
        step, profile = self.step, self.step.profile
        return f"{profile.provider}, cap {profile.input_cap}, {step.n_messages} messages, {len(step.earlier)} segments before"


names: st.SearchStrategy[StrategyName] = st.sampled_from(("", "externalise", "auto", *NAMED_STRATEGIES))
in_default_order: st.SearchStrategy[StrategyName] = st.sampled_from(("", "externalise"))
_percents, _windows = st.integers(0, 20), st.none() | st.integers(0, 6)
of_ones_own = st.builds(
    replace,
    st.sampled_from(tuple(NAMED_STRATEGIES.values())),
    order=st.permutations(CLAIMANTS).map(tuple),
    **dict.fromkeys(("facts_floor", "open_floor", "excluded_floor", "progress_floor", "evidence_floor"), _percents),
    dialogue_floor=st.just(0),
    **dict.fromkeys(("dialogue_share", "doing_share", "background_share", "candidate_share"), st.integers(0, 100)),
    **dict.fromkeys(("result_rounds", "dialogue_messages"), _windows),
    may_externalise=st.booleans(),
)
"""Any order, floors, shares and windows within their bounds."""
strategies: st.SearchStrategy[StrategyName | Strategy] = names | of_ones_own


@st.composite
def steps(
    draw: st.DrawFn,
    *,
    n_exchanges: int = 8,
    least_cap: int = 600,
    most_cap: int = 16_000,
    whole: bool = False,
    closing: bool | None = None,
    under: st.SearchStrategy[StrategyName | Strategy] | st.SearchStrategy[StrategyName] = strategies,
) -> Drawn:
    """A step of any provider, with all that a step can hold; `whole` histories are such as every provider takes."""
    provider, rng = draw(providers), random.Random(draw(st.integers(0, 2**32)))
    turns = _turns(rng, draw(st.integers(0, n_exchanges)), whole=whole, is_open=not whole and draw(st.integers(0, 4)) == 0)
    n_before = draw(st.sampled_from((0, 0, 1, 2)))
    before = [(draw(providers), _turns(rng, draw(st.integers(0, 4)), whole=whole)) for _ in range(n_before)]
    ids = draw(st.booleans())
    made = _filled(rng, step(tools=TOOLS), [*(one for _, said in before for one in said), *turns])
    made = replace(
        made,
        profile=replace(PROFILE, provider=provider, window=draw(st.integers(least_cap, most_cap)), output=0, slack=0, reserve=0),
        messages=written(_shown(turns, made), provider, ids=ids),
        earlier=tuple(
            Segment(one, written(_shown(said, made), one, ids=ids), draw(st.sampled_from(("", "gpt-4o", "another"))))
            for one, said in before
        ),
        strategy=draw(under),
        closing=draw(st.booleans()) if closing is None else closing,
    )
    return Drawn(made)


@st.composite
def long_steps(draw: st.DrawFn, n_items: st.SearchStrategy[int]) -> Drawn:
    """A step with a history of so many items."""
    provider, rng, n = draw(providers), random.Random(draw(st.integers(0, 2**32))), draw(n_items)
    # at least two items an exchange
    history = written((whole_turns if draw(st.booleans()) else broken_turns)(rng, 1 + n // 2), provider)[:n]
    return Drawn(replace(step(tools=TOOLS), profile=replace(PROFILE, provider=provider), messages=history))


def _turns(rng: random.Random, n_exchanges: int, *, whole: bool, is_open: bool = False) -> list[Said]:
    turns = (whole_turns if whole or rng.random() < 0.3 else broken_turns)(rng, n_exchanges)
    turns = [_with_failures(rng, turn) for turn in turns]
    if rng.random() < 0.3:
        turns.insert(
            0 if whole else rng.randrange(len(turns)),
            Said("user", rng.choice(("Größe, données", "别动 /labels", "انظر", "👩\u200d👧")), image=True),
        )
    if rng.random() < 0.2 and not whole:
        turns.insert(rng.randrange(len(turns)), Said("assistant", f"it says {SECRET}, see {SECRET_IDS[0]}{rng.choice(('', '.', 'done'))}"))
    if is_open:
        turns.append(Said("assistant", rng.choice(("", words(rng, 6))), ("open_1", "open_2"), reasoning=rng.random() < 0.5))
        turns += [Said("results", results=(("open_2", words(rng, 5)),))] if rng.random() < 0.5 else []
    return turns


def _with_failures(rng: random.Random, turn: Said) -> Said:
    if turn.side != "results" or rng.random() < 0.7:
        return turn
    failed = tuple(call for call, _ in turn.results if rng.random() < 0.5)
    error = format_error("not_found", "there is no such place", {}, retry=True)
    return replace(turn, results=tuple((call, error if call in failed else body) for call, body in turn.results), failed=failed)


def _filled(rng: random.Random, made: Step, turns: list[Said]) -> Step:
    """With evidence, half of it of results, and all that names it."""
    open_to_all = tuple(packet(n, words(rng, rng.randint(1, 90))) for n in range(8))
    secret = tuple(packet(900 + n, f"{SECRET} {n}", labels=(LABEL,)) for n in range(2))
    every = (*open_to_all, *secret)
    answered = [call for turn in turns for call, _ in turn.results if turn.side == "results" and rng.random() < 0.5]
    given: list[Packet | EvidenceId] = [one if rng.random() < 0.8 else one.id for one in every if rng.random() < 0.6]
    return replace(
        made,
        tools=made.tools if rng.random() < 0.7 else (),
        results={call: (rng.choice(every),) for call in answered},
        progress=tuple(item(f"get /x{n}", rng.choice(list(ProgressState)), rng.choice(every).id) for n in range(rng.randint(0, 12))),
        claims=tuple(_claim(rng, n, rng.choice(every)) for n in range(rng.randint(0, 12))),
        evidence=tuple(given),
        needs=tuple(rng.choice((Need("pointer", f"/paths/x{n}"), Need("claim", f"C{n}"))) for n in range(rng.randint(0, 3))),
        candidates=tuple(Candidate(words(rng, 12), f"note {n}", rng.choice("ab"), str(rng.random())) for n in range(rng.randint(0, 5))),
        principal=Principal((LABEL,)) if rng.random() < 0.3 else Principal(),
    )


def _claim(rng: random.Random, number: int, cited: Packet) -> ClaimView:
    text = f"it is {SECRET}" if cited.labels else words(rng, 9)
    return claim(number, cited.id, standing=rng.choice(list(Standing)), text=text, task_revision=rng.choice((1, 2, 2)))


def _shown(turns: list[Said], made: Step) -> list[Said]:
    """Results that have a packet show it."""
    return [
        replace(turn, results=tuple((call, _body(made, call, body)) for call, body in turn.results)) if turn.side == "results" else turn
        for turn in turns
    ]


def _body(made: Step, call: str, body: str) -> str:
    found = made.results.get(call, ())
    return "\n".join(map(format_packet, found)) if found and (found[0].labels or len(body) % 2) else body


# Reading what was made, by hand and not by the dialects


def told(made: Projection) -> str:
    """All that an input says."""
    return orjson.dumps([made.outside, made.messages, made.tools]).decode()


def recount(made: Projection) -> int:
    """The count rule, by tiktoken itself."""
    parts: list[object] = [made.messages, *made.outside.values(), *([made.tools] if made.tools else [])]
    return sum(len(encoding().encode_ordinary(orjson.dumps(part).decode())) for part in parts) + 12


def place_of_sections(made: Projection) -> int:
    """Which message holds the sections."""
    return next(at for at in reversed(range(len(made.messages))) if _is_sections(made.messages[at]))


def _is_sections(message: JsonObject) -> bool:
    text = "" if message.get("role") not in ("user", None) or "tool_calls" in message else _text(message)
    return text.startswith("[progress]\n") and text.endswith("[end request]\n")


def _text(message: JsonObject) -> str:
    try:
        return sections_text(message)
    except (AssertionError, KeyError):
        return ""


def sections(made: Projection) -> SectionsText:
    return parse_sections(sections_text(made.messages[place_of_sections(made)]))


def asked_and_answered(message: JsonObject) -> tuple[list[str], list[str]]:
    """Calls that a message makes and results that it gives, by id, or by name where there is none."""
    asked: list[str] = []
    answered: list[str] = []
    for one in _pieces(message):
        kind = one.get("type")
        if kind in ("tool_use", "function_call", "function"):
            asked.append(str(one.get("call_id", one.get("id"))))
        elif kind in ("tool_result", "function_call_output"):
            answered.append(str(one.get("tool_use_id", one.get("call_id"))))
        elif one.get("role") == "tool":
            answered.append(str(one["tool_call_id"]))
        for name, found in (("functionCall", asked), ("functionResponse", answered)):
            inner = one.get(name)
            if isinstance(inner, dict):
                found.append(str(inner.get("id", inner["name"])))
    return asked, answered


def _pieces(message: JsonObject) -> Iterator[JsonObject]:
    yield message
    for name in ("content", "parts", "tool_calls"):
        inner = message.get(name)
        if isinstance(inner, list):
            yield from (one for one in inner if isinstance(one, dict))
