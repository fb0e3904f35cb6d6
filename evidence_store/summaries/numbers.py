"""Numbers as they are spelled, compared and summed as decimals: no value passes through a float.

A least, greatest or last value is given in the source's own spelling. A mean that does not end within its digits is marked `~`.
"""

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal, Inexact
from typing import Final

MAX_DIGITS: Final = 100
"""Characters of a spelling that is taken for a number: longer ones are no measurement."""
MEAN_DIGITS: Final = 12
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?", re.ASCII)
# Enough digits that sums of ordinary measurements are exact; where they are not, the flag says so.
_EXACT: Final = Context(prec=120, rounding=ROUND_HALF_EVEN, Emin=-99_999, Emax=99_999, traps=[])


def decimal_of(spelling: str) -> Decimal | None:
    """The value of a decimal spelling; None for what is none, such as `NaN`, `0x1F` or one of more than 100 characters."""
    if len(spelling) > MAX_DIGITS or not _NUMBER.fullmatch(spelling):
        return None
    return Decimal(spelling)


@dataclass(slots=True)
class Extreme:
    """A value with its spelling and the place where it stands first."""

    value: Decimal
    spelling: str
    place: int


class Extremes:
    """Least and greatest of values that come one by one."""

    def __init__(self) -> None:
        self.least: Extreme | None = None
        self.greatest: Extreme | None = None

    def add(self, value: Decimal, spelling: str, place: int) -> None:
        if self.least is None or value < self.least.value:
            self.least = Extreme(value, spelling, place)
        if self.greatest is None or value > self.greatest.value:
            self.greatest = Extreme(value, spelling, place)


class Statistics(Extremes):
    """Also number, mean and last of them."""

    def __init__(self) -> None:
        super().__init__()
        self.n = 0
        self.last: Extreme | None = None
        self._sum = Decimal(0)
        self._exact = True
        self._context = _EXACT.copy()

    def add(self, value: Decimal, spelling: str, place: int) -> None:
        super().add(value, spelling, place)
        self.n += 1
        self.last = Extreme(value, spelling, place)
        self._sum = self._context.add(self._sum, value)

    def mean(self) -> str:
        """The mean, `~` in front where it is rounded to 12 digits."""
        summed_exactly = not self._context.flags[Inexact]
        context = Context(prec=MEAN_DIGITS, rounding=ROUND_HALF_EVEN, Emin=-99_999, Emax=99_999, traps=[])
        mean = context.divide(self._sum, Decimal(self.n))
        exact = summed_exactly and not context.flags[Inexact]
        return ("" if exact else "~") + plain(mean)


def plain(value: Decimal) -> str:
    """Without an exponent where that is short, without zeros at the end of a fraction."""
    if not value:
        return "0"
    if not -12 < value.adjusted() < 21:
        return str(_EXACT.copy().normalize(value))
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
