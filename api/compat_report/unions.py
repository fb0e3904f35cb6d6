"""Alternatives of types of their own beside a list of types: `anyOf` string and integer says what `type: [string, integer]` says."""

from dataclasses import dataclass

from api.compat_report.pairs import Schemas
from api.compat_report.shapes import Types, covers, find_branches, find_parts, find_taken_types, find_types
from api.compat_report.view import Node


@dataclass(frozen=True, slots=True)
class Union:
    """The types of both sides, and each alternative beside the schema with the list, for the types that both take."""

    before: Types
    after: Types
    pairs: tuple[Schemas, ...]


def find_union(pair: Schemas, old_branches: tuple[Node, ...], new_branches: tuple[Node, ...]) -> Union | None:
    """None unless one side alone has alternatives, no two of one type, and the other lists several types."""
    branches = old_branches or new_branches
    if not branches or (old_branches and new_branches):
        return None
    listed = find_types(pair.new_parts, pair.new) if old_branches else find_types(pair.old_parts, pair.old)
    if not listed.stated or listed.names is None or len(listed.names) < 2:
        return None
    kinds = [_types_of(branch) for branch in branches]
    types = [kind for kind in kinds if kind is not None]
    if len(types) < len(kinds) or _has_common(types):
        return None
    union = Types(frozenset().union(*types), branches[0].parent())
    pairs = [_pair_with(pair, branch, kind, listed.names, is_old=bool(old_branches)) for branch, kind in zip(branches, types, strict=True)]
    before, after = (union, listed) if old_branches else (listed, union)
    return Union(before, after, tuple(one for one in pairs if one.types))


def _types_of(branch: Node) -> frozenset[str] | None:
    """The types that an alternative states, or that its values have; None where it says none, or has alternatives itself."""
    parts = find_parts(branch)
    found = find_taken_types(parts, branch)
    says = found.stated or found.by_values
    return found.names if says and found.names and not find_branches(parts) else None


def _has_common(types: list[frozenset[str]]) -> bool:
    """Whether a value may have the types of two alternatives; a whole number is a number, too."""
    wide = [kind | {"integer"} if "number" in kind else kind for kind in types]
    return sum(map(len, wide)) > len(frozenset().union(*wide))


def _pair_with(pair: Schemas, branch: Node, kind: frozenset[str], listed: frozenset[str], *, is_old: bool) -> Schemas:
    """What applies to an alternative is what it says and what stands beside all of them."""
    parts = find_parts(branch)
    shared = frozenset(name for name in kind if covers(listed, frozenset({name}))) | frozenset(
        name for name in listed if covers(kind, frozenset({name}))
    )
    if is_old:
        return Schemas(branch, pair.new, (*parts, *pair.old_parts), pair.new_parts, pair.direction, shared)
    return Schemas(pair.old, branch, pair.old_parts, (*parts, *pair.new_parts), pair.direction, shared)
