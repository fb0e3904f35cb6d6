"""Commands that check: check, trace, verify, validate. Exit 1 when the answer is no."""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import orjson

from api.cli.output import Output
from api.cli.sources import read_pieces
from api.errors import EXIT_DONE, EXIT_NO
from api.findings import check_json
from api.presenters import Json, dumps, plain, trace_json
from api.settings import read_settings
from api.wiring import open_services
from evidence_store.documents.depth import count_members
from evidence_store.documents.json_faults import scan
from evidence_store.errors import InvalidInput, JsonValue, RefusedDocument
from evidence_store.pointers import format_pointer
from evidence_store.report_check import find_uncited
from evidence_store.trace import Trace, trace
from projector import Fault, repair, validate

MAX_INPUT_BYTES = 64 * 1024 * 1024


def read_input(path: str) -> bytes:
    """A whole small file, or standard input. Raises InvalidInput past 64 MiB."""
    raw = bytearray()
    for piece in read_pieces(path):
        raw += piece
        if len(raw) > MAX_INPUT_BYTES:
            raise InvalidInput(f"{path!r} is larger than {MAX_INPUT_BYTES} bytes", {"limit": MAX_INPUT_BYTES}, code="too_large")
    return bytes(raw)


def read_json(path: str) -> JsonValue:
    """A JSON file. Raises InvalidInput naming the place of what is wrong; a member that is repeated is wrong, since one would be lost."""
    raw = read_input(path)
    try:
        value: JsonValue = orjson.loads(raw)
    except orjson.JSONDecodeError as why:
        raise InvalidInput(f"{path!r} is not JSON: {why}", {"line": why.lineno}, code="not_json") from why
    # the fast reader keeps the last of a name and says nothing: fewer are left then than were written
    if count_members(raw) != count_members(orjson.dumps(value)):
        _refuse_repeated(raw, path)
    return value


def _refuse_repeated(raw: bytes, path: str) -> None:
    repeat = scan(raw, 0, len(raw)).repeats[0]
    place = format_pointer((*repeat.container, repeat.name))
    lines = [1 + raw.count(b"\n", 0, at) for at in repeat.offsets]
    text = f"{path!r}: the member {place} stands {len(lines)} times, in the lines {', '.join(map(str, lines))}"
    raise RefusedDocument(text, {"path": place, "lines": lines}, code="duplicate_key")


def report_text(path: str) -> str:
    """The Markdown of a report, also where the file is the JSON answer of `evidence demo`, which names it."""
    raw = read_input(path)
    text = raw.decode("utf-8", "replace")
    if not text.lstrip().startswith("{"):
        return text
    try:
        answer = orjson.loads(raw)
        named = Path(path).parent / answer["report"]
    except (orjson.JSONDecodeError, KeyError, TypeError) as why:
        raise InvalidInput(f"{path!r} is neither Markdown nor the answer of `evidence demo`", code="not_a_report") from why
    return read_input(str(named)).decode("utf-8", "replace")


def run_check(arguments: Namespace, output: Output) -> int:
    text = report_text(arguments.report)
    with open_services(read_settings(arguments.store)) as services:
        checked = services.store.checks.check_report(text)
        published = services.store.claims.find_published(text)
    uncited = find_uncited(text)
    shown = check_json(checked, uncited, published)
    n_bad = sum(not one.ok for one in checked)
    lines = [
        f"{arguments.report}:{one.place.line}: {one.place.id} {one.verdict}, quote {one.quote}: {one.text}\n"
        for one in checked
        if not one.ok
    ]
    summary = f"{len(checked)} citations, {len(checked) - n_bad} ok, {n_bad} not; {len(uncited)} sentences without a citation\n"
    if published is None:
        summary += "this text was not published from this store, or was edited since\n"
    output.value(shown, "".join(lines) + summary)
    return EXIT_DONE if shown["ok"] else EXIT_NO


def run_trace(arguments: Namespace, output: Output) -> int:
    with open_services(read_settings(arguments.store)) as services:
        found = trace(services.store, arguments.subject)
    return show_trace(found, output)


def show_trace(found: Trace, output: Output) -> int:
    lines = [f"{hop.check:<10} {hop.kind:<9} {hop.id}  {hop.text}\n" for hop in found.hops]
    output.value(trace_json(found), "".join(lines))
    return EXIT_DONE if found.ok else EXIT_NO


def run_verify(arguments: Namespace, output: Output) -> int:
    with open_services(read_settings(arguments.store)) as services:
        found = services.store.checks.verify(deep=arguments.deep)
    ok = not found.faults
    faults: list[Json] = [{"code": fault.code, "subject": fault.subject, "text": fault.text} for fault in found.faults]
    counts = dict(found.counts)
    lines = [f"{fault.code}: {fault.text}\n" for fault in found.faults]
    looked_at = [f"{n} {name}" for name, n in counts.items()] + ([] if arguments.deep else ["stored bytes not read (--deep reads them)"])
    summary = ", ".join(looked_at) + (": ok\n" if ok else f": {len(faults)} faults\n")
    output.value({"ok": ok, "faults": faults, "counts": counts, "deep": arguments.deep}, "".join(lines) + summary)
    return EXIT_DONE if ok else EXIT_NO


def run_validate(arguments: Namespace, output: Output) -> int:
    messages = read_json(arguments.messages)
    if not isinstance(messages, list):
        raise InvalidInput(f"{arguments.messages!r} is no list of messages", code="not_messages")
    if arguments.repair:
        return _repair(messages, arguments, output)
    found = validate(messages, arguments.provider, allow_open=arguments.allow_open)
    lines = [f"message {fault.message}: {fault.text}\n" for fault in found]
    output.value({"ok": not found, "faults": _faults_json(found)}, "".join(lines) or "ok\n")
    return EXIT_NO if found else EXIT_DONE


def _repair(messages: list[JsonValue], arguments: Namespace, output: Output) -> int:
    """Prints the list made whole; exit 1 when nothing of it can be sent."""
    made = repair(messages, arguments.provider, allow_open=arguments.allow_open)
    found = validate(made.messages, arguments.provider, allow_open=arguments.allow_open)
    left: list[Json] = [{"messages": list(one.places), "why": one.why, "items": plain(one.messages)} for one in made.left_out]
    answer: dict[str, Json] = {"ok": not found, "faults": _faults_json(found), "messages": plain(made.messages), "notes": list(made.notes)}
    output.value(answer | {"left_out": left}, dumps(plain(made.messages)).decode())
    for note in made.notes:
        output.note(note)
    return EXIT_NO if found else EXIT_DONE


def _faults_json(found: Sequence[Fault]) -> list[Json]:
    return [{"code": fault.code, "message": fault.message, "call_id": fault.call_id, "text": fault.text} for fault in found]
