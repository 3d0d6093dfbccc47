"""What costs time or room has its bounds: replies of the computer, and pictures."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from threading import Lock

MAX_BYTES = 64_000_000
"""Bytes of the pictures that are kept."""


class RateLimit:
    """Lets each network do something ``most`` times in so many ``seconds``."""

    def __init__(self, most: int, seconds: int) -> None:
        self.most = most
        self.seconds = seconds
        self._began = 0
        self._counts = Counter[str]()
        self._lock = Lock()

    def seconds_to_wait(self, network: str, now: int) -> int:
        """Count one more, and return 0, or for how long this network has had enough.

        The time is the same for all, and begins again if the clock goes back.
        """
        with self._lock:
            if not self._began <= now < self._began + self.seconds:
                self._began, self._counts = now, Counter()
            self._counts[network] += 1
            return 0 if self._counts[network] <= self.most else self._began + self.seconds - now


def network_of(address: str | None) -> str:
    """Return the network of an address, a /24 or /64, "" for what is none, as of a socket.

    >>> network_of("192.0.2.7"), network_of("2001:db8::1"), network_of("::ffff:192.0.2.7")
    ('192.0.2.0/24', '2001:db8::/64', '192.0.2.0/24')
    """
    found = read_address(address or "")
    if found is None:
        return ""
    return str(ip_network((found, 24 if found.version == 4 else 64), strict=False))


def read_address(text: str) -> IPv4Address | IPv6Address | None:
    """Return an address of version 4 or 6, None for another text."""
    with suppress(ValueError):
        found = ip_address(text)
        return getattr(found, "ipv4_mapped", None) or found
    return None


class Previews:
    """The pictures drawn last, by what each shows; each takes long, so one is drawn at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: dict[str, bytes] = {}
        self._size = 0

    def find(self, shows: str, draw: Callable[[], bytes]) -> bytes:
        """Return the picture that shows this, drawn now if it is not kept."""
        found = self._kept.get(shows)
        if found is not None:
            return found
        with self._lock:
            if shows in self._kept:
                return self._kept[shows]
            picture = self._kept[shows] = draw()
            self._size += len(picture)
            while self._size > MAX_BYTES:
                self._size -= len(self._kept.pop(next(iter(self._kept))))
            return picture
