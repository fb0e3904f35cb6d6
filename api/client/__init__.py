"""Clients of the service: `EvidenceClient` blocks, `AsyncEvidenceClient` is awaited. They need the extra `client`.

    operation  what is sent and how its answer is read, as values; modules by subject make them, and know no transport
    sync, asynchronous  two thin transports over the same operations
    remote     a store behind a server, for sessions, wrapped tools and the projector

Errors are the exceptions of the store, with their codes and details; a server that cannot be asked is StoreUnavailable.
"""

from api.client.asynchronous import AsyncEvidenceClient
from api.client.remote import RemoteServices, remote_services
from api.client.retrying import Retry
from api.client.sync import EvidenceClient
from api.client.values import FoundEvidence, ListedResource, Report, Resolved

__all__ = [
    "AsyncEvidenceClient",
    "EvidenceClient",
    "FoundEvidence",
    "ListedResource",
    "RemoteServices",
    "Report",
    "Resolved",
    "Retry",
    "remote_services",
]
