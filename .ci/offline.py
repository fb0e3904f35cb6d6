"""Runs a command where only the loopback interface is up, so that whatever reaches for a network fails.

    python .ci/offline.py make test

A network namespace of its own does it (Linux; as an ordinary user together with a user namespace). Where the kernel or a
container forbids that, it says so and ends with 1: a check that was not made is not a passed one. Standard library only,
because neither `unshare` nor `ip` can be taken for granted.
"""

import ctypes
import fcntl
import os
import socket
import struct
import sys
from pathlib import Path

# <linux/sched.h>, <linux/sockios.h>, <linux/if.h>
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
SIOCGIFFLAGS = 0x8913
SIOCSIFFLAGS = 0x8914
IFF_UP = 0x1
IFREQ_FLAGS = "16sh14x"


def unshare(flags: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(flags) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def enter_namespace() -> None:
    """Leaves the network. Without root a user namespace comes first, with the same user ids inside."""
    uid, gid = os.geteuid(), os.getegid()
    if uid == 0:
        unshare(CLONE_NEWNET)
        return
    unshare(CLONE_NEWUSER | CLONE_NEWNET)
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1", encoding="ascii")


def raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        asked = fcntl.ioctl(control, SIOCGIFFLAGS, struct.pack(IFREQ_FLAGS, b"lo", 0))
        (_, flags) = struct.unpack(IFREQ_FLAGS, asked)
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack(IFREQ_FLAGS, b"lo", flags | IFF_UP))


def main(command: list[str]) -> int:
    if not command:
        print("usage: python .ci/offline.py COMMAND [ARGUMENT]…", file=sys.stderr)
        return 2
    try:
        enter_namespace()
        raise_loopback()
    except (OSError, AttributeError) as error:
        print(f"offline: no network namespace here ({error}); run as root, or allow user namespaces. Nothing was checked.", file=sys.stderr)
        return 1
    interfaces = [name for _, name in socket.if_nameindex()]
    print(f"offline: interfaces in this namespace: {' '.join(interfaces)}; up: lo", flush=True)
    os.execvp(command[0], command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
