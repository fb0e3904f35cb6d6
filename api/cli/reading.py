"""Commands that read evidence: read, get, summary, search, diff, locate."""

from argparse import Namespace

from api.cli.output import Output, packets_text
from api.cli.parser import read_place
from api.errors import WrongUse
from api.presenters import MAX_UNPROVEN, Json, packet_json, plain, state_json, unproven_json, unproven_line
from api.settings import read_settings
from api.tools.reading import read_children
from api.wiring import Services, open_services
from evidence_store.documents.cases import find_case
from evidence_store.documents.model import Document
from evidence_store.documents.openapi import find_operation, find_parameter, find_schema
from evidence_store.ids import read_id
from evidence_store.model import Packet, Pointer, ResourceName, Selector, SelectorKind, TaskName
from evidence_store.quote_context import NO_CONTEXT, QuoteContext
from evidence_store.store.comparisons import SearchRequest, Target
from evidence_store.store.found import View
from evidence_store.store.passages import Place

AROUND_LINES = 10


def run_read(arguments: Namespace, output: Output) -> int:
    name, number = read_place(arguments.place)
    children = None if arguments.children is None else read_children(arguments.children)
    view: View = "keys" if arguments.keys else "source"
    with open_services(read_settings(arguments.store)) as services:
        selector, within = _selector(arguments, services, name, number)
        context = QuoteContext(arguments.prefix, arguments.suffix)
        if context != NO_CONTEXT and selector.kind != "quote":
            raise WrongUse("--prefix and --suffix stand beside --quote")
        place = Place(ResourceName(name), number, selector, view, children, within, context)
        _show_packet(services.store.passages.read(place, services.limit(arguments.max_tokens)), output)
    return 0


def _selector(arguments: Namespace, services: Services, name: str, number: int | None) -> tuple[Selector, Pointer | None]:
    """The one selector that was given, and the node in which a quote must stand."""
    kinds: tuple[SelectorKind, ...] = ("quote", "lines", "bytes", "pointer")
    relative = _relative_lines(arguments)
    if relative is not None and arguments.lines is not None:
        raise WrongUse("give one of --lines, --head, --tail and --around")
    arguments.lines = arguments.lines if relative is None else relative
    given = [kind for kind in kinds if getattr(arguments, kind) is not None]
    named = [kind for kind in ("operation", "schema", "case") if getattr(arguments, kind) is not None]
    if arguments.parameter is not None and named != ["operation"]:
        raise WrongUse("--parameter stands beside --operation")
    if len(named) == 1 and not given:
        document = services.store.sources.get_tree(services.store.sources.get_revision(ResourceName(name), number))
        return Selector("pointer", _named_place(arguments, document)), None
    if given == ["quote", "pointer"] and not named:
        return Selector("quote", arguments.quote), Pointer(arguments.pointer)
    if len(given) != 1 or named:
        known = "--pointer, --lines, --bytes, --quote, --case, --operation and --schema"
        raise WrongUse(f"give one of {known}; only a quote may stand beside a pointer")
    return Selector(given[0], getattr(arguments, given[0])), None


def _named_place(arguments: Namespace, document: Document) -> Pointer:
    if arguments.case is not None:
        return find_case(document, arguments.case)
    if arguments.schema is not None:
        return find_schema(document, arguments.schema).pointer
    operation = find_operation(document, arguments.operation)
    return operation.pointer if arguments.parameter is None else find_parameter(document, operation, arguments.parameter).pointer


def _relative_lines(arguments: Namespace) -> str | None:
    """What --head, --tail or --around say, in the form of --lines."""
    around = arguments.around
    if around is not None and ":" not in around:
        around = f"{around}:{AROUND_LINES}"
    named = {"head": arguments.head, "tail": arguments.tail, "around": around}
    given = [f"{name}:{value}" for name, value in named.items() if value is not None]
    if len(given) > 1:
        raise WrongUse("give one of --lines, --head, --tail and --around")
    return given[0] if given else None


def run_get(arguments: Namespace, output: Output) -> int:
    asked = read_id(arguments.id)
    with open_services(read_settings(arguments.store)) as services:
        limit = services.limit(arguments.max_tokens)
        passages = services.store.passages
        if arguments.expand is None:
            packet = passages.get(asked.id, limit)
        elif arguments.expand == "refs":
            packet = services.store.references.expand(asked.id, limit)
        else:
            packet = passages.expand(asked.id, arguments.expand, limit)
        relocated = services.store.locations.relocations(packet.id)
        state = services.store.checks.state(packet.id, None if arguments.task is None else TaskName(arguments.task))
    shown: dict[str, Json] = packet_json(packet) | state_json(state) | {"status": state.status}
    if relocated:
        shown["relocated_from"] = [{"id": one.relocated_from, "finder": one.finder, "score": one.score} for one in relocated]
    if asked.folded:
        shown["folded_from"] = arguments.id
    text = "".join(f"{name}: {value}\n" for name, value in state_json(state).items())
    if arguments.expand == "refs" and packet.value is not None:
        text = f"with its references followed:\n{packet.value.decode()}\n{text}"
    output.value(shown, packets_text((packet,)) + text)
    return 0


