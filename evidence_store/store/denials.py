"""Denials: that somebody was not let to what is there, kept in the journal for who audits."""

from dataclasses import dataclass

from evidence_store.errors import JsonValue
from evidence_store.model import Digest
from evidence_store.records.events import append_event
from evidence_store.store.core import Core


@dataclass(frozen=True, slots=True)
class Denial:
    principal: str
    operation: str
    code: str
    """Of the error that was answered: one of a missing grant, or that of what is not there."""
    subject: Digest
    """Of what was asked for, so that equal ones are seen and nothing can be read."""
    there: bool
    """Whether there is something. What is absent is kept as well: were it not, who asks could tell by what a kept denial costs."""


def record_denial(core: Core, denial: Denial) -> None:
    """In a transaction of its own."""
    with core.database.writing() as connection:
        data: dict[str, JsonValue] = {name: getattr(denial, name) for name in ("principal", "operation", "code", "there")}
        append_event(connection, core.workspace, "access.denied", denial.subject, data, core.clock())
