"""Commands that read evidence: read, get, search, diff, locate."""

from argparse import Namespace

from evidence_store.errors import InvalidInput
from evidence_store.ids import read_id
from evidence_store.model import Packet, Pointer, ResourceName, Selector, SelectorKind, TaskName
from api.cli.output import Output, packets_text
from api.cli.parser import Parser, Verbs, read_place, whole_number
from api.errors import WrongUse
from api.presenters import Json, packet_json, state_json
from api.settings import read_settings
from api.wiring import Services, open_services

DEFAULT_MAX_TOKENS = 2000
DEFAULT_LIMIT = 20
DIFF_LIMIT = 1000


def add_to(verbs: Verbs) -> None:
    _add_read(verbs)
    get = verbs.add("get", "Show a stored evidence again.", run_get)
    get.add_argument("id", metavar="ev_…")
    get.add_argument("--task", metavar="T", help="also show how it was judged in this task")
    get.add_argument("--expand", metavar="WHAT", help="parent, lines:N, full, or refs")
    _add_max_tokens(get)
    search = verbs.add("search", "Find lines of a revision.", run_search)
    search.add_argument("place", metavar="RESOURCE[@REV]")
    search.add_argument("pattern", metavar="PATTERN")
    search.add_argument("--regex", action="store_true", help="read the pattern as an RE2 expression")
    search.add_argument("--ignore-case", action="store_true")
    search.add_argument("--limit", type=whole_number(1), default=DEFAULT_LIMIT, metavar="N", help="hits at most (default 20)")
    search.add_argument("--context", type=whole_number(0), default=0, metavar="N", help="lines around a hit (default 0)")
    _add_max_tokens(search)
    diff = verbs.add("diff", "Compare two revisions place by place.", run_diff)
    diff.add_argument("old", metavar="RESOURCE@A")
    diff.add_argument("new", metavar="RESOURCE@B")
    diff.add_argument("--pointer", metavar="P", help="compare below this pointer only")
    diff.add_argument("--limit", type=whole_number(1), default=DIFF_LIMIT, metavar="N", help="pairs at most (default 1000)")
    _add_max_tokens(diff)
    locate = verbs.add("locate", "Find a cited passage in another revision: same, moved, changed or gone.", run_locate)
    locate.add_argument("id", metavar="ev_…")
    locate.add_argument("--in", dest="place", required=True, metavar="RESOURCE@REV")
    _add_max_tokens(locate)


def _add_read(verbs: Verbs) -> None:
    read = verbs.add("read", "Read a place of a revision as evidence.", run_read)
    read.add_argument("place", metavar="RESOURCE[@REV]")
    read.add_argument("--pointer", metavar="P", help="JSON Pointer, plain or fragment form")
    read.add_argument("--lines", metavar="A-B", help="lines from 1, both included")
    read.add_argument("--bytes", metavar="A-B", help="bytes from 0, the end not included")
    read.add_argument("--quote", metavar="TEXT", help="the text to the letter; may stand beside --pointer")
    read.add_argument("--operation", metavar='"get /x"', help="method and path of an OpenAPI document")
    read.add_argument("--keys", action="store_true", help="with a pointer: the keys of the container, as evidence of what is absent")
    read.add_argument("--children", metavar="A-B", help="with a pointer: outline of these children, from 0, both included")
    _add_max_tokens(read)


def _add_max_tokens(parser: Parser) -> None:
    help_ = "tokens of an excerpt at most (default 2000)"
    parser.add_argument("--max-tokens", type=whole_number(1), default=DEFAULT_MAX_TOKENS, metavar="N", help=help_)


def run_read(arguments: Namespace, output: Output) -> int:
    from api.tools.reading import read_children  # start-up cost: the parsers
    from evidence_store.store.passages import Place, View

    name, number = read_place(arguments.place)
    children = None if arguments.children is None else read_children(arguments.children)
    view: View = "keys" if arguments.keys else "source"
    with open_services(read_settings(arguments.store)) as services:
        selector, within = _selector(arguments, services, name, number)
        place = Place(ResourceName(name), number, selector, view, children, within)
        _show_packet(services.store.passages.read(place, services.limit(arguments.max_tokens)), output)
    return 0


