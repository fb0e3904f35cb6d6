"""Which tests broke between two runs? Each run is a revision of one report; a test that passed before is cited on both sides.

    python -m examples.broken_tests [BEFORE.xml AFTER.xml]

No model: what an agent would decide is written out below. Without reports in JUnit's form, two are made.
"""

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from api.settings import Settings
from api.wiring import open_services
from evidence_store.model import Packet
from examples.notebook import Notebook
from examples.samples import junit_report

FAILED = re.compile(r'^- (?:failure|error) (?P<place>/\S+|"[^"]+"): ', re.MULTILINE)
NAME = re.compile(r' name="([^"&]+)')
SAID = re.compile(r'message="([^"&]+)|<(?:failure|error)>\s*([^"&<\n]+)')
FAULT = re.compile(r"<(failure|error)\b")


def find_before(notebook: Notebook, report: str, pointer: str) -> Packet | None:
    """The same test in the run before; None where it is new."""
    try:
        return notebook.ask("read_spec", resource=report, revision=1, pointer=pointer)[0]
    except LookupError:
        return None


def main(runs: list[str], folder: Path) -> str:
    with open_services(Settings(folder), create=True) as services:
        notebook = Notebook(services, "test-failures", "Say which tests fail, and which of them passed before.")
        for xml in runs:
            summary = notebook.fetch("run_tests", lambda suite, xml=xml: xml, suite="all")
        report = summary.resource
        for found in FAILED.finditer(summary.excerpt):
            pointer = found["place"].strip('"')
            (after,) = notebook.ask("read_spec", resource=report, revision=summary.revision, pointer=pointer)
            name, said = NAME.search(after.excerpt), SAID.search(after.excerpt)
            assert name is not None, "a test case has a name"
            quote = (said[1] or said[2]).strip() if said else name[1]
            before = find_before(notebook, report, pointer) if summary.revision > 1 else None
            if before is None:
                notebook.claim(f"`{name[1]}` fails.", (after, "support", quote))
                continue
            was = "failed" if FAULT.search(before.excerpt) else "passed"
            notebook.claim(f"`{name[1]}` {was} before and fails now.", (before, "old", name[1]), (after, "new", quote))
        return notebook.publish("Tests that fail")


if __name__ == "__main__":
    with TemporaryDirectory() as store:
        given = [Path(one).read_text() for one in sys.argv[1:]] or [junit_report((7, 3)), junit_report((7, 3), (31, 9), (88, 20))]
        print(main(given, Path(store)), end="")