def run_summary(arguments: Namespace, output: Output) -> int:
    name, number = read_place(arguments.place)
    with open_services(read_settings(arguments.store)) as services:
        limit = services.limit(arguments.max_tokens)
        summaries = services.store.summaries
        _show_packet(summaries.read(ResourceName(name), number, arguments.kind, limit, tool=arguments.tool), output)
    return 0


def run_search(arguments: Namespace, output: Output) -> int:
    name, number = read_place(arguments.place)
    request = SearchRequest(arguments.pattern, arguments.regex, arguments.ignore_case, arguments.limit, arguments.context)
    with open_services(read_settings(arguments.store)) as services:
        sources = services.store.sources
        names = sources.list_matching(name)
        targets: list[Target] = [(one, number) for one in names]
        if arguments.all_revisions:
            if number is not None:
                raise WrongUse("--all-revisions stands beside a resource without @REV")
            targets = [(one, revision.number) for one in names for revision in sources.list_revisions(one)]
        found = services.store.comparisons.search(targets, request, services.limit(arguments.max_tokens))
    shown: dict[str, Json] = {"packets": [packet_json(p) for p in found.packets], "more": found.more}
    if found.receipts:
        shown["receipt"] = packet_json(found.receipts[0])
    if len(targets) > 1:
        shown["receipts"] = [packet_json(p) for p in found.receipts]
    if found.unproven:
        shown["unproven"] = [plain(unproven_json(one)) for one in found.unproven]
    output.value(shown, packets_text((*found.packets, *found.receipts)))
    if output.json:
        return 0
    if found.more:
        output.note(f"more: there are further hits; --limit {arguments.limit * 10} shows more of them")
    for one in found.unproven[:MAX_UNPROVEN]:
        output.note(unproven_line(one, many=len(targets) > 1))
    if len(found.unproven) > MAX_UNPROVEN:
        output.note(f"more: {len(found.unproven) - MAX_UNPROVEN} revisions that prove no absence")
    return 0


def run_diff(arguments: Namespace, output: Output) -> int:
    (old, a), (new, b) = read_place(arguments.old), read_place(arguments.new)
    pointer = None if arguments.pointer is None else Pointer(arguments.pointer)
    with open_services(read_settings(arguments.store)) as services:
        limit = services.limit(arguments.max_tokens)
        found = services.store.comparisons.diff((ResourceName(old), a), (ResourceName(new), b), pointer, arguments.limit, limit)
    pairs: list[Json] = [
        {"change": pair.change, "old": _maybe(pair.old), "new": _maybe(pair.new), "absent": _maybe(pair.absent)} for pair in found.pairs
    ]
    lines = [f"{pair.change}: {_where(pair.old)} -> {_where(pair.new)}\n" for pair in found.pairs]
    shown: dict[str, Json] = {"pairs": pairs, "more": found.more}
    if found.noise is not None:
        shown["noise"] = dict(found.noise)
    output.value(shown, "".join(lines) or "no difference\n")
    if output.json:
        return 0
    if found.more:
        output.note(f"more: there are further pairs; --limit {arguments.limit * 10} shows more of them, --pointer P those below a place")
    if found.noise:
        output.note("left out as noise: " + ", ".join(f"{n} by {rule}" for rule, n in found.noise))
    return 0


def run_locate(arguments: Namespace, output: Output) -> int:
    asked = read_id(arguments.id)
    name, number = read_place(arguments.place)
    with open_services(read_settings(arguments.store)) as services:
        limit = services.limit(arguments.max_tokens)
        found = services.store.locations.locate(asked.id, ResourceName(name), number, limit)
    shown: dict[str, Json] = {"verdict": found.verdict.value, "packet": _maybe(found.packet)}
    text = f"{found.verdict.value}\n{packets_text(() if found.packet is None else (found.packet,))}"
    if found.relocation is not None:
        relocated = found.relocation
        by: dict[str, Json] = {"relocated_from": relocated.relocated_from, "finder": relocated.finder, "score": relocated.score}
        shown["relocation"] = packet_json(relocated.packet) | by
        text += f"relocation: {relocated.score} of 100 alike ({relocated.finder}); read whether it says the same\n"
        text += packets_text((relocated.packet,))
    output.value(shown, text)
    return 0


def _show_packet(packet: Packet, output: Output) -> None:
    output.value(packet_json(packet), "" if output.json else packets_text((packet,)))


def _maybe(packet: Packet | None) -> Json:
    return None if packet is None else packet_json(packet)


def _where(packet: Packet | None) -> str:
    return "-" if packet is None else f"{packet.resource}@{packet.revision} {packet.selector.text} [{packet.id}]"
