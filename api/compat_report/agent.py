"""The read-only agent: one function from the text of a projected input to the calls of one step.

Invariants, each with a test:
1. Its only knowledge is the text. No state is kept between steps; what is noted for later stands in structured progress.
2. It acts through tools, as a model would, and reads their answers by the documented grammar.
3. A sentence is built from packets that stand in the input in full, and cites exactly these.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from api.compat_report.costs import KEYS_TOKENS, KIND_TOKENS, PATHS_TOKENS, TURN_TOKENS, WIDE_TOKENS, cost_of
from api.compat_report.memo import Memo, format_memo, parse_memo
from api.compat_report.model import Argument, Call, Need, Refusal, Side, Turn
from api.compat_report.pointers import locate
from api.compat_report.reading import Input, Listed, ReadValue, read_input
from api.compat_report.steps import Step, advance, base_evidence
from api.compat_report.subjects import OPERATIONS
from api.compat_report.view import View
from api.tools import value_of
from projector import parse_errors

MAX_READS = 14
"""Reads of one turn."""
MAX_STARTED = 6
"""Subjects that are in work at the same time."""
_PAGE = re.compile(r'\{"children":"(\d+)-(\d+)"\}')
_KINDS = {"openapi": "OpenAPI", "swagger": "Swagger"}
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
    unread = _unread_versions(seen)
    if unread:
        evidence = list(base_evidence(seen))
        item: dict[str, Argument] = {"subject": OPERATIONS, "state": "doing", "evidence": evidence, "next": format_memo(memo)}
        return Turn("I look at which version of Swagger they are.", (_record([item]), *(_read(seen, need) for need in unread)))
    refusal = find_refusal(seen)
    if refusal is not None:
        return Turn(refusal.message, (), refusal)
    evidence = list(base_evidence(seen))
    page = next((one for one in seen.old.pages("/paths") if one.first == memo.page), None)
    if page is None and seen.old.find_packet("/paths", "source") is None:
        item = {"subject": OPERATIONS, "state": "doing", "evidence": evidence, "next": format_memo(memo)}
        reads = (_read_page(seen, None), _read_kind(seen))
        return Turn("I list the operations of the old version.", (_record([item]), *reads))
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


@dataclass(slots=True)
class _Load:
    """What the next input will have to hold: a packet that several subjects draw on stands there once, and is read once."""

    seen: Input
    tokens: int = 0
    reads: dict[Need, None] = field(default_factory=dict)
    held: dict[str, None] = field(default_factory=dict)
    started: int = 0

    def price_held(self, step: Step) -> int:
        return sum(self.seen.tokens.get(one, 0) for one in step.evidence if one not in self.held)

    def price(self, step: Step) -> int:
        return self.price_held(step) + sum(cost_of(self.seen, need) for need in step.needs if need not in self.reads)

    def fits(self, step: Step) -> bool:
        """At least one subject is taken further, whatever it needs."""
        n_reads = len(self.reads | dict.fromkeys(step.needs))
        return not self.started or (self.tokens + self.price(step) <= TURN_TOKENS and n_reads <= MAX_READS and self.started < MAX_STARTED)

    def start(self, step: Step) -> None:
        self.started, self.tokens = self.started + 1, self.tokens + self.price(step)
        self.reads |= dict.fromkeys(step.needs)
        self.held |= dict.fromkeys(step.evidence)

    def keep(self, step: Step) -> bool:
        """Whether the packets of a subject that has to wait may stay in the input."""
        if self.tokens + self.price_held(step) > TURN_TOKENS:
            return False
        self.tokens += self.price_held(step)
        self.held |= dict.fromkeys(step.evidence)
        return True


def _work(seen: Input, before: tuple[Call, ...] = (), recorded: Sequence[dict[str, Argument]] = ()) -> Turn:
    """Takes the subjects in work a step further, and starts others while the budget of the next input lasts."""
    claims, items = list(before), list(recorded)
    load = _Load(seen)
    for item in seen.items:
        if item.state not in ("doing", "todo") or item.subject == OPERATIONS:
            continue
        step = advance(seen, item.subject, parse_memo(item.next))
        fits = load.fits(step)
        if item.state == "todo" and not step.ended and not fits:
            break
        claims += step.claims
        items += map(_todo, step.subjects)
        if step.ended:
            items.append(step.item)
        elif fits:
            load.start(step)
            items.append(step.item)
        else:
            items.append(step.deferred(item.next, keeps_evidence=load.keep(step)))
    if not items:
        return Turn("All subjects are dealt with.")
    return Turn(_say(items), (*claims, _record(items), *(_read(seen, need) for need in load.reads)))


def _say(items: list[dict[str, Argument]]) -> str:
    ended = sum(item["state"] not in ("doing", "todo") for item in items)
    work = [ascii(item["subject"]) for item in items if item["state"] == "doing"]
    return f"{ended} ended; in work: {', '.join(work) or 'nothing'}."


def _unread_versions(seen: Input) -> tuple[Need, ...]:
    """What a Swagger document says of itself as a whole, where it is not shown yet."""
    needs: list[Need] = []
    for side in _SIDES:
        names = seen.view(side).find_packet("", "keys")
        if names is not None and names.names is not None and "swagger" in names.names and "openapi" not in names.names:
            wanted = [place for place in ("swagger", "consumes", "produces") if place in names.names]
            needs += [Need(side, f"/{place}") for place in wanted if seen.view(side).find_packet(f"/{place}", "source") is None]
    return tuple(needs) if any(need.pointer == "/swagger" for need in needs) else ()


def find_refusal(seen: Input) -> Refusal | None:
    """Why the two cannot be compared, from what they say of themselves."""
    kinds: list[str] = []
    for side in _SIDES:
        view, name = seen.view(side), seen.versions.of(side).resource
        names = view.find_packet("", "keys")
        if names is None or names.names is None:
            return Refusal("not_openapi", f"{name!r} is not an API document: it has no members")
        kind = "openapi" if "openapi" in names.names else "swagger"
        version = view.find_packet(f"/{kind}", "source")
        if kind not in names.names or version is None or not isinstance(version.value, str):
            lack = "its member" if kind in names.names else "it has no member"
            held = " says no version" if kind in names.names else ""
            return Refusal("not_openapi", f"{name!r} is not an API document: {lack} {kind!r}{held}")
        if re.fullmatch(r"3\.[012](\.\d+)?(-.+)?" if kind == "openapi" else r"2\.0", version.value) is None:
            said = f"{name!r} is {_KINDS[kind]} {str(version.value)[:20]!r}"
            return Refusal("unsupported_openapi", f"{said}; Swagger 2.0, OpenAPI 3.0, 3.1 and 3.2 are compared")
        if "paths" not in names.names:
            return Refusal("not_openapi", f"{name!r} describes no paths")
        kind_of_paths = _find_other_kind(view)
        if kind_of_paths is not None:
            return Refusal("not_openapi", f"{name!r} describes no paths: '/paths' holds {kind_of_paths} where an object is expected")
        kinds.append(kind)
    if kinds[0] != kinds[1]:
        said = " and ".join(f"{seen.versions.of(side).resource!r} is {_KINDS[kind]}" for side, kind in zip(_SIDES, kinds, strict=True))
        return Refusal("unsupported_openapi", f"{said}; only documents of one kind are compared, so convert the older one first")
    return None


def _find_other_kind(view: View) -> str | None:
    """What `/paths` holds where it is shown to be no object."""
    whole = view.find_packet("/paths", "source")
    if any(page.is_array for page in view.pages("/paths")) or (whole is not None and isinstance(whole.value, list)):
        return "an array"
    if whole is None or isinstance(whole.value, dict):
        return None
    return "null" if whole.value is None else "a plain value"


def _todo(subject: str) -> dict[str, Argument]:
    return {"subject": subject, "state": "todo"}


def _record(items: list[dict[str, Argument]]) -> Call:
    return Call("record_progress", {"items": items})


def _read(seen: Input, need: Need) -> Call:
    version, place = seen.versions.of(need.side), locate(need.pointer)
    arguments: dict[str, Argument] = {"resource": version.resource, "revision": version.revision}
    if need.operation:
        return Call("read_spec", {**arguments, "operation": need.operation})
    if place.resource:
        arguments = {"resource": place.resource}
    arguments["pointer"] = place.pointer
    if need.look == "keys":
        arguments |= {"view": "keys", "max_tokens": PATHS_TOKENS if need.pointer == "/paths" else KEYS_TOKENS}
    elif need.wide:
        arguments["max_tokens"] = WIDE_TOKENS
    return Call("read_spec", arguments)


def _read_kind(seen: Input) -> Call:
    """A first look at the paths of the new version, only to see that they are an object."""
    version = seen.versions.new
    arguments: dict[str, Argument] = {"resource": version.resource, "revision": version.revision, "pointer": "/paths"}
    return Call("read_spec", {**arguments, "max_tokens": KIND_TOKENS})


def _read_page(seen: Input, page: re.Match[str] | None) -> Call:
    version = seen.versions.old
    arguments: dict[str, Argument] = {"resource": version.resource, "revision": version.revision, "pointer": "/paths"}
    return Call("read_spec", arguments if page is None else {**arguments, "children": f"{page[1]}-{page[2]}"})
