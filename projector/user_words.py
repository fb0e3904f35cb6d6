"""What of the words of users a recap keeps: all but courtesies, to the letter, within bounds (docs/formats/recap.md).

A detector of constraints never knows all wordings. So what a user said is not left out for having no word of a list in it: it stands, or it
is counted. Bounds hold for sentences without anything that every shorter form has to keep (`wording`): of one sentence, of one turn, and of
all in the recap together, what may demand something first. Nothing here makes a constraint of a sentence.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from projector.wording import is_guarded, sentences, words

MAX_SHORT_CHARS: Final = 200
MAX_TURN_CHARS: Final = 600
SHARE_PERCENT: Final = 10
"""Of the room of a step: at most that much for such sentences; for those that only tell, at most half of it."""


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Thanks, greetings, praise, and the words that stand beside them.
_COURTEOUS: Final = _set(
    "thanks thank thx hello hi hey cheers great good nice perfect wonderful excellent lovely cool ok okay alright bye goodbye "
    "danke dank hallo gut guten prima super toll klasse schön merci bonjour salut parfait bien "
    "gracias hola perfecto genial buenos 谢 好"
)
_BESIDE: Final = _set(
    "you so very much a lot for that that's this it it's is was the morning afternoon evening day there really "
    "dir ihnen sehr tag vielen herzlichen für das ist beaucoup c'est très muchas muy por días está 你 您 的 很 太 了 多 感"
)
# Who speaks of oneself, or of something, tells; unless it is a wish.
_TELLING: Final = re.compile(
    r"^\W*(?:(?:i|we|he|she|it|they|this|that|these|those|there|here|the|a|an|my|our|his|her|their|yesterday|today|"
    r"ich|wir|er|es|das|dies\w*|da|hier|der|die|ein|eine|mein\w*|unser\w*|gestern|heute|"
    r"je|nous|il|elle|ils|elles|on|ce|cela|le|la|les|un|une|mon|ma|notre|hier|"
    r"yo|nosotros|él|ella|ellos|esto|eso|el|los|las|una|mi|nuestr\w+|ayer|hoy)\b|(?:i|we|it|that|he|she|they|there)['’]\w+|[jcl]['’]|"
    r"[>|]|我|他|她|它|这|那|昨|今)",
    re.IGNORECASE,
)
_WISH: Final = re.compile(
    r"\b(?:want|wants|need|needs|wish|prefer|like|ask|rather|expect|please|shall|let|möchte|will|wollen|bitte|hätte|brauche?n?|wünsche?|"
    r"veux|voudrais|voulons|préfère|aimerais|quiero|queremos|quisiera|prefiero|necesito)\b|请|想|要|希望|需",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Fitted:
    """Texts of turns, shortened to what stands."""

    texts: tuple[str, ...]
    """One for each turn, its sentences a line each; empty where nothing of it stands."""
    n_left_out: int
    """Sentences that were none of courtesy, and are left out."""


def is_courtesy(sentence: str) -> bool:
    """Whether a sentence only thanks, greets or praises, word for word, or has no word at all."""
    found = words(sentence)
    return not found or ((_COURTEOUS | _BESIDE).issuperset(found) and not _COURTEOUS.isdisjoint(found))


def has_to_stand(sentence: str, by: str) -> bool:
    """Whether a shorter form of what somebody said has to keep a sentence: of a user, whatever is no courtesy."""
    return is_guarded(sentence) or (by == "user" and not is_courtesy(sentence))


def may_demand(sentence: str) -> bool:
    """Whether a sentence is more than telling, as far as its first words and its wishes say; wrong in doubt by too many."""
    return _TELLING.search(sentence) is None or _WISH.search(sentence) is not None


def fit_turns(turns: Sequence[str], standing: Sequence[str], cost: Callable[[str], int], share_tokens: int) -> Fitted:
    """The turns of users in what space is left beside those that stand already; a turn that stands already takes none.

    `cost` gives the tokens of one sentence. Of two equal turns the same stands.
    """
    known = set(standing)
    parted = {turn: _Turn.of(turn) for turn in turns}
    spent = sum(cost(one) for text in standing for one in sentences(text) if not is_guarded(one))
    stands: dict[str, set[int]] = {turn: set() for turn in parted}
    bounded = {turn: made.bounded() for turn, made in parted.items()}
    for demands in (True, False):
        limit = share_tokens if demands else share_tokens // 2
        for turn, made in parted.items():
            whole = made.text(bounded[turn]) in known
            for at in bounded[turn]:
                if may_demand(made.said[at]) != demands:
                    continue
                tokens = 0 if whole else cost(made.said[at])
                if whole or spent + tokens <= limit:
                    spent += tokens
                    stands[turn].add(at)
    texts = tuple(parted[turn].text(sorted(stands[turn])) for turn in turns)
    n_left_out = sum(len(set(parted[turn].plain) - stands[turn]) for turn in turns)
    return Fitted(texts, n_left_out)


@dataclass(frozen=True, slots=True)
class _Turn:
    said: tuple[str, ...]
    plain: tuple[int, ...]
    """Places of the sentences that bounds hold for."""

    @classmethod
    def of(cls, turn: str) -> "_Turn":
        said = tuple(one for one in sentences(turn) if has_to_stand(one, "user"))
        return cls(said, tuple(at for at, one in enumerate(said) if not is_guarded(one)))

    def bounded(self) -> tuple[int, ...]:
        """Those of them that stand within the bounds of a sentence and of a turn, in order."""
        taken, n_chars = [], 0
        for at in sorted(self.plain, key=lambda at: (not may_demand(self.said[at]), at)):
            length = len(self.said[at])
            if length <= MAX_SHORT_CHARS and n_chars + length <= MAX_TURN_CHARS:
                taken.append(at)
                n_chars += length
        return tuple(sorted(taken))

    def text(self, stands: Sequence[int]) -> str:
        """What stands in any case, and these, in order."""
        left_out = set(self.plain) - set(stands)
        return "\n".join(one for at, one in enumerate(self.said) if at not in left_out)
