"""Reads a step, and the packets in it, from JSON (docs/formats/step.md). Absent members are empty; unknown members are refused by name."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import cast, get_args

from evidence_store.errors import JsonValue
from evidence_store.model import (
    About,
    Citation,
    CitationRole,
    ClaimView,
    EvidenceId,
    LineRange,
    Packet,
    Pointer,
    ProgressItem,
    ProgressState,
    ResourceName,
    Standing,
    TaskName,
    TaskRevision,
)
from projector.budget import DEFAULT_RESERVE_TOKENS, Prices, Profile
from projector.dialects.table import dialect_for
from projector.errors import RefusedStep, placed
from projector.json_reader import JsonReader, evidence_id_at
from projector.model import Candidate, Need, Principal, Segment, Step
from projector.packet_json import packet_from_json
from projector.profiles import profile_for
from projector.render.sections import NEED_KINDS
from projector.strategy_json import strategy_from_json
from projector.tokens.table import counter_name_for_model

DEFAULT_TASK = "task"


_STEP = (
    "task",
    "profile",
    "system",
    "tools",
    "messages",
    "earlier",
    "results",
    "progress",
    "claims",
    "evidence",
    "needs",
    "candidates",
    "principal",
    "strategy",
    "closing",
    "now",
    "result_rounds",
)


def step_from_json(value: JsonValue) -> Step:
    """The step that a JSON value describes; raises RefusedStep naming what is wrong.

    Or UnknownProvider, UnknownModel, UnknownCounter for what nobody knows. All have the `path` of the member in their details.
    """
    step = JsonReader(value, "", _STEP)
    task = _task(JsonReader(step.value.get("task", {}), "/task", _TASK))
    return Step(
        task=task,
        profile=_profile(step.value.get("profile", {})),
        system=step.text("system"),
        tools=step.objects("tools"),
        messages=step.objects("messages"),
        earlier=tuple(_segment(JsonReader(item, f"/earlier/{at}", _SEGMENT)) for at, item in enumerate(step.items("earlier"))),
        results=_results(JsonReader(step.value.get("results", {}), "/results")),
        progress=tuple(_progress(JsonReader(item, f"/progress/{at}", _PROGRESS)) for at, item in enumerate(step.items("progress"))),
        claims=tuple(_claim(JsonReader(item, f"/claims/{at}", _CLAIM), task.number) for at, item in enumerate(step.items("claims"))),
        evidence=tuple(_evidence(item, f"/evidence/{at}") for at, item in enumerate(step.items("evidence"))),
        needs=tuple(_need(JsonReader(item, f"/needs/{at}", NEED_KINDS)) for at, item in enumerate(step.items("needs"))),
        candidates=tuple(_candidate(JsonReader(item, f"/candidates/{at}", _CANDIDATE)) for at, item in enumerate(step.items("candidates"))),
        principal=_principal(JsonReader(step.value.get("principal", {}), "/principal", ("clearances", "audience"))),
        strategy=strategy_from_json(step),
        closing=step.flag("closing"),
        now=step.number("now") if step.has("now") else None,
        result_rounds=step.number("result_rounds") if step.has("result_rounds") else None,
    )


_TASK = ("name", "revision", "goal", "in_scope", "excluded", "constraints", "proposed")


def _task(reader: JsonReader) -> TaskRevision:
    return TaskRevision(
        task=TaskName(reader.text("name", DEFAULT_TASK)),
        number=reader.number("revision", 1),
        goal=reader.text("goal"),
        in_scope=reader.texts("in_scope"),
        excluded=reader.texts("excluded"),
        constraints=reader.texts("constraints"),
        proposed=reader.texts("proposed"),
    )


_PROFILE = ("provider", "model", "window", "output", "slack", "counter", "reserve", "prices")


def _profile(value: JsonValue) -> Profile:
    if isinstance(value, str):
        with placed("/profile"):
            return profile_for(value)
    reader = JsonReader(value, "/profile", _PROFILE)
    model = reader.text("model")
    try:
        return Profile(
            provider=_provider(reader, "openai"),
            model=model,
            window=reader.number("window", 32_768),
            output=reader.number("output", 4_096),
            slack=reader.number("slack", 1_024),
            counter=reader.text("counter") or _counter_name(model),
            reserve=reader.number("reserve", DEFAULT_RESERVE_TOKENS),
            prices=_prices(JsonReader(reader.value.get("prices", {}), "/profile/prices", ("read", "write"))),
        )
    except ValueError as exc:
        raise RefusedStep(f"/profile: {exc}", {"path": "/profile"}) from exc


def _provider(reader: JsonReader, absent: str | None) -> str:
    """One that there is a form of."""
    name = reader.text("provider", absent)
    with placed(f"{reader.path}/provider"):
        dialect_for(name)
    return name


def _counter_name(model: str) -> str:
    with placed("/profile/model"):
        return counter_name_for_model(model) if model else "o200k_base"


def _prices(reader: JsonReader) -> Prices:
    plain = Prices()
    return Prices(reader.number("read", plain.read), reader.number("write", plain.write))


_SEGMENT = ("provider", "model", "messages")


def _segment(reader: JsonReader) -> Segment:
    return Segment(_provider(reader, None), reader.objects("messages"), reader.text("model"))


def _results(reader: JsonReader) -> Mapping[str, tuple[Packet, ...]]:
    return {
        call: tuple(packet_from_json(item, f"/results/{call}/{at}") for at, item in enumerate(reader.items(call))) for call in reader.value
    }


_PROGRESS = ("subject", "state", "evidence", "next", "uses")


def _progress(reader: JsonReader) -> ProgressItem:
    return ProgressItem(
        subject=reader.text("subject", None),
        state=reader.member("state", ProgressState, ProgressState.TODO),
        evidence=reader.evidence_ids("evidence"),
        next=reader.text("next"),
        uses=reader.texts("uses"),
    )


_CLAIM = ("id", "about", "text", "standing", "evidence", "task_revision", "author", "reason", "checker")


def _claim(reader: JsonReader, task_revision: int) -> ClaimView:
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


def _about(reader: JsonReader) -> About:
    value = reader.value.get("about", {})
    if isinstance(value, str):
        return About(ResourceName(value), None, "")
    about = JsonReader(value, f"{reader.path}/about", ("resource", "pointer", "aspect"))
    pointer = Pointer(about.text("pointer")) if about.has("pointer") else None
    return About(ResourceName(about.text("resource")), pointer, about.text("aspect"))


def _citation(value: JsonValue, path: str) -> Citation:
    if isinstance(value, str):
        return Citation(evidence_id_at(value, path), "support")
    reader = JsonReader(value, path, ("evidence", "role"))
    role = reader.text("role", "support")
    if role not in get_args(CitationRole):
        raise reader.refuse("role", f"one of {', '.join(get_args(CitationRole))}")
    return Citation(reader.evidence_id("evidence"), cast("CitationRole", role))


def _evidence(value: JsonValue, path: str) -> Packet | EvidenceId:
    return evidence_id_at(value, path) if isinstance(value, str) else packet_from_json(value, path)


def _need(reader: JsonReader) -> Need:
    if len(reader.value) != 1:
        raise RefusedStep(f"{reader.path}: exactly one of {', '.join(NEED_KINDS)} expected", {"path": reader.path})
    kind = next(kind for kind in NEED_KINDS if kind in reader.value)
    return Need(kind, reader.text(kind, None))


_CANDIDATE = ("text", "source", "scorer", "score", "at", "about", "lines")


def _candidate(reader: JsonReader) -> Candidate:
    score = reader.value.get("score", 0)
    text = score if isinstance(score, str) else repr(score)
    try:
        finite = Decimal(text).is_finite() and not isinstance(score, bool)
    except InvalidOperation:
        finite = False
    if not finite:
        raise reader.refuse("score", "a number")
    about, lines = reader.text("about"), _lines(reader)
    return Candidate(reader.text("text", None), reader.text("source"), reader.text("scorer"), text, _time(reader), about, lines)


def _lines(reader: JsonReader) -> LineRange | None:
    value = reader.value.get("lines")
    if value is None:
        return None
    if not (isinstance(value, list) and len(value) == 2 and all(type(one) is int for one in value) and 1 <= value[0] <= value[1]):
        raise reader.refuse("lines", "two line numbers, the first not after the last")
    return LineRange(value[0], value[1])


def _time(reader: JsonReader) -> str:
    value = reader.value.get("at", "")
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise reader.refuse("at", "a time as text or whole number")
    return str(value)


def _principal(reader: JsonReader) -> Principal:
    return Principal(reader.texts("clearances"), reader.text("audience"))
