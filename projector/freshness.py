"""How old the packets of live resources are at the time of a step. The time comes with the step: no clock is read here."""

from dataclasses import replace

from evidence_store.model import Packet
from projector.model import Step

_MICROSECONDS = 1_000_000


def aged(packet: Packet, now: int | None) -> Packet:
    """The packet with its age where it is past its greatest one; without a time nothing is."""
    age_s = _age_past_maximum(packet, now)
    return packet if age_s == packet.age_s else replace(packet, age_s=age_s)


def _age_past_maximum(packet: Packet, now: int | None) -> int | None:
    """Seconds, rounded up, so that they are more than the maximum."""
    if now is None or packet.max_age_s is None or packet.observed_at is None:
        return None
    age = now - packet.observed_at
    return -(-age // _MICROSECONDS) if age > packet.max_age_s * _MICROSECONDS else None


def with_ages(step: Step) -> Step:
    """The step with the ages of the packets that came with it."""
    return replace(
        step,
        evidence=tuple(aged(one, step.now) if isinstance(one, Packet) else one for one in step.evidence),
        results={call: tuple(aged(one, step.now) for one in packets) for call, packets in step.results.items()},
    )
