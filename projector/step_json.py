"""Reads a step, and the packets in it, from JSON (docs/formats/step.md). Absent members are empty; unknown members are refused by name."""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import TypeVar, cast, get_args

from evidence_store.errors import JsonValue
from evidence_store.model import (
    About,
    Basis,
    Citation,
    CitationRole,
    ClaimView,
    Cut,
    Digest,
    EvidenceId,
    Format,
    LineRange,
    Outline,
    OutlineEntry,
    Packet,
    Pointer,
    ProgressItem,
    ProgressState,
    ResourceName,
    Selector,
    Span,
    Standing,
    Status,
    TaskName,
    TaskRevision,
)
from projector.budget import DEFAULT_RESERVE_TOKENS, Profile
from projector.errors import RefusedStep
from projector.model import Candidate, JsonObject, Need, Principal, Step, Strategy
from projector.render.sections import NEED_KINDS
from projector.tokens.table import counter_name_for_model

E_ = TypeVar("E_", bound=StrEnum)
DEFAULT_TASK = "task"


class _Reader:
    """One JSON object with the path that leads to it, for messages."""

    def __init__(self, value: JsonValue, path: str, known: Sequence[str] | None = None) -> None:
        if not isinstance(value, Mapping):
            raise RefusedStep(f"{path or 'the step'} is no JSON object", {"path": path})
        self.value: Mapping[str, JsonValue] = value
        self.path = path
        if known is not None:
            unknown = [name for name in value if name not in known]
            if unknown:
                raise RefusedStep(f"unknown members in {path or 'the step'}: {', '.join(unknown)}", {"unknown": unknown, "known": tuple(known)})

    def refuse(self, name: str, expected: str) -> RefusedStep:
        path = f"{self.path}/{name}"
        return RefusedStep(f"{path}: {expected} expected", {"path": path})

    def text(self, name: str, absent: str | None = "") -> str:
        value = self.value.get(name, absent)
        if not isinstance(value, str):
            raise self.refuse(name, "text")
        return value

    def number(self, name: str, absent: int | None = None) -> int:
        value = self.value.get(name, absent)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self.refuse(name, "a whole number of at least 0")
        return value

    def flag(self, name: str) -> bool:
        value = self.value.get(name, False)
        if not isinstance(value, bool):
            raise self.refuse(name, "true or false")
        return value

    def items(self, name: str) -> Sequence[JsonValue]:
        value = self.value.get(name)
        if value is None:
            return ()
        if not isinstance(value, list | tuple):
            raise self.refuse(name, "a list")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        found = self.items(name)
        if not all(isinstance(item, str) for item in found):
            raise self.refuse(name, "a list of texts")
        return tuple(cast("Sequence[str]", found))

    def objects(self, name: str) -> tuple[JsonObject, ...]:
        found = self.items(name)
        if not all(isinstance(item, Mapping) for item in found):
            raise self.refuse(name, "a list of objects")
        return tuple(cast("Sequence[JsonObject]", found))

    def member(self, name: str, members: type[E_], absent: E_) -> E_:
        value = self.text(name, absent.value)
        if value not in {one.value for one in members}:
            raise self.refuse(name, f"one of {', '.join(one.value for one in members)}")
        return members(value)

    def span(self, name: str) -> Span:
        value = self.items(name)
        if len(value) != 2 or not all(isinstance(one, int) for one in value):
            raise self.refuse(name, "[start, end]")
        start, end = cast("Sequence[int]", value)
        if not 0 <= start <= end:
            raise self.refuse(name, "[start, end] with 0 <= start <= end")
        return Span(start, end)

    def has(self, name: str) -> bool:
        return self.value.get(name) is not None


_STEP = (
    "task", "profile", "system", "tools", "messages", "results", "progress", "claims", "evidence", "needs", "candidates", "principal", "strategy",
    "closing",
)  # fmt: skip


def step_from_json(value: JsonValue) -> Step:
    """The step that a JSON value describes; raises RefusedStep naming what is wrong, or UnknownCounter for a model without a known counter."""
    step = _Reader(value, "", _STEP)
    strategy = step.text("strategy")
    if strategy not in get_args(Strategy):
        raise step.refuse("strategy", f"one of {', '.join(map(repr, get_args(Strategy)))}")
    task = _task(_Reader(step.value.get("task", {}), "/task", _TASK))
    return Step(
        task=task,
        profile=_profile(_Reader(step.value.get("profile", {}), "/profile", _PROFILE)),
        system=step.text("system"),
        tools=step.objects("tools"),
        messages=step.objects("messages"),
        results=_results(_Reader(step.value.get("results", {}), "/results")),
        progress=tuple(_progress(_Reader(item, f"/progress/{at}", _PROGRESS)) for at, item in enumerate(step.items("progress"))),
        claims=tuple(_claim(_Reader(item, f"/claims/{at}", _CLAIM), task.number) for at, item in enumerate(step.items("claims"))),
        evidence=tuple(_evidence(item, f"/evidence/{at}") for at, item in enumerate(step.items("evidence"))),
        needs=tuple(_need(_Reader(item, f"/needs/{at}", NEED_KINDS)) for at, item in enumerate(step.items("needs"))),
        candidates=tuple(_candidate(_Reader(item, f"/candidates/{at}", _CANDIDATE)) for at, item in enumerate(step.items("candidates"))),
        principal=_principal(_Reader(step.value.get("principal", {}), "/principal", ("clearances", "audience"))),
        strategy=cast("Strategy", strategy),
        closing=step.flag("closing"),
    )


