"""What in a user's turn states a constraint: a proposal for the task, never part of it until somebody accepts it.

Rules over sentences, in English, German, French, Spanish and Chinese. They look at turns of users alone: no text of a tool or of a
source is ever given to them (`find_stated` takes the role and refuses others). No list knows all wordings, so that what they do not find
is no less a demand. A model may do better behind the same protocol.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from evidence_store.errors import InvalidInput

MAX_SENTENCE_CHARS: Final = 400
MAX_SENTENCES: Final = 20
DETECTOR: Final = "rules/2"

_SENTENCE: Final = re.compile(r"[^.!?。！？\n]+(?:[.!?](?=\S)[^.!?。！？\n]*)*[.!?。！？]*")
_QUOTED: Final = re.compile(r"^\s*(?:>|```|\|)")
# Where an order may begin: at the head of a clause, or behind what introduces one.
_START: Final = (
    r"(?:^\W*|[,;:，；：–—]\s*|\s-\s|\b(?:and|but|then|also|so|or|please|kindly|just|now|ok|okay|should|must|do|not|you to|"
    r"let's|let’s|let us|(?:(?:can|could|would|will) )?you(?: can| may| should| must| will| could| might)?|"
    r"(?:try|remember|be sure|want|need|like) to|"
    r"und|aber|dann|bitte|du|sie|et|mais|puis|plaît|y|pero|luego|favor)\s+)"
)
_TONGUE: Final = r"(?:english|french|german|spanish|chinese|italian|japanese|dutch|portuguese|russian)"
_NAMED: Final = r"(?!(?:the|a|an|my|our|your|his|her|their|this|that|i|we|he|she|it|they|there)\b)"
_EACH: Final = r".*\b(?:each|every|everything)\b"
# One rule a line: what forbids, what leaves out, what limits to, what has to be; then orders, by their verbs.
_ANYWHERE: Final = (
    r"\b(?:do not|don't|don’t|never|must not|mustn't|mustn’t|should not|shouldn't|shouldn’t|may not|no longer)\b",
    r"\b(?:ignore|exclude|skip|leave out|omit|without|except(?: for)?|apart from|not including|other than)\b",
    r"\b(?:only|nothing but|just|limit(?:ed)? to|restrict(?:ed)? to|no more than|at most|at least|within)\b",
    r"\b(?:must|have to|has to|always|make sure|ensure|required to|please use|stick to|from now on)\b",
    r"\b(?:solely|exclusively|hands off|off[- ]limits|forbidden|under no circumstances|from here on|fewer than|not more than)\b",
    r"\b(?:max(?:imum)?|min(?:imum)?|up to)\b\.? (?:of )?(?:\d|one\b|two\b|three\b)",
    r"\b(?:want|need|expect|ask|like) you to\b|\bi(?: would|'d|’d)? (?:prefer|insist|rather)\b",
    r"\b(?:you|answers?|repl(?:y|ies)|reports?|outputs?|responses?|summar(?:y|ies)) (?:should|ought to|needs? to|shall|(?:is|are) to)\b",
    r"\b(?:nicht|kein(?:e[mnrs]?)?|niemals|ohne|außer|ausgenommen|ignoriere?|lass\w* .* (?:weg|aus))\b",
    r"\b(?:nur|ausschließlich|höchstens|mindestens|immer|muss|müssen|ab jetzt|bitte verwende)\b",
    r"\b(?:soll(?:st|t|en)?|darf(?:st)?|finger weg|keinesfalls|nie|lediglich|maximal|ab sofort)\b",
    r"^(?!\W*(?:ich|wir|er|es|man|das|da|hier|dort|leider)\b).*\bnichts\b",
    r"\b(?:vermeiden|weglassen|auslassen|unterlassen|ignorieren|ausschließen)\W*$",
    r"\b(?:uniquement|seulement|exclusivement|sauf|hormis|excepté|sans|jamais|au plus|au moins|au maximum|interdit|désormais)\b",
    r"\b(?:il faut|dois|doit|doivent|devez|devrai[st]|toujours)\b",
    r"\b(?:nunca|jamás|s[oó]lo|solamente|únicamente|excepto|salvo|sin|siempre|como máximo|al menos|prohibido|debes?|deben|hay que)\b",
    r"(?:不要|不得|不能|(?<![特区类级分个性差识辨告])别(?!人)|禁止|忽略|排除)",
    r"(?:除了|除外|(?<![一二两三几这那每])只|仅|最多|至少|必须|务必|始终)",
    r"(?:请勿|切勿|不许|不准|不可以|不超过|少于|以内|一律|尽量|严禁|绝不|无需|请用(?!户)|都要|要注明|不用|要简短|要简洁|简短些|简洁些)",
    r"用(?:中文|英语|英文|法语|法文|德语|德文|西班牙语|日语|汉语)来?(?:回答|回复|答|写|说)",
)
_ORDERS: Final = (
    r"stop (?!by\b|over\b|it was)|(?:avoid|refrain|abstain|quit|cease|disregard|forget)\b",
    r"(?:stay|steer|stand|keep) (?:away|clear|out|off|within|inside|with|to|on topic|in)\b|stick (?:to|with)\b",
    r"keep (?!going|up\b|it up|at it|on\b|in touch|well\b|smiling|trying|calm)",
    r"(?:answer|reply|respond|speak|talk)\b.*\b(?:in|as|with|using|like|briefly|concisely|shortly)\b",
    rf"{_NAMED}\w+ (?!is\b|are\b|was\b|were\b|came\b).*\bin (?:plain |simple |good )?{_TONGUE}\b",
    rf"{_NAMED}\w+ (?!is\b|are\b|was\b|were\b|came\b).*\bas (?:a )?(?:tables?|lists?|bullets?|bullet points|json|prose)\b",
    rf"(?:speak|write|use) {_TONGUE}\b|(?:less|fewer|shorter|weniger|kürzer|moins|menos)\b|minimi[sz]e\b|call me\b",
    r"(?:parle[rz]?|écri(?:s|vez)) (?:en |le )?(?:français|anglais|allemand|espagnol)|(?:habl|escrib)[ae] en\b",
    r"(?:focus|concentrate|zero in)\b.* (?:up)?on\b|(?:limit|restrict|confine|narrow)\b|cite\b",
    r"leave .*\b(?:out|alone|aside|untouched|as (?:it|they) (?:is|are))\b|spare (?:me|us)\b",
    r"be (?:very |more |as )?(?:brief|concise|short|terse|polite|careful|precise|specific|formal|strict|thorough|consistent|honest)\b",
    r"nothing (?:about|from|on|else|with|in)\b",
    r"no (?!(?:problems?|worries|idea|need|rush|hurry|doubt|wonder|one|luck|way|\w+ed)\b)\w+(?: \w+)?(?:, please|\W*$)",
    r"(?:use|prefer|favou?r|treat|assume)\b|(?:ask|check with) (?:me|us)\b|(?:ask|wait|confirm)\b.*\b(?:first|before|until)\b",
    rf"(?:put|add|include|attach|mark|label|quote|name|give|state)\b{_EACH}",
    rf"(?:check|double-check|verify|justify|explain|source|comment|document|test|back up)\b{_EACH}",
    r"(?:vermeide|verzicht|unterlass|beschränk|begrenz|konzentrier|fokussier|zitier|beleg|bevorzug|verwend|benutz|nutz)(?:en sie|e)?\b",
    r"(?:halte?|halten sie|bleibe?|bleiben sie|fass(?:e|en)? (?:dich|sie)|sei|seien sie|hör(?:e|en sie)? .*\bauf|achte|achten sie|nimm)\b",
    r"(?:antworte|antworten sie|schreibe?|schreiben sie|sprich|sprechen sie) .*\b(?:auf|in|mit|als|kurz|knapp)\b",
    r"frage? (?:mich|uns|erst|vorher)\b",
    r"(?:gib|geben sie|nenne?|nennen sie|prüfe?|prüfen sie|setze?)\b.*\b(?:jede[mrns]?|alle[mrns]?|stets)\b",
    r"stell\w* sicher\b|sorge? dafür\b",
    r"n(?:e |['’]).*\b(?:pas|jamais|plus|rien|aucune?|personne|que|ni)\b|pas d(?:e |['’])\w",
    r"(?:évite[rz]?|arrête[rz]?|cesse[rz]?|répond(?:s|ez)|reste[rz]?|garde[rz]?)\b",
    r"(?:limite[rz]?|concentre[rz]?|focalise[rz]?|cite[rz]?|utilise[rz]?)\b",
    r"(?:ignore[rz]|exclu(?:s|ez)|omet(?:s|tez)|laisse[rz]? .*de côté|tiens-toi)\b",
    r"(?:tenez-vous|sois|soyez|privilégie[rz]?|veille[rz]? à|abst(?:iens|enez))\b",
    r"no (?!tienes|puedes|sabes|eres|quieres|has|estás|problems?\b)(?:\w+ )?\w{2,}(?:es|as)\b",
    r"no (?:toque|borre|use|haga|incluya|cambie|mencione)\b|nada de\b",
    r"(?:evit(?:a|e|ar)|dej(?:a|e) de|respond(?:e|a)|contest(?:a|e)|mantén)\b",
    r"(?:mantenga|limít(?:ate|ese)|céntr(?:ate|ese)|concéntr(?:ate|ese))\b",
    r"(?:enfóc(?:ate|uese)|cit(?:a|e)|us(?:a|e)|utili(?:za|ce)|excluy(?:e|a))\b",
    r"(?:ignora|omit(?:e|a)|prefiere|sé (?!que\b|qué)|asegúrate\b|aléjate\b)",
    r"(?:请|麻烦)?(?:避免|停止|保持|专注|聚焦|集中|远离|引用|注明|标注|控制在|限制|限定|限于|改用|勿)(?!了)",
)
_RULES: Final = tuple(
    re.compile(rule, re.IGNORECASE)
    for rule in (*_ANYWHERE, *(rf"{_START}(?:{orders})" for orders in _ORDERS), rf"(?:请|麻烦){_ORDERS[-1]}")
)
# What holds the words of a rule and is said without a demand.
_IDLE: Final = re.compile(
    r"\b(?:i|we) (?:do not|don't|don’t) (?:know|think|mind|remember|understand|recall)\b|\bnever mind\b|\bwhy not\b|"
    r"\b(?:do not|don't|don’t) worry\W*$|"
    r"\b(?:i|we)(?: have|'ve|’ve|'m|’m| am| was)? just (?!want|need)|\bas always\b|\b(?:no|without(?: a)?) (?:doubt|problem)\b|"
    r"\bkeine ahnung\b|\bkein(?:e|en)? (?:problem|stress|sorge|eile|thema)\b|\bmacht nichts\b|"
    r"\b(?:ich weiß|weiß ich) (?:es )?nicht\b|\bwie immer\b|"
    r"\bpas de (?:problème|souci|quoi)\b|\bne sais pas\b|\binquiéte?z? pas\b|\bcomme toujours\b|\bsans (?:doute|problème)\b|"
    r"\bno (?:lo )?sé\b|\bno (?:hay|importa|pasa)\b|\bno te preocupes\b|\bsin (?:duda|problema)\b|\bcomo siempre\b|"
    r"不用谢|别客气|别担心|只是|不仅",
    re.IGNORECASE,
)
# What asks, or tells how things are, states nothing of what the answer must be like.
_WHOM: Final = r"i|we|you|he|she|it|they|this|that|these|those|the|our|your|my|people|users"
_ASKING: Final = (
    rf"why|what|who|how|which|is|are|does|did|can|could|do (?:{_WHOM})|(?:when|where) (?:is|are|do|does|did|was|were|will|can)|"
    r"warum|was|wann|wo|wer|wie|pourquoi|quand|où|qui|comment (?:est|sont|faire|fait|peut|on|tu|vous|je|ça)|"
    r"por qué|qué|cuándo|dónde|quién|cómo"
)
_QUESTION: Final = re.compile(rf"[?？]\s*$|^\s*(?:{_ASKING})\b", re.IGNORECASE)
_POLITE: Final = re.compile(
    r"^\W*(?:(?:can|could|would|will) you|please|(?:kannst|könntest|würdest) du|(?:können|könnten|würden) sie|bitte|"
    r"(?:peux|pourrais)-tu|(?:pouvez|pourriez)-vous|(?:puedes|podrías|puede|podría)|por favor)\b|^\W*(?:请|麻烦|能不能|可不可以)",
    re.IGNORECASE,
)
# A question that only asks to agree with what was demanded.
_AGREED: Final = re.compile(
    r"[,，]\s*(?:ok|okay|please|right|yes|ja|gut|bitte|d'accord|oui|vale|sí|好吗|可以吗)\s*[?？]\s*$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Stated:
    """A constraint that a user's turn states."""

    text: str
    """The sentence, to the letter but for white space at its ends."""
    start: int
    """Where it stands in the turn, in characters."""
    detector: str


