"""What reading costs, by estimate: the agent has no tokenizer and must not overfill the input of its next step."""

from api.compat_report.model import Need
from api.compat_report.reading import CHARS_PER_TOKEN, PACKET_TOKENS, Input
from api.compat_report.view import Hidden, Missing

TURN_TOKENS = 15_000
"""What the packets of the next input may cost; the dynamic budget of a step is 23 648."""
USUAL_TOKENS, WIDE_TOKENS, KEYS_TOKENS, PATHS_TOKENS, KIND_TOKENS = 2_000, 6_000, 4_000, 12_000, 300
"""Limits that are asked for: by default, for a container worth it, for names, for the names of all paths, and to see what a place holds."""
_USUAL_KEYS_TOKENS, _USUAL_PATHS_TOKENS = 300, 2_500


def cost_of(seen: Input, need: Need) -> int:
    """Tokens that a read may add to the next input."""
    if need.look == "keys":
        return _USUAL_PATHS_TOKENS if need.pointer == "/paths" else _USUAL_KEYS_TOKENS
    limit = WIDE_TOKENS if need.wide else USUAL_TOKENS
    size = None if need.operation else _size(seen, need)
    return limit if size is None else min(limit, size // CHARS_PER_TOKEN) + PACKET_TOKENS


def _size(seen: Input, need: Need) -> int | None:
    """Characters of a place as far as they are known: from an outline, or from the value where a larger passage shows it."""
    view = seen.view(need.side)
    size = view.size(need.pointer)
    if size is not None:
        return size
    try:
        value = view.find(need.pointer)
    except Hidden:
        return None
    return 0 if isinstance(value, Missing) else count_chars(value)


def count_chars(value: object, depth: int = 0) -> int:
    """Characters of a value in its source, roughly."""
    if isinstance(value, dict):
        return sum(len(name) + 2 * depth + 4 + count_chars(member, depth + 1) for name, member in value.items())
    if isinstance(value, list):
        return sum(2 * depth + 3 + count_chars(item, depth + 1) for item in value)
    return len(value) if isinstance(value, str) else 5
