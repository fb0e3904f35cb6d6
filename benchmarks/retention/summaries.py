"""Two summarizers that need no model: one that keeps both ends of what it reads, one that loses nothing that this benchmark looks for."""

from collections.abc import Callable, Sequence

from benchmarks.retention.words import ORDER, QUESTION, RULE, STATED

END_CHARS = 1_500


def head_and_tail(texts: Sequence[str]) -> str:
    """The first and the last characters, as a poor model would."""
    whole = "\n".join(texts)
    return whole if len(whole) <= 2 * END_CHARS else f"{whole[:END_CHARS]}\n…\n{whole[-END_CHARS:]}"


def perfect(texts: Sequence[str]) -> str:
    """Every line in which a fact, a conflict, a question or a rule is stated, once; no orders from sources."""
    kept: dict[str, None] = {}
    for line in "\n".join(texts).split("\n"):
        if (STATED.search(line) or QUESTION.search(line) or RULE.search(line)) and not ORDER.search(line):
            kept.setdefault(line)
    return "\n".join(kept)


SUMMARIZERS: dict[str, Callable[[Sequence[str]], str]] = {"head-tail": head_and_tail, "perfect": perfect}
