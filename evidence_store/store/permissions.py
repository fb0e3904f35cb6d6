"""Permissions: which labels guard an evidence at this moment, and what a label's policy is. Who is cleared for what is not known here."""

from collections.abc import Iterable, Mapping

from evidence_store.errors import InvalidInput
from evidence_store.model import EvidenceId, LabelPolicy
from evidence_store.records import labels
from evidence_store.records.events import append_event
from evidence_store.store.core import Core

MAX_LABEL_CHARS = 256


class Permissions:
    """Labels and their policies in one workspace. Nothing is remembered between calls."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def set_policy(self, label: str, policy: LabelPolicy, author: str) -> None:
        """What those who are not cleared for the label see from now on. Setting what it is already adds nothing.

        Raises InvalidInput (`bad_name`) for what no label can be.
        """
        _require_label(label)
        core = self._core
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

    def labels_of(self, ids: Iterable[EvidenceId]) -> Mapping[EvidenceId, frozenset[str]]:
        """The labels of each stored evidence, as they are now; what is not stored is not in the answer."""
        found: dict[EvidenceId, set[str]] = {}
        with self._core.database.reading() as connection:
            for id_, label in labels.iter_labels(connection, self._core.workspace, tuple(dict.fromkeys(ids))):
                found.setdefault(id_, set()).update(() if label is None else (label,))
        return {id_: frozenset(one) for id_, one in found.items()}


def _require_label(label: str) -> None:
    if not 1 <= len(label) <= MAX_LABEL_CHARS or "\0" in label or any("\ud800" <= c <= "\udfff" for c in label):
        text = f"a label has 1 to {MAX_LABEL_CHARS} characters, and neither NUL nor half a surrogate pair"
        raise InvalidInput(text, {"limit": MAX_LABEL_CHARS}, code="bad_name")
