"""``web``: the club in a browser, the part of ``serve`` for it."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pbmserv.cli.log_lines import to_stderr
from pbmserv.cli.options import ShellOptions, load_games
from pbmserv.cli.printing import print_notice
from pbmserv.cli.shell import Shell
from pbmserv.commands.declaration import command
from pbmserv.daemon.mail_log import Log
from pbmserv.daemon.service_manager import LOOP, Pulse
from pbmserv.errors import EXIT_DONE, Fault
from pbmserv.listen_address import parse_listen_address
from pbmserv.settings import find, mail_keys, value

if TYPE_CHECKING:
    from pbmserv.listen_address import ListenAddress

WEB_DOOR = "web"
"""The name of the place at which browsers are answered."""

AT_HOME = "127.0.0.1:8170"
"""Where ``web`` listens unless the setting says where."""

PATIENCE = 5.0
"""Seconds for which a visitor waits while others write: somebody else needs the thread."""

FOR_PROXIES = 0o666
"""The permissions of a Unix socket: a web server may run as any user."""


@command()
def web(shell: Shell) -> int:
    """Open the club in a browser, until stopped.

    It is serve's part for browsers: mail, clocks and slow robots are serve's. Without the setting
    web it listens at 127.0.0.1:8170, where only this machine reaches it. See help web.
    """
    (place,) = web_places(AT_HOME)
    shell.open_store().close()
    place = place.opened()
    at = f"http://{place}/" if place.path is None else str(place)
    print_notice(f"The club is open at {value('web_url') or at} until Ctrl-C.")
    run_web(shell, place)
    return EXIT_DONE


def web_places(otherwise: str = "") -> list[ListenAddress]:
    """Return the place of the setting, else of ``otherwise``; raises :class:`Fault`."""
    for name in ("web_url", "web_guests", "web_signup", "web_proxy"):
        value(name)  # whatever is wrong is told now
    text = value("web") or otherwise
    return [web_place(text)] if text else []


def web_place(text: str) -> ListenAddress:
    """Return the place to listen at; raises :class:`Fault` if others reach it without an address.

    Without one the club knows no visitor from another site, who has its pages sent to their own.
    """
    found = parse_listen_address(text, WEB_DOOR, mode=FOR_PROXIES, is_public=True)
    if not found.is_private and not value("web_url"):
        raise Fault(
            "Others could reach that address.",
            code="not-loopback",
            hint="Set web_url to the address at which browsers reach the club, or listen at "
            f"{AT_HOME}.",
        )
    return found


def run_web(shell: Shell, place: ListenAddress, pulse: Pulse | None = None) -> None:
    """Answer browsers until stopped."""
    from pbmserv.web.listener import serve

    beat = partial((pulse or Pulse()).beat, LOOP)
    serve(open_application(shell), place.sockets, value("web_url"), beat)


def application() -> Any:
    """Return the application of the settings' club, for other servers than ours."""
    load_games()
    return open_application(Shell(ShellOptions()))


def open_application(shell: Shell) -> Any:
    """Return the application of the shell's club, with all that it needs loaded."""
    from pbmserv.cli.site import site_options
    from pbmserv.desk.passwords import QueuedPasswords
    from pbmserv.mail.keyring import Keyring
    from pbmserv.web.app import make_app
    from pbmserv.web.club import Club, WebSettings
    from pbmserv.web.listener import BehindProxies, load_all

    load_all()
    passwords, has_mail = QueuedPasswords(), bool(find("mail_address"))
    keyring = Keyring(mail_keys()) if has_mail else None
    hasty = replace(shell, wait=PATIENCE)
    log = Log(shell, to_stderr)
    club = Club(
        site_options(),
        lambda: hasty.new_desk(passwords=passwords),
        WebSettings(value("web_url"), value("web_guests"), value("web_signup")),
        failed=log.failed,
        done=partial(log.done, WEB_DOOR),
        signing_keys=lambda: keyring.signing_keys(int(time.time())) if keyring else (),
    )
    return BehindProxies(make_app(club), value("web_proxy"))
