"""The recap: what stands in a history for discussion that was summarised (docs/formats/recap.md).

Lines that are known by an id, so that a shorter form can be held against what it was made from, line by line. `format_` and `parse_` are
inverses. A recap is only read where compaction writes it: the same text anywhere else is what somebody said.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol

from evidence_store.errors import JsonValue
from evidence_store.model import EvidenceId
from projector.errors import MalformedText
from projector.render.scalars import format_json, format_list, parse_json, parse_list
from projector.user_words import has_to_stand
from projector.wording import sentences

LineKind = Literal["fact", "open", "excluded", "said"]
Speaker = Literal["", "user", "assistant"]

HEAD: Final = "[recap]"
END: Final = "[end recap]"
_TURNS: Final = re.compile(r"turns: ([0-9]{1,18})")
_LEFT_OUT: Final = re.compile(r"user sentences left out: ([0-9]{1,18})")


@dataclass(frozen=True, slots=True)
class RecapLine:
    """One thing that a summary says."""

    id: str
    """Of the claim, or the place of a turn; empty for a line that answers to none."""
    kind: LineKind
    text: str
    evidence: tuple[EvidenceId, ...] = ()
    """What it cites, beside the ids in its text."""
    by: Speaker = ""
    """Who said it, of discussion."""


@dataclass(frozen=True, slots=True)
class RecapDraft:
    """Lines to be summarised, or a summary of them."""

    lines: tuple[RecapLine, ...]
    labels: tuple[str, ...] = ()
    """Access labels of all that the lines were made from."""


class Summariser(Protocol):
    """Shortens a draft: a model behind a port, or `BuiltIn`.

    Gives the lines under their ids, in their order, with fewer words; what it gives is checked (`recap_check`), so it may be wrong, but not
    raise. None where it has no answer. Asked at most twice for one compaction.
    """

    def summarise(self, given: RecapDraft) -> RecapDraft | None: ...


class BuiltIn:
    """The deterministic form: claims to the letter; of discussion, to the letter, the sentences that hold what has to be kept; of users,
    all but courtesies.

    Doing it twice is doing it once.
    """

    def summarise(self, given: RecapDraft) -> RecapDraft:
        """Never longer than what it is given, and always in order."""
        shortened = (_kept(line) if line.kind == "said" else line for line in given.lines)
        return RecapDraft(tuple(line for line in shortened if line.text or line.kind != "said"), given.labels)


def _kept(line: RecapLine) -> RecapLine:
    return replace(line, text="\n".join(one for one in sentences(line.text) if has_to_stand(one, line.by)))


@dataclass(frozen=True, slots=True)
class Recap:
    """What stands for old discussion."""

    lines: tuple[RecapLine, ...]
    """Of the kind `said`, without ids, oldest first, each once."""
    labels: tuple[str, ...]
    n_turns: int
    """Turns that it stands for, those included of which nothing had to be kept."""
    n_left_out: int = 0
    """Sentences of users that were more than courtesy, and had no space."""


NO_RECAP: Final = Recap((), (), 0)


def joined(old: Recap | None, draft: RecapDraft, n_turns: int, n_left_out: int = 0) -> Recap:
    """The recap with what was summarised now at its end. What it says already is not said again."""
    before = old or NO_RECAP
    added = (replace(line, id="") for line in draft.lines)
    labels = tuple(sorted({*before.labels, *draft.labels}))
    return Recap(tuple(dict.fromkeys((*before.lines, *added))), labels, before.n_turns + n_turns, before.n_left_out + n_left_out)


def format_recap(recap: Recap) -> str:
    """The text form."""
    labels = [f"labels: {format_list(recap.labels)}"] if recap.labels else []
    left_out = [f"user sentences left out: {recap.n_left_out}"] if recap.n_left_out else []
    return "\n".join([HEAD, *labels, *map(format_line, recap.lines), *left_out, f"turns: {recap.n_turns}", f"{END}\n"])


def format_line(line: RecapLine) -> str:
    """The text form of one line, without its end."""
    members: dict[str, JsonValue] = {"said": line.by, "text": line.text}
    if line.evidence:
        members["evidence"] = line.evidence
    return f"- {format_json(members)}"


def parse_recap(text: str) -> Recap | None:
    """The recap that a text is; None where it is another text. Raises MalformedText where it begins as one and breaks off."""
    first, *rest = text.split("\n")
    if first != HEAD:
        return None
    if rest[-2:] != [END, ""] or len(rest) < 3 or (turns := _TURNS.fullmatch(rest[-3])) is None:
        raise MalformedText("a recap breaks off before its last lines")
    body = rest[:-3]
    labels = parse_list(body.pop(0).removeprefix("labels: ")) if body and body[0].startswith("labels: ") else ()
    left_out = _LEFT_OUT.fullmatch(body[-1]) if body else None
    if left_out is not None:
        body.pop()
    return Recap(tuple(map(_parse_line, body)), labels, int(turns[1]), int(left_out[1]) if left_out else 0)


def recap_labels(text: str) -> tuple[str, ...]:
    """The labels that a text names where it is a recap, whole or not; a text that plays one is only withheld more often."""
    lines = text.split("\n", 2)
    named = lines[1].removeprefix("labels: ") if len(lines) > 1 and lines[0] == HEAD and lines[1].startswith("labels: ") else ""
    try:
        return parse_list(named) if named else ()
    except MalformedText:
        # a label that nobody has
        return (named,)


def _parse_line(text: str) -> RecapLine:
    value = parse_json(text.removeprefix("- ")) if text.startswith("- ") else None
    members: Mapping[str, JsonValue] = value if isinstance(value, Mapping) else {}
    by, said, evidence = members.get("said"), members.get("text"), members.get("evidence", ())
    if by not in ("user", "assistant") or not isinstance(said, str) or not isinstance(evidence, list | tuple):
        raise MalformedText(f"no line of a recap: {text[:80]!r}")
    return RecapLine("", "said", said, _ids(evidence), by)


def _ids(values: Iterable[JsonValue]) -> tuple[EvidenceId, ...]:
    found = tuple(values)
    if not all(isinstance(one, str) for one in found):
        raise MalformedText("an evidence id in a recap is no text")
    return tuple(EvidenceId(str(one)) for one in found)
