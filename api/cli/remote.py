"""Commands on a store behind a server (`--store https://…` and EVIDENCE_STORE_KEY): what they print is what those on a folder print.

But for `value`: in packets from a server it is left out, since its numbers do not come as they were written.
"""

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from api.cli.checking import report_text, show_trace
from api.cli.output import Output
from api.cli.parser import read_place
from api.cli.reading import read_asked, show_diff, show_evidence, show_locate, show_packet, show_search
from api.cli.sources import LISTED, read_pieces, revision_text
from api.errors import EXIT_DONE, EXIT_NO, WrongUse
from api.opening import open_client
from api.presenters import Json, listed_json, packet_json, revision_json, state_json
from api.settings import read_address, read_key
from evidence_store.model import Format, Kind
from evidence_store.store.sources import GLOB

if TYPE_CHECKING:
    from api.client import EvidenceClient


@contextmanager
def _client(arguments: Namespace) -> "Iterator[EvidenceClient]":
    with open_client(read_address(arguments.store), read_key()) as client:
        yield client


def run_read(arguments: Namespace, output: Output) -> int:
    asked = read_asked(arguments)
    with _client(arguments) as client:
        (packet,) = client.read_document(
            asked.resource,
            revision=asked.revision,
            pointer=asked.pointer,
            lines=asked.lines,
            bytes=asked.bytes,
            quote=asked.quote,
            prefix=asked.prefix,
            suffix=asked.suffix,
            case=asked.case,
            operation=asked.operation,
            parameter=asked.parameter,
            schema=asked.schema,
            view=asked.view,
            children=asked.children,
            max_tokens=arguments.max_tokens,
        )
    show_packet(packet, output)
    return 0


def run_get(arguments: Namespace, output: Output) -> int:
    if arguments.expand == "refs":
        raise WrongUse("--expand refs works on a store in a folder")
    with _client(arguments) as client:
        if arguments.expand is None:
            found = client.get_evidence(arguments.id, arguments.task, arguments.max_tokens)
        else:
            found = client.expand_evidence(arguments.id, arguments.expand, arguments.task, arguments.max_tokens)
    shown: dict[str, Json] = packet_json(found.packet) | state_json(found.state) | {"status": found.state.status}
    if found.relocated:
        shown["relocated_from"] = [{"id": one.relocated_from, "finder": one.finder, "score": one.score} for one in found.relocated]
    if found.folded_from is not None:
        shown["folded_from"] = found.folded_from
    show_evidence(shown, found.packet, output, followed=False)
    return 0


def run_summary(arguments: Namespace, output: Output) -> int:
    name, number = read_place(arguments.place)
    with _client(arguments) as client:
        found = client.summarize_document(name, revision=number, kind=arguments.kind, tool=arguments.tool, max_tokens=arguments.max_tokens)
    show_packet(found, output)
    return 0


def run_search(arguments: Namespace, output: Output) -> int:
    name, number = read_place(arguments.place)
    every: bool = arguments.all_revisions
    if every and number is not None:
        raise WrongUse("--all-revisions stands beside a resource without @REV")
    many = GLOB.search(name) is not None
    flags = {"regex": arguments.regex, "ignore_case": arguments.ignore_case, "all_revisions": every}
    bounds = {"limit": arguments.limit, "context": arguments.context, "max_tokens": arguments.max_tokens}
    with _client(arguments) as client:
        if many:
            found = client.search(name, arguments.pattern, **flags, **bounds)
        else:
            found = client.search_document(name, arguments.pattern, revision=number, **flags, **bounds)
    show_search(found, 2 if many or len(found.receipts) + len(found.unproven) > 1 else 1, arguments.limit, output)
    return 0


def run_diff(arguments: Namespace, output: Output) -> int:
    (old, a), (new, b) = read_place(arguments.old), read_place(arguments.new)
    bounds = {"limit": arguments.limit, "max_tokens": arguments.max_tokens}
    with _client(arguments) as client:
        found = client.diff(old, new, old_revision=a, new_revision=b, pointer=arguments.pointer, **bounds)
    show_diff(found, arguments.limit, output)
    return 0


