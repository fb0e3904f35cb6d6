"""The commands of the command line and their options; what runs them is named, and imported when it is asked for."""

from api.cli.parser import Parser, Verbs, whole_number
from api.mcp.clients import list_clients
from evidence_store.access import Grant
from evidence_store.model import DEFAULT_WORKSPACE, Format, Kind, Standing

DEFAULT_MAX_TOKENS = 2000
DEFAULT_HITS = 20
MAX_HITS = 10_000
DIFF_PAIRS = 1000
DEFAULT_PORT = 8420
PROVIDERS = ("openai", "openai-responses", "anthropic", "gemini")
"""As the projector has them, which is not loaded for a word."""


def add_commands(verbs: Verbs) -> None:
    """All commands, in the order in which help lists them."""
    _add_sources(verbs)
    _add_reading(verbs)
    _add_checking(verbs)
    _add_listing(verbs)
    _add_window(verbs)
    _add_steps(verbs)
    _add_demo(verbs)
    _add_serving(verbs)
    _add_keys(verbs.group("keys", "Keys for those who ask over HTTP: made, listed, revoked."))
    _add_mcp(verbs.group("mcp", "Serve the store to agents over the Model Context Protocol."))
    _add_completion(verbs)


def _add_sources(verbs: Verbs) -> None:
    verbs.add("init", "Make a store; may be run again.", "sources:run_init")
    database = verbs.add("db", "Care for the database.", "sources:run_upgrade")
    database.add_argument("action", choices=["upgrade"], help="bring the schema to this version")
    put = verbs.add("put", "Store a tool output as the next revision of a resource.", "sources:run_put")
    put.add_argument("file", metavar="FILE", help="a file, or - for standard input")
    put.add_argument("--resource", required=True, metavar="NAME", help="name of the resource")
    put.add_argument("--media-type", metavar="T", help="media type; decides the format")
    put.add_argument("--format", choices=[f.value for f in Format], help="format, whatever media type and suffix say")
    put.add_argument("--kind", choices=[k.value for k in Kind], help="what the resource can prove (default observation)")
    put.add_argument("--scope", metavar="TEXT", help="scope label, shown with every packet")
    put.add_argument("--max-age", type=whole_number(1), metavar="SECONDS", help="the resource is live: how old what was seen of it may be")
    put.add_argument("--tool", metavar="NAME", help="the tool whose output it is; a kind of summary may be chosen by it")
    put.add_argument("--version-label", metavar="L", help="what the publisher calls this revision")
    put.add_argument("--label", action="append", default=[], metavar="L", help="access label; may be given again")
    put.add_argument("--incomplete", action="store_true", help="more is to come; the same bytes put again without it close the revision")
    put.add_argument("--if-newest", type=whole_number(0), metavar="N", help="refuse unless N is the newest revision (0: none is)")
    put.add_argument("--idempotency-key", metavar="KEY", help="the same key gives the revision that it gave before")
    resources = verbs.add("resources", "List resources, or the revisions of one.", "sources:run_resources")
    resources.add_argument("name", nargs="?", metavar="NAME")
    resources.add_argument("--after", default="", metavar="NAME", help="continue after this resource")
    cat = verbs.add("cat", "Write the stored bytes of a revision, unchanged.", "sources:run_cat")
    cat.add_argument("place", metavar="RESOURCE[@REV]")


