"""`evidence serve` for checks of adapters, by the interpreter of the tests: a framework's environment has no web server of ours."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]
CODE = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from api.cli import main; sys.exit(main())"
COMMAND = (os.environ.get("SERVER_PYTHON", sys.executable), "-P", "-c", CODE)
GRANTS = ("--grant", "evidence:read", "--grant", "evidence:write", "--all-clearances")


@contextmanager
def served_store() -> Iterator[tuple[str, str]]:
    """The address of a server over an empty store, and a key that reads and writes evidence."""
    with TemporaryDirectory() as folder:
        store = ("--store", folder)
        subprocess.run((*COMMAND, "init", *store), check=True, capture_output=True)
        made = subprocess.run((*COMMAND, "keys", "create", "adapter", *GRANTS, "--json", *store), check=True, capture_output=True)
        server = subprocess.Popen((*COMMAND, "serve", "--port", "0", *store), stderr=subprocess.PIPE, text=True)
        try:
            assert server.stderr is not None
            found = re.search(r"http://127\.0\.0\.1:\d+", server.stderr.readline())
            assert found is not None
            yield found[0], json.loads(made.stdout)["secret"]
        finally:
            server.terminate()
            server.communicate()
