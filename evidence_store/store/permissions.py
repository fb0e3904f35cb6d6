"""Permissions: which labels guard an evidence at this moment, and what a label's policy is. Who is cleared for what is not known here."""

from collections.abc import Iterable, Mapping, Sequence

from evidence_store.errors import InvalidInput, JsonValue, NotPermitted
from evidence_store.model import EvidenceId, LabelPolicy, ResourceName
from evidence_store.records import evidence, labels, sources
from evidence_store.records.events import append_event
from evidence_store.records.sources import Resource
from evidence_store.store.core import Core
from evidence_store.store.sources import require_resource

MAX_LABEL_CHARS = 256
MAX_LABELS = 100
"""Of one resource."""


class Permissions:
    """Labels and their policies in one workspace. Nothing is remembered between calls."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def set_policy(self, label: str, policy: LabelPolicy, author: str) -> None:
        """What those who are not cleared for the label see from now on. Setting what it is already adds nothing.

        Raises InvalidInput (`bad_name`) for what no label can be, NotPermitted (`beyond_own`) where the caller is not cleared for it.
        """
        _require_label(label)
        core = self._core
        require_cleared(core, (label,))
        with core.database.writing() as connection:
            if dict(labels.list_policies(connection, core.workspace)).get(label) is policy:
                return
            at = core.clock()
            labels.insert_policy(connection, core.workspace, label, policy, at)
            append_event(connection, core.workspace, "label.policy", label, {"policy": policy.value, "author": author}, at)

    def policies(self) -> Mapping[str, LabelPolicy]:
        """The policy of each label for which one was set; every other label hides."""
        with self._core.database.reading() as connection:
            return dict(labels.list_policies(connection, self._core.workspace))

    def add_labels(self, name: ResourceName, more: Sequence[str], author: str) -> Resource:
        """A resource with these labels beside its own; a label is never taken away.

        Raises NotFound, InvalidInput (`bad_name`, `secret_in_name`, more than 100), NotPermitted (`beyond_own`).
        """
        core = self._core
        for label in more:
            _require_label(label)
            if core.masked(label) != label:
                raise InvalidInput(
                    "a label is shown with each passage: leave the secret out of it", {"field": "label"}, code="secret_in_name"
                )
        require_cleared(core, more)
        with core.database.writing() as connection:
            known = require_resource(connection, core, name)
            new = tuple(dict.fromkeys(label for label in more if label not in known.labels))
            if len(known.labels) + len(new) > MAX_LABELS:
                raise InvalidInput(f"a resource has at most {MAX_LABELS} labels", {"limit": MAX_LABELS}, code="limit_exceeded")
            if new:
                at = core.clock()
                sources.insert_labels(connection, core.workspace, name, new, at)
                data: dict[str, JsonValue] = {"labels": list(new), "author": author}
                append_event(connection, core.workspace, "resource.labelled", name, data, at)
            return require_resource(connection, core, name)

    def labels_of(self, ids: Iterable[EvidenceId]) -> Mapping[EvidenceId, frozenset[str]]:
        """The labels of each stored evidence, as they are now; what is not stored, or not seen, is not in the answer."""
        asked = tuple(dict.fromkeys(ids))
        found: dict[EvidenceId, set[str]] = {}
        core = self._core
        with core.database.reading() as connection:
            seen = asked if core.clearances is None else evidence.list_known_ids(connection, core.workspace, asked, core.clearances)
            for id_, label in labels.iter_labels(connection, core.workspace, tuple(seen)):
                found.setdefault(id_, set()).update(() if label is None else (label,))
        return {id_: frozenset(one) for id_, one in found.items()}


def require_cleared(core: Core, named: Iterable[str]) -> None:
    """Raises NotPermitted (`beyond_own`) where the caller would decide on labels that it is not cleared for."""
    if core.clearances is not None and not core.clearances.issuperset(named):
        raise NotPermitted("who decides on a label is cleared for it", code="beyond_own")


def is_text(text: str) -> bool:
    """Whether it can be stored: neither NUL nor half a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)


def _require_label(label: str) -> None:
    if not 1 <= len(label) <= MAX_LABEL_CHARS or not is_text(label):
        text = f"a label has 1 to {MAX_LABEL_CHARS} characters, and neither NUL nor half a surrogate pair"
        raise InvalidInput(text, {"limit": MAX_LABEL_CHARS}, code="bad_name")
