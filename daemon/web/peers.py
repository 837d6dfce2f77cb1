"""Whose process is at the other end of a connection on this machine, where the system tells."""

import os
import socket
import sys
from pathlib import Path

# A line of it: number, local and remote address as HEX:HEX, state, queues, timer, retransmits, uid, ...
TABLE = Path("/proc/net/tcp")
_LOCAL, _REMOTE, _UID = 1, 2, 7


if sys.platform == "linux":

    def is_own_peer(peer: tuple[str, int], ours: tuple[str, int]) -> bool:
        """Whether the peer's socket is this user's (or root's: who may read everything anyway)."""
        wanted = _hex(peer), _hex(ours)
        with TABLE.open() as table:
            for line in table:
                fields = line.split()
                if (fields[_LOCAL], fields[_REMOTE]) == wanted:
                    return int(fields[_UID]) in (0, os.getuid())
        return False

else:

    def is_own_peer(peer: tuple[str, int], ours: tuple[str, int]) -> bool:
        """Nobody tells here; the keys alone decide."""
        return True


def _hex(address: tuple[str, int]) -> str:
    """An IPv4 address as the kernel prints it: the four bytes in the order of the machine, then the port."""
    number = int.from_bytes(socket.inet_aton(address[0]), sys.byteorder)
    return f"{number:08X}:{address[1]:04X}"
