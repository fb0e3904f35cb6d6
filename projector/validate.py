"""Whether a list of messages keeps a provider's rules for tool calls and their results; public, and useful alone.

The rules are those of the dialects (docs/formats/providers.md); here is only which of them are asked.
"""

from collections.abc import Sequence

from evidence_store.errors import JsonValue
from projector.dialects.forms import Fault
from projector.dialects.table import dialect_for


def validate(messages: Sequence[JsonValue], provider: str, *, allow_open: bool = False) -> tuple[Fault, ...]:
    """The faults of a list in this provider's form, in its order; raises UnknownProvider.

    With `allow_open` the calls of the last turn may be unanswered.
    """
    dialect = dialect_for(provider)
    if not messages:
        return (Fault("empty", None, None, "there are no messages"),)
    return dialect.faults(messages, allow_open=allow_open)