_TASK = ("name", "revision", "goal", "in_scope", "excluded", "constraints", "proposed")


def _task(reader: _Reader) -> TaskRevision:
    return TaskRevision(
        task=TaskName(reader.text("name", DEFAULT_TASK)),
        number=reader.number("revision", 1),
        goal=reader.text("goal"),
        in_scope=reader.texts("in_scope"),
        excluded=reader.texts("excluded"),
        constraints=reader.texts("constraints"),
        proposed=reader.texts("proposed"),
    )


_PROFILE = ("provider", "model", "window", "output", "slack", "counter", "reserve")


def _profile(reader: _Reader) -> Profile:
    model = reader.text("model")
    try:
        return Profile(
            provider=reader.text("provider", "openai"),
            model=model,
            window=reader.number("window", 32_768),
            output=reader.number("output", 4_096),
            slack=reader.number("slack", 1_024),
            counter=reader.text("counter") or (counter_name_for_model(model) if model else "o200k_base"),
            reserve=reader.number("reserve", DEFAULT_RESERVE_TOKENS),
        )
    except ValueError as exc:
        raise RefusedStep(f"/profile: {exc}", {"path": "/profile"}) from exc


def _results(reader: _Reader) -> Mapping[str, tuple[Packet, ...]]:
    return {
        call: tuple(packet_from_json(item, f"/results/{call}/{at}") for at, item in enumerate(reader.items(call))) for call in reader.value
    }


_PROGRESS = ("subject", "state", "evidence", "next", "uses")


def _progress(reader: _Reader) -> ProgressItem:
    return ProgressItem(
        subject=reader.text("subject", None),
        state=reader.member("state", ProgressState, ProgressState.TODO),
        evidence=tuple(map(EvidenceId, reader.texts("evidence"))),
        next=reader.text("next"),
        uses=reader.texts("uses"),
    )


_CLAIM = ("id", "about", "text", "standing", "evidence", "task_revision", "author", "reason", "checker")


def _claim(reader: _Reader, task_revision: int) -> ClaimView:
    try:
        return ClaimView(
            id=reader.text("id", None),
            about=_about(reader),
            text=reader.text("text"),
            citations=tuple(_citation(item, f"{reader.path}/evidence/{at}") for at, item in enumerate(reader.items("evidence"))),
            author=reader.text("author"),
            standing=reader.member("standing", Standing, Standing.OPEN),
            reason=reader.text("reason"),
            checker=reader.text("checker") if reader.has("checker") else None,
            task_revision=reader.number("task_revision", task_revision),
        )
    except ValueError as exc:
        raise RefusedStep(f"{reader.path}: {exc}", {"path": reader.path}) from exc


def _about(reader: _Reader) -> About:
    value = reader.value.get("about", {})
    if isinstance(value, str):
        return About(ResourceName(value), None, "")
    about = _Reader(value, f"{reader.path}/about", ("resource", "pointer", "aspect"))
    pointer = Pointer(about.text("pointer")) if about.has("pointer") else None
    return About(ResourceName(about.text("resource")), pointer, about.text("aspect"))


def _citation(value: JsonValue, path: str) -> Citation:
    if isinstance(value, str):
        return Citation(EvidenceId(value), "support")
    reader = _Reader(value, path, ("evidence", "role"))
    role = reader.text("role", "support")
    if role not in get_args(CitationRole):
        raise reader.refuse("role", f"one of {', '.join(get_args(CitationRole))}")
    return Citation(EvidenceId(reader.text("evidence", None)), cast("CitationRole", role))


def _evidence(value: JsonValue, path: str) -> Packet | EvidenceId:
    return EvidenceId(value) if isinstance(value, str) else packet_from_json(value, path)


def _need(reader: _Reader) -> Need:
    if len(reader.value) != 1:
        raise RefusedStep(f"{reader.path}: exactly one of {', '.join(NEED_KINDS)} expected", {"path": reader.path})
    kind = next(kind for kind in NEED_KINDS if kind in reader.value)
    return Need(kind, reader.text(kind, None))


_CANDIDATE = ("text", "source", "scorer", "score", "at")


def _candidate(reader: _Reader) -> Candidate:
    score = reader.value.get("score", 0)
    text = score if isinstance(score, str) else repr(score)
    try:
        finite = Decimal(text).is_finite() and not isinstance(score, bool)
    except InvalidOperation:
        finite = False
    if not finite:
        raise reader.refuse("score", "a number")
    return Candidate(reader.text("text", None), reader.text("source"), reader.text("scorer"), text, _time(reader))


def _time(reader: _Reader) -> str:
    value = reader.value.get("at", "")
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise reader.refuse("at", "a time as text or whole number")
    return str(value)


def _principal(reader: _Reader) -> Principal:
    return Principal(reader.texts("clearances"), reader.text("audience"))
