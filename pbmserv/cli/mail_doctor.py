"""What ``doctor`` says of mail: the address, the keys, the ways in and out, and what waits."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pbmserv.errors import PbmservError
from pbmserv.mail.keyring import Keyring
from pbmserv.mail.spool import Spool
from pbmserv.mail.tokens import check_base
from pbmserv.settings import find, mail_keys
from pbmserv.store.database_facts import Fact
from pbmserv.store.file_modes import mode_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pbmserv.store.store import Store

HOUR = 3600
SKEW = 300
"""Seconds by which what is stored may be ahead of the clock."""


def mail_facts(open_store: Callable[[], Store] | None, now: int) -> Iterator[Fact]:
    """Yield what is to be said of mail; the store is asked only where it can be opened."""
    address = find("mail_address")
    if not address:
        yield Fact("mail", "not set up")
        return
    try:
        yield Fact("mail address", check_base(address))
    except PbmservError as error:
        yield Fact("mail address", address, error.message)
    yield from _ways()
    yield _delimiter()
    yield _keys()
    yield from _maildir(find("maildir"))
    if open_store is not None:
        store = open_store()
        try:
            yield from _post(store, now)
        finally:
            store.close()


def _ways() -> Iterator[Fact]:
    from pbmserv.mail.transports import open_transport

    url = find("mail_out")
    if not url:
        yield Fact("way out", "none", "No letter leaves: set mail_out.")
        return
    try:
        open_transport(url).close()
    except PbmservError as error:
        yield Fact("way out", "set", error.message)
    else:
        yield Fact("way out", url.partition(":")[0])


def _delimiter() -> Fact:
    """Say whether the Postfix here, if there is one, delivers addresses with a token."""
    name = "address delimiter"
    program = shutil.which("postconf", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        return Fact(name, "not known: the mail server must deliver +TOKEN addresses")
    words = [program, "-h", "recipient_delimiter"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=10, check=False)  # noqa: S603 - found in the path
    except (OSError, subprocess.TimeoutExpired):
        return Fact(name, "Postfix does not say")
    found = done.stdout.strip()
    problem = "" if "+" in found else "Set recipient_delimiter = + in main.cf."
    return Fact(name, found or "none", problem)


def _keys() -> Fact:
    keyring = Keyring(mail_keys())
    try:
        kept = keyring.kept()
    except PbmservError as error:
        return Fact("signing keys", str(keyring.path), error.message)
    if not kept:
        return Fact("signing keys", "none yet: made with the first mail")
    facts = f"{keyring.path}, number {kept[0].number}"
    return Fact("signing keys", facts, mode_problem(keyring.path))


def _maildir(name: str | None) -> Iterator[Fact]:
    if not name:
        return
    spool = Spool(Path(name))
    if not all((spool.folder / part).is_dir() for part in ("new", "cur")):
        yield Fact("Maildir", name, "It has no new/ and cur/: mail run makes them.")
        return
    is_usable = all(os.access(spool.folder / part, os.W_OK) for part in ("new", "cur"))
    problem = "" if is_usable else "Its new/ and cur/ cannot be written."
    yield Fact("Maildir", f"{name}, {len(spool.waiting())} waiting", problem)
    aside = len(list(spool.shunted()))
    yield Fact("put aside", str(aside), "See them: pbmserv mail shunt list." if aside else "")


def _post(store: Store, now: int) -> Iterator[Fact]:
    with store.reading() as records:
        since = records.outbox.waiting_since()
        entries = records.audit.entries(limit=1)
    age = 0 if since is None else now - since
    late = "Letters wait for more than an hour: is pbmserv mail send or run running?"
    yield Fact("oldest letter", f"{age // 60} min" if age else "none", late if age > HOUR else "")
    ahead = entries[0].at - now if entries else 0
    problem = "It is behind what is stored." if ahead > SKEW else ""
    yield Fact("clock", time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(now)), problem)
