"""The compatibility report: an application that uses the tools and the projector's public face, as anyone's could.

A read-only agent without a model compares two versions of an OpenAPI document step by step (`decide`), and what it recorded becomes a
report (`collect_outcome`, `list_conclusions`, `render_report`). `pair/` holds two small documents to try it on.
"""

from importlib.resources import files

from api.compat_report.affected import Conclusion, list_conclusions
from api.compat_report.agent import decide
from api.compat_report.exclusions import Exclusion, parse_exclusion
from api.compat_report.model import Call, Refusal, Turn, Version
from api.compat_report.outcome import Outcome, collect_outcome
from api.compat_report.reading import NoComparison
from api.compat_report.report import Head, render_report

__all__ = [
    "DEFAULT_EXCLUSIONS",
    "Call",
    "Conclusion",
    "Exclusion",
    "Head",
    "NoComparison",
    "Outcome",
    "Refusal",
    "Turn",
    "Version",
    "collect_outcome",
    "decide",
    "list_conclusions",
    "parse_exclusion",
    "read_pair",
    "render_report",
]

DEFAULT_EXCLUSIONS = ("x-stability-level=alpha", "x-stability-level=beta", "x-stability-level=draft")
"""What is left out unless a task says otherwise."""


def read_pair(side: str) -> bytes:
    """The bytes of the shipped document of this side, `old` or `new`."""
    return (files("api.compat_report") / "pair" / f"{side}.yaml").read_bytes()
