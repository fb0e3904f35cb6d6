"""Parts of request bodies: texts with their bounds, and JSON that can be stored as it came."""

from typing import Annotated

from pydantic import AfterValidator, Field, JsonValue

from evidence_store.canonical import storable

Line = Annotated[str, Field(min_length=1, max_length=1000)]
"""A sentence or a subject."""
Lines = Annotated[tuple[Line, ...], Field(max_length=1000)]
Label = Annotated[str, Field(min_length=1, max_length=200)]
"""Of an agent, a call, a person."""
Id = Annotated[str, Field(min_length=1, max_length=80, examples=["ev_tpvnrht0mge4"])]
DigestText = Annotated[str, Field(pattern="^sha256:[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0, lt=2**53)]
Ordinal = Annotated[int, Field(ge=1, lt=2**53)]


def _require_storable(value: JsonValue) -> JsonValue:
    if storable(value) != value:
        raise ValueError("a number beyond ±(2^53 − 1), NaN, or more than 100 containers in one another: no JSON that can be stored")
    return value


def _require_storable_object(value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    _require_storable(value)
    return value


Value = Annotated[JsonValue, AfterValidator(_require_storable)]
Object = Annotated[dict[str, JsonValue], AfterValidator(_require_storable_object)]
