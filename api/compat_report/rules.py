"""The table of rules: what counts as a breaking change, by direction (docs/compat-rules.md says each with its reason).

A request breaks when the new version takes less than the old one; a response breaks when it may hold more. An `open` rule names what the
comparison cannot decide: its sentence is recorded as an open question and never as a conclusion.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the table."""

    id: str
    applies_to: Literal["operation", "request", "response"]
    when: str
    decides: bool = True
    """False for a rule whose sentences stay open."""


RULES: tuple[Rule, ...] = (
    Rule("operation-removed", "operation", "an operation of the old version is not in the new one"),
    Rule("operation-marked-out", "operation", "only the new version marks the operation with what the task leaves out", False),
    Rule("operation-part-not-compared", "operation", "callbacks, webhooks or a referenced path item differ or are only present", False),
    Rule("not-compared", "operation", "a subject could not be read within the budget of a step", False),
    Rule("reference-not-followed", "operation", "a `$ref` leads out of what is stored, to nothing, or in a circle", False),
    Rule("malformed", "operation", "a part of a document is not what the format asks for", False),
    Rule("security-added", "operation", "an operation that anyone could call needs credentials"),
    Rule("security-changed", "operation", "an alternative of the old security requirement no longer suffices"),
    Rule("security-scheme-changed", "operation", "a security scheme in use changed its type, place, name, flow, address or scopes"),
    Rule("request-parameter-removed", "request", "a parameter is no longer there"),
    Rule("request-parameter-required-added", "request", "a new parameter is required"),
    Rule("request-parameter-required", "request", "an optional parameter became required"),
    Rule("request-parameter-serialization-changed", "request", "a parameter is written in another style"),
    Rule("request-body-removed", "request", "an operation no longer takes a body"),
    Rule("request-body-required-added", "request", "a new body is required"),
    Rule("request-body-required", "request", "an optional body became required"),
    Rule("request-media-type-removed", "request", "a media type is no longer taken"),
    Rule("request-encoding-narrowed", "request", "a part of a form is no longer taken as a media type that it had"),
    Rule("request-property-removed", "request", "a property is gone and the schema takes no others"),
    Rule("request-property-undescribed", "request", "a property is gone from a schema that takes others", False),
    Rule("request-property-required", "request", "a property became required, or a new one is"),
    Rule("request-type-narrowed", "request", "a type of the old version is no longer taken"),
    Rule("request-null-removed", "request", "null is no longer taken"),
    Rule("request-format-narrowed", "request", "a format was set, or replaced by one that does not hold the old one"),
    Rule("request-enum-value-removed", "request", "a value of an enumeration is no longer taken"),
    Rule("request-enum-set", "request", "an enumeration or a constant was set where any value was taken"),
    Rule("request-const-set", "request", "a constant took the place of other values"),
    Rule("request-bound-narrowed", "request", "a bound (`maximum`, `minLength`, `maxItems` …) was set or tightened"),
    Rule("request-pattern-changed", "request", "a pattern was set or replaced"),
    Rule("request-multiple-narrowed", "request", "`multipleOf` was set or no longer divides the old one"),
    Rule("request-unique-items-set", "request", "items must be unique"),
    Rule("request-items-set", "request", "the items of an array are bound to a schema"),
    Rule("request-further-properties-narrowed", "request", "further properties are refused, or bound to a schema"),
    Rule("request-branch-removed", "request", "an alternative of `oneOf` or `anyOf` is gone"),
    Rule("request-schema-set", "request", "a schema was set where anything was taken"),
    Rule("request-discriminator-changed", "request", "another property tells the alternatives apart"),
    Rule("request-keyword-not-compared", "request", "a keyword changed that these rules do not judge", False),
    Rule("response-removed", "response", "a status is no longer described"),
    Rule("response-media-type-removed", "response", "a media type is no longer answered"),
    Rule("response-body-removed", "response", "a response of Swagger 2.0 no longer has a body"),
    Rule("response-header-removed", "response", "a header is gone"),
    Rule("response-header-optional", "response", "a header that was always sent may be missing"),
    Rule("response-encoding-widened", "response", "a part of a form may come as a further media type"),
    Rule("response-property-removed", "response", "a property is gone"),
    Rule("response-property-optional", "response", "a property that was always there may be missing"),
    Rule("response-type-widened", "response", "a value may have a further type"),
    Rule("response-null-added", "response", "a value may be null"),
    Rule("response-format-widened", "response", "a format was lifted, or replaced by one that the old one does not hold"),
    Rule("response-enum-value-added", "response", "a value may be one that the old enumeration lacks"),
    Rule("response-enum-removed", "response", "an enumeration or a constant was lifted"),
    Rule("response-bound-widened", "response", "a bound was lifted or loosened"),
    Rule("response-pattern-changed", "response", "a pattern was lifted or replaced"),
    Rule("response-multiple-widened", "response", "`multipleOf` was lifted or is no longer a multiple of the old one"),
    Rule("response-unique-items-lifted", "response", "items need not be unique any more"),
    Rule("response-items-lifted", "response", "the items of an array are not bound to a schema any more"),
    Rule("response-further-properties-widened", "response", "further properties may come, or are bound to nothing"),
    Rule("response-branch-added", "response", "a further alternative of `oneOf` or `anyOf` may come"),
    Rule("response-schema-removed", "response", "a schema was lifted: anything may come"),
    Rule("response-closed", "response", "no value fits a schema any more", False),
    Rule("response-discriminator-changed", "response", "another property tells the alternatives apart"),
    Rule("response-keyword-not-compared", "response", "a keyword changed that these rules do not judge", False),
)
_BY_ID = {rule.id: rule for rule in RULES}


def require_rule(rule_id: str) -> Rule:
    """The rule of this id; a KeyError is a fault of ours."""
    return _BY_ID[rule_id]
