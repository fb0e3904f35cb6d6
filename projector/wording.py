"""What of a sentence a shorter form has to keep: negations, doubt, limits of scope, numbers, ids, and the words that they bear on.

Words in English, German and Chinese, by lists and never by meaning: what is not understood counts as content, which stays. Nothing here
knows who said a sentence, or what follows from it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

GuardKind = Literal["negation", "doubt", "scope"]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATIONS: Final = _set(
    "not no never none nothing nobody neither nor cannot without lacks lack fails failed missing absent "
    "wrong incorrect mistaken false untrue retracted falsch 错 "
    "nicht kein keine keinen keinem keiner nie niemals ohne weder 不 没 未 无 非 勿 别"
)
DOUBTS: Final = _set(
    "may might could can would should maybe perhaps possibly probably likely unlikely seems seem seemed appears appear apparently suspect "
    "suspected unconfirmed unverified unclear assume assumed guess think believe about roughly if whether unless doubt "
    "doubtful hope hopefully wonder suppose presumably vielleicht könnte "
    "möglicherweise wohl vermutlich wahrscheinlich falls ob 可 或 若 如 疑"
)
SCOPES: Final = _set(
    "only just except excluding exclude excluded besides apart other than but most least must always ignore omit skip within until till "
    "when while during before after once where per under over above below beyond up nur außer ausgenommen mindestens höchstens immer "
    "muss müssen bis wenn vor nach 只 仅 除 至 必 须 始 当"
)
QUANTIFIERS: Final = _set("all every each any both some few several many alle jede jeder jedes einige 都 所 每 全")
MARKS: Final = _set("beta alpha deprecated experimental optional required stable internal private instead actually rather correction")
"""What parts of an API are marked as, and scope goes by; and what takes back something said before. Kept wherever it stands."""
# Words without which a sentence says the same. Tenses are none of them, nor are words of relation.
FILLERS: Final = _set("the a an is are be been being that which there marked called named very really quite also please der die das")

_EVIDENCE: Final = re.compile(r"(?<!\w)ev_\w+")
_NUMBER: Final = re.compile(r"(?<![\w.])[-+]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?\w*")
_QUOTED: Final = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|“([^”\n]+)”|«([^»\n]+)»|「([^」\n]+)」")
_CJK: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN: Final = re.compile(
    rf"(?<!\w)/[\w{{}}/.\-~]*[\w}}]|[-+]?\d+(?:[.,]\d+)*\w*|[{_CJK}]|[^\W\d{_CJK}](?:[^\W{_CJK}]|['’.\-](?=[^\W{_CJK}]))*|[^\s.,;:!?()\"'“”‘’…。，；：！？]"
)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\s*[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]\s*")
_CLAUSE_END: Final = re.compile(r"[,;:](?=\s|$)|[，；：—()]|[.!?。！？]+(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Bearing:
    """A word that turns what is said, and the word that it stands before; empty at an end."""

    kind: GuardKind
    word: str
    on: str


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, white space made single; joined by line ends and parted again they are the same."""
    return tuple(" ".join(part.split()) for part in _SENTENCE_END.split(text) if part.strip())


def clauses(text: str) -> tuple[tuple[str, ...], ...]:
    """The words of each clause: what stands between commas, brackets and the ends of sentences."""
    found = (words(part) for sentence in sentences(text) for part in _CLAUSE_END.split(sentence))
    return tuple(one for one in found if one)


def words(text: str) -> tuple[str, ...]:
    """Words, numbers, paths and signs in order; small letters, except in words that are spelled with large ones inside."""
    return tuple(one if any(map(str.isupper, one[1:])) else one.lower() for one in _TOKEN.findall(text))


def evidence_in(text: str) -> tuple[str, ...]:
    """Evidence ids named, also such as are none."""
    return tuple(dict.fromkeys(_EVIDENCE.findall(text)))


def numbers_in(text: str) -> tuple[str, ...]:
    """Numbers as written, with what is joined to them; those inside evidence ids are none."""
    return tuple(_NUMBER.findall(_EVIDENCE.sub(" ", text)))


def quoted_in(text: str) -> tuple[str, ...]:
    """What stands in quotation marks or backticks."""
    return tuple(next(filter(None, found)) for found in _QUOTED.findall(text))


def bearings(tokens: Sequence[str]) -> tuple[Bearing, ...]:
    """Negations, doubts and limits in order, each with the next word that is no filler. A quantifier counts beside one of these."""
    kinds = [guard_kind(token) for token in tokens]
    guarded = any(kinds)
    found = []
    for at, token in enumerate(tokens):
        kind = kinds[at] or ("scope" if guarded and token.lower() in QUANTIFIERS else None)
        if kind is not None:
            found.append(Bearing(kind, token, next((one for one in tokens[at + 1 :] if one not in FILLERS), "")))
    return tuple(found)


def guard_kind(token: str) -> GuardKind | None:
    """Whether a word turns what is said, and how."""
    small = token.lower()
    if small in NEGATIONS or small.endswith(("n't", "n’t")):
        return "negation"
    return "doubt" if small in DOUBTS else "scope" if small in SCOPES else None


def is_guarded(text: str) -> bool:
    """Whether a text holds anything that a shorter form has to keep."""
    found = words(text)
    kept = any(guard_kind(one) is not None or one.lower() in QUANTIFIERS | MARKS or _is_name(one) for one in found)
    return kept or bool(evidence_in(text) or numbers_in(text) or quoted_in(text)) or "?" in text or "？" in text


def _is_name(word: str) -> bool:
    """A path, or a word spelled like an identifier, or one that holds a digit."""
    return word.startswith("/") or "_" in word or any(map(str.isdigit, word)) or any(map(str.isupper, word[1:]))
