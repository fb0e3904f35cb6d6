"""Addresses of pages and of their JSON."""

from urllib.parse import quote


def evidence_path(id_: str) -> str:
    return f"/evidence/{quote(id_, safe='')}"


def report_path(id_: str) -> str:
    return f"/reports/{quote(id_, safe='')}"


def trace_path(subject: str) -> str:
    """`subject` is a report, an evidence, or TASK/C1."""
    return f"/trace/{quote(subject, safe='/')}"


def source_path(resource: str, revision: int, first: int, last: int) -> str:
    """The lines of a revision from `first` to `last`, 1-based and inclusive."""
    return f"/resources/{quote(resource, safe='/')}@{revision}/source?lines={first}-{last}"
