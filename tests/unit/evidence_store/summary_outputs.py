"""The summary of a small output, and the kinds that would be tried for it: what the tests of the kinds share."""

from evidence_store.documents.detect import detect, inspect
from evidence_store.model import Format, ResourceName
from evidence_store.summaries.model import Material, Subject
from evidence_store.summaries.standard import standard_registry


def summary(kind: str, raw: bytes | str, format: Format) -> str:
    data = raw.encode() if isinstance(raw, str) else raw
    found = inspect(data, detect(data, format=format))
    return standard_registry().get_kind(kind).summarize(Material(data, format, found.notes))


def chosen(raw: bytes | str, name: str) -> list[str]:
    data = raw.encode() if isinstance(raw, str) else raw
    found = detect(data, name)
    subject = Subject(ResourceName(name), found.media_type, found.format, len(data), data)
    return [one.kind for one in standard_registry().candidates(subject)]
