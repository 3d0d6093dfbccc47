"""What systemd is told of ``serve``, and the units by which it keeps and confines it.

Each word is a datagram to the socket that NOTIFY_SOCKET names. Where a unit has WatchdogSec,
systemd is told again and again that every part works, and no more while one hangs: then it starts
the service anew.
"""

from __future__ import annotations

import math
import os
import socket
import time
from collections.abc import Iterable
from contextlib import suppress
from mmap import mmap

ROUNDS, LOOP = 0, -1
"""The threads of a service: for letters, clocks and robots; and for whoever comes."""

RELOAD = "ExecReload=/bin/sh -c 'kill -HUP $MAINPID'"
"""How systemd has it begin anew; kill is a word of the shell, and so needs no other program."""

CONFINED = """\
NoNewPrivileges=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallErrorNumber=EPERM
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
"""
"""What a service of a user may be denied, too: its commands see the same files as the user does."""

SHUT_IN = f"""\
{CONFINED}CapabilityBoundingSet=
DevicePolicy=closed
PrivateDevices=yes
PrivateMounts=yes
PrivateTmp=yes
PrivateUsers=yes
ProcSubset=pid
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProtectSystem=strict
RemoveIPC=yes
"""
"""What a service of the system does without besides."""

UNIT = f"""# ~/.config/systemd/user/pbmserv.socket
[Socket]
ListenStream={{path}}
SocketMode=0600

[Install]
WantedBy=sockets.target

# ~/.config/systemd/user/pbmserv.service
[Service]
Type=notify
ExecStart={{command}}
{RELOAD}
Restart=on-failure
WatchdogSec=5min
UMask=0077
{CONFINED}{{install}}
# Then: systemctl --user enable --now {{names}}
"""
INSTALL = """
[Install]
WantedBy=default.target
"""


def notify(words: str) -> None:
    """Tell systemd, if it has started us and wants to know."""
    place = os.environ.get("NOTIFY_SOCKET", "")
    if place:
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as link:
            link.sendto(words.encode(), f"\0{place[1:]}" if place[0] == "@" else place)


class Pulse:
    """When each thread of a service last went on, shared with its supervisor.

    A process that ends soon after each start has no pulse either. What workers do for shells has
    none: a command may wait for whoever reads its output, and its client can end it.
    """

    def __init__(self, threads: int = 1) -> None:
        self._moments = memoryview(mmap(-1, 8 * threads)).cast("d")
        for thread in range(threads):
            self.beat(thread)

    def beat(self, thread: int) -> None:
        """Note that this thread goes on."""
        self._moments[thread] = time.monotonic()

    def age(self) -> float:
        """Return the seconds since the thread that is silent for the longest went on."""
        return time.monotonic() - min(self._moments)


class Watchdog:
    """Tells systemd that all works while every pulse is younger than what its watchdog waits."""

    def __init__(self, pulses: Iterable[Pulse] = ()) -> None:
        self._pulses = list(pulses)
        self._patience = int(os.environ.get("WATCHDOG_USEC") or 0) / 1e6

    def tell(self) -> float:
        """Tell it now, if it is so; return the seconds until it is to be told again."""
        if not self._patience:
            return math.inf
        if all(pulse.age() < self._patience for pulse in self._pulses):
            notify("WATCHDOG=1")
        return self._patience / 3
