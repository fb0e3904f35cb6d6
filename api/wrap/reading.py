"""Our own reading tools beside wrapped ones: their answers are bounded like any result, and never stored again.

An answer over its room is asked for once more within less; where it still has too many packets, those that fit stand whole and the
rest are named by their ids.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from api.tools import ToolAnswer, call_tool
from api.tools.answers import error_answer
from api.tools.context import DEFAULT_MAX_TOKENS
from api.tools.definitions import BY_NAME, granted
from api.wrap.context import WrapContext
from api.wrap.guarding import guarded_answer
from api.wrap.marker import spelled_tool
from api.wrap.offloading import log
from api.wrap.result import Treatment, WrappedResult
from evidence_store.errors import JsonValue, LimitExceeded
from evidence_store.model import Outcome, Packet
from projector import format_packet

OUT_OF_A_RUN = frozenset(("get_progress", "list_claims"))
"""They answer `no_run` where no run of ours is."""
NAMED_IDS = 20
_MAX_ROUNDS = 4
_SMALL_TOKENS = 24


def answer_own(context: WrapContext, name: str, arguments: Mapping[str, JsonValue], room: int, *, recording: bool = False) -> WrappedResult:
    """The answer of a reading tool within so many tokens, as far as it may be seen."""

    def answered(given: Mapping[str, JsonValue]) -> ToolAnswer:
        answer = guarded_answer(context, name, given, lambda: call_tool(context.tools, name, given, recording=recording))
        return replace(answer, text=context.names.spelled(answer.text))

    whole = answer = answered(arguments)
    if context.fits(answer.text, room):
        return _own(answer)
    if answer.outcome is Outcome.OK and name in BY_NAME and "max_tokens" in BY_NAME[name].properties:
        asked = arguments.get("max_tokens")
        n_tokens = min(room, asked if isinstance(asked, int) else DEFAULT_MAX_TOKENS)
        for _ in range(_MAX_ROUNDS):
            if n_tokens < _SMALL_TOKENS:
                break
            answer = answered({**arguments, "max_tokens": n_tokens})
            if context.fits(answer.text, room):
                break
            over = context.counter().count(answer.text) - room
            n_tokens = min(n_tokens - over, n_tokens * 3 // 4)
    cut = _within(context, name, answer, room)
    _warn_of_cut(name, whole, cut)
    return _own(cut)


def own_definitions(context: WrapContext) -> tuple[dict[str, JsonValue], ...]:
    """Our reading tools in the form of OpenAI Chat, under their names; outside of a run without those that answer only in one."""
    offered = [one for one in granted(recording=False) if context.tools.step is not None or one.name not in OUT_OF_A_RUN]
    return tuple(replace(one, name=context.names.of(one.name)).definition() for one in offered)


def bounded(context: WrapContext, name: str, answer: ToolAnswer, room: int) -> ToolAnswer:
    """An answer within its room: itself, or the packets that fit and the ids of the others, or an error that says how much there was."""
    cut = _within(context, name, answer, room)
    if cut is not answer:
        _warn_of_cut(name, answer, cut)
    return cut


def _within(context: WrapContext, name: str, answer: ToolAnswer, room: int) -> ToolAnswer:
    if context.fits(answer.text, room):
        return answer
    after = answer.text[len("".join(map(format_packet, answer.packets))) :]
    for n in range(len(answer.packets) - 1, 0, -1):
        text = "".join(map(format_packet, answer.packets[:n])) + _not_shown(answer.packets[n:]) + after
        if context.fits(text, room):
            return ToolAnswer(text, answer.packets[:n], answer.outcome)
    said = f"{name} answered {len(answer.text)} characters, and {room} tokens are left: ask for less, or in a step of its own"
    return error_answer(LimitExceeded(said, {"limit": room}, code="over_budget"))


def _warn_of_cut(name: str, whole: ToolAnswer, cut: ToolAnswer) -> None:
    n_bytes, n_shown = (len(one.text.encode("utf-8", "replace")) for one in (whole, cut))
    log.warning("cut the answer of %s: %d bytes, %d bytes shown", spelled_tool(name), n_bytes, n_shown)


def _not_shown(packets: Sequence[Packet]) -> str:
    """What there was no room for, by the ids that `get_evidence` takes."""
    ids = " ".join(packet.id for packet in packets[:NAMED_IDS])
    more = f", and {len(packets) - NAMED_IDS} more" if len(packets) > NAMED_IDS else ""
    return f"no room for: {ids}{more}\n"


def _own(answer: ToolAnswer) -> WrappedResult:
    return WrappedResult(answer.text, answer.text, Treatment.OWN, answer.outcome, answer.packets)
