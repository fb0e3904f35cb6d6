"""Values of the compatibility report: what the agent wants to read, what it found, and what it does in one turn.

All of them are built from the text of one projected input and live no longer than the turn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, Union

Side = Literal["old", "new"]
Direction = Literal["request", "response"]
Look = Literal["source", "keys"]
"""How a place is read: its own characters, or the names of its members."""
Role = Literal["old", "new", "absent", "context", "scope"]
Value: TypeAlias = Union[bool, str, list["Value"], dict[str, "Value"], None]  # noqa: UP007 (a forward name)
"""A node of a document. Numbers are `Number`, a `str` with the spelling of the source."""
Argument: TypeAlias = Union[bool, int, str, Sequence["Argument"], Mapping[str, "Argument"], None]  # noqa: UP007 (a forward name)


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call."""

    name: str
    arguments: Mapping[str, Argument]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the two resources cannot be compared at all."""

    code: Literal["not_openapi", "unsupported_openapi"]
    message: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What the agent says and does in one step; no calls means that it has ended."""

    text: str
    calls: tuple[Call, ...] = ()
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """One of the two revisions that are compared."""

    resource: str
    revision: int


@dataclass(frozen=True, slots=True)
class Need:
    """A place that must be read before the comparison can go on."""

    side: Side
    pointer: str
    look: Look = "source"
    operation: str = ""
    """Set when the place is not known yet: `get /orders`, found by the shape of its path."""
    wide: bool = False
    """Whether more tokens than usual are worth it."""


@dataclass(frozen=True, slots=True)
class Cite:
    """A passage that a sentence rests on, before its evidence id is known."""

    side: Side
    pointer: str
    role: Role
    look: Look = "source"


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence about the two versions with the passages that it rests on."""

    rule: str
    text: str
    cites: tuple[Cite, ...]
    standing: Literal["verified", "open", "excluded"] = "verified"
    reason: str = ""
    """Why it is open, or the scope rule by which it is excluded."""

    @property
    def place(self) -> Cite:
        """What the sentence is about: the passage of the old version, else that of the new one."""
        ranked = {"old": 0, "scope": 1, "new": 2, "absent": 3, "context": 4}
        return min(self.cites, key=lambda cite: ranked[cite.role])


@dataclass(frozen=True, slots=True)
class Examination:
    """What one look at a subject gave: all of it follows from the packets in the input."""

    findings: tuple[Finding, ...]
    uses: tuple[str, ...]
    """Subjects that this one rests on and that are compared on their own."""
    needs: tuple[Need, ...]
    """Not empty: the comparison is not complete, and the findings are not to be used yet."""
    subjects: tuple[str, ...] = ()
    """Subjects to be worked on that this one does not rest on."""
    excluded: bool = False