class ConstraintDetector(Protocol):
    """Finds constraints in a user's turn. Gives sentences of it to the letter, in order, and adds nothing."""

    def find_constraints(self, turn: str) -> Sequence[Stated]: ...


class RuleDetector:
    """The built-in detector."""

    def find_constraints(self, turn: str) -> Sequence[Stated]:
        """At most 20 sentences of at most 400 characters; quoted lines and code are passed over."""
        found: list[Stated] = []
        at, is_code = 0, False
        for line in turn.splitlines(keepends=True):
            if line.lstrip().startswith("```"):
                is_code = not is_code
            elif not is_code and not _QUOTED.match(line):
                found += _in_line(line, at)
            at += len(line)
        return found[:MAX_SENTENCES]


def _in_line(line: str, offset: int) -> list[Stated]:
    found = []
    for match in _SENTENCE.finditer(line):
        text = match[0].strip().lstrip("-*• ").strip()
        if text and len(text) <= MAX_SENTENCE_CHARS and _states_constraint(text):
            found.append(Stated(text, offset + line.index(text, match.start()), DETECTOR))
    return found


def _states_constraint(sentence: str) -> bool:
    told = _AGREED.sub("", _IDLE.sub("…", sentence))
    asks = _QUESTION.search(told) is not None and _POLITE.search(told) is None
    return not asks and any(rule.search(told) for rule in _RULES)


def find_stated(role: str, turn: str, detector: ConstraintDetector) -> Sequence[Stated]:
    """The constraints of one turn. Raises InvalidInput for a turn of anybody but a user: scope never comes from what a tool said.

    What a detector gives that does not stand in the turn is left out.
    """
    if role != "user":
        raise InvalidInput(f"constraints are looked for in turns of users, not of {role!r}", code="bad_argument")
    return [one for one in detector.find_constraints(turn) if one.text.strip() and one.text in turn]
