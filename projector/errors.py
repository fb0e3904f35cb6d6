"""Errors of the projector; each also belongs to a branch of the store's tree, so that one table maps them all.

ProjectorError
├── MalformedText         text that is not in one of our grammars (docs/formats/)      also InvalidInput
├── RefusedStep           a step that cannot be read or makes no sense                 also InvalidInput
├── RefusedCut            a text that cannot be cut to so few tokens, or is no JSON     also InvalidInput
├── UnknownProvider       no rule set or renderer of this name; `details["known"]`     also InvalidInput
├── UnknownCounter        no token counter of this name; `details["known"]`            also InvalidInput
├── UnknownModel          no profile is known of this model; `details["known"]`        also InvalidInput
├── CounterUnavailable    the counter's data is missing or not what it must be         also StoreFault
└── BrokenRule            our own check of a finished projection failed: a fault here, not in the input
"""

from collections.abc import Iterator
from contextlib import contextmanager

from evidence_store.errors import EvidenceStoreError, InvalidInput, StoreFault


class ProjectorError(EvidenceStoreError):
    """Root of all errors that this package raises on purpose."""

    code = "projector_error"


class MalformedText(ProjectorError, InvalidInput):
    code = "malformed_text"


class RefusedStep(ProjectorError, InvalidInput):
    code = "refused_step"


class RefusedCut(ProjectorError, InvalidInput):
    code = "refused_cut"


class UnknownProvider(ProjectorError, InvalidInput):
    code = "unknown_provider"


class UnknownCounter(ProjectorError, InvalidInput):
    code = "unknown_counter"


class UnknownModel(ProjectorError, InvalidInput):
    code = "unknown_model"


class CounterUnavailable(ProjectorError, StoreFault):
    code = "counter_unavailable"


class BrokenRule(ProjectorError):
    code = "broken_rule"


@contextmanager
def placed(path: str) -> Iterator[None]:
    """Says of a name that nobody knows where in a step it stands: `details["path"]`."""
    try:
        yield
    except (UnknownProvider, UnknownCounter, UnknownModel) as why:
        raise type(why)(f"{path}: {why.message}", {"path": path, **why.details}) from why
