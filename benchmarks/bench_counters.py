"""The counters against tiktoken itself: texts seen once, seen again, hostile millions, cuts, and the fast engine where it is there.

Every side of a ratio is measured in this run, alternating, and is the median of several where the line says nothing else. Texts that
must be new are made new each time.
"""

import json
import random
import statistics
import sys
import time
from collections.abc import Callable

from benchmarks.table import Bound, Row, is_quick, publish
from projector import TokenCounter, counter_for, cut_text, figure_of
from projector.tokens.encodings import load_encoding
from projector.tokens.fast import FastCounter
from projector.tokens.hostile import MAX_SPACES
from projector.tokens.tiktoken_counter import TiktokenCounter

NAME = "o200k_base"
N_RUNS = 5 if is_quick() else 15
MEGA = 1_000_000
HOSTILE: dict[str, Callable[[], str]] = {
    "spaces": lambda: " " * MEGA,
    "line ends": lambda: "\n" * MEGA,
    "one letter": lambda: "a" * MEGA,
    "dashes": lambda: "-" * MEGA,
    "digits": lambda: "7" * MEGA,
    "emoji": lambda: "😀" * MEGA,
    "combining marks": lambda: "\u0301" * MEGA,
    "joined emoji": lambda: "👩\u200d" * (MEGA // 2),
    "letters at random": lambda: "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=MEGA)),
    "Han characters at random": lambda: "".join(map(chr, random.Random(1).choices(range(0x4E00, 0x9FFF), k=MEGA))),
}


def records(n_chars: int, seed: int) -> str:
    """JSON records of about so many characters; no two seeds give the same."""
    rng = random.Random(seed)
    lines = []
    size = 0
    while size < n_chars:
        text = json.dumps({"id": rng.randrange(10**9), "name": rng.choice(("limit", "order", "Größe")), "score": rng.random()}) + "\n"
        lines.append(text)
        size += len(text)
    return "".join(lines)[:n_chars]


def spent(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def medians(
    one: Callable[[int], Callable[[], object]], other: Callable[[int], Callable[[], object]], n: int = N_RUNS
) -> tuple[float, float]:
    """Both in turn, each on what it is given for this round."""
    pairs = [(spent(one(at)), spent(other(at))) for at in range(n)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def bare(text: str) -> int:
    return len(load_encoding(NAME).encode_ordinary(text))


def ours_on(counter: TokenCounter, texts: list[str]) -> Callable[[], object]:
    return lambda: [counter.count(text) for text in texts]


def bare_on(texts: list[str]) -> Callable[[], object]:
    return lambda: [bare(text) for text in texts]


def once_row(n_chars: int, n_texts: int) -> Row:
    """A wrapper costs a digest, a look-up and a figure. The fastest rounds: the difference is smaller than what a shared machine adds."""
    pairs = []
    for at in range(2 * N_RUNS):
        texts = [records(n_chars, at * n_texts + n) for n in range(n_texts)]
        works = (ours_on(TiktokenCounter(NAME), texts), bare_on(texts))
        # who comes first alternates
        times = [spent(work) for work in (works if at % 2 else works[::-1])]
        pairs.append(times if at % 2 else times[::-1])
    ours, other = (min(pair[side] for pair in pairs) / n_texts for side in (0, 1))
    return Row(f"count of {n_chars // 1000} kB seen once against tiktoken, fastest round, s", ours, other, Bound("<=", 1.15))


def again_row(n_chars: int, n_texts: int) -> Row:
    counter = TiktokenCounter(NAME)
    firsts, agains = [], []
    for at in range(N_RUNS):
        texts = [records(n_chars, at * n_texts + n) for n in range(n_texts)]
        firsts.append(spent(ours_on(counter, texts)))
        # as they come from a store: equal, and other objects
        agains.append(spent(ours_on(counter, [text.encode().decode() for text in texts])))
    ours, other = statistics.median(agains) / n_texts, statistics.median(firsts) / n_texts
    return Row(f"second count of {n_chars // 1000} kB against the first, s", ours, other, Bound("<=", 1 / 50))


def hostile_rows() -> list[Row]:
    """Each against a million characters of JSON by tiktoken."""
    plain = records(MEGA, 0)
    other = statistics.median(spent(lambda: bare(plain)) for _ in range(5))
    rows = []
    for kind, make in HOSTILE.items():
        text = make()
        ours = spent(ours_on(TiktokenCounter(NAME), [text]))
        said = figure_of(TiktokenCounter(NAME), text).exactness
        rows.append(Row(f"a million {kind} ({said}) against a million characters of JSON, s", ours, other, Bound("<=", 30)))
    text = (" " * (MAX_SPACES - 1) + "x") * (MEGA // MAX_SPACES)
    ours = spent(ours_on(TiktokenCounter(NAME), [text]))
    return [
        *rows,
        Row("a million spaces in runs just below the bound against a million characters of JSON, s", ours, other, Bound("<=", 30)),
    ]


def cut_rows() -> list[Row]:
    text = records(300_000, 1)
    counter = counter_for(NAME)
    ours, other = medians(lambda _: lambda: cut_text(text, 512, counter), lambda _: lambda: bare(text))
    made = cut_text(text, 512, counter)
    return [
        Row("cut of 300 kB to 512 tokens, both ends, against counting it, s", ours, other, Bound("<=", 1 / 20)),
        Row("tokens of that cut against those allowed", made.figure.tokens, 512, Bound("<=", 1)),
        Row("tokens of that cut against those allowed, at least", made.figure.tokens, 512, Bound(">=", 0.97)),
    ]


def fast_rows() -> list[Row]:
    counter = FastCounter(NAME, TiktokenCounter(NAME))
    if counter.refusal:
        print(f"no rows of the fast engine: {counter.refusal}", file=sys.stderr)
        return []
    return [fast_row(counter, n_chars) for n_chars in (2_000, 100_000)]


def fast_row(counter: FastCounter, n_chars: int) -> Row:
    ours, other = medians(
        lambda at: ours_on(counter, [records(n_chars, 2 * at)]),
        lambda at: bare_on([records(n_chars, 2 * at + 1)]),
    )
    return Row(f"{counter.id}: count of {n_chars // 1000} kB seen once against tiktoken, s", ours, other, Bound("<=", 1))


def main() -> int:
    bare("load")
    rows = [once_row(10_000, 20), once_row(100_000, 4), again_row(2_000, 50), again_row(8_000, 30), again_row(300_000, 2)]
    return publish("counters", [*rows, *hostile_rows(), *cut_rows(), *fast_rows()])


if __name__ == "__main__":
    sys.exit(main())
