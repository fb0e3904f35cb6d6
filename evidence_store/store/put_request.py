"""What is asked for when bytes are put: what a caller says of them, and what it may not say."""

from dataclasses import dataclass

from evidence_store.documents.charset import encoding_of
from evidence_store.documents.detect import Inspection
from evidence_store.errors import Conflict, InvalidInput
from evidence_store.model import Digest, Format, Kind, ResourceName
from evidence_store.records.sources import Resource, Revision
from evidence_store.store.core import Core

MAX_NAME_CHARS = 1024


@dataclass(frozen=True, slots=True)
class PutRequest:
    """What a caller says of the bytes it puts."""

    resource: ResourceName
    kind: Kind | None = None
    """None: an observation, or what the resource is already."""
    scope: str | None = None
    """None: no label, or the one that the resource has."""
    labels: tuple[str, ...] = ()
    media_type: str | None = None
    format: Format | None = None
    file_name: str | None = None
    """Where the bytes came from; its suffix helps to tell the format."""
    version_label: str | None = None
    origin: str | None = None
    """The tool whose output it is, by which a kind of summary may be chosen."""
    complete: bool = True
    """False: more is to come, so that what is not there proves nothing. The same bytes put again as complete close the revision."""
    if_newest: int | None = None
    """Refuse unless this is the newest revision (0: unless there is none)."""
    idempotency_key: str | None = None
    max_age_s: int | None = None
    """Of a live resource: how old an observation may be to tell how things are now. None: as the resource is; a new one is not live."""
    charset: str | None = None
    """What the bytes are known to be text in where the media type names no encoding; None: told by the bytes."""
    digest: Digest | None = None
    """Refuse unless the bytes have this one."""


def require_name(name: ResourceName) -> None:
    """Raises InvalidInput for a name that no resource can have."""
    if not name or len(name) > MAX_NAME_CHARS:
        raise InvalidInput(f"a resource name has 1 to {MAX_NAME_CHARS} characters, this one has {len(name)}", code="bad_name")
    if "\0" in name or any("\ud800" <= c <= "\udfff" for c in name):
        raise InvalidInput("a resource name holds neither NUL nor half a surrogate pair", code="bad_name")


def require_no_secret(core: Core, request: PutRequest) -> None:
    """Raises InvalidInput (`secret_in_name`) for a name that would have to be masked: names are shown to be named again.

    Resources that have such a name already stay what they are, and are read by it.
    """
    names = {"resource": (request.resource,), "scope": (request.scope,), "label": request.labels}
    names |= {"version_label": (request.version_label,), "tool": (request.origin,)}
    for what, texts in names.items():
        if any(text and core.masked(text) != text for text in texts):
            text = f"the {what.replace('_', ' ')} holds a secret, and is shown with each passage: leave the secret out of it"
            raise InvalidInput(text, {"field": what}, code="secret_in_name")


def require_same_resource(request: PutRequest, known: Resource) -> None:
    """Raises Conflict (`resource_differs`) where a resource is said to be something else than it was at its first revision."""
    same_age = request.max_age_s in (None, known.max_age_s)
    if request.kind in (None, known.kind) and request.scope in (None, known.scope) and same_age:
        return
    age = "not live" if known.max_age_s is None else f"live for {known.max_age_s} s"
    text = f"{known.name!r} is {known.kind.value} with scope {known.scope!r}, {age}; these are as at its first revision"
    raise Conflict(text, {"kind": known.kind.value, "scope": known.scope, "max_age_s": known.max_age_s}, code="resource_differs")


def require_same_reading(request: PutRequest, newest: Revision, found: Inspection) -> None:
    """Raises Conflict (`format_differs`) where the same bytes are said to be something else than what they were stored as."""
    named = request.format is not None or request.media_type is not None
    if named and (found.format is not newest.format or encoding_of(found.notes) != encoding_of(newest.notes)):
        reading = f"{newest.format.value} in {encoding_of(newest.notes)}"
        text = f"these bytes are {newest.resource!r} revision {newest.number} already, read as {reading}: put them under another name"
        raise Conflict(text, {"revision": newest.number, "format": newest.format.value}, code="format_differs")
