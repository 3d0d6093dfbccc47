"""Facts on the club in a browser for ``doctor``: where it listens, and whether it is reached."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from pbmserv.daemon.web_service import web_place
from pbmserv.errors import PbmservError
from pbmserv.listen_address import unreached
from pbmserv.settings import value
from pbmserv.store.files.database_facts import Fact

PATIENCE = 5.0
"""Seconds in which the club must answer."""

LOOKED_FOR = b"site.css"
"""What every page of ours has in its head."""


def web_facts() -> Iterator[Fact]:
    """Yield what is to be said of the club in a browser."""
    text, url = value("web"), value("web_url")
    if not text:
        lack = "web_url is set, but web is not: serve answers no browser." if url else ""
        yield Fact("web", "off", lack)
        return
    try:
        place = web_place(text)
    except PbmservError as error:
        yield Fact("web", text, error.words)
        return
    yield Fact("web", str(place), unreached(place))
    if url:
        yield Fact("web from outside", url, fetch_problem(url))


def fetch_problem(url: str) -> str:
    """Return why a visitor would not see the club at its address, "" if they would."""
    try:
        with urlopen(url, timeout=PATIENCE) as answer:  # noqa: S310 - web_url is http or https
            page = answer.read(1 << 16)
    except HTTPError as error:
        error.close()
        return f"Its web server answers with {error.code}: it does not reach pbmserv serve."
    except URLError as error:
        return _unreached(error.reason)
    except (OSError, HTTPException, ValueError) as error:
        return _unreached(error)
    return "" if LOOKED_FOR in page else "Another page than the club's is there."


def _unreached(reason: object) -> str:
    """Return in plain words why nothing answers at an address."""
    if isinstance(reason, ssl.SSLError):
        return "Its certificate is not valid, so browsers warn of it."
    if isinstance(reason, socket.gaierror):
        return "Its name is not known: set its address at the provider of the domain."
    if isinstance(reason, TimeoutError):
        return f"Nothing answers within {PATIENCE:.0f} seconds: look at the firewall."
    said = getattr(reason, "strerror", "") or str(reason)
    return f"It cannot be reached: {said}."
