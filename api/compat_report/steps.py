"""One subject, one step further: read what is missing, or record what was found and go on.

A subject ends `done`, `excluded` or, after too many steps, `blocked` with an open question; it never ends in silence.
"""

from dataclasses import dataclass, replace

from api.compat_report.citations import Cited, claim_call, find_cited, name_place
from api.compat_report.comparison import SHARED, Comparison
from api.compat_report.costs import cost_of
from api.compat_report.memo import Memo, format_memo
from api.compat_report.model import Argument, Call, Cite, Examination, Finding, Need, Side
from api.compat_report.operations import compare_operation, compare_pair, list_operations
from api.compat_report.pointers import escape_token, is_root, parent_of
from api.compat_report.reading import Input
from api.compat_report.subjects import METHODS, MORE, OPERATIONS, OperationSubject, parse_subject

MAX_TRIED = 20
"""Steps after which a subject is given up; the deepest real documents need nine."""
_DOUBTFUL = 4
"""Steps after which a place that does not appear is taken for one that may not exist."""
MAX_BATCH = 12
"""Passages that are read for findings in one step."""
HELD_TOKENS, MOST_TOKENS = 18_000, 20_000
"""What one subject may hold in the input, and the most it may with the one read that it cannot do without."""
MAX_SUBJECTS = 20_000
"""Characters of the subjects that one subject leads to: one turn names all of them, and the next input holds that turn whole."""
_BASE = (
    ("", "keys"),
    *((place, "keys") for place in SHARED),
    *((place, "source") for place in ("/openapi", "/swagger", "/security", "/consumes", "/produces")),
)
"""Places of the document that nearly every subject asks for; their packets are handed on from subject to subject."""
_SIDES: tuple[Side, Side] = ("old", "new")


@dataclass(frozen=True, slots=True)
class Step:
    """What one subject asks for in this turn."""

    item: dict[str, Argument]
    """The progress item to be recorded."""
    claims: tuple[Call, ...] = ()
    needs: tuple[Need, ...] = ()
    evidence: tuple[str, ...] = ()
    """The packets that the next input must show."""
    subjects: tuple[str, ...] = ()
    """Subjects to be worked on."""

    def deferred(self, memo: str, *, keeps_evidence: bool) -> dict[str, Argument]:
        """The item when the reads have to wait: the memo as it was, and no packets where there is no room for them."""
        kept = {name: value for name, value in self.item.items() if name != "next" and (keeps_evidence or name != "evidence")}
        return {**kept, "next": self.item["next"] if self.claims else memo}

    @property
    def ended(self) -> bool:
        return self.item["state"] != "doing"


@dataclass(frozen=True, slots=True)
class Look:
    """An examination with the packets that it drew on."""

    exam: Examination
    used: tuple[str, ...]
    absent: tuple[str, ...] = ()
    """Resources that are not there, as far as this subject was told."""


def examine(seen: Input, subject: str, memo: Memo) -> Look:
    """A function of the packets in the input: the same packets, the same answer."""
    patient = memo.tried < 3
    old, new = (seen.view(side).fork(patient=patient, absent=memo.absent) for side in _SIDES)
    c = Comparison(old, new, memo.tried)
    parsed = parse_subject(subject)
    if subject == OPERATIONS:
        list_operations(c, memo.page)
    elif isinstance(parsed, OperationSubject):
        compare_operation(c, parsed, seen.exclusions)
    elif parsed is not None:
        compare_pair(c, parsed)
    return Look(c.result(), tuple(dict.fromkeys([*c.old.used, *c.new.used])), tuple(c.old.absent))


def advance(seen: Input, subject: str, memo: Memo) -> Step:
    """The next step of a subject."""
    look = examine(seen, subject, memo)
    memo = replace(memo, absent=look.absent)
    if look.exam.needs:
        needs = look.exam.needs
        if memo.tried >= _DOUBTFUL:
            needs = tuple(dict.fromkeys([*needs, *_containers(needs, memo.tried - _DOUBTFUL + 1)]))
        return _pursue(seen, subject, replace(memo, tried=memo.tried + 1), look, needs)
    return _conclude(seen, subject, memo, look)


def _pursue(seen: Input, subject: str, memo: Memo, look: Look, needs: tuple[Need, ...], extra: tuple[str, ...] = ()) -> Step:
    evidence = _hold(seen, (*look.used, *extra))
    held = _tokens(seen, evidence)
    chosen = _affordable(seen, needs, held)
    if max(memo.tried, memo.cites) > MAX_TRIED or not chosen:
        return _give_up(seen, subject, memo, look)
    return Step(_item(subject, "doing", evidence, format_memo(memo)), needs=chosen, evidence=evidence)


def _affordable(seen: Input, needs: tuple[Need, ...], held: int) -> tuple[Need, ...]:
    """The first reads that fit beside what is held."""
    chosen: list[Need] = []
    for need in needs[:MAX_BATCH]:
        held += cost_of(seen, need)
        if held > HELD_TOKENS and chosen:
            break
        if held > MOST_TOKENS:
            break
        chosen.append(need)
    return tuple(chosen)


