"""How old the packets of live resources are at the time of a step. The time comes with the step: no clock is read here."""

from collections.abc import Iterator, Mapping
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
        results=_AgedResults(step.results, step.now),
    )


class _AgedResults(Mapping[str, tuple[Packet, ...]]):
    """The packets of results, their age looked at when they are asked for: most of a long history is not."""

    def __init__(self, results: Mapping[str, tuple[Packet, ...]], now: int | None) -> None:
        self._results = results
        self._now = now

    def __getitem__(self, call: str) -> tuple[Packet, ...]:
        return tuple(aged(one, self._now) for one in self._results[call])

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)
