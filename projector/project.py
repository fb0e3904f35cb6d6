"""Makes the input of one model call from a step. The rules, each with a test of its number:

1. used ≤ cap on every projection, counted on the final rendered messages with the profile's counter, tool definitions and what stands
   outside the list included.
2. The unit is the exchange: assistant turn with its opaque items, all its calls, all their results. Kept whole or left out whole; a
   result's body may be replaced by a reference to its packets, a result is never removed, and nothing stands between calls and
   results. Another provider or model takes it over at such a boundary, with all calls closed and without what is opaque.
3. Order of claim on the budget: task revision and proposed constraints; an open or newest exchange; needs; then, where the step's
   strategy has no other order, this step's evidence; facts, open questions and exclusions in use; recent dialogue; background; last the
   rest. Sections have floors; an unused floor flows on. A strategy never changes what must stand, nor another of these rules.
4. What must fit and does not is never cut: the outcome says what to do instead (externalise, split, wait, pause).
5. Facts, open questions and excluded scope stay three lists. A fact has a citation, and holds under this task revision only.
6. What does not change comes first and is byte-stable; the request stands last. Same step, same bytes.
7. Permission is asked before evidence is read and again on the finished input; nothing is added after that. A claim is shown only
   when every evidence that it cites is permitted. What is only masked shows where it stands, and nothing of what it says.
8. The receipt names what was kept and what was left out, with tokens and reason; what was kept adds up to what is used.
9. A closing step has no tools, or none that may be called where the form wants them defined; it asks for conclusions from what is there.

Scope comes from the step's task revision alone: no text of a source, a message or a claim reaches the task section.
"""

from dataclasses import dataclass, replace
from itertools import takewhile

from evidence_store.model import EvidenceId
from projector.append import Rebuild, append
from projector.budget import REQUEST_TOKENS, Budget, budget_for
from projector.collect import Collected, collect, iter_named
from projector.dialects.forms import Dialect, Opening
from projector.dialogue import Dialogue, Request, find_request, instructions
from projector.errors import BrokenRule
from projector.fit import Fit
from projector.fitted import Fitted, Forbidden, Material, Overfull
from projector.freshness import with_ages
from projector.history import dialect_of, open_before
from projector.instead import boundary_open, exchange_forbidden, over_fixed, permission_unsettled, what_instead
from projector.layout import CLOSING_REQUEST, DEFAULT_REQUEST, render_messages, system_text
from projector.measure import Measure, repaired
from projector.minified import minified
from projector.model import JsonObject, Kept, Outcome, Projected, Projection, Receipt, Step, StrategyUsed, Withheld
from projector.naming import visible_candidates, visible_claims, visible_progress
from projector.permission import Permission
from projector.ports import EvidenceReader, Gate, TokenCounter
from projector.receipt import digest_of_texts, with_framing
from projector.rejudge import rejudge
from projector.strategy import changed_fields
from projector.strategy_choice import chosen_for, rebuild_to
from projector.told import told_anew
from projector.validate import validate

# How often an input is made anew because permission changed under it, or because parts counted less than the whole.
_MAX_ROUNDS = 4
_WHOLE = 100
NO_CALLS: JsonObject = {"tool_choice": {"type": "none"}}
"""Said in a closing step beside tools that have to be defined (anthropics/anthropic-sdk-python#494)."""


def project(step: Step, reader: EvidenceReader, counter: TokenCounter, gate: Gate, before: Projection | None = None) -> Outcome:
    """The input of one model call, or what to do before there can be one.

    `before` is the input of the step before, whose history this one's begins with: while it still holds and there is room, it is the
    beginning of this one, byte for byte.
    """
    outcome = _project(with_ages(step), reader, counter, gate, before)
    return outcome if isinstance(outcome, Projected) else replace(outcome, step=step)


