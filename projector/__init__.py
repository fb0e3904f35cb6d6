"""Makes the input of one model call from a task revision, progress, claims, evidence and the history, within a token budget.

Plain functions from values to values; what is stored is seen through the protocols of `ports`. Names are imported when they are
first used: a command that only counts bytes should not pay for the rest.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from projector.budget import Budget, Prices, Profile, budget_for, tightened, tightened_cap
    from projector.compact import externalise, replace_results
    from projector.compaction import Compacted, CompactionOutcome, CompactionRule, MustNarrow, NotDue, compact_step
    from projector.constraints import ConstraintDetector, RuleDetector, Stated, find_stated
    from projector.dialects.forms import Fault
    from projector.dialects.table import dialect_for
    from projector.drift import Drift, Usage, reported_input
    from projector.errors import (
        BrokenRule,
        CounterUnavailable,
        MalformedText,
        ProjectorError,
        RefusedCut,
        RefusedStep,
        UnknownCounter,
        UnknownModel,
        UnknownProvider,
    )
    from projector.evidence_blocks import cited_content
    from projector.explain import explain_json, explain_receipt_json, explain_receipt_text, explain_text
    from projector.given import GivenEvidence
    from projector.marks import Mark, mark_messages, mark_object, named_evidence_of
    from projector.model import (
        Candidate,
        Kept,
        MustExternalise,
        MustSplit,
        MustWait,
        Need,
        Omitted,
        Outcome,
        Paused,
        Principal,
        Projected,
        Projection,
        Receipt,
        Segment,
        Step,
        StrategyUsed,
        Withheld,
    )
    from projector.packet_json import packet_from_json
    from projector.permission import only_masked
    from projector.ports import EvidenceReader, Figure, Gate, MaskingGate, RequestCounter, TokenCounter
    from projector.profiles import profile_for
    from projector.project import project
    from projector.recap import Recap, RecapDraft, RecapLine, Summariser, format_recap, parse_recap
    from projector.receipt import input_digest, outcome_json, receipt_json, section_tokens
    from projector.receipt_diff import ReceiptDiff, diff_receipts, receipt_diff_json, receipt_diff_text
    from projector.render.claim_pages import ClaimRange, format_recorded_claim, parse_claim_range
    from projector.render.continuing import continuing
    from projector.render.joined import join_sections
    from projector.render.packets import PacketText, format_error, format_packet, format_packet_in_options, parse_errors, parse_packets
    from projector.render.scalars import escape_unseen, format_value
    from projector.render.sections import SectionsText, format_claim_line, format_progress_item, parse_sections
    from projector.render.shown_again import packet_as_shown
    from projector.repair import LeftOut, Repaired, repair
    from projector.step_json import step_from_json
    from projector.step_state import step_to_json
    from projector.stored_receipt import receipt_from_json
    from projector.strategies import Compared, compare_strategies, compared_json, compared_text
    from projector.strategy import NAMED_STRATEGIES, ChosenStrategy, Strategy, StrategyName
    from projector.strategy_choice import strategy_for
    from projector.tokens.cut import CutText, cut_json, cut_text
    from projector.tokens.figures import figure_of
    from projector.tokens.limit import TokenLimit
    from projector.tokens.remote import CountAnswered, CountAsked, RemoteCounter
    from projector.tokens.table import KNOWN_COUNTERS, counter_for, counter_name_for_model
    from projector.validate import validate

_HOME = {
    "budget": ("Budget", "Prices", "Profile", "budget_for", "tightened", "tightened_cap"),
    "compact": ("externalise", "replace_results"),
    "compaction": ("Compacted", "CompactionOutcome", "CompactionRule", "MustNarrow", "NotDue", "compact_step"),
    "constraints": ("ConstraintDetector", "RuleDetector", "Stated", "find_stated"),
    "drift": ("Drift", "Usage", "reported_input"),
    "errors": (
        "BrokenRule",
        "CounterUnavailable",
        "MalformedText",
        "ProjectorError",
        "RefusedCut",
        "RefusedStep",
        "UnknownCounter",
        "UnknownModel",
        "UnknownProvider",
    ),
    "evidence_blocks": ("cited_content",),
    "given": ("GivenEvidence",),
    "model": (
        "Candidate",
        "Kept",
        "MustExternalise",
        "MustSplit",
        "MustWait",
        "Need",
        "Omitted",
        "Outcome",
        "Paused",
        "Principal",
        "Projected",
        "Projection",
        "Receipt",
        "Segment",
        "Step",
        "StrategyName",
        "StrategyUsed",
        "Withheld",
    ),
    "packet_json": ("packet_from_json",),
    "permission": ("only_masked",),
    "ports": ("EvidenceReader", "Figure", "Gate", "MaskingGate", "RequestCounter", "TokenCounter"),
    "profiles": ("profile_for",),
    "project": ("project",),
    "recap": ("Recap", "RecapDraft", "RecapLine", "Summariser", "format_recap", "parse_recap"),
    "receipt": ("input_digest", "outcome_json", "receipt_json", "section_tokens"),
    "render.claim_pages": ("ClaimRange", "format_recorded_claim", "parse_claim_range"),
    "render.joined": ("join_sections",),
    "render.packets": ("PacketText", "format_error", "format_packet", "format_packet_in_options", "parse_errors", "parse_packets"),
    "render.continuing": ("continuing",),
    "render.sections": ("SectionsText", "format_claim_line", "format_progress_item", "parse_sections"),
    "render.scalars": ("escape_unseen", "format_value"),
    "render.shown_again": ("packet_as_shown",),
    "repair": ("LeftOut", "Repaired", "repair"),
    "step_json": ("step_from_json",),
    "step_state": ("step_to_json",),
    "tokens.cut": ("CutText", "cut_json", "cut_text"),
    "tokens.figures": ("figure_of",),
    "tokens.limit": ("TokenLimit",),
    "tokens.remote": ("CountAnswered", "CountAsked", "RemoteCounter"),
    "tokens.table": ("KNOWN_COUNTERS", "counter_for", "counter_name_for_model"),
    "dialects.forms": ("Fault",),
    "dialects.table": ("dialect_for",),
    "explain": (
        "explain_json",
        "explain_receipt_json",
        "explain_receipt_text",
        "explain_text",
    ),
    "strategies": (
        "Compared",
        "compare_strategies",
        "compared_json",
        "compared_text",
    ),
    "strategy": ("NAMED_STRATEGIES", "ChosenStrategy", "Strategy", "StrategyName"),
    "strategy_choice": ("strategy_for",),
    "stored_receipt": ("receipt_from_json",),
    "receipt_diff": (
        "ReceiptDiff",
        "diff_receipts",
        "receipt_diff_json",
        "receipt_diff_text",
    ),
    "marks": (
        "Mark",
        "mark_messages",
        "mark_object",
        "named_evidence_of",
    ),
    "validate": ("validate",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "KNOWN_COUNTERS",
    "NAMED_STRATEGIES",
    "BrokenRule",
    "Budget",
    "Candidate",
    "ChosenStrategy",
    "ClaimRange",
    "Compacted",
    "CompactionOutcome",
    "CompactionRule",
    "Compared",
    "ConstraintDetector",
    "CountAnswered",
    "CountAsked",
    "CounterUnavailable",
    "CutText",
    "Drift",
    "EvidenceReader",
    "Fault",
    "Figure",
    "Gate",
    "GivenEvidence",
    "Kept",
    "LeftOut",
    "MalformedText",
    "Mark",
    "MaskingGate",
    "MustExternalise",
    "MustNarrow",
    "MustSplit",
    "MustWait",
    "Need",
    "NotDue",
    "Omitted",
    "Outcome",
    "PacketText",
    "Paused",
    "Prices",
    "Principal",
    "Profile",
    "Projected",
    "Projection",
    "ProjectorError",
    "Recap",
    "RecapDraft",
    "RecapLine",
    "Receipt",
    "ReceiptDiff",
    "RefusedCut",
    "RefusedStep",
    "RemoteCounter",
    "Repaired",
    "RequestCounter",
    "RuleDetector",
    "SectionsText",
    "Segment",
    "Stated",
    "Step",
    "Strategy",
    "StrategyName",
    "StrategyUsed",
    "Summariser",
    "TokenCounter",
    "TokenLimit",
    "UnknownCounter",
    "UnknownModel",
    "UnknownProvider",
    "Usage",
    "Withheld",
    "budget_for",
    "cited_content",
    "compact_step",
    "compare_strategies",
    "compared_json",
    "compared_text",
    "continuing",
    "counter_for",
    "counter_name_for_model",
    "cut_json",
    "cut_text",
    "dialect_for",
    "diff_receipts",
    "escape_unseen",
    "explain_json",
    "explain_receipt_json",
    "explain_receipt_text",
    "explain_text",
    "externalise",
    "figure_of",
    "find_stated",
    "format_claim_line",
    "format_error",
    "format_packet",
    "format_packet_in_options",
    "format_progress_item",
    "format_recap",
    "format_recorded_claim",
    "format_value",
    "input_digest",
    "join_sections",
    "mark_messages",
    "mark_object",
    "named_evidence_of",
    "only_masked",
    "outcome_json",
    "packet_as_shown",
    "packet_from_json",
    "parse_claim_range",
    "parse_errors",
    "parse_packets",
    "parse_recap",
    "parse_sections",
    "profile_for",
    "project",
    "receipt_diff_json",
    "receipt_diff_text",
    "receipt_from_json",
    "receipt_json",
    "repair",
    "replace_results",
    "reported_input",
    "section_tokens",
    "step_from_json",
    "step_to_json",
    "strategy_for",
    "tightened",
    "tightened_cap",
    "validate",
]


class _Package(ModuleType):
    """This package: a name of its public face never stands for the module of the same name (`project`, `validate`).

    The import system binds a submodule to its name in the package whenever it is first imported, by whomever.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _MODULE_OF and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> object:
        if name not in _MODULE_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found: object = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
        setattr(self, name, found)
        return found


sys.modules[__name__].__class__ = _Package
