"""``mail test``: send a letter and report whether it comes back."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated

from pbmserv.cli.log_lines import SYSTEM_LOG
from pbmserv.cli.printing import print_notice, print_result
from pbmserv.cli.shell import Shell
from pbmserv.club.player import parse_address
from pbmserv.club.wording import with_count
from pbmserv.commands.declaration import Option, Word, command
from pbmserv.commands.slots import ADDRESS, maybe
from pbmserv.commands.types import parse_whole_number
from pbmserv.daemon.letters_out import open_sender, our_address
from pbmserv.daemon.mail_log import mail_log
from pbmserv.errors import EXIT_DONE, EXIT_REFUSED, Refused
from pbmserv.mail.bounces import ANSWERED, bounce_key, trial_key
from pbmserv.mail.loop_guard import ServerAddress
from pbmserv.operators.mail_doctor import maildir_facts
from pbmserv.render.board_letters import wrap_lines
from pbmserv.render.service_letters import trial_letter
from pbmserv.settings import find, required
from pbmserv.store.files.database_facts import Fact
from pbmserv.store.mail.inbox import STRANGER, Arrival
from pbmserv.store.mail.outbox import LetterState
from pbmserv.store.operator_lists import Filter
from pbmserv.store.progress import teller
from pbmserv.store.store import Store

PAUSE = 0.5
FOR_OURSELVES, FOR_PEOPLE, FOR_THE_MAIL_SERVER = 60, 900, 10
"""Seconds to wait for a letter to ourselves, for somebody who answers one, and for it to leave."""

SYSTEM_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin"
MAIL_LOGS = (Path("/var/log/mail.log"), Path("/var/log/maillog"))
READ_OF_LOG = 1 << 20

Wait = Option("SECONDS", "seconds to wait for the mail to come back", parse_whole_number)


@command()
def trial(
    shell: Shell,
    address: Annotated[str | None, Word(maybe(ADDRESS), parse_address)] = None,
    *,
    wait: Annotated[int | None, Wait] = None,
) -> int:
    """Send a test mail and wait for it to come back; if it does not, show what may be wrong.

    The mail goes to ADDRESS, where you answer it with any words. Without ADDRESS it goes to the
    server itself and comes back by itself. Exit code 1 if nothing came back, or only a bounce.
    """
    if required("mail_transport").startswith("print:"):
        raise Refused(
            "No mail is sent from this machine, because the setting mail_transport is print:.",
            code="no-way-out",
            hint="Set it to sendmail:/usr/sbin/sendmail or smtp://HOST:PORT.",
        )
    to = address or our_address()
    patience = wait if wait is not None else FOR_PEOPLE if address else FOR_OURSELVES
    with closing(shell.open_store()) as store:
        return _tried(shell, MailTest(store, to, shell.desk.world.now()), patience)


def _tried(shell: Shell, trial: MailTest, patience: int) -> int:
    began = time.monotonic()
    is_out = trial.leaves(shell, began + min(patience, FOR_THE_MAIL_SERVER))
    tell = teller(lambda: patience)
    with suppress(KeyboardInterrupt):
        if is_out:
            answer = "" if trial.to == our_address() else " Answer it there."
            print_notice(f"A mail is on its way to {trial.to}.{answer} Ctrl-C ends the wait.")
        while is_out and not trial.arrival() and time.monotonic() - began < patience:
            tell(round(time.monotonic() - began))
            time.sleep(PAUSE)
    arrival, seconds = trial.arrival(), round(time.monotonic() - began)
    is_back = arrival is not None and arrival.outcome.startswith(ANSWERED)
    facts = [] if is_back else list(trial.facts(shell.desk.world.now()))
    document = {
        "to": trial.to,
        "sent": is_out,
        "back": is_back,
        "bounced": arrival is not None and not is_back,
        "door": arrival.door if arrival else None,
        "seconds": seconds,
        "facts": [{"name": f.name, "value": f.value, "problem": f.problem} for f in facts],
    }
    said = _said(trial, arrival, seconds) if is_out else f"No mail to {trial.to} was sent."
    lines = (f"  {f.name}: {f.value}" + f"\n      {f.problem}" * bool(f.problem) for f in facts)
    print_result(document, "\n".join([said, *map(wrap_lines, lines)]), shell.options)
    return EXIT_DONE if is_back else EXIT_REFUSED


def _said(trial: MailTest, arrival: Arrival | None, seconds: int) -> str:
    if arrival is None:
        return f"Nothing came back in {with_count(seconds, 'second')}. What is known:"
    if not arrival.outcome.startswith(ANSWERED):
        return (
            f"A mail server reports that the mail cannot be delivered to {trial.to}.\nIncoming "
            "mail works; your mail server's log says why outgoing mail does not."
        )
    taken = with_count(seconds, "second")
    said = f"Mail goes out, and comes in through the {arrival.door}: back after {taken}."
    server = arrival.outcome.removeprefix(ANSWERED).strip()
    if server and not find("mail_authserv_id") and not find("mail_require_dmarc"):
        said += (
            f"\nIt has Authentication-Results of {server}. If that mail server is yours and\n"
            "removes such headers written by others, set mail_authserv_id to its name to trust it."
        )
    return said


class MailTest:
    """One letter, from the outbox to what comes back."""

    def __init__(self, store: Store, to: str, now: int) -> None:
        self.store = store
        self.to = to
        self.began = now
        with store.writing() as records:
            records.outbox.post([trial_letter(to)], now)
            self.number = records.lists.letters(Filter(limit=1)).rows[0].id

    def leaves(self, shell: Shell, end: float) -> bool:
        """Send the letter, if need be several times until ``end``; tell whether it has left.

        A mail server that has just been started takes no letters for a moment.
        """
        world = shell.desk.world
        sender = open_sender(self.store, world, mail_log(shell))
        sender.send_due()
        while not self.has_left() and time.monotonic() < end:
            time.sleep(PAUSE)
            with self.store.writing() as records:
                records.outbox.retry(self.number, world.now())
            sender.send_due()
        return self.has_left()

    def has_left(self) -> bool:
        """Tell whether the letter was handed to the mail server."""
        with self.store.reading() as records:
            letter = records.outbox.entry(self.number)
        return letter is not None and letter.state == LetterState.SENT.value

    def arrival(self) -> Arrival | None:
        """Return the arrival, if any: the letter, an answer, or a bounce."""
        with self.store.reading() as records:
            back = records.inbox.find(STRANGER, trial_key(self.number))
            return back or records.inbox.find(STRANGER, bounce_key(self.number))

    def facts(self, now: int) -> Iterator[Fact]:
        """Yield possible problems, from sending to receiving."""
        with self.store.reading() as records:
            letter = records.outbox.entry(self.number)
            ignored = records.ignored_mail.counts(now)
        if letter is not None:
            yield Fact("mail", letter.state, letter.last_error)
        yield from _queue((self.to, our_address()))
        yield from _mail_server_log(self.to)
        yield from _domain(our_address().rpartition("@")[2])
        yield from maildir_facts(find("maildir"))
        yield _own_log(self.began)
        reasons = ", ".join(f"{each.reason} {each.mails}" for each in ignored)
        yield Fact("ignored today", reasons or "nothing")


def _queue(addresses: tuple[str, str]) -> Iterator[Fact]:
    """Yield why the Postfix here, if there is one, still keeps mails to one of the addresses."""
    program = shutil.which("postqueue", path=SYSTEM_PATH)
    if program is None:
        yield Fact("queue", "see the queue of your mail server")
        return
    done = subprocess.run([program, "-j"], capture_output=True, text=True, check=False)
    if done.returncode:
        is_down = "Mail system is down" in done.stderr
        said = "Postfix is not running." if is_down else " ".join(done.stderr.split())
        yield Fact("queue", "unknown", said)
        return
    found = [
        Fact("in the queue", address, recipient.get("delay_reason", ""))
        for recipient in _recipients(done.stdout)
        for address in [recipient.get("address", "")]
        if address.lower() in map(str.lower, addresses)
        or ServerAddress(addresses[1]).is_ours(address)
    ]
    yield from found or [Fact("queue", "nothing of it in Postfix's queue")]


def _recipients(listed: str) -> Iterator[dict[str, str]]:
    """Yield the recipients that Postfix lists; a line that is cut off, as it stops, has none."""
    for line in listed.splitlines():
        with suppress(ValueError):
            yield from json.loads(line).get("recipients", ())


def _mail_server_log(to: str) -> Iterator[Fact]:
    for path in MAIL_LOGS:
        with suppress(OSError), path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - READ_OF_LOG))
            lines = file.read().decode(errors="replace").splitlines()
            local, _, domain = map(re.escape, to.rpartition("@"))
            about = [line for line in lines if re.search(rf" to=<{local}([+]\w+)?@{domain}>", line)]
            yield Fact("mail server's log", about[-1][:400] if about else f"nothing about {to}")
            return
    yield Fact("mail server's log", f"as root: journalctl --since=-1h | grep -F '{to}'")


def _domain(domain: str) -> Iterator[Fact]:
    """Yield where the world brings mail for our domain: its MX records, else its own address."""
    from dns.exception import DNSException
    from dns.resolver import NXDOMAIN, NoAnswer, resolve

    name = f"mail for {domain}"
    nowhere = "Nobody elsewhere can send mail there: give the domain an MX record."
    try:
        found = sorted(resolve(domain, "MX"), key=lambda row: row.preference)
        yield Fact(name, f"goes to {', '.join(str(row.exchange).rstrip('.') for row in found)}")
    except NXDOMAIN:
        yield Fact(name, "there is no such domain", nowhere)
    except NoAnswer:
        try:
            addresses = [str(row) for row in resolve(domain, "A")]
            yield Fact(name, f"goes to {', '.join(addresses)} (no MX record)")
        except DNSException:
            yield Fact(name, "no MX record and no address", nowhere)
    except DNSException as error:
        yield Fact(name, "unknown", f"The DNS gives no answer: {type(error).__name__}.")


def _own_log(since: int) -> Fact:
    name = find("mail_log")
    if not name or name == SYSTEM_LOG:
        return Fact("our own log", "as root: journalctl --since=-1h -t pbmserv")
    path = Path(name)
    if not path.is_file() or path.stat().st_mtime < since:
        return Fact("our own log", f"{name}: nothing since")
    last = path.read_text(encoding="utf-8", errors="replace").splitlines()[-1:]
    return Fact("our own log", last[0] if last else f"{name}: empty")