def _project(step: Step, reader: EvidenceReader, counter: TokenCounter, gate: Gate, before: Projection | None) -> Outcome:
    measure, form = Measure(counter), _form(step)
    fixed = _count_fixed(form.opening, form.tools, measure)
    budget = budget_for(step.profile, sum(line.tokens for line in fixed))
    if budget.dynamic <= 0:
        return over_fixed(step, budget, fixed)
    waiting = open_before(step)
    if waiting is not None:
        return boundary_open(step, waiting, measure, budget)
    permission = Permission(gate, step.principal)
    margin, why = 0, ""
    if before is not None:
        appended = _appended(step, form, reader, permission, measure, budget, before)
        if isinstance(appended, Projection):
            return Projected(_checked(appended, step))
        why = appended.why
    for _ in range(_MAX_ROUNDS):
        material = _material(step, form, reader, permission, budget.dynamic - margin)
        dialogue = Dialogue(step, form.dialect, measure, permission, form.request, material.chosen.strategy)
        fitted = Fit(material, measure, dialogue).run()
        if isinstance(fitted, Forbidden):
            return exchange_forbidden(step, budget, fitted.name)
        if isinstance(fitted, Overfull):
            return what_instead(step, fitted, measure, form.dialect)
        projection = _render(material, form, measure, budget, fixed, fitted, why)
        if before is not None:
            projection = replace(projection, receipt=replace(projection.receipt, shared=_shared(before, projection, measure)))
        if rebuild_to(step) < _WHOLE:
            projection = replace(projection, told=told_anew(material, fitted, projection.messages, permission))
        if projection.tokens > budget.input_cap:
            # what is over may lie in a line that no piece pays for: then taking off just that much changes nothing
            margin = 2 * margin + projection.tokens - budget.input_cap
        elif permission.still_allows(projection.cited):
            return Projected(_checked(projection, step))
    return permission_unsettled(step, budget)


@dataclass(frozen=True, slots=True)
class _Form:
    """What of the input does not depend on the room that is left."""

    dialect: Dialect
    opening: Opening
    tools: tuple[JsonObject, ...]
    request: Request


def _form(step: Step) -> _Form:
    dialect = dialect_of(step)
    opening, tools = dialect.opening(system_text(step.system, step.task), instructions(step)), dialect.tools(step.tools)
    if rebuild_to(step) < _WHOLE and dialect.traits.growing:
        opening = replace(opening, outside={**opening.outside, **dialect.traits.growing})
    if step.closing and tools and dialect.traits.tools_with_calls:
        opening = replace(opening, outside={**opening.outside, **NO_CALLS})
    elif step.closing:
        tools = ()
    return _Form(dialect, opening, tools, find_request(step))


def _appended(
    step: Step, form: _Form, reader: EvidenceReader, permission: Permission, measure: Measure, budget: Budget, before: Projection
) -> Projection | Rebuild:
    if before.told is None or rebuild_to(step) == _WHOLE:
        return Rebuild("the strategy makes each anew")
    material = _material(step, form, reader, permission, budget.dynamic)
    strategy = material.chosen.strategy
    dialogue = Dialogue(step, form.dialect, measure, permission, form.request, strategy)
    new = append(before, before.told, material, dialogue, measure, permission)
    if isinstance(new, Rebuild):
        return new
    messages = (*before.messages, *repaired(new.messages))
    text = minified(messages)
    whole = measure.whole(text, messages, before.outside, form.tools)
    if whole.tokens > budget.input_cap * (strategy.rebuild_at if step.rebuild_at is None else step.rebuild_at) // _WHOLE:
        return Rebuild("it would pass the threshold")
    if not permission.still_allows(new.cited):
        return Rebuild("permission changed")
    kept = (*(line for line in before.receipt.kept if line.section != "framing"), *new.kept)
    receipt = replace(
        before.receipt,
        profile=step.profile,
        budget=budget,
        exactness=whole.exactness,
        kept=with_framing(kept, whole.tokens),
        omitted=new.omitted,
        used=whole.tokens,
        input_digest=digest_of_texts(text, form.tools, before.outside),
        withheld=new.withheld,
        appended_to=before.receipt.input_digest,
        shared=before.tokens - REQUEST_TOKENS,
        rebuilt="",
        strategy=_used(material),
    )
    return replace(
        before,
        messages=messages,
        receipt=receipt,
        omitted=new.omitted,
        tokens=whole.tokens,
        evidence=new.evidence,
        in_exchanges=new.in_exchanges,
        cited=new.cited,
        unmet=material.collected.unmet,
        told=new.told,
    )


def _shared(before: Projection, now: Projection, measure: Measure) -> int:
    """Tokens of the beginning that two inputs share: tools, what stands outside the list, whole messages."""
    if (before.tools, before.outside) != (now.tools, now.outside):
        return 0
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(before.messages, now.messages, strict=False))
    fixed = measure.request(now.tools) - REQUEST_TOKENS + measure.outside(now.outside)
    return fixed + sum(measure.message(message) for message, _ in pairs)