def _selector(arguments: Namespace, services: Services, name: str, number: int | None) -> tuple[Selector, Pointer | None]:
    """The one selector that was given, and the node in which a quote must stand."""
    kinds: tuple[SelectorKind, ...] = ("quote", "lines", "bytes", "pointer")
    given = [kind for kind in kinds if getattr(arguments, kind) is not None]
    if arguments.operation is not None and not given:
        from evidence_store.documents.openapi import find_operation  # start-up cost: the parsers

        document = services.store.sources.get_document(services.store.sources.get_revision(ResourceName(name), number))
        return Selector("pointer", find_operation(document, arguments.operation).pointer), None
    if given == ["quote", "pointer"] and arguments.operation is None:
        return Selector("quote", arguments.quote), Pointer(arguments.pointer)
    if len(given) != 1 or arguments.operation is not None:
        raise WrongUse("give one of --pointer, --lines, --bytes, --quote and --operation; only a quote may stand beside a pointer")
    return Selector(given[0], getattr(arguments, given[0])), None


def run_get(arguments: Namespace, output: Output) -> int:
    asked = read_id(arguments.id)
    with open_services(read_settings(arguments.store)) as services:
        limit = services.limit(arguments.max_tokens)
        passages = services.store.passages
        expand: str | None = arguments.expand
        if expand is None:
            packet = passages.get(asked.id, limit)
        elif expand == "parent" or expand == "full":
            packet = passages.expand(asked.id, expand, limit)
        elif expand == "refs":
            packet = services.store.references.expand(asked.id, limit)
        elif expand.startswith("lines:") and expand[6:].isdecimal() and len(expand) < 12:
            packet = passages.around(asked.id, int(expand[6:]), limit)
        else:
            raise InvalidInput("--expand takes parent, lines:N, full or refs", {"known": ["parent", "lines:N", "full", "refs"]})
        state = services.store.checks.state(packet.id, None if arguments.task is None else TaskName(arguments.task))
    shown: dict[str, Json] = packet_json(packet) | state_json(state) | {"status": state.status}
    if asked.folded:
        shown["folded_from"] = arguments.id
    text = "".join(f"{name}: {value}\n" for name, value in state_json(state).items())
    output.value(shown, packets_text((packet,)) + text)
    return 0


def run_search(arguments: Namespace, output: Output) -> int:
    from evidence_store.store.comparisons import SearchRequest  # start-up cost: the parsers

    name, number = read_place(arguments.place)
    request = SearchRequest(arguments.pattern, arguments.regex, arguments.ignore_case, arguments.limit, arguments.context)
    with open_services(read_settings(arguments.store)) as services:
        found = services.store.comparisons.search(ResourceName(name), number, request, services.limit(arguments.max_tokens))
    shown: dict[str, Json] = {"packets": [packet_json(p) for p in found.packets], "more": found.more}
    if found.receipt is not None:
        shown["receipt"] = packet_json(found.receipt)
    output.value(shown, packets_text((*found.packets, *((found.receipt,) if found.receipt else ()))))
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
    output.value({"pairs": pairs, "more": found.more}, "".join(lines) or "no difference\n")
    return 0


def run_locate(arguments: Namespace, output: Output) -> int:
    asked = read_id(arguments.id)
    name, number = read_place(arguments.place)
    with open_services(read_settings(arguments.store)) as services:
        limit = services.limit(arguments.max_tokens)
        found = services.store.comparisons.locate(asked.id, ResourceName(name), number, limit)
    packets = () if found.packet is None else (found.packet,)
    output.value({"verdict": found.verdict.value, "packet": _maybe(found.packet)}, f"{found.verdict.value}\n{packets_text(packets)}")
    return 0


def _show_packet(packet: Packet, output: Output) -> None:
    output.value(packet_json(packet), "" if output.json else packets_text((packet,)))


def _maybe(packet: Packet | None) -> Json:
    return None if packet is None else packet_json(packet)


def _where(packet: Packet | None) -> str:
    return "-" if packet is None else f"{packet.resource}@{packet.revision} {packet.selector.text} [{packet.id}]"