def _containers(needs: tuple[Need, ...], n_up: int) -> list[Need]:
    """A place that does not appear may not exist: the names of its container tell or, a step later, those of the next one up."""
    found: list[Need] = []
    for need in needs:
        if need.operation or is_root(need.pointer):
            continue
        pointer = need.pointer
        for _ in range(n_up):
            pointer = parent_of(pointer)
        found.append(Need(need.side, pointer, "keys"))
    return found


def _conclude(seen: Input, subject: str, memo: Memo, look: Look) -> Step:
    """Records the findings whose passages are all in the input, a batch a step."""
    rest = look.exam.findings[memo.claimed :]
    batch = _batch(rest)
    cited: list[Cited] = []
    needs: dict[Need, None] = {}
    for finding in batch:
        found = find_cited(seen, finding)
        if isinstance(found, Cited):
            cited.append(found)
        else:
            needs |= dict.fromkeys(found)
    if needs:
        return _pursue(
            seen, subject, replace(memo, cites=memo.cites + 1), look, tuple(needs), tuple(one for found in cited for one in found.ids)
        )
    ids = dict.fromkeys([*memo.cited, *(one for found in cited for one in found.ids)])
    after = Memo(claimed=memo.claimed + len(cited), cited=tuple(ids), absent=memo.absent)
    claims = tuple(claim_call(seen, found) for found in cited)
    if len(rest) > len(batch):
        following = _batch(rest[len(batch) :])
        ahead = [find_cited(seen, finding) for finding in following]
        reads = dict.fromkeys(need for found in ahead if not isinstance(found, Cited) for need in found)
        evidence = _hold(seen, (*look.used, *(one for found in ahead if isinstance(found, Cited) for one in found.ids)))
        item = _item(subject, "doing", evidence, format_memo(after))
        return Step(item, claims, tuple(reads)[:MAX_BATCH], evidence)
    if sum(map(len, (*look.exam.subjects, *look.exam.uses))) > MAX_SUBJECTS:
        return _give_up(seen, subject, after, replace(look, exam=replace(look.exam, uses=())), claims)
    state = "excluded" if look.exam.excluded else "done"
    item = _item(subject, state, tuple(dict.fromkeys([*ids, *look.used])), uses=look.exam.uses)
    return Step(item, claims, subjects=(*look.exam.subjects, *look.exam.uses))


def _batch(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The first findings that together rest on few enough passages; at least one."""
    cites: dict[Cite, None] = {}
    for at, finding in enumerate(findings):
        cites |= dict.fromkeys(finding.cites)
        if at and len(cites) > MAX_BATCH:
            return findings[:at]
    return findings


def _give_up(seen: Input, subject: str, memo: Memo, look: Look, claims: tuple[Call, ...] = ()) -> Step:
    """What could not be read, or has more parts than one turn can name, stays an open question."""
    arguments: dict[str, Argument] = {
        "about": {**name_place(seen, Cite("old", _place_of(subject), "old")), "aspect": "not-compared"},
        "text": "not compared: a passage that it needs was never shown in full",
        "citations": [{"evidence": evidence, "role": "context"} for evidence in look.used[:1]],
        "standing": "open",
        "reason": f"{subject} could not be read within the budget of a step",
    }
    item = _item(subject, "blocked", tuple(dict.fromkeys([*memo.cited, *look.used])), "not compared", look.exam.uses)
    return Step(item, (*claims, Call("record_claim", arguments)), subjects=look.exam.uses)


def _place_of(subject: str) -> str:
    """The place of the old version that a subject is about."""
    parsed = parse_subject(subject)
    if isinstance(parsed, OperationSubject):
        method = parsed.method if parsed.method in METHODS else f"{MORE}/{parsed.method}"
        return f"/paths/{escape_token(parsed.path)}/{method}"
    return "/paths" if parsed is None else parsed.old


def _hold(seen: Input, used: tuple[str, ...]) -> tuple[str, ...]:
    """The packets that the next input must show: those drawn on, and those that every subject asks for."""
    return tuple(dict.fromkeys([*used, *base_evidence(seen)]))


def base_evidence(seen: Input) -> tuple[str, ...]:
    found = [seen.view(side).find_packet(pointer, "keys" if look == "keys" else "source") for side in _SIDES for pointer, look in _BASE]
    return tuple(dict.fromkeys(packet.id for packet in found if packet is not None))


def _tokens(seen: Input, evidence: tuple[str, ...]) -> int:
    return sum(seen.tokens.get(one, 0) for one in evidence)


def _item(subject: str, state: str, evidence: tuple[str, ...], following: str = "", uses: tuple[str, ...] = ()) -> dict[str, Argument]:
    item: dict[str, Argument] = {"subject": subject, "state": state}
    if evidence:
        item["evidence"] = list(evidence)
    if following:
        item["next"] = following
    if uses:
        item["uses"] = list(uses)
    return item