def _add_reading(verbs: Verbs) -> None:
    _add_read(verbs)
    get = verbs.add("get", "Show a stored evidence again.", "reading:run_get")
    get.add_argument("id", metavar="ev_…")
    get.add_argument("--task", metavar="T", help="also show how it was judged in this task")
    get.add_argument("--expand", metavar="WHAT", help="parent, lines:N, full, or refs")
    _add_max_tokens(get)
    summary = verbs.add("summary", "Summarize a tool output by its structure, as derived evidence.", "reading:run_summary")
    summary.add_argument("place", metavar="RESOURCE[@REV]")
    summary.add_argument("--kind", metavar="K", help="json-shape, records, log, metrics, inspection or tests (default: what fits best)")
    summary.add_argument("--tool", metavar="NAME", help="choose the kind as for an output of this tool (default: that of `put --tool`)")
    _add_max_tokens(summary)
    search = verbs.add("search", "Find lines of a revision.", "reading:run_search")
    search.add_argument("place", metavar="RESOURCE[@REV]", help="a resource, or a pattern of names such as 'ci/*.log'")
    search.add_argument("--all-revisions", action="store_true", help="every revision of each, oldest first")
    search.add_argument("pattern", metavar="PATTERN")
    search.add_argument("--regex", action="store_true", help="read the pattern as an RE2 expression")
    search.add_argument("--ignore-case", action="store_true")
    search.add_argument("--limit", type=whole_number(1, MAX_HITS), default=DEFAULT_HITS, metavar="N", help="hits at most (default 20)")
    search.add_argument("--context", type=whole_number(0), default=0, metavar="N", help="lines around a hit (default 0)")
    _add_max_tokens(search)
    diff = verbs.add("diff", "Compare two revisions place by place.", "reading:run_diff")
    diff.add_argument("old", metavar="RESOURCE@A")
    diff.add_argument("new", metavar="RESOURCE@B")
    diff.add_argument("--pointer", metavar="P", help="compare below this pointer only")
    diff.add_argument("--limit", type=whole_number(1), default=DIFF_PAIRS, metavar="N", help="pairs at most (default 1000)")
    _add_max_tokens(diff)
    locate = verbs.add("locate", "Find a cited passage in another revision: same, moved, changed, gone, or unknown.", "reading:run_locate")
    locate.add_argument("id", metavar="ev_…")
    locate.add_argument("--in", dest="place", required=True, metavar="RESOURCE@REV")
    _add_max_tokens(locate)


def _add_read(verbs: Verbs) -> None:
    read = verbs.add("read", "Read a place of a revision as evidence.", "reading:run_read")
    read.add_argument("place", metavar="RESOURCE[@REV]")
    read.add_argument("--pointer", metavar="P", help="JSON Pointer, plain or fragment form")
    read.add_argument("--lines", metavar="A-B", help="lines from 1, both included; head:N, tail:N, around:LINE:N")
    read.add_argument("--head", type=whole_number(1), metavar="N", help="the first N lines")
    read.add_argument("--tail", type=whole_number(1), metavar="N", help="the last N lines")
    read.add_argument("--around", metavar="LINE[:N]", help="a line with N lines before and after it (default 10)")
    read.add_argument("--bytes", metavar="A-B", help="bytes from 0, the end not included")
    read.add_argument("--quote", metavar="TEXT", help="the text, to the letter or with its typography folded; may stand beside --pointer")
    read.add_argument("--prefix", default="", metavar="TEXT", help="with --quote: what stands right before it")
    read.add_argument("--suffix", default="", metavar="TEXT", help="with --quote: what stands right after it")
    read.add_argument(
        "--case",
        metavar="SUITE/NAME",
        help="test case of a report (JUnit, or events of go test); `#2` at the end is the second of that name",
    )
    read.add_argument("--operation", metavar='"get /x"', help="method and path of an OpenAPI document")
    read.add_argument("--parameter", metavar="NAME", help="with --operation: one of its parameters")
    read.add_argument("--schema", metavar="NAME", help="a schema of an OpenAPI document")
    read.add_argument("--keys", action="store_true", help="with a pointer: the keys of the container, as evidence of what is absent")
    read.add_argument("--children", metavar="A-B", help="with a pointer: outline of these children, from 0, both included, or their keys")
    _add_max_tokens(read)


def _add_max_tokens(parser: Parser) -> None:
    help_ = "tokens of an excerpt at most (default 2000)"
    parser.add_argument("--max-tokens", type=whole_number(1), default=DEFAULT_MAX_TOKENS, metavar="N", help=help_)


def _add_checking(verbs: Verbs) -> None:
    check = verbs.add("check", "Check the citations of a report: one verdict each.", "checking:run_check")
    check.add_argument("report", metavar="REPORT", help="Markdown, or the JSON of `evidence demo`")
    trace = verbs.add("trace", "Walk from a report, claim or evidence to the bytes.", "checking:run_trace")
    trace.add_argument("subject", metavar="SUBJECT", help="rp_…, TASK/C1 or ev_…")
    verify = verbs.add("verify", "Check the store's rows against its journal; with --deep its bytes, too.", "checking:run_verify")
    verify.add_argument("--deep", action="store_true", help="read all stored bytes and every evidence")
    validate = verbs.add("validate", "Check a message list against a provider's rules.", "checking:run_validate")
    validate.add_argument("messages", metavar="MESSAGES.json")
    validate.add_argument("--provider", required=True, choices=PROVIDERS, metavar="P", help=f"one of {', '.join(PROVIDERS)}")
    validate.add_argument("--allow-open", action="store_true", help="an unanswered call at the very end is no fault")
    validate.add_argument("--repair", action="store_true", help="print the list made whole, and what was done to it")
    project = verbs.add("project", "Build the input of one step.", "projecting:run_project")
    project.add_argument("step", metavar="STEP.json")
    project.add_argument("--explain", action="store_true", help="say where the tokens went, what was left out, and why")
    project.add_argument("--compare", action="store_true", help="show side by side what each strategy keeps and leaves out")


