"""`inspection`: state, restarts and limits out of a dump of running things, what is in trouble first.

Read are documents (`kubectl get -o json|yaml`, `docker inspect`) by the names of their members, and text (`kubectl describe`,
`kubectl get`) by its lines. Nothing is judged but what the output itself says.
"""

import re
from collections.abc import Sequence
from typing import Final

from evidence_store.model import Format
from evidence_store.summaries.inspection_facts import Fact, Facts
from evidence_store.summaries.inspection_lines import facts_of_lines
from evidence_store.summaries.inspection_nodes import facts_of_nodes
from evidence_store.summaries.model import Material, Subject, Summarizer, not_of_kind
from evidence_store.summaries.wording import counted, section

KIND: Final = "inspection"
MAX_THINGS: Final = 10
MAX_STATES: Final = 30
MAX_RESTARTS: Final = 15
MAX_LIMITS: Final = 20
MAX_EVENTS: Final = 10
_NODES_HEAD: Final = re.compile(
    rb'"?(?:containerStatuses|restartCount|RestartCount|resourceVersion|availableReplicas|lastTransitionTime)"?\s*:|"?State"?\s*:\s*\{'
)
_LINES_HEAD: Final = re.compile(
    rb"^(?:Name|Namespace|Node):[ \t]+\S.*\n(?:.*\n){0,400}?(?:Status|Containers|Conditions|Replicas|Labels|Capacity):"
    rb"|^(?:NAMESPACE +)?NAME +.*\b(?:STATUS|READY|RESTARTS)\b",
    re.MULTILINE,
)
_HEAD_BYTES: Final = 16 * 1024


def summarize(material: Material) -> str:
    """Raises InvalidInput (`no_summary`) where nothing tells of a state or of restarts."""
    match material.format:
        case Format.JSON | Format.YAML | Format.JSONL:
            facts = facts_of_nodes(material.document)
        case Format.TEXT:
            facts = facts_of_lines(material.iter_lines())
        case Format.JUNIT | Format.CSV | Format.BYTES:
            raise not_of_kind(KIND, f"a {material.format.value} resource is no dump of running things")
    if not facts.states and not facts.restarts:
        raise not_of_kind(KIND, "nothing in it tells of a state or of restarts")
    return _text(facts)


def _text(facts: Facts) -> str:
    cut = ", more of it was not looked at" if facts.is_cut else ""
    head = f"{KIND}: {counted(len(facts.things), 'thing')}{cut}\n"
    return (
        head
        + section("things:", facts.things, MAX_THINGS)
        + _section("state", facts.states, MAX_STATES)
        + _section("restarts", facts.restarts, MAX_RESTARTS)
        + _section("limits", facts.limits, MAX_LIMITS)
        + _section("events", facts.events, MAX_EVENTS)
    )


def _section(title: str, found: Sequence[Fact], most: int) -> str:
    """What is in trouble first, else in the order of the source."""
    troubled = [fact for fact in found if fact.is_trouble]
    others = [fact for fact in found if not fact.is_trouble]
    said = f", {len(troubled)} to look at first" if troubled and others else ""
    return section(f"{title}, {len(found)}{said}:", [fact.text for fact in (*troubled, *others)], most)


def applies(subject: Subject) -> bool:
    head = subject.head[:_HEAD_BYTES]
    if subject.format in (Format.JSON, Format.YAML):
        return _NODES_HEAD.search(head) is not None
    return subject.format is Format.TEXT and _LINES_HEAD.search(head) is not None


INSPECTION: Final = Summarizer(KIND, summarize, applies, streamed=frozenset((Format.TEXT,)))
