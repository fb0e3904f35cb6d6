"""What a writing process of the tests does: run as a program, so that it shares nothing with the others but the store.

python writers.py FOLDER put TEXT       puts TEXT as the next revision, and prints its number
python writers.py FOLDER init           makes the store
python writers.py FOLDER hold           takes the write lock, says so, and keeps it until its input ends
"""

import sys
from pathlib import Path

from evidence_store.store import init_store, open_store
from tests.factories import API, put


def main(folder: Path, verb: str, text: str = "") -> None:
    if verb == "init":
        init_store(folder)
        return
    with open_store(folder) as store:
        if verb == "hold":
            with store.core.database.writing():
                sys.stdout.write("held\n")
                sys.stdout.flush()
                sys.stdin.read()
            return
        sys.stdin.readline()  # all are let go at once
        sys.stdout.write(f"{put(store, text.encode(), API).revision.number}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
