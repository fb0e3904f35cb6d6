"""A step from a file, projected without a store."""

from pathlib import Path
from typing import Any

import orjson

from api.presenters import packet_json
from api.projecting import project_step
from api.settings import Settings
from evidence_store.store import EvidenceStore
from projector import Projected
from tests.factories import put, read


def labelled(store: EvidenceStore) -> dict[str, Any]:
    put(store, b'{"password": "hunter2"}', "vault.json", labels=("secret",))
    found: dict[str, Any] = orjson.loads(orjson.dumps(packet_json(read(store, "/password", "vault.json"))))
    return found


def messages_for(store: EvidenceStore, folder: Path, clearances: list[str]) -> str:
    packet = labelled(store)
    call = {"id": "c1", "type": "function", "function": {"name": "read_spec", "arguments": "{}"}}
    history: list[dict[str, Any]] = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": f"[evidence {packet['id']}] hunter2"},
    ]
    step: Any = {"messages": history, "results": {"c1": [packet]}, "principal": {"clearances": clearances}}
    outcome = project_step(step, Settings(folder / "nowhere"))
    assert isinstance(outcome, Projected)
    return orjson.dumps(outcome.projection.messages).decode()


def test_a_result_whose_packet_is_labelled_is_shown_to_who_is_cleared(store: EvidenceStore, tmp_path: Path) -> None:
    assert "hunter2" in messages_for(store, tmp_path, ["secret"])


def test_a_result_whose_packet_is_labelled_is_shown_to_nobody_else(store: EvidenceStore, tmp_path: Path) -> None:
    assert "hunter2" not in messages_for(store, tmp_path, [])
