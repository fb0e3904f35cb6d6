"""`kill -9` of a server under load: the store verifies, what was acknowledged is there, and asking again gives the first answer.

`make bench-service-kills` does the same 500 times.
"""

from pathlib import Path

from benchmarks.killed_service import kill_rounds

N_ROUNDS = 6


def test_a_killed_server_loses_nothing_that_it_acknowledged_and_does_nothing_twice(tmp_path: Path) -> None:
    rounds = list(kill_rounds(tmp_path, N_ROUNDS, seed=1))
    assert [one.faults for one in rounds] == [[]] * N_ROUNDS
    assert sum(one.n_acknowledged for one in rounds) > 0
    assert sum(one.n_in_doubt for one in rounds) > 0
