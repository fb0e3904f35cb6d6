"""Numbers of a source, compared without passing through a float; any spelling of one value is that value."""

from decimal import Decimal, InvalidOperation

from api.compat_report.model import Value
from api.tools import Number


def read_number(value: Value) -> Decimal | None:
    """The number, None where the value is none (a string that looks like one included)."""
    if not isinstance(value, Number):
        return None
    try:
        return Decimal(value)
    except InvalidOperation:
        return None


def is_same(old: Value, new: Value) -> bool:
    """Equality of JSON values: `1`, `1.0` and `1e0` are one value, `1` and `"1"` are two."""
    numbers = read_number(old), read_number(new)
    if None not in numbers:
        return numbers[0] == numbers[1]
    if isinstance(old, Number) or isinstance(new, Number):
        return isinstance(old, Number) and isinstance(new, Number) and str(old) == str(new)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(is_same(*pair) for pair in zip(old, new, strict=True))
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(is_same(old[name], new[name]) for name in old)
    return type(old) is type(new) and old == new
