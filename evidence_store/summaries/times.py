"""Times as they are spelled (ISO 8601, RFC 3339), put in order as exact moments; one without an offset is read as UTC."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

_TIME: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,18}))?)?(?:(Z)|([+-])([0-9]{2}):?([0-9]{2}))?)?",
    re.ASCII,
)
_START: Final = datetime(1970, 1, 1, tzinfo=UTC)


def moment_of(text: str) -> Decimal | None:
    """Seconds since 1970 UTC; None for what is no time."""
    found = _TIME.fullmatch(text) if 10 <= len(text) <= 50 else None
    if found is None:
        return None
    date, minutes, seconds, fraction, _, sign, hours_off, minutes_off = found.groups()
    try:
        moment = datetime.fromisoformat(f"{date}T{minutes or '00:00'}:{seconds or '00'}+00:00")
    except ValueError:
        return None
    offset = timedelta(hours=int(hours_off or 0), minutes=int(minutes_off or 0))
    whole = moment - _START - (-offset if sign == "-" else offset)
    return Decimal(whole.days * 86_400 + whole.seconds) + (Decimal(f"0.{fraction}") if fraction else 0)
