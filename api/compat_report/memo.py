"""What the agent notes for itself in the `next` member of a progress item: how far a subject got, in words that are read back.

tried 2; claimed 12; cited ev_tpvnrht0mge4 ev_yfnsa6eeyzy7; page 40; absent demo/pets.yaml
"""

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

_ABSENT = "absent "


@dataclass(frozen=True, slots=True)
class Memo:
    """How far a subject got."""

    tried: int = 0
    """Steps spent on reading what is compared."""
    cites: int = 0
    """Steps spent on reading what the next claims cite."""
    claimed: int = 0
    """Findings recorded so far, in their order."""
    cited: tuple[str, ...] = ()
    """Evidence of those findings."""
    page: int = 0
    """First child of the page of an outline that is awaited."""
    absent: tuple[str, ...] = ()
    """Resources that a reference named and that are not there."""


def format_memo(memo: Memo) -> str:
    numbers = (("tried", memo.tried), ("cites", memo.cites), ("claimed", memo.claimed))
    parts = [f"{name} {number}" if number else "" for name, number in numbers]
    parts += [f"cited {' '.join(memo.cited)}" if memo.cited else "", f"page {memo.page}" if memo.page else ""]
    parts.append(_ABSENT + " ".join(quote(name) for name in memo.absent) if memo.absent else "")
    return "; ".join(part for part in parts if part)


def parse_memo(text: str) -> Memo:
    """Inverse of `format_memo`; words of others are passed over."""
    text, _, absent = text.partition(_ABSENT)
    tried, cites, claimed, page = (_number(text, name) for name in ("tried", "cites", "claimed", "page"))
    names = tuple(unquote(name) for name in absent.split())
    return Memo(tried, cites, claimed, tuple(re.findall(r"ev_[0-9a-z]+", text)), page, names)


def _number(text: str, name: str) -> int:
    found = re.search(rf"\b{name} (\d+)", text)
    return int(found[1]) if found else 0
