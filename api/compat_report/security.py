"""Compares what an operation asks of its caller: alternatives of security schemes, its own or those of the whole document."""

from dataclasses import dataclass

from api.compat_report.comparison import Comparison, lacking, new_cite, old_cite, side_of
from api.compat_report.dialect import scheme_place
from api.compat_report.endpoints import Endpoint
from api.compat_report.model import Cite
from api.compat_report.phrases import spell
from api.compat_report.view import Node

_FIELDS = ("type", "scheme", "in", "name", "flow", "openIdConnectUrl")


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
    items = () if security is None else security.items()
    if security is None or not items:
        return (Alternative((), security),)
    return tuple(Alternative(tuple((name, _scopes(node)) for name, node in item.members().items()), item) for item in items)


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
    for field in _FIELDS:
        before, after = old.get(field), new.get(field)
        if (before.text() if before else None) == (after.text() if after else None):
            continue
        said = (spell(before) if before else None, spell(after) if after else None)
        changed = f" from {said[0]} to {said[1]}" if all(said) else ""
        text = f"`{field}` of security scheme `{old.token}` changed{changed}"
        c.add("security-scheme-changed", text, side_of(old, field), side_of(new, field))
