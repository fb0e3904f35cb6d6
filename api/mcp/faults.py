"""Faults of ours, as a client is told of them. What an exception says may be text of a source or a path, so it goes nowhere."""

from collections.abc import Callable
from logging import getLogger
from pathlib import PurePath
from traceback import extract_tb
from typing import TypeVar

import mcp_types as types
from mcp.shared.exceptions import MCPError

from api.errors import error_object
from evidence_store.errors import EvidenceStoreError, StoreFault

log = getLogger(__name__)
MAX_DOING_CHARS = 80
T = TypeVar("T")


def fault_of(doing: str, why: Exception) -> StoreFault:
    """What is told in its place, and one line in the log that says which exception it was and where."""
    shown, places = doing[:MAX_DOING_CHARS], extract_tb(why.__traceback__)
    where = f" at {PurePath(places[-1].filename).name}:{places[-1].lineno}" if places else ""
    log.error("%s failed: %s%s", shown, type(why).__name__, where)
    return StoreFault(f"{shown} failed: {type(why).__name__}", code="internal_error")


def answered(doing: str, make: Callable[[], T]) -> T:
    """What it makes; an error as one of the protocol. What is absent is an invalid parameter, as 2026-07-28 has it."""
    try:
        return make()
    except EvidenceStoreError as why:
        raise _protocol_error(why) from None
    except Exception as why:
        raise _protocol_error(fault_of(doing, why)) from None


def _protocol_error(why: EvidenceStoreError) -> MCPError:
    shown = error_object(why)
    code = types.INTERNAL_ERROR if isinstance(why, StoreFault) else types.INVALID_PARAMS
    return MCPError(code, str(shown.pop("message")), shown)
