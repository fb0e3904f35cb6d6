"""Which summarizer takes which output: rules by tool name, media type and resource pattern, then what a kind sees in the beginning.

A rule of a user comes before the kinds that come along, the latest first. One registry belongs to one store; there is none for
the process, so that two stores in one process do not get in each other's way.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from evidence_store.errors import InvalidInput, NotFound
from evidence_store.summaries.model import Subject, Summarizer, takes

_KIND: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")


@dataclass(frozen=True, slots=True)
class _Rule:
    summarizer: Summarizer
    tool: str | None
    media_type: str | None
    resource: str | None

    def takes(self, subject: Subject) -> bool:
        """Whether each pattern that it has fits."""
        essence = subject.media_type.partition(";")[0].strip().lower()
        fits = (
            self.tool is None or (subject.tool is not None and fnmatchcase(subject.tool, self.tool)),
            self.media_type is None or fnmatchcase(essence, self.media_type.lower()),
            self.resource is None or fnmatchcase(subject.resource, self.resource),
        )
        return all(fits) and takes(self.summarizer, subject)


class Registry:
    """Summarizers by kind, and the rules by which one is chosen."""

    def __init__(self, summarizers: Sequence[Summarizer] = ()) -> None:
        """`summarizers` are tried in this order."""
        self._rules: list[_Rule] = [_Rule(one, None, None, None) for one in summarizers]
        self._by_kind: dict[str, Summarizer] = {one.kind: one for one in summarizers}
        self._by_transform: dict[str, Summarizer] = {one.transform: one for one in summarizers}

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(sorted(self._by_kind))

    def register(
        self, summarizer: Summarizer, *, tool: str | None = None, media_type: str | None = None, resource: str | None = None
    ) -> None:
        """Adds a kind, and chooses it before those that are there where all given patterns fit (`*` and `?` as in file names).

        May be called again with other patterns. Raises InvalidInput (`bad_kind`) for a bad name or for a kind that is there with the
        same version and is another one: its stored summaries could not be replayed any more.
        """
        if not _KIND.fullmatch(summarizer.kind) or summarizer.version < 1:
            raise InvalidInput(
                f"{summarizer.kind[:80]!r} is no kind: a letter, then letters, digits and hyphens, 40 at most", code="bad_kind"
            )
        known = self._by_transform.get(summarizer.transform)
        if known is not None and known != summarizer:
            raise InvalidInput(f"{summarizer.transform} is there already; another text needs another kind or version", code="bad_kind")
        self._by_kind[summarizer.kind] = summarizer
        self._by_transform[summarizer.transform] = summarizer
        self._rules.insert(0, _Rule(summarizer, tool, media_type, resource))

    def get_kind(self, kind: str) -> Summarizer:
        """The newest registered version of a kind. Raises InvalidInput (`unknown_kind`)."""
        found = self._by_kind.get(kind)
        if found is None:
            raise InvalidInput(f"there is no kind of summary {kind[:80]!r}", {"known": list(self.kinds)}, code="unknown_kind")
        return found

    def get_transform(self, transform: str) -> Summarizer:
        """What made a stored summary. Raises NotFound (`unknown_kind`) where it is not registered here."""
        found = self._by_transform.get(transform)
        if found is None:
            text = f"{transform[:80]!r} is not registered here, so this summary cannot be made again"
            raise NotFound(text, {"known": sorted(self._by_transform)}, code="unknown_kind")
        return found

    def candidates(self, subject: Subject) -> tuple[Summarizer, ...]:
        """Those that take this output, the best first, each once."""
        return tuple(dict.fromkeys(rule.summarizer for rule in self._rules if rule.takes(subject)))
