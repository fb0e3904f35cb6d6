"""Commands about what is stored: init, db, put, resources, cat."""

import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from api.cli.output import Output
from api.cli.parser import read_place
from api.presenters import Json, masked_note, resource_json, revision_json
from api.settings import read_settings
from evidence_store.errors import InvalidInput, NotFound, StoreMissing
from evidence_store.model import Format, Kind, ResourceName
from evidence_store.records.sources import Revision
from evidence_store.store import init_store, open_store

PIECE_BYTES = 1024 * 1024
LISTED = 1000
PROGRESS_PIECES = 8


def run_init(arguments: Namespace, output: Output) -> int:
    folder = read_settings(arguments.store).store
    init_store(folder)
    output.value({"store": str(folder)}, f"store ready: {folder}\n")
    return 0


def run_upgrade(arguments: Namespace, output: Output) -> int:
    folder = read_settings(arguments.store).store
    if not folder.is_dir():
        raise StoreMissing(f"there is no store at {str(folder)!r}; make one with `evidence init`")
    return run_init(arguments, output)


def run_put(arguments: Namespace, output: Output) -> int:
    from evidence_store.store.put_request import PutRequest  # start-up cost: the parsers

    request = PutRequest(
        ResourceName(arguments.resource),
        None if arguments.kind is None else Kind(arguments.kind),
        arguments.scope,
        tuple(arguments.label),
        arguments.media_type,
        None if arguments.format is None else Format(arguments.format),
        None if arguments.file == "-" else Path(arguments.file).name,
        arguments.version_label,
        arguments.tool,
        complete=not arguments.incomplete,
        if_newest=arguments.if_newest,
        idempotency_key=arguments.idempotency_key,
        max_age_s=arguments.max_age,
    )
    settings = read_settings(arguments.store)
    with open_store(settings.store, limits=settings.limits) as store:
        result = store.sources.put(request, _told(read_pieces(arguments.file), output))
    shown: dict[str, Json] = revision_json(result.revision) | {"created": result.created}
    output.value(shown, revision_text(result.revision, "stored" if result.created else "unchanged"))
    return 0


def _told(pieces: Iterator[bytes], output: Output) -> Iterator[bytes]:
    """The pieces, with how much has been read."""
    for number, piece in enumerate(pieces, 1):
        if number % PROGRESS_PIECES == 0:
            output.progress(f"{number} MiB read")
        yield piece


def read_pieces(path: str) -> Iterator[bytes]:
    """The bytes of a file, or of standard input for `-`. Raises NotFound or InvalidInput for what cannot be read."""
    if path == "-":
        if sys.stdin is None:  # closed by the caller
            raise InvalidInput("standard input is closed: give a file, or pipe the bytes in", code="unreadable_file")
        yield from iter(lambda: sys.stdin.buffer.read(PIECE_BYTES), b"")
        return
    try:
        with open(path, "rb") as file:
            yield from iter(lambda: file.read(PIECE_BYTES), b"")
    except FileNotFoundError as why:
        raise NotFound(f"there is no file {path!r}", code="no_file") from why
    except OSError as why:
        raise InvalidInput(f"{path!r} cannot be read: {why.strerror}", code="unreadable_file") from why
    except ValueError as why:  # a name with NUL in it, which the JSON answer of a command may hold
        raise InvalidInput(f"{path!r} cannot be read: {why}", code="unreadable_file") from why


def run_resources(arguments: Namespace, output: Output) -> int:
    with open_store(read_settings(arguments.store).store) as store:
        if arguments.name is not None:
            revisions = store.sources.list_revisions(ResourceName(arguments.name))
            lines = [revision_text(revision, "") for revision in revisions]
            output.value({"resource": arguments.name, "revisions": [revision_json(r) for r in revisions]}, "".join(lines))
            return 0
        found = store.sources.list_resources(arguments.after, LISTED + 1)
    listed, more = found[:LISTED], len(found) > LISTED
    lines = [f"{one.name}@{newest.number}  {newest.format.value}, {newest.size} bytes\n" for one, newest in listed]
    output.value({"resources": [resource_json(*one) for one in listed], "more": more}, "".join(lines))
    if more and not output.json:
        output.note(f"more: evidence resources --after {listed[-1][0].name}")
    return 0


def run_cat(arguments: Namespace, output: Output) -> int:
    name, number = read_place(arguments.place)
    with open_store(read_settings(arguments.store).store) as store:
        raw = store.sources.get_bytes(ResourceName(name), number)
    output.bytes(raw)
    return 0


def revision_text(revision: Revision, word: str) -> str:
    head = f"{revision.resource}@{revision.number}  {revision.format.value}, {revision.size} bytes, {revision.digest}"
    notes = [f"  {note.code}: {note.text}\n" for note in map(masked_note, revision.notes)]
    return f"{word} {head}".lstrip() + "\n" + "".join(notes)
