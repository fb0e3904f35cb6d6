"""Reads members of JSON objects by type, and says where in the whole a member was that is not what it should be."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TypeVar, cast

from evidence_store.errors import JsonValue
from evidence_store.model import EvidenceId, Span
from projector.errors import RefusedStep
from projector.model import JsonObject

Member = TypeVar("Member", bound=StrEnum)
# The one spelling that evidence_store.ids gives and reads: an id stands unescaped in first and last lines of packets.
_EVIDENCE_ID = re.compile("ev_[0-9abcdefghjkmnpqrstvwxyz]{1,52}")


class JsonReader:
    """One JSON object with the path that leads to it. Every method raises RefusedStep naming the member."""

    def __init__(self, value: JsonValue, path: str, known: Sequence[str] | None = None) -> None:
        if not isinstance(value, Mapping):
            raise RefusedStep(f"{path or 'the step'} is no JSON object", {"path": path})
        self.value: Mapping[str, JsonValue] = value
        self.path = path
        if known is not None:
            unknown = [name for name in value if name not in known]
            if unknown:
                details: JsonObject = {"path": path, "unknown": unknown, "known": tuple(known)}
                raise RefusedStep(f"unknown members in {path or 'the step'}: {', '.join(unknown)}", details)

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

    def evidence_id(self, name: str) -> EvidenceId:
        return evidence_id_at(self.value.get(name), f"{self.path}/{name}")

    def evidence_ids(self, name: str) -> tuple[EvidenceId, ...]:
        return tuple(evidence_id_at(item, f"{self.path}/{name}/{at}") for at, item in enumerate(self.items(name)))

    def objects(self, name: str) -> tuple[JsonObject, ...]:
        found = self.items(name)
        if not all(isinstance(item, Mapping) for item in found):
            raise self.refuse(name, "a list of objects")
        return tuple(cast("Sequence[JsonObject]", found))

    def member(self, name: str, members: type[Member], absent: Member) -> Member:
        value = self.text(name, absent.value)
        if value not in {one.value for one in members}:
            raise self.refuse(name, f"one of {', '.join(one.value for one in members)}")
        return members(value)

    def span(self, name: str) -> Span:
        value = self.items(name)
        if len(value) != 2 or not all(type(one) is int for one in value):
            raise self.refuse(name, "[start, end]")
        start, end = cast("Sequence[int]", value)
        if not 0 <= start <= end:
            raise self.refuse(name, "[start, end] with 0 <= start <= end")
        return Span(start, end)

    def has(self, name: str) -> bool:
        return self.value.get(name) is not None


def evidence_id_at(value: JsonValue, path: str) -> EvidenceId:
    """An evidence id in its one spelling; raises RefusedStep naming the path."""
    if not isinstance(value, str) or _EVIDENCE_ID.fullmatch(value) is None:
        raise RefusedStep(f"{path}: an evidence id such as ev_tpvnrht0mge4 expected", {"path": path})
    return EvidenceId(value)
