"""500 servers killed under load: what was acknowledged is there, nothing is twice, and each store verifies.

Clients upload, claim and project side by side, each request with an idempotency key, and a server dies at a random moment. The next one
over the same store is asked for all that was acknowledged, and asked again for all that was asked for.
"""

import sys
import tempfile
from pathlib import Path

from benchmarks.killed_service import kill_rounds
from benchmarks.table import Bound, Row, is_quick, publish

N_ROUNDS = 8 if is_quick() else 500
SEED = 20_261_130


def main() -> int:
    n_faults = n_acknowledged = n_in_doubt = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, one in enumerate(kill_rounds(Path(folder), N_ROUNDS, SEED), 1):
            for fault in one.faults:
                print(f"kill {number}: {fault}", file=sys.stderr)
            n_faults += len(one.faults)
            n_acknowledged += one.n_acknowledged
            n_in_doubt += one.n_in_doubt
    asked = n_acknowledged + n_in_doubt
    return publish(
        "service_kills",
        [
            Row(f"{N_ROUNDS} kills: faults of {asked} requests", n_faults, asked, Bound("==", 0)),
            Row("requests that were on their way when the server died, of all", n_in_doubt, asked, Bound(">=", 0.01)),
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
