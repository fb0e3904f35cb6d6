"""Compares what an operation asks of its caller: alternatives of security schemes, its own or those of the whole document."""

from dataclasses import dataclass

from api.compat_report.comparison import Comparison, lacking, new_cite, old_cite, require_array, require_object, side_of
from api.compat_report.dialect import is_swagger, scheme_place
from api.compat_report.endpoints import Endpoint
from api.compat_report.model import Cite
from api.compat_report.phrases import spell
from api.compat_report.view import Node

_FIELDS = ("type", "scheme", "in", "name", "flow", "openIdConnectUrl")
_ADDRESSES = ("authorizationUrl", "tokenUrl", "refreshUrl", "deviceAuthorizationUrl")


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to be let in: each scheme with the scopes that it needs. No scheme means anyone."""

    schemes: tuple[tuple[str, frozenset[str]], ...]
    node: Node | None
    """None where nothing is asked anywhere."""

    def suffices_for(self, other: "Alternative") -> bool:
        """Whether a caller with this satisfies the other one."""
        held = dict(self.schemes)
        return all(name in held and scopes <= held[name] for name, scopes in other.schemes)


def compare_security(c: Comparison, old: Endpoint, new: Endpoint) -> None:
    """Each way in of the old version must still be one."""
    before, after = _find_list(old.node), _find_list(new.node)
    olds, news = _alternatives(before), _alternatives(after)
    for alternative in olds:
        if not any(alternative.suffices_for(one) for one in news):
            _report(c, alternative, before, after, old, new)
    _use_schemes(c, olds, news)


def _find_list(operation: Node) -> Node | None:
    """The operation's own list, else that of the document."""
    own = operation.get("security")
    return own if own is not None else operation.view.node("").get("security")


def _alternatives(security: Node | None) -> tuple[Alternative, ...]:
    items = () if security is None else require_array(security).items()
    if security is None or not items:
        return (Alternative((), security),)
    return tuple(Alternative(tuple((name, _scopes(node)) for name, node in require_object(item).members().items()), item) for item in items)


def _scopes(node: Node) -> frozenset[str]:
    return frozenset(item.text() or "" for item in node.items())


def _report(c: Comparison, lost: Alternative, before: Node | None, after: Node | None, old: Endpoint, new: Endpoint) -> None:
    assert after is not None
    inherited = after.parent().pointer == "" and (before is None or before.parent().pointer == "")
    of = "" if inherited else f" of {old.phrase.text}"
    cites: tuple[Cite, ...]
    if lost.node is None:
        cites = (lacking(c.old.node("")),) if inherited else (lacking(old.node), lacking(c.old.node("")))
    else:
        cites = (old_cite(lost.node),)
    cites += () if inherited else old.phrase.cites
    if lost.schemes:
        said = " and ".join(f"`{name}`" for name, _ in lost.schemes)
        c.add("security-changed", f"{said} alone no longer satisfies `security`{of}", *cites, new_cite(after))
    else:
        c.add("security-added", f"`security`{of} asks for credentials where none were needed", *cites, new_cite(after))


def _use_schemes(c: Comparison, olds: tuple[Alternative, ...], news: tuple[Alternative, ...]) -> None:
    kept = {name for one in news for name, _ in one.schemes}
    for name in dict.fromkeys(name for one in olds for name, _ in one.schemes if name in kept):
        c.use("scheme", *(view.node(scheme_place(view)).child(name) for view in (c.old, c.new)))


def compare_scheme(c: Comparison, old: Node, new: Node) -> None:
    """Two security schemes of one name."""
    _compare_fields(c, old, new, _FIELDS, f"security scheme `{old.token}`")
    if is_swagger(old.view):
        if _text_of(old.get("flow")) == _text_of(new.get("flow")):
            _compare_flow(c, old, new, f"security scheme `{old.token}`")
        return
    before, after = old.get("flows"), new.get("flows")
    if before is None or after is None:
        return  # another type, which is told
    for name, flow in require_object(before).members().items():
        if name in require_object(after).names():
            _compare_flow(c, flow, after.child(name), f"`{name}` of security scheme `{old.token}`")
        elif not name.startswith("x-"):
            c.add("security-scheme-changed", f"flow `{name}` of security scheme `{old.token}` removed", old_cite(flow), lacking(after))


def _compare_flow(c: Comparison, old: Node, new: Node, name: str) -> None:
    """Where a client asks for a token, and the scopes that it may ask for."""
    if is_swagger(old.view):
        _compare_fields(c, old, new, _ADDRESSES, name)
    before, after = old.get("scopes"), new.get("scopes")
    for scope, node in ({} if before is None else require_object(before).members()).items():
        if not scope.startswith("x-") and (after is None or scope not in require_object(after).names()):
            c.add("security-scheme-changed", f"scope `{scope}` of {name} removed", old_cite(node), lacking(after or new))


def _compare_fields(c: Comparison, old: Node, new: Node, fields: tuple[str, ...], name: str) -> None:
    for field in fields:
        before, after = old.get(field), new.get(field)
        if _text_of(before) == _text_of(after) or (field in _ADDRESSES and before is None):
            continue
        said = (spell(before) if before else None, spell(after) if after else None)
        changed = f" from {said[0]} to {said[1]}" if all(said) else ""
        c.add("security-scheme-changed", f"`{field}` of {name} changed{changed}", side_of(old, field), side_of(new, field))


def _text_of(node: Node | None) -> str | None:
    return None if node is None else node.text()