def _add_listing(verbs: Verbs) -> None:
    tasks = verbs.add("tasks", "List the tasks.", "listing:run_tasks")
    tasks.add_argument("--after", default="", metavar="TASK", help="continue after this task")
    runs = verbs.add("runs", "List the runs of a task.", "listing:run_runs")
    runs.add_argument("task", metavar="TASK")
    runs.add_argument("--after", type=whole_number(1), default=0, metavar="RUN", help="continue after this run")
    claims = verbs.add("claims", "List the claims of a task with their standing and evidence.", "listing:run_claims")
    claims.add_argument("task", metavar="TASK")
    claims.add_argument("--standing", choices=[one.value for one in Standing], help="only those that stand so")
    claims.add_argument("--after", metavar="CLAIM", help="continue after this claim")


def _add_steps(verbs: Verbs) -> None:
    steps = verbs.add("steps", "Look back on the stored steps of a run.", "steps:run_steps")
    steps.add_argument("task", metavar="TASK", help="a task, or TASK/RUN in one word")
    _add_run(steps)
    steps.add_argument("step", nargs="?", type=whole_number(1), metavar="A", help="explain this step")
    steps.add_argument("other", nargs="?", type=whole_number(1), metavar="B", help="show what changed from step A to step B")
    steps.add_argument("--replay", action="store_true", help="the stored input of step A, with marks for what may not be shown now")
    steps.add_argument("--dump", metavar="FOLDER", help="write messages, tools, outside and receipt of step A to files there")
    steps.add_argument(
        "--clearance", action="append", default=[], metavar="L", help="as a principal with this clearance ('' for none); may be given again"
    )


def _add_window(verbs: Verbs) -> None:
    context = verbs.add("context", "What is in the window of a run, and what changed since the step before.", "context:run_context")
    tokens = verbs.add("tokens", "What fills the window of a run.", "context:run_tokens")
    for parser in (context, tokens):
        parser.add_argument("task", metavar="TASK", help="a task, or TASK/RUN in one word")
        _add_run(parser)
        parser.add_argument("step", nargs="?", type=whole_number(1), metavar="STEP", help="number of the step (default: the newest)")


def _add_run(parser: Parser) -> None:
    parser.add_argument("run_number", nargs="?", type=whole_number(1), metavar="RUN", help="number of the run (default: the newest)")


def _add_demo(verbs: Verbs) -> None:
    demo = verbs.add("demo", "Compare two versions of an API document, and report what breaks clients.", "demo:run_demo_command")
    demo.add_argument("old", nargs="?", metavar="OLD", help="file, folder, tar file or RESOURCE@REV; without both, a small pair")
    demo.add_argument("new", nargs="?", metavar="NEW")
    demo.add_argument(
        "--exclude", action="append", default=[], metavar="RULE", help="POINTER=VALUE, tag=NAME or glob:/path; may be given again"
    )
    demo.add_argument("--report", default="compat-report.md", metavar="PATH", help="where the report goes (default compat-report.md)")


def _add_serving(verbs: Verbs) -> None:
    serve = verbs.add("serve", "Serve the store over HTTP, with pages to read reports in.", "serving:run_serve")
    serve.add_argument("--port", type=whole_number(0), default=DEFAULT_PORT, metavar="N", help="port (default 8420; 0 for any free one)")
    serve.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on (default 127.0.0.1)")
    serve.add_argument(
        "--trusted-proxy",
        metavar="ADDRESS",
        help="address or network of the proxy whose X-Forwarded-For and -Proto are believed (default: none)",
    )
    serve.add_argument("--log", choices=["lines", "json", "off"], default="lines", help="a line on stderr for each request (default lines)")
    serve.add_argument("--log-names", action="store_true", help="with the path, which holds names of resources")
    serve.add_argument(
        "--unauthenticated", action="store_true", help="ask nobody for a key: whoever reaches the loopback interface owns the store"
    )