def run_locate(arguments: Namespace, output: Output) -> int:
    name, number = read_place(arguments.place)
    with _client(arguments) as client:
        found = client.locate_evidence(arguments.id, name, number, arguments.max_tokens)
    show_locate(found, output)
    return 0


def run_trace(arguments: Namespace, output: Output) -> int:
    with _client(arguments) as client:
        found = client.get_trace(arguments.subject)
    return show_trace(found, output)


def run_check(arguments: Namespace, output: Output) -> int:
    text = report_text(arguments.report)
    with _client(arguments) as client:
        found = client.check_citations(text)
    bad = [one for one in found.citations if one.verdict != "ok" or one.quote not in ("found", "none")]
    citations: list[Json] = []
    for one in found.citations:
        shown: dict[str, Json] = {"id": one.id, "verdict": one.verdict, "quote": one.quote, "where": one.where}
        citations.append(shown | ({"folded": True} if one.folded else {}) | ({"text": one.text} if one.text else {}))
    lines = [
        f"{arguments.report}:{one.where.removeprefix('line ')}: {one.id} {one.verdict}, quote {one.quote}: {one.text}\n" for one in bad
    ]
    n_all, n_bad, uncited = len(found.citations), len(bad), found.uncited
    summary = f"{n_all} citations, {n_all - n_bad} ok, {n_bad} not; {len(uncited)} sentences without a citation\n"
    if found.published is None:
        summary += "this text was not published from this store, or was edited since\n"
    told: list[Json] = [{"line": one.line, "text": one.text} for one in uncited]
    answer: dict[str, Json] = {"ok": found.ok, "citations": citations, "uncited": told, "published": found.published}
    output.value(answer, "".join(lines) + summary)
    return EXIT_DONE if found.ok else EXIT_NO


def run_put(arguments: Namespace, output: Output) -> int:
    with _client(arguments) as client:
        stored = client.put_revision(
            arguments.resource,
            read_pieces(arguments.file),
            kind=None if arguments.kind is None else Kind(arguments.kind),
            format=None if arguments.format is None else Format(arguments.format),
            media_type=arguments.media_type,
            scope=arguments.scope,
            labels=arguments.label,
            file_name=None if arguments.file == "-" else Path(arguments.file).name,
            version_label=arguments.version_label,
            tool=arguments.tool,
            complete=not arguments.incomplete,
            if_newest=arguments.if_newest,
            max_age_s=arguments.max_age,
            idempotency_key=arguments.idempotency_key,
        )
    answer: dict[str, Json] = revision_json(stored.revision) | {"created": stored.created}
    output.value(answer, revision_text(stored.revision, "stored" if stored.created else "unchanged"))
    return 0


def run_resources(arguments: Namespace, output: Output) -> int:
    with _client(arguments) as client:
        if arguments.name is not None:
            revisions = list(client.list_revisions(arguments.name, limit=LISTED))
            text = "".join(revision_text(one, "") for one in revisions)
            output.value({"resource": arguments.name, "revisions": [revision_json(one) for one in revisions]}, text)
            return 0
        following = (one for one in client.list_resources(limit=LISTED) if one.resource.name > arguments.after)
        found = list(islice(following, LISTED + 1))
        listed, more = found[:LISTED], len(found) > LISTED
        newest = [] if output.json else [client.get_revision(one.resource.name, one.newest) for one in listed]
    lines = [f"{one.resource}@{one.number}  {one.format.value}, {one.size} bytes\n" for one in newest]
    output.value({"resources": [listed_json(one.resource, one.newest, one.digest) for one in listed], "more": more}, "".join(lines))
    if more and not output.json:
        output.note(f"more: evidence resources --after {listed[-1].resource.name}")
    return 0


def run_cat(arguments: Namespace, output: Output) -> int:
    name, number = read_place(arguments.place)
    with _client(arguments) as client:
        revision = client.get_revision(name, client.get_resource(name).newest if number is None else number)
        raw = client.get_blob(revision.digest)
    output.bytes(raw)
    return 0
