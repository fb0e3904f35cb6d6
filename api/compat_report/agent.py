"""The read-only agent: one function from the text of a projected input to the calls of one step.

Invariants, each with a test:
1. Its only knowledge is the text. No state is kept between steps; what is noted for later stands in structured progress.
2. It acts through tools, as a model would, and reads their answers by the documented grammar.
3. A sentence is built from packets that stand in the input in full, and cites exactly these.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from api.compat_report.costs import KEYS_TOKENS, PATHS_TOKENS, TURN_TOKENS, WIDE_TOKENS, cost_of
from api.compat_report.memo import Memo, format_memo, parse_memo
from api.compat_report.model import Argument, Call, Need, Refusal, Side, Turn
from api.compat_report.reading import Input, Listed, ReadValue, read_input
from api.compat_report.steps import advance, base_evidence
from api.compat_report.subjects import OPERATIONS
from api.tools import value_of
from projector import parse_errors

MAX_READS = 14
"""Reads of one turn."""
MAX_STARTED = 6
"""Subjects that are in work at the same time."""
_PAGE = re.compile(r"--children (\d+)-(\d+)")
_SIDES: tuple[Side, Side] = ("old", "new")


def decide(input_text: str, read_value: ReadValue = value_of) -> Turn:
    """The next turn; no calls means the end. Raises NoComparison where the task names no two revisions, MalformedText for a torn input."""
    seen = read_input(input_text, read_value)
    if not seen.items and not any(seen.counts.values()):
        return _begin(seen)
    listing = next((item for item in seen.items if item.subject == OPERATIONS and item.state == "doing"), None)
    if listing is not None:
        unanswered = not base_evidence(seen) and not parse_errors(input_text)
        return _begin(seen) if unanswered else _list(seen, parse_memo(listing.next))
    return _work(seen)


def _begin(seen: Input) -> Turn:
    """Asks both versions what they are."""
    needs = [Need(side, pointer, "keys" if pointer == "" else "source") for side in _SIDES for pointer in ("", "/openapi")]
    item: dict[str, Argument] = {"subject": OPERATIONS, "state": "doing", "next": format_memo(Memo(tried=1))}
    reads = [_read(seen, need) for need in dict.fromkeys(needs)]
    return Turn("I look at what the two documents are.", (_record([item]), *reads))


def _list(seen: Input, memo: Memo) -> Turn:
    """Turns the pages of `/paths` and makes each operation a subject."""
    refusal = find_refusal(seen)
    if refusal is not None:
        return Turn(refusal.message, (), refusal)
    evidence = list(base_evidence(seen))
    page = next((one for one in seen.old.pages("/paths") if one.first == memo.page), None)
    if page is None and seen.old.find_packet("/paths", "source") is None:
        item: dict[str, Argument] = {"subject": OPERATIONS, "state": "doing", "evidence": evidence, "next": format_memo(memo)}
        return Turn("I list the operations of the old version.", (_record([item]), _read_page(seen, None)))
    step = advance(seen, OPERATIONS, memo)
    following = _PAGE.fullmatch(page.next or "") if page is not None else None
    items = [_todo(subject) for subject in step.subjects]
    if not step.ended:
        return Turn("I look for the methods of the larger paths.", (_record([step.item]), *(_read(seen, need) for need in step.needs)))
    if following is None:
        return _work(replace(seen, items=tuple(Listed(subject, "todo", "") for subject in step.subjects)), step.claims, [*items, step.item])
    again = replace(Memo(tried=1), page=int(following[1]))
    item = {"subject": OPERATIONS, "state": "doing", "evidence": evidence, "next": format_memo(again)}
    return Turn("I list more operations.", (*step.claims, _record([*items, item]), _read_page(seen, following)))


def _work(seen: Input, before: tuple[Call, ...] = (), recorded: Sequence[dict[str, Argument]] = ()) -> Turn:
    """Takes the subjects in work a step further, and starts others while the budget of the next input lasts."""
    claims, items = list(before), list(recorded)
    reads: list[Call] = []
    tokens = started = 0
    for item in seen.items:
        if item.state not in ("doing", "todo") or item.subject == OPERATIONS:
            continue
        step = advance(seen, item.subject, parse_memo(item.next))
        cost = step.held_tokens + sum(cost_of(seen, need) for need in step.needs)
        fits = not started or (tokens + cost <= TURN_TOKENS and len(reads) + len(step.needs) <= MAX_READS and started < MAX_STARTED)
        if item.state == "todo" and not step.ended and not fits:
            break
        claims += step.claims
        items += map(_todo, step.subjects)
        if step.ended:
            items.append(step.item)
        elif fits:
            started, tokens = started + 1, tokens + cost
            items.append(step.item)
            reads += [_read(seen, need) for need in step.needs]
        else:
            keeps = tokens + step.held_tokens <= TURN_TOKENS
            tokens += step.held_tokens if keeps else 0
            items.append(step.deferred(item.next, keeps_evidence=keeps))
    if not items:
        return Turn("All subjects are dealt with.")
    return Turn(_say(items), (*claims, _record(items), *reads))


def _say(items: list[dict[str, Argument]]) -> str:
    ended = sum(item["state"] not in ("doing", "todo") for item in items)
    work = [str(item["subject"]) for item in items if item["state"] == "doing"]
    return f"{ended} ended; in work: {', '.join(work) or 'nothing'}."


def find_refusal(seen: Input) -> Refusal | None:
    """Why the two cannot be compared, from what they say of themselves."""
    for side in _SIDES:
        view, name = seen.view(side), seen.versions.of(side).resource
        names, version = view.find_packet("", "keys"), view.find_packet("/openapi", "source")
        if names is None or names.names is None:
            return Refusal("not_openapi", f"{name!r} is not an API document: it has no members")
        if "swagger" in names.names:
            return Refusal("unsupported_openapi", f"{name!r} is a Swagger 2.0 document; OpenAPI 3.0 and 3.1 are compared")
        if "openapi" not in names.names or version is None or not isinstance(version.value, str):
            return Refusal("not_openapi", f"{name!r} is not an API document: it has no member 'openapi'")
        if re.fullmatch(r"3\.[01](\.\d+)?(-.+)?", version.value) is None:
            return Refusal("unsupported_openapi", f"{name!r} is OpenAPI {str(version.value)[:20]!r}; 3.0 and 3.1 are compared")
        if "paths" not in names.names:
            return Refusal("not_openapi", f"{name!r} describes no paths")
    return None


def _todo(subject: str) -> dict[str, Argument]:
    return {"subject": subject, "state": "todo"}


def _record(items: list[dict[str, Argument]]) -> Call:
    return Call("record_progress", {"items": items})


def _read(seen: Input, need: Need) -> Call:
    version = seen.versions.of(need.side)
    arguments: dict[str, Argument] = {"resource": version.resource, "revision": version.revision}
    if need.operation:
        return Call("read_spec", {**arguments, "operation": need.operation})
    arguments["pointer"] = need.pointer
    if need.look == "keys":
        arguments |= {"view": "keys", "max_tokens": PATHS_TOKENS if need.pointer == "/paths" else KEYS_TOKENS}
    elif need.wide:
        arguments["max_tokens"] = WIDE_TOKENS
    return Call("read_spec", arguments)


def _read_page(seen: Input, page: re.Match[str] | None) -> Call:
    version = seen.versions.old
    arguments: dict[str, Argument] = {"resource": version.resource, "revision": version.revision, "pointer": "/paths"}
    return Call("read_spec", arguments if page is None else {**arguments, "children": f"{page[1]}-{page[2]}"})
