"""Under whose name something is kept that was sent to the server: the key's, and, where it names somebody, that name with the key's.

Nobody poses as another: only the owner of a store on this machine is believed the bare name.
"""

from api.access import LOCAL
from evidence_store.access import Principal


def signed(principal: Principal, name: str | None) -> str:
    """The name of who decided something, such as `human:ann via key:key_tpvnrht0mge4`."""
    if not name or principal.name == LOCAL:
        return name or principal.name
    return f"{name} via {principal.name}"
