"""An operation that a client may ask for again without its being done twice: the idempotency key of a request."""

from collections.abc import Callable
from dataclasses import dataclass

from api.auth import Caller
from api.errors import WrongUse
from evidence_store.canonical import digest_of
from evidence_store.errors import Conflict
from evidence_store.records import kept_answers
from evidence_store.records.kept_answers import KeptAnswer

MAX_KEY_CHARS = 255
KEPT_US = 48 * 3600 * 1_000_000
"""How long an answer is given again at least."""


@dataclass(frozen=True, slots=True)
class Done:
    status: int
    body: bytes
    again: bool = False
    """Whether it is the answer to an earlier request with the same key."""


def once(caller: Caller, key: str | None, asked: bytes, act: Callable[[], Done]) -> Done:
    """What `act` answers, done and kept in one transaction; without a key it is just done.

    `asked` is the operation with all that it was asked with. Raises WrongUse for a key that is none, Conflict
    (`idempotency_key_reused`) for one that another request had. What `act` raises is not kept.
    """
    if key is None:
        return act()
    if not 1 <= len(key) <= MAX_KEY_CHARS or not key.isascii() or not key.isprintable():
        raise WrongUse(f"an idempotency key has 1 to {MAX_KEY_CHARS} printable ASCII characters", {"limit": MAX_KEY_CHARS})
    core, digest = caller.services.store.core, digest_of(asked)
    with core.database.together() as connection:
        known = kept_answers.find_answer(connection, core.workspace, caller.principal.name, key)
        if known is not None:
            if known.request_digest != digest:
                raise Conflict("this idempotency key came with another request before", code="idempotency_key_reused")
            return Done(known.status, known.body, again=True)
        done, at = act(), core.clock()
        kept_answers.delete_answers(connection, core.workspace, at - KEPT_US)
        kept_answers.insert_answer(connection, core.workspace, caller.principal.name, key, KeptAnswer(digest, done.status, done.body), at)
    return done
