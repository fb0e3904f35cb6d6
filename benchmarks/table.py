"""The one shape of all benchmarks: rows with both sides of a ratio, a Markdown table on stdout, a JSON list in `results/`.

A row holds what was measured for us and for what we are held against, in the unit that its line names; ratio and verdict
follow from it and cannot be set. `QUICK=1` in the environment asks a benchmark to stay under 50 s; it then says so in its lines.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, slots=True)
class Bound:
    """What the ratio must reach."""

    relation: Literal["<=", ">=", "=="]
    value: float

    def allows(self, ratio: float) -> bool:
        match self.relation:
            case "<=":
                return ratio <= self.value
            case ">=":
                return ratio >= self.value
            case "==":
                return ratio == self.value

    def __str__(self) -> str:
        return f"{self.relation} {self.value:g}"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a benchmark."""

    line: str
    """What is measured, with its unit."""
    ours: float
    other: float
    """What we are held against; a ratio to nothing cannot be built."""
    bound: Bound | None
    """None: shown for what it is worth, and held to nothing."""
    floor: float | None = None
    """What the machine alone would need for it, where that was measured, in the same unit."""

    def __post_init__(self) -> None:
        if self.other == 0:
            raise ValueError(f"{self.line!r}: nothing to compare with")

    @property
    def ratio(self) -> float:
        return self.ours / self.other

    @property
    def ok(self) -> bool:
        return self.bound is None or self.bound.allows(self.ratio)


def is_quick() -> bool:
    """Whether the person who runs it asked for the short form."""
    return os.environ.get("QUICK", "") not in ("", "0")


def format_markdown(rows: Sequence[Row]) -> str:
    with_floor = any(row.floor is not None for row in rows)
    head = ["line", *(["floor"] if with_floor else []), "ours", "other", "ratio", "bound", "ok"]
    kinds = ["---", *["---:"] * (len(head) - 3), "---", "---"]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, kinds, *(_cells(row, with_floor=with_floor) for row in rows)))


def _cells(row: Row, *, with_floor: bool) -> list[str]:
    floor = ["-" if row.floor is None else f"{row.floor:.6g}"] if with_floor else []
    verdict = "-" if row.bound is None else "yes" if row.ok else "NO"
    return [row.line, *floor, f"{row.ours:.6g}", f"{row.other:.6g}", f"{row.ratio:.4g}", str(row.bound or "-"), verdict]


def format_json(rows: Sequence[Row]) -> str:
    return json.dumps([_shaped(row) for row in rows], indent=1, ensure_ascii=False) + "\n"


def _shaped(row: Row) -> dict[str, object]:
    bound = None if row.bound is None else str(row.bound)
    shaped = {"line": row.line, "ours": row.ours, "other": row.other, "ratio": row.ratio, "bound": bound, "ok": row.ok}
    return shaped if row.floor is None else shaped | {"floor": row.floor}


def publish(name: str, rows: Sequence[Row], folder: Path = RESULTS) -> int:
    """Prints the table, writes `results/NAME.json`, and gives the exit code: 0 when every bound is kept, else 1."""
    print(format_markdown(rows))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(format_json(rows), encoding="utf-8")
    return 0 if rows and all(row.ok for row in rows) else 1
