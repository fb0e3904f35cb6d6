"""Tools that read and record structured progress and claims. Recording asks for a run."""

import json
from collections.abc import Sequence
from typing import Literal

from api.tools.answers import json_line, list_answer, packets_answer
from api.tools.arguments import Arguments
from api.tools.context import ToolAnswer, ToolContext
from evidence_store.errors import Conflict, InvalidInput, JsonValue
from evidence_store.ids import read_id
from evidence_store.model import (
    About,
    Citation,
    CitationRole,
    ClaimView,
    EvidenceId,
    Pointer,
    ProgressItem,
    ProgressState,
    ResourceName,
    Standing,
)
from evidence_store.pointers import plain_form
from evidence_store.records.runs import StepKey
from evidence_store.store.claims import ClaimRequest
from projector import ClaimRange, MalformedText, format_progress_item, format_recorded_claim, parse_claim_range

LISTED = 100
ROLES: tuple[CitationRole, ...] = ("old", "new", "absent", "context", "support", "scope")


def get_progress(context: ToolContext, arguments: Arguments) -> ToolAnswer:
    """Where subjects stand, one JSON line each, in the order in which they came up."""
    state, after = arguments.one_of("state", [s.value for s in ProgressState]), arguments.find_text("after")
    limit = arguments.find_int("limit", 1, 1000) or LISTED
    arguments.finish()
    items = list(context.store.tasks.list_progress(require_step(context).run.task))
    if after is not None:
        subjects = [item.subject for item in items]
        items = items[subjects.index(after) + 1 :] if after in subjects else []
    items = [item for item in items if state is None or item.state == state]
    said = [format_progress_item(item) for item in items[:limit]]
    following = items[limit - 1].subject if len(items) > limit else None
    return list_answer("items", [(f"- {one}", json.loads(one)) for one in said], following, "no progress")


def list_claims(context: ToolContext, arguments: Arguments) -> ToolAnswer:
    """Claims with their standing, one JSON line each, in order."""
    return answer_claims(context.store.claims.list_claims(require_step(context).run.task), arguments)


def answer_claims(every: Sequence[ClaimView], arguments: Arguments) -> ToolAnswer:
    """What `list_claims` says of these claims."""
    standing, after = arguments.one_of("standing", [s.value for s in Standing]), arguments.find_text("after")
    resource, pointer, text = arguments.find_text("resource"), arguments.find_text("pointer"), arguments.find_text("text")
    page = _find_page(arguments)
    limit = arguments.find_int("limit", 1, 1000) or LISTED
    arguments.finish()
    below = None if pointer is None else plain_form(pointer)
    claims = [
        claim
        for claim in every
        if (standing is None or claim.standing == standing)
        and (resource is None or claim.about.resource == resource)
        and (below is None or _is_below(claim.about.pointer, below))
        and (text is None or text.casefold() in claim.text.casefold())
        and (page is None or page.first <= _number(claim.id) <= page.last)
    ]
    if after is not None:
        claims = [c for c in claims if _number(c.id) > _number(after)]
    said = [format_recorded_claim(claim) for claim in claims[:limit]]
    following = claims[limit - 1].id if len(claims) > limit else None
    return list_answer("claims", [(one, json.loads(one.removeprefix("- "))) for one in said], following, "no claims")


def _find_page(arguments: Arguments) -> ClaimRange | None:
    asked = arguments.find_text("claims")
    try:
        return None if asked is None else parse_claim_range(asked)
    except MalformedText as why:
        raise InvalidInput(f"not a range of claims: {asked!r:.60}; one looks like C12-C140", code="bad_argument") from why


def _is_below(pointer: Pointer | None, place: Pointer) -> bool:
    """Whether a claim speaks of this place or of one below it."""
    return pointer is not None and (pointer == place or pointer.startswith(f"{place}/"))


def record_progress(context: ToolContext, arguments: Arguments) -> ToolAnswer:
    """Adds states of subjects; a `todo` for a known subject leaves it as it is."""
    items = [_item(one) for one in arguments.objects("items")]
    arguments.finish()
    step = require_step(context)
    added = context.store.tasks.record_progress(step.run.task, items, step)
    return packets_answer((), f"recorded: {len(added)} of {len(items)}", facts={"recorded": len(added), "of": len(items)})


def _item(given: Arguments) -> ProgressItem:
    subject, state = given.text("subject"), given.required_one_of("state", [s.value for s in ProgressState])
    evidence = tuple(read_id(one).id for one in given.texts("evidence"))
    item = ProgressItem(subject, ProgressState(state), evidence, given.find_text("next") or "", given.texts("uses"))
    given.finish()
    return item


def record_claim(context: ToolContext, arguments: Arguments) -> ToolAnswer:
    """Stores a claim and says where it stands after its check."""
    about = arguments.object("about")
    resource, pointer, aspect = about.text("resource"), about.find_text("pointer"), about.find_text("aspect") or ""
    about.finish()
    standing: Literal["open", "excluded"] = "excluded" if arguments.one_of("standing", ("open", "excluded")) == "excluded" else "open"
    request = ClaimRequest(
        About(ResourceName(resource), None if pointer is None else Pointer(pointer), aspect),
        arguments.text("text"),
        tuple(_citation(one) for one in arguments.objects("citations")),
        context.author,
        standing,
        arguments.find_text("scope_rule"),
        arguments.find_text("reason") or "",
    )
    arguments.finish()
    claim = context.store.claims.record(require_step(context), request)
    facts: dict[str, JsonValue] = {"claim": claim.id, "standing": claim.standing.value, "reason": claim.reason or None}
    return packets_answer((), f"claim: {claim.id}", f"standing: {claim.standing}", *_reason(claim), facts=facts)


def _reason(claim: ClaimView) -> tuple[str, ...]:
    return (f"reason: {json_line(claim.reason)}",) if claim.reason else ()


def _citation(given: Arguments) -> Citation:
    evidence, role = given.text("evidence"), given.required_one_of("role", ROLES)
    given.finish()
    return Citation(EvidenceId(read_id(evidence).id), next(r for r in ROLES if r == role))


def require_step(context: ToolContext) -> StepKey:
    if context.step is None:
        raise Conflict("progress and claims belong to a run, and this call has none", code="no_run")
    return context.step


def _number(claim: str) -> int:
    if not (claim.startswith("C") and claim[1:].isdecimal() and len(claim) < 16):
        raise InvalidInput(f"not a claim id: {claim[:40]!r}; one looks like C12", code="bad_argument")
    return int(claim[1:])
