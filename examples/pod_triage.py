"""What is wrong in this cluster? A dump of 900 pods is stored; the few that are in trouble are read and cited, member by member.

    python -m examples.pod_triage [PODS.json]

No model: what an agent would decide is written out below. PODS.json is what `kubectl get pods -o json` gives; without it, one is made.
"""

import json
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from api.settings import Settings
from api.wiring import open_services
from evidence_store.model import Packet
from examples.notebook import Notebook
from examples.samples import pods

REASON = re.compile(r'^- (?P<pod>/items/\d+)(?P<place>/status/containerStatuses/(?P<n>\d+)/state/waiting/reason) "', re.MULTILINE)
KILLED = "OOMKilled"


def triage(notebook: Notebook, dump: str, pod: str, waiting: str, n: str) -> None:
    """One claim for a pod that waits; for one that ran out of memory, the limit that it had stands in the claim."""
    (name,) = notebook.ask("read_spec", resource=dump, pointer=f"{pod}/metadata/name")
    (reason,) = notebook.ask("read_spec", resource=dump, pointer=f"{pod}{waiting}")
    cited, text = [name, reason], f"Pod {word(name)} waits with {word(reason)}"
    status = f"{pod}/status/containerStatuses/{n}"
    try:
        ended, code = notebook.ask("read_spec", resource=dump, pointer=f"{status}/lastState/terminated", fields=["reason", "exitCode"])
    except LookupError:  # it never ran, and the answer says which members there are
        text += ", and never ran"
        cited += notebook.ask("read_spec", resource=dump, pointer=f"{status}/lastState")
    else:
        (restarts,) = notebook.ask("read_spec", resource=dump, pointer=f"{status}/restartCount")
        text += f" after {restarts.excerpt} restarts; it ended with {word(ended)}, exit code {code.excerpt}"
        cited += [ended, code, restarts]
        if ended.excerpt.strip('"') == KILLED:
            (limit,) = notebook.ask("read_spec", resource=dump, pointer=f"{pod}/spec/containers/{n}/resources/limits/memory")
            cited, text = [*cited, limit], f"{text}, at a limit of {word(limit)}"
    notebook.claim(f"{text}.", *((one, "support", one.excerpt.strip('"')) for one in cited))


def word(packet: Packet) -> str:
    return f"`{packet.excerpt.strip(chr(34))}`"


def main(dump: object, folder: Path) -> str:
    with open_services(Settings(folder), create=True) as services:
        notebook = Notebook(services, "pod-triage", "Say which pods are in trouble, and why.")
        summary = notebook.fetch("get_pods", lambda namespace: dump, namespace="prod")
        for found in REASON.finditer(summary.excerpt):
            triage(notebook, summary.resource, found["pod"], found["place"], found["n"])
        return notebook.publish("Pods in trouble")


if __name__ == "__main__":
    with TemporaryDirectory() as store:
        print(main(json.loads(Path(sys.argv[1]).read_text()) if sys.argv[1:] else pods(), Path(store)), end="")
