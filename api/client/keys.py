"""Operations of who may see and do what: policies of labels, labels of resources, keys. They need the grant `admin`."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from api.client.operation import Operation, get, named, post
from api.client.reading import key_of, policies_of, resource_of
from api.client.values import ListedResource, NewKey
from evidence_store.access import ApiKey, Grant
from evidence_store.model import LabelPolicy


def list_policies() -> Operation[Mapping[str, LabelPolicy]]:
    """The policy of each label for which one was set; every other label hides."""
    return get("/v1/labels", policies_of)


def set_policy(label: str, policy: LabelPolicy) -> Operation[Mapping[str, LabelPolicy]]:
    """Says what those who are not cleared for the label see."""
    return post("/v1/labels", {"label": label, "policy": policy.value}, policies_of, method="PUT")


def add_labels(resource: str, labels: Sequence[str], idempotency_key: str | None = None) -> Operation[ListedResource]:
    """Adds labels to a resource; none is ever taken away. Raises NotFound."""
    return post(f"/v1/resources/{named(resource)}/labels", {"labels": list(labels)}, resource_of, idempotency_key)


def list_keys() -> Operation[Sequence[ApiKey]]:
    """All keys, oldest first, those that no longer work among them."""
    return get("/v1/keys", lambda shown: tuple(map(key_of, shown["data"])))


def create_key(
    name: str,
    grants: Collection[Grant],
    *,
    clearances: Collection[str] | None = (),
    sees_secrets: bool = False,
    expires_at: int | None = None,
    idempotency_key: str | None = None,
) -> Operation[NewKey]:
    """Makes a key that may do and see no more than one's own. `clearances` None: all; `expires_at` in microseconds since 1970 UTC."""
    asked = {"name": name, "grants": [one.value for one in grants], "sees_secrets": sees_secrets, "expires_at": expires_at}
    cleared = None if clearances is None else list(clearances)
    return post("/v1/keys", {**asked, "clearances": cleared}, _made, idempotency_key)


def _made(shown: Any) -> NewKey:
    return NewKey(key_of(shown), shown["secret"])


def revoke_key(id: str) -> Operation[ApiKey]:
    """Takes a key out of use for good. Raises NotFound."""
    return post(f"/v1/keys/{named(id)}/revoke", {}, key_of)
