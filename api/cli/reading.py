"""Commands that read evidence: read, get, summary, search, diff, locate."""

from argparse import Namespace

from api.cli.output import Output, packets_text
from api.cli.parser import read_place
from api.errors import WrongUse
from api.findings import diff_json, evidence_json, locate_json, search_json
from api.places import Asked, find_places
from api.presenters import MAX_UNPROVEN, STATE, Json, packet_json, unproven_line
from api.settings import read_settings
from api.wiring import open_services
from evidence_store.ids import read_id
from evidence_store.model import Packet, Pointer, ResourceName, TaskName
from evidence_store.store.comparisons import DiffAnswer, SearchAnswer, SearchRequest, Target
from evidence_store.store.locations import LocateAnswer

AROUND_LINES = 10


def run_read(arguments: Namespace, output: Output) -> int:
    asked = read_asked(arguments)
    with open_services(read_settings(arguments.store)) as services:
        (place,) = find_places(services.store, asked)
        show_packet(services.store.passages.read(place, services.limit(arguments.max_tokens)), output)
    return 0


def read_asked(arguments: Namespace) -> Asked:
    """The place that the options name. Raises WrongUse."""
    name, number = read_place(arguments.place)
    relative = _relative_lines(arguments)
    if relative is not None and arguments.lines is not None:
        raise WrongUse("give one of --lines, --head, --tail and --around")
    return Asked(
        ResourceName(name),
        number,
        arguments.pointer,
        arguments.lines if relative is None else relative,
        arguments.bytes,
        arguments.quote,
        arguments.prefix,
        arguments.suffix,
        arguments.case,
        arguments.operation,
        arguments.parameter,
        arguments.schema,
        view="keys" if arguments.keys else "source",
        children=arguments.children,
    )


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
        task = None if arguments.task is None else TaskName(arguments.task)
        shown = evidence_json(services.store, packet, task, packet_json)
    if asked.folded:
        shown["folded_from"] = arguments.id
    show_evidence(shown, packet, output, followed=arguments.expand == "refs")
    return 0


def show_evidence(shown: dict[str, Json], packet: Packet, output: Output, *, followed: bool) -> None:
    """A packet with what speaks for or against it; with what its references lead to where they are `followed`."""
    text = "".join(f"{name}: {shown[name]}\n" for name in STATE if name in shown)
    if followed and packet.value is not None:
        text = f"with its references followed:\n{packet.value.decode()}\n{text}"
    output.value(shown, packets_text((packet,)) + text)


def run_summary(arguments: Namespace, output: Output) -> int:
    name, number = read_place(arguments.place)
    with open_services(read_settings(arguments.store)) as services:
        limit = services.limit(arguments.max_tokens)
        summaries = services.store.summaries
        show_packet(summaries.read(ResourceName(name), number, arguments.kind, limit, tool=arguments.tool), output)
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
    show_search(found, len(targets), arguments.limit, output)
    return 0


def show_search(found: SearchAnswer, n_targets: int, limit: int, output: Output) -> None:
    shown = search_json(found, n_targets, packet_json)
    output.value(shown, packets_text((*found.packets, *found.receipts)))
    if output.json:
        return
    if found.more:
        output.note(f"more: there are further hits; --limit {limit * 10} shows more of them")
    for one in found.unproven[:MAX_UNPROVEN]:
        output.note(unproven_line(one, many=n_targets > 1))
    if len(found.unproven) > MAX_UNPROVEN:
        output.note(f"more: {len(found.unproven) - MAX_UNPROVEN} revisions that prove no absence")


def run_diff(arguments: Namespace, output: Output) -> int:
    (old, a), (new, b) = read_place(arguments.old), read_place(arguments.new)
    pointer = None if arguments.pointer is None else Pointer(arguments.pointer)
    with open_services(read_settings(arguments.store)) as services:
        limit = services.limit(arguments.max_tokens)
        found = services.store.comparisons.diff((ResourceName(old), a), (ResourceName(new), b), pointer, arguments.limit, limit)
    show_diff(found, arguments.limit, output)
    return 0


def show_diff(found: DiffAnswer, limit: int, output: Output) -> None:
    lines = [f"{pair.change}: {_where(pair.old)} -> {_where(pair.new)}\n" for pair in found.pairs]
    shown = diff_json(found, packet_json)
    output.value(shown, "".join(lines) or "no difference\n")
    if output.json:
        return
    if found.more:
        output.note(f"more: there are further pairs; --limit {limit * 10} shows more of them, --pointer P those below a place")
    if found.noise:
        output.note("left out as noise: " + ", ".join(f"{n} by {rule}" for rule, n in found.noise))


def run_locate(arguments: Namespace, output: Output) -> int:
    asked = read_id(arguments.id)
    name, number = read_place(arguments.place)
    with open_services(read_settings(arguments.store)) as services:
        limit = services.limit(arguments.max_tokens)
        found = services.store.locations.locate(asked.id, ResourceName(name), number, limit)
    show_locate(found, output)
    return 0


def show_locate(found: LocateAnswer, output: Output) -> None:
    shown = locate_json(found, packet_json)
    text = f"{found.verdict.value}\n{packets_text(() if found.packet is None else (found.packet,))}"
    if found.relocation is not None:
        relocated = found.relocation
        text += f"relocation: {relocated.score} of 100 alike ({relocated.finder}); read whether it says the same\n"
        text += packets_text((relocated.packet,))
    output.value(shown, text)


def show_packet(packet: Packet, output: Output) -> None:
    output.value(packet_json(packet), "" if output.json else packets_text((packet,)))


def _where(packet: Packet | None) -> str:
    return "-" if packet is None else f"{packet.resource}@{packet.revision} {packet.selector.text} [{packet.id}]"