def _material(step: Step, form: _Form, reader: EvidenceReader, permission: Permission, room: int) -> Material:
    collected = collect(step, reader, permission)
    permitted = permission.permitted(iter_named(step))
    visible = replace(step, progress=visible_progress(step.progress, permitted), candidates=visible_candidates(step.candidates, permitted))
    withheld = Withheld(progress=len(step.progress) - len(visible.progress), background=len(step.candidates) - len(visible.candidates))
    judged = rejudge(step.claims, step.task.number, permitted, collected.packets.find)
    text = form.request.text or DEFAULT_REQUEST
    request = f"{CLOSING_REQUEST}\n\n{text}" if step.closing else text
    chosen = chosen_for(_seen(visible, permitted, collected) if step.strategy == "auto" else step)
    spare = min(room, step.profile.input_cap * (_WHOLE - rebuild_to(step)) // _WHOLE)
    return Material(visible, permitted, collected, judged, request, room, form.dialect, form.opening, form.tools, chosen, spare, withheld)


def _seen(step: Step, permitted: frozenset[EvidenceId], collected: Collected) -> Step:
    """The step without what its principal may not see, which must not show in how the input is made either."""
    packets = collected.packets
    return replace(
        step,
        evidence=packets.find_all((*collected.needed, *collected.wanted)),
        results={call: tuple(one for one in found if one.id in packets) for call, found in step.results.items()},
        claims=visible_claims(step.claims, permitted),
    )


def _count_fixed(opening: Opening, tools: tuple[JsonObject, ...], measure: Measure) -> tuple[Kept, ...]:
    """The static text stands outside, or in the first message; any others are instructions of the caller."""
    first, *others = [measure.message(message) for message in opening.messages] or [0]
    if opening.outside:
        first, others = 0, [first, *others] if opening.messages else []
    lines = [Kept("system", "system text and task", first + measure.outside(opening.outside) + measure.opening())]
    lines += [Kept("system", "instruction", tokens) for tokens in others]
    return (*lines, Kept("tools", "definitions and request", measure.request(tools)))


def _render(
    material: Material, form: _Form, measure: Measure, budget: Budget, fixed: tuple[Kept, ...], fitted: Fitted, rebuilt: str
) -> Projection:
    step = material.step
    messages = repaired(render_messages(fitted.layout, form.dialect))
    outside = repaired((form.opening.outside,))[0]
    text = minified(messages)
    whole = measure.whole(text, messages, outside, form.tools)
    used = whole.tokens
    receipt = Receipt(
        task=step.task.task,
        task_revision=step.task.number,
        profile=step.profile,
        counter=whole.counter,
        exactness=whole.exactness,
        budget=budget,
        kept=with_framing((*fixed, *fitted.kept), used),
        omitted=fitted.omitted,
        used=used,
        input_digest=digest_of_texts(text, form.tools, outside),
        withheld=fitted.withheld,
        rebuilt=rebuilt,
        strategy=_used(material),
    )
    return Projection(
        messages=messages,
        outside=outside,
        tools=form.tools,
        receipt=receipt,
        omitted=fitted.omitted,
        tokens=used,
        evidence=fitted.evidence,
        in_exchanges=fitted.in_exchanges,
        cited=fitted.cited,
        unmet=fitted.layout.needs,
        open_calls=fitted.open_calls,
    )


def _used(material: Material) -> StrategyUsed:
    """The strategy with the thresholds that the step itself sets."""
    step, chosen = material.step, material.chosen
    own = {"rebuild_at": step.rebuild_at, "rebuild_to": step.rebuild_to}
    set_by_step = {name: value for name, value in own.items() if value not in (None, getattr(chosen.strategy, name))}
    return StrategyUsed(chosen.strategy.name, chosen.reason, changed_fields(chosen.strategy) | set_by_step)


def _checked(projection: Projection, step: Step) -> Projection:
    """The last look: what leaves here keeps the rules, or nothing leaves."""
    faults = validate(projection.messages, step.profile.provider, allow_open=bool(projection.open_calls))
    if faults:
        fault, provider = faults[0], step.profile.provider
        details: JsonObject = {"code": fault.code, "message": fault.message, "call_id": fault.call_id}
        raise BrokenRule(f"message {fault.message} of the finished input breaks a rule of {provider!r}: {fault.text}", details)
    if sum(line.tokens for line in projection.receipt.kept) != projection.tokens:
        raise BrokenRule("the receipt does not add up to what is used")
    return projection
