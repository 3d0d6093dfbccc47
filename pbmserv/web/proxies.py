"""Who asks, where web servers of our own may be between us."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from ipaddress import IPv4Network, IPv6Network

    Environ = dict[str, Any]
    Application = Callable[[Environ, Any], Iterable[bytes]]

FORWARDED = "FORWARDED X_FORWARDED_FOR X_FORWARDED_HOST X_FORWARDED_PROTO X_FORWARDED_PORT".split()  # noqa: SIM905
"""What a web server before us says of its visitor, and what anybody could."""


class BehindProxies:
    """An application that learns from our own web servers, and nobody else, who asks.

    Host and scheme are known from the settings: what a header says of them is dropped.
    """

    def __init__(
        self, application: Application, proxies: Sequence[IPv4Network | IPv6Network]
    ) -> None:
        self._application = application
        self._proxies = proxies

    def __call__(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        """Answer a request."""
        named = environ.get("HTTP_X_FORWARDED_FOR", "")
        for name in FORWARDED:
            environ.pop(f"HTTP_{name}", None)
        environ["REMOTE_ADDR"] = environ["REMOTE_HOST"] = self._visitor(
            environ.get("REMOTE_ADDR", ""), named.split(",")
        )
        return self._application(environ, start_response)

    def _visitor(self, peer: str, named: Sequence[str]) -> str:
        """Return the last address that no proxy of ours has: each puts that of its visitor last."""
        for text in reversed(named):
            if not self._is_ours(peer) or _address(text) is None:
                break
            peer = text.strip()
        return peer

    def _is_ours(self, peer: str) -> bool:
        address = _address(peer)
        if address is None:
            return True  # a Unix socket: nobody else reaches it
        return any(address in network for network in self._proxies)


def _address(text: str) -> Any:
    """Return an address of version 4 or 6, None for another text."""
    with suppress(ValueError):
        found = ip_address(text.strip())
        return getattr(found, "ipv4_mapped", None) or found
    return None
