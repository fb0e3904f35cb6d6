"""docs/openapi.json, the description of HTTP as it was released last, and the comparison with what is served now.

`python -m tests.docs.openapi_document` (`make openapi`) writes it anew after additions. Where clients would break it writes nothing and
says what breaks; `--breaking` writes it all the same, for a release that says so.
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import orjson

from api.app import create_app
from api.demo import Input, run_demo
from api.settings import Settings
from api.wiring import open_services
from tests.docs.pages import DOCS

KEPT = DOCS / "openapi.json"
NAME = "openapi.json"
RENEW = "make openapi"


def served() -> bytes:
    """The description that the application gives, in lines that a diff can show."""
    with tempfile.TemporaryDirectory() as folder, open_services(Settings(Path(folder) / "store"), create=True) as services:
        return orjson.dumps(create_app(services).openapi(), option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"


def breaking(old: bytes, new: bytes) -> Sequence[str]:
    """What breaks clients between two descriptions, by our own comparison (docs/compat-rules.md)."""
    with tempfile.TemporaryDirectory() as folder, open_services(Settings(Path(folder) / "store"), create=True) as services:
        result = run_demo(services, Input(NAME, old, None), Input(NAME, new, None), (), lambda news: None)
    return [
        f"{one.claim.aspect} at {one.claim.pointer}: {one.claim.text}" for one in result.conclusions if one.claim.standing == "verified"
    ]


def main(words: Sequence[str]) -> int:
    new = served()
    broken = breaking(KEPT.read_bytes(), new) if KEPT.exists() and KEPT.read_bytes() != new else ()
    sys.stderr.writelines(f"{line}\n" for line in broken)
    if broken and "--breaking" not in words:
        sys.stderr.write("clients would break: mend it, or give --breaking for a release that says so\n")
        return 1
    KEPT.write_bytes(new)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