def _add_keys(verbs: Verbs) -> None:
    create = verbs.add("create", "Make a key; its secret is shown once.", "keys:run_create")
    create.add_argument("name", metavar="NAME", help="who or what has it")
    create.add_argument(
        "--grant", action="append", required=True, choices=[g.value for g in Grant], help="what it may do; may be given again"
    )
    create.add_argument("--clearance", action="append", default=[], metavar="L", help="a label that it is cleared for; may be given again")
    create.add_argument("--all-clearances", action="store_true", help="cleared for all labels, also those to come")
    create.add_argument("--sees-secrets", action="store_true", help="secrets in sources are shown to it as they stand")
    create.add_argument("--expires-in", type=whole_number(1), metavar="DAYS", help="how long it works (default: until it is revoked)")
    _add_workspace(create)
    _add_workspace(verbs.add("list", "List keys, without their secrets.", "keys:run_list"))
    revoke = verbs.add("revoke", "Take a key out of use for good.", "keys:run_revoke")
    revoke.add_argument("key", metavar="key_…")
    _add_workspace(revoke)


def _add_workspace(parser: Parser) -> None:
    parser.add_argument("--workspace", default=DEFAULT_WORKSPACE, metavar="W", help="workspace of the key (default: default)")


def _add_mcp(verbs: Verbs) -> None:
    serve = verbs.add("serve", "Serve the tools over stdio, or over HTTP.", "mcp:run_serve")
    serve.add_argument("--http", metavar="HOST:PORT", help="streamable HTTP there instead (HOST 127.0.0.1; port 0 for any free one)")
    serve.add_argument("--unprotected", action="store_true", help="with --http: also on a host that others can reach")
    serve.add_argument("--links", action="store_true", help="links to the evidence beside the text of answers")
    _add_run_options(serve)
    config = verbs.add("config", "Print what a client is configured with.", "mcp:run_config")
    config.add_argument("--client", required=True, choices=list_clients(), metavar="NAME", help=f"one of {', '.join(list_clients())}")
    config.add_argument("--url", metavar="URL", help="of a server over HTTP, which the client then does not start")
    config.add_argument("--command", metavar="PATH", help="the command that the client starts (default: the full path of this one)")
    _add_run_options(config)
    _add_wrap(verbs)


def _add_wrap(verbs: Verbs) -> None:
    wrap = verbs.add("wrap", "Put the store before another MCP server: results over a budget become packets.", "mcp_wrap:run_wrap")
    wrap.add_argument("words", nargs="*", metavar="COMMAND", help="after --: the command that starts the server, and its arguments")
    wrap.add_argument("--url", metavar="URL", help="of a server over streamable HTTP, in place of a command")
    wrap.add_argument(
        "--header", action="append", default=[], metavar="'NAME: VALUE'", help="with --url: sent along; ${VARIABLE} is replaced"
    )
    wrap.add_argument("--window", type=whole_number(1), metavar="N", help="tokens of the model's window (default 200000)")
    wrap.add_argument(
        "--tokens", type=whole_number(1), metavar="N", help="tokens of one result (default 15 %% of the window, at most 25000)"
    )
    wrap.add_argument("--tool-tokens", action="append", default=[], metavar="TOOL=N", help="tokens of one result of this tool")
    wrap.add_argument(
        "--no-filters", action="store_true", help="offer no grep, tail_n, fields and pointer as arguments of the server's tools"
    )
    wrap.add_argument("--no-offload", action="store_true", help="pass every result as it is")
    wrap.add_argument("--keep-all", action="store_true", help="store results that pass, too")
    wrap.add_argument("--prefix", default="", metavar="TEXT", help="before the names of our tools, such as files_")
    wrap.add_argument("--no-tools", action="store_true", help="leave our tools to another server of the client, over the same store")
    wrap.add_argument("--start-timeout", type=whole_number(1), metavar="S", help="seconds that the server may take to answer (default 120)")
    wrap.add_argument("--run", dest="run_name", metavar="TASK/RUN", help="keep calls in this run, or, with TASK alone, in new runs of it")


def _add_run_options(parser: Parser) -> None:
    parser.add_argument("--recording", action="store_true", help="also the tools that record progress and claims")
    parser.add_argument("--run", dest="run_name", metavar="TASK/RUN", help="keep calls in this run, or, with TASK alone, in new runs of it")


def _add_completion(verbs: Verbs) -> None:
    completion = verbs.add("completion", "Print the completion script of a shell.", "completion:run_completion")
    completion.add_argument("shell", choices=["bash", "zsh", "fish"], metavar="SHELL")
