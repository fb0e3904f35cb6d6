"""The command that runs the demo: progress while it works, then what it found and what it cost."""

import os
import sys
import tempfile
from argparse import Namespace
from pathlib import Path

from api.cli.commands import DEFAULT_PORT
from api.cli.output import Output
from api.compat_report import Conclusion
from api.demo import DemoResult, StepNews, cited, of_standing, read_input_of, run_demo, shipped_pair
from api.errors import WrongUse
from api.presenters import Json, packet_json
from api.settings import Settings, read_settings
from api.spent import Spent
from api.wiring import Services, open_services
from evidence_store.errors import InvalidInput, StoreUnavailable
from evidence_store.model import EvidenceId, Standing

HEADING = "# API compatibility report"
MAX_TOKENS = 2000
NEWS_EVERY = 25
"""Steps between two lines of news where stderr is no terminal."""
BARS = " ▁▂▃▄▅▆▇█"
BARS_A_LINE = 80


def run_demo_command(arguments: Namespace, output: Output) -> int:
    settings = read_settings(arguments.store)
    if (arguments.old is None) is not (arguments.new is None):
        raise WrongUse("give both OLD and NEW, or neither")
    report = Path(arguments.report)
    require_free(report)
    with open_services(settings, create=True) as services:
        if arguments.old is None:
            old, new = shipped_pair()
        else:
            old, new = read_input_of(services, arguments.old), read_input_of(services, arguments.new)
        result = run_demo(services, old, new, arguments.exclude, _News(output))
        write_report(report, result.body)
        output.value(_json(services, result, report), _text(result, report, settings))
    return 0


def require_free(path: Path) -> None:
    """Raises InvalidInput for a file that is no report of ours: it is not ours to replace."""
    if path.is_dir():
        raise InvalidInput(f"{str(path)!r} is a folder; name a file with --report", code="bad_report_path")
    if path.exists():
        with path.open("rb") as file:
            if not file.read(len(HEADING)).startswith(HEADING.encode()):
                raise InvalidInput(f"{str(path)!r} is there and is no report; name another file with --report", code="bad_report_path")


def write_report(path: Path, body: str) -> None:
    """The whole report or none of it. Raises StoreUnavailable where the folder cannot be written."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(body.encode())
            os.chmod(name, 0o644)
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as why:
        raise StoreUnavailable(f"the report cannot be written to {str(path)!r}: {why.strerror}", code="report_unwritable") from why


class _News:
    """Says where the run stands: on a terminal in one line that changes, else a line now and then."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def __call__(self, news: StepNews) -> None:
        text = f"step {news.step}: {news.ended} of {news.known} subjects done, input of {news.tokens} tokens"
        if self._output.on_terminal:
            self._output.progress(text)
        elif news.step % NEWS_EVERY == 0 and not self._output.json:
            self._output.note(text)


def _json(services: Services, result: DemoResult, report: Path) -> dict[str, Json]:
    def packet(id_: EvidenceId | None) -> Json:
        return None if id_ is None else packet_json(services.store.passages.get(id_, services.limit(MAX_TOKENS)))

    def row(one: Conclusion) -> dict[str, Json]:
        return {
            "claim": one.claim.id,
            "standing": one.claim.standing,
            "rule": one.claim.aspect,
            "operations": list(one.operations),
            "text": one.claim.text,
            "old": packet(cited(one, "old")),
            "new": packet(cited(one, "new")),
            "absent": packet(cited(one, "absent")),
        }

    spent = result.spent
    return {
        "report": str(report),
        "report_id": result.report_id,
        "conclusions": [row(one) for one in of_standing(result, Standing.VERIFIED, Standing.CONFLICTING)],
        "excluded": [
            {"operation": operation, "rule": one.claim.scope_rule, "evidence": packet(cited(one, "scope"))}
            for one in of_standing(result, Standing.EXCLUDED)
            for operation in one.operations
        ],
        "open": [row(one) | {"reason": one.claim.reason} for one in of_standing(result, Standing.OPEN)],
        "tokens": {"cap": spent.cap, "peak": spent.peak, "sum": spent.total, "pasted": spent.pasted, "steps": len(spent.by_step)},
    }


def _text(result: DemoResult, report: Path, settings: Settings) -> str:
    spent = result.spent
    counts = {standing: len(of_standing(result, standing)) for standing in Standing}
    found = ", ".join(f"{n} {standing}" for standing, n in counts.items() if n) or "none"
    less = f", {spent.pasted / spent.total:.1f} times as much" if spent.total else ""
    lines = [
        f"tokens of each step against the cap of {spent.cap}:",
        *_bars(spent),
        f"steps: {len(spent.by_step)}; largest input: {spent.peak} of {spent.cap} tokens; all inputs: {spent.total} tokens",
        f"the same run with every tool output kept in the conversation: {spent.pasted} tokens{less}",
        f"conclusions: {found}",
        f"report: {report}",
        f"check it: {_program()} --store {settings.store} check {report}",
        f"read it with its evidence: {_program()} --store {settings.store} serve --unauthenticated",
        f"  then open http://127.0.0.1:{DEFAULT_PORT}/reports/{result.report_id}",
    ]
    return "\n".join(lines) + "\n"


def _program() -> str:
    """The command as it was called, so that the line can be copied."""
    return sys.argv[0] if Path(sys.argv[0]).name == "evidence" else "evidence"


def _bars(spent: Spent) -> list[str]:
    """A bar a step; a full one is the cap."""
    bars = "".join(BARS[min(8, 1 + tokens * 8 // (spent.cap + 1))] for tokens in spent.by_step)
    return [f"  {bars[n : n + BARS_A_LINE]}" for n in range(0, len(bars), BARS_A_LINE)]
