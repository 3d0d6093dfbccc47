"""Facts on mail for ``doctor``: address, keys, ways in and out, and the queues."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from pbmserv.engine.moments import HOUR, MINUTE, SECOND, utc
from pbmserv.errors import PbmservError
from pbmserv.mail.authentication import writer_of
from pbmserv.mail.inbound import Incoming, read_mail
from pbmserv.mail.keyring import Keyring
from pbmserv.mail.spool import Spool
from pbmserv.mail.tokens import check_base
from pbmserv.mail.transports import is_for_good, open_transport
from pbmserv.settings import find, mail_keys
from pbmserv.store.files.database_facts import Fact
from pbmserv.store.files.location import mode_problem
from pbmserv.store.operator_lists import Filter
from pbmserv.store.store import Store

LOOKED_AT = 20
"""The newest mails of the Maildir, whose headers say which server checks senders."""

WORKED_OFF = 45
"""Seconds after which no mail should wait in the Maildir any more."""

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
    yield from _senders()
    yield _keys()
    yield from maildir_facts(find("maildir"))
    if open_store is not None:
        with closing(open_store()) as store:
            yield from _post(store, now)


def _ways() -> Iterator[Fact]:
    url = find("mail_transport")
    if not url:
        yield Fact("mail transport", "none", "No mail is sent: set mail_transport.")
        return
    try:
        open_transport(url).close()
    except PbmservError as error:
        yield Fact("mail transport", "set", error.message)
    else:
        yield Fact("mail transport", url.partition(":")[0])


def _delimiter() -> Fact:
    """Say whether the Postfix here, if there is one, delivers addresses with a token."""
    name = "address delimiter"
    try:
        found = _postfix("recipient_delimiter")
    except (OSError, subprocess.TimeoutExpired):
        return Fact(name, "Postfix gives no answer")
    if found is None:
        return Fact(name, "not known: the mail server must deliver +TOKEN addresses")
    problem = "" if "+" in found else "Set recipient_delimiter = + in main.cf."
    return Fact(name, found or "none", problem)


def _postfix(parameter: str) -> str | None:
    """Return the value of a parameter of the Postfix here, or None without Postfix."""
    program = shutil.which("postconf", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        return None
    words = [program, "-hx", parameter]
    done = subprocess.run(words, capture_output=True, text=True, timeout=10, check=False)
    return done.stdout.strip()


def _senders() -> Iterator[Fact]:
    """Yield what is known of senders: by a milter here, and by the headers of mails that came."""
    demanded = find("mail_require_dmarc")
    believed = find("mail_authserv_id") or demanded
    milters = own_name = None
    with suppress(OSError, subprocess.TimeoutExpired):
        milters, own_name = _postfix("smtpd_milters"), _postfix("myhostname")
    if milters:
        yield Fact("milters", milters)
    is_unchecked = milters == ""  # there is a Postfix, and it has none
    seen = _authenticating_server(find("maildir"))
    name = "sender check"
    if not believed:
        found = "none: only passwords and reply addresses identify senders"
        # Where nothing takes such a header away, whoever wrote the mail may have written it.
        advice = f"Mail has Authentication-Results from {seen}: set mail_authserv_id to that name."
        yield Fact(name, found, advice if seen and not is_unchecked else "")
        return
    found = f"{believed} is trusted"
    if demanded:
        found = f"{believed}: mail that does not pass DMARC is dropped"
    problem = ""
    if is_unchecked and own_name == believed.lower():
        problem = "Nothing here checks senders, so anyone can forge the header. Add a milter."
    elif seen is not None and seen.lower() != believed.lower():
        problem = f"The newest mail has results from {seen} instead."
    yield Fact(name, found, problem)


def _authenticating_server(maildir: str | None) -> str | None:
    """Return who wrote the topmost Authentication-Results of the newest mail that has any."""
    try:
        files = sorted((Path(maildir or "/nowhere") / "cur").iterdir(), reverse=True)
        mails = [read_mail(path.read_bytes()) for path in files[:LOOKED_AT]]
    except OSError:
        return None
    found = (writer_of(m.authentication_results) for m in mails if isinstance(m, Incoming))
    return next(filter(None, found), None)


def _keys() -> Fact:
    keyring = Keyring(mail_keys())
    try:
        kept = keyring.kept()
    except PbmservError as error:
        return Fact("signing keys", str(keyring.path), error.message)
    if not kept:
        return Fact("signing keys", "none yet: created with the first mail")
    facts = f"{keyring.path}, number {kept[0].number}"
    return Fact("signing keys", facts, mode_problem(keyring.path))


def maildir_facts(name: str | None) -> Iterator[Fact]:
    """Yield how the Maildir is, if there is one."""
    if not name:
        return
    spool = Spool(Path(name))
    if not all((spool.folder / part).is_dir() for part in ("new", "cur")):
        yield Fact("Maildir", name, "It has no new/ and cur/: serve creates them.")
        return
    is_usable = all(os.access(spool.folder / part, os.W_OK) for part in ("new", "cur"))
    problem = "" if is_usable else "Its new/ and cur/ are not writable."
    waiting = spool.waiting()
    with suppress(FileNotFoundError):  # somebody takes them just now
        if waiting and time.time() - waiting[0].stat().st_mtime > WORKED_OFF:
            problem = problem or "Mail is waiting: is pbmserv serve running?"
    yield Fact("Maildir", f"{name}, {len(waiting)} waiting", problem)
    aside = len(list(spool.shunted()))
    yield Fact("put aside", str(aside), "See them: pbmserv mail shunt list." if aside else "")


def _post(store: Store, now: int) -> Iterator[Fact]:
    with store.reading() as records:
        since = records.outbox.waiting_since()
        entries = records.lists.audit(Filter(limit=1)).rows
        ignored = records.ignored_mail.counts(now)
        newcomers = len(records.proof_queue.waiting(now))
        waiting = records.lists.letters(Filter(status="waiting")).rows
        ours = records.addresses.for_server(find("mail_address") or "")
        whose = [records.players.get(row.player_id).userid for row in ours]
    age = 0 if since is None else now - since
    late = "Mail has been waiting for more than an hour: is pbmserv serve running, or mail send?"
    yield Fact("oldest mail", f"{age // MINUTE} min" if age else "none", late if age > HOUR else "")
    refused = [letter for letter in waiting if is_for_good(letter.last_error)]
    if refused:
        last = f"Number {refused[0].id}, for {refused[0].address}: {refused[0].last_error}"
        yield Fact("permanently refused", f"{len(refused)}", last)
    if whose:
        advice = "It is the server's own address, where they get no mail: ask them to change it."
        yield Fact("addresses", f"{ours[0].address} of {', '.join(whose)}", advice)
    reasons = ", ".join(f"{each.reason} {each.mails}" for each in ignored)
    yield Fact("ignored today", f"{sum(each.mails for each in ignored)} ({reasons or 'nothing'})")
    yield Fact("newcomers waiting", str(newcomers))
    ahead = entries[0].at - now if entries else 0
    problem = "It is behind times stored in the database: set it right." if ahead > SKEW else ""
    yield Fact("clock", utc(now).strftime(f"{SECOND} UTC"), problem)
