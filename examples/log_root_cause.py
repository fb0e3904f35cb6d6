"""Why did this CI run fail? The log has 28 MB; what is read of it, all packets together, is two thousand tokens.

    python -m examples.log_root_cause [LOG]

No model: what an agent would decide is written out below. Without LOG, one of the same shape is made.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from api.settings import Settings
from api.wiring import open_services
from evidence_store.model import Packet
from examples.notebook import Notebook
from examples.samples import ci_log

AROUND = 40  # lines before the first error
ERROR = re.compile(r"line (\d+): .*")
FEW = re.compile(r"^(?:first|last) error: line (\d+): ", re.MULTILINE)
CAUSE = re.compile(r"\b(\w+Error: [^\"\n]+)")


def fetch_log(path: Path) -> Iterator[bytes]:
    """The tool that is wrapped: it streams the log of a run."""
    with path.open("rb") as file:
        yield from iter(lambda: file.read(1 << 20), b"")


def find_cause(notebook: Notebook, log: str, before: int) -> tuple[Packet, str] | None:
    """The first line shortly before the failure that names an error of the program, read as an evidence of its own."""
    for packet in notebook.ask("read_log", resource=log, lines=f"{max(before - AROUND, 1)}-{before - 1}", max_tokens=8_000):
        for number, line in enumerate(packet.excerpt.split("\n"), packet.lines.first):
            if found := CAUSE.search(line):
                return notebook.ask("read_log", resource=log, lines=f"{number}-{number}")[0], found[1]
    return None


def main(path: Path, folder: Path) -> str:
    with open_services(Settings(folder), create=True) as services:
        notebook = Notebook(services, "log-root-cause", "Say why the run failed.")
        summary = notebook.fetch("fetch_log", lambda run: fetch_log(path), run="failed")
        log, (_, _, errors) = summary.resource, summary.excerpt.partition("errors, ")
        numbers = [int(found[1]) for found in map(ERROR.match, errors.split("\n- ")[1:]) if found]
        numbers = numbers or [int(number) for number in FEW.findall(summary.excerpt)]
        if numbers and (cause := find_cause(notebook, log, numbers[0])):
            notebook.claim(f"Before it failed, the program said {cause[1].split(':')[0]}.", (cause[0], "support", cause[1]))
        for number in numbers[:5]:
            (packet,) = notebook.ask("read_log", resource=log, lines=f"{number}-{number}")
            said = packet.excerpt.rpartition(" - ")[2].strip().split('"')[0]
            notebook.claim(f"The run then logged `{said.split()[0]}`.", (packet, "support", said))
        return notebook.publish("Why the run failed")


if __name__ == "__main__":
    with TemporaryDirectory() as store:
        given = Path(sys.argv[1]) if sys.argv[1:] else ci_log(Path(store) / "ci.log")
        print(main(given, Path(store) / "evidence"), end="")
