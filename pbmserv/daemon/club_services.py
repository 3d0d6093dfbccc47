"""A club looked after until stopped: mails in, letters out, clocks, robots.

``serve`` does all that its settings and words ask for; ``mail run``, ``mail serve`` and ``robots
run`` are the names of a part of it.
"""

from __future__ import annotations

import os
import select
import signal
import threading
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pbmserv.cli.log_lines import to_stderr
from pbmserv.cli.printing import print_notice, print_result
from pbmserv.cli.shell import Shell
from pbmserv.commands.declaration import Flag, Option, command
from pbmserv.commands.slots import DIR
from pbmserv.daemon.letters_out import our_address
from pbmserv.daemon.mail_in import open_gateway
from pbmserv.daemon.mail_log import Log
from pbmserv.daemon.periodic_tasks import PeriodicTasks
from pbmserv.daemon.service_manager import LOOP, Pulse
from pbmserv.daemon.web_service import WEB_DOOR, run_web
from pbmserv.desk.robot_turns import play_due_turns
from pbmserv.errors import EXIT_DONE, EXIT_REFUSED, Fault, Misunderstood
from pbmserv.listen_address import parse_listen_address
from pbmserv.mail.inbound import Envelope
from pbmserv.mail.spool import Spool
from pbmserv.settings import find, required
from pbmserv.side_processes import end_in_time
from pbmserv.store.files.location import parse_location

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from pbmserv.listen_address import ListenAddress
    from pbmserv.mail.listener import Listener

PAUSE = 2.0
"""Seconds between two looks at a Maildir."""

Maildir = Annotated[str | None, Option(DIR, "the Maildir, instead of the one in the settings")]
Once = Flag("stop when nothing is left to do")


@command()
def run(shell: Shell, *, once: Annotated[bool, Once] = False, maildir: Maildir = None) -> int:
    """Handle the incoming mail in a Maildir and send the answers, until stopped.

    It is serve's part for a Maildir. The clocks are checked every ten minutes, as by tick, and
    robots move. Each mail is moved from new/ to cur/ when it is stored; one that fails three times
    is put aside in shunt/. With -once, the exit code is 1 if any mail failed.
    """
    consumer = MaildirConsumer(shell, spool_at(maildir))
    if not once:
        consumer.run()
        return EXIT_DONE
    with closing(consumer):
        tasks = PeriodicTasks(consumer.desk, consumer.log)
        while consumer.work_off() and consumer.spool.waiting() and not consumer.stop.is_set():
            tasks.run_once()
        tasks.run_once()
    return EXIT_REFUSED if consumer.has_failed else EXIT_DONE


@dataclass(frozen=True)
class Service:
    """A function to run as a process, its sockets, and how its supervisor knows that it works."""

    do: Callable[[], object]
    sockets: tuple[socket.socket, ...]
    pulse: Pulse


@dataclass(frozen=True)
class Listening:
    """The options that say where to listen."""

    lmtp: Annotated[str | None, Option("HOST:PORT|/PATH", "where to listen for LMTP")] = None
    smtp: Annotated[str | None, Option("HOST:PORT|/PATH", "where to listen for SMTP")] = None
    public: Annotated[bool, Flag("allow an address that others can reach")] = False

    def places(self) -> list[ListenAddress]:
        """Return where that is; raises :class:`Fault`."""
        from pbmserv.mail.listener import LMTP_DOOR, SMTP_DOOR

        return [
            parse_listen_address(text, door, is_public=self.public)
            for text, door in ((self.lmtp, LMTP_DOOR), (self.smtp, SMTP_DOOR))
            if text
        ]


@command()
def serve_mail(shell: Shell, *, listening: Listening) -> int:
    """Receive mail by LMTP or SMTP and send the answers, until stopped.

    It is serve's part for these. The clocks are checked every ten minutes, as by tick, and robots
    move. A mail is accepted when it is stored; otherwise the mail server is asked to try again
    later.
    """
    places = listening.places()
    if not places:
        raise Misunderstood(
            "Say where to listen.",
            code="missing-word",
            hint="As in: pbmserv mail serve --lmtp=127.0.0.1:8024",
        )
    shell.open_store().close()
    listen(shell, places)
    return EXIT_DONE


@command()
def run_robots(
    shell: Shell, *, once: Annotated[bool, Flag("stop when no more boards are waiting")] = False
) -> int:
    """Make the moves of the robots that think longer, until stopped.

    It is serve's part for robots. Several may run at once, on several machines too, and share the
    boards. Failed moves are tried again later; exit code 1 with -once if any failed.
    """
    if not once:
        shell.open_store().close()
        run_periodic_tasks(shell, only_robots=True)
        return EXIT_DONE
    done = play_due_turns(shell.desk)
    document = {"moves": done.moves, "problems": done.problems}
    print_result(document, f"Moves made: {done.moves}.", shell.options)
    for problem in done.problems:
        print_notice(f"pbmserv: {problem}")
    return EXIT_REFUSED if done.problems else EXIT_DONE


def services_for(shell: Shell, places: list[ListenAddress]) -> list[Service]:
    """Return the services of the settings, after creating their club; raises :class:`Fault`."""
    has_maildir = bool(find("maildir"))
    of_mail = [place for place in places if place.door != WEB_DOOR]
    if of_mail or has_maildir:
        our_address()
    shell.open_store().close()
    services: list[Service] = []
    if of_mail:
        sockets = tuple(each for place in of_mail for each in place.sockets)
        pulse = Pulse(2)
        services.append(Service(partial(listen, shell, of_mail, pulse), sockets, pulse))
    if has_maildir:
        spool = spool_at(None)
        spool.prepare()  # at once: mail may come before anybody looks
        pulse = Pulse(2)
        services.append(Service(partial(_consume, shell, spool, pulse), (), pulse))
    if not services:
        pulse = Pulse()
        services.append(Service(partial(run_periodic_tasks, shell, pulse), (), pulse))
    for place in places:
        if place.door == WEB_DOOR:
            pulse = Pulse()
            services.append(Service(partial(run_web, shell, place, pulse), place.sockets, pulse))
    return services


def _consume(shell: Shell, spool: Spool, pulse: Pulse) -> None:
    MaildirConsumer(shell, spool).run(pulse)


def run_service(shell: Shell, service: Callable[[], object], lifeline: int) -> None:
    """Do it until SIGTERM, or until ``lifeline`` ends; what goes wrong is noted."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    try:
        service()
    except Exception as error:
        Log(shell, to_stderr).failed(error)
        raise


def _end_with(lifeline: int) -> None:
    waiting = select.poll()
    waiting.register(lifeline, select.POLLHUP)
    waiting.poll()
    os.kill(os.getpid(), signal.SIGTERM)


def spool_at(maildir: str | None) -> Spool:
    """Return the Maildir that the option or the settings name; raises :class:`Fault`."""
    return Spool(Path(maildir or required("maildir")))


class MaildirConsumer:
    """Receives the mail delivered into a Maildir."""

    def __init__(self, shell: Shell, spool: Spool) -> None:
        self.spool = spool
        self.log = Log(shell, to_stderr)
        self._shell = shell
        shell.open_store().close()
        spool.prepare()
        self._gateway = open_gateway(shell, self.log)
        self.desk = self._gateway.desk
        self.stop = stop_signal()
        self.has_failed = False
        self._pulse = Pulse(2)

    def close(self) -> None:
        """Let the database go."""
        self.desk.close()

    def run(self, pulse: Pulse | None = None) -> None:
        """Go on until stopped, with tasks beside it."""
        self._pulse = pulse or self._pulse
        tasks = PeriodicTasks(self._shell.new_desk(), self.log, self._pulse)
        with closing(self), tasks.in_background() as send_soon:
            while not self.stop.is_set():
                self._pulse.beat(LOOP)
                if self.work_off():
                    send_soon()
                self.stop.wait(PAUSE)

    def work_off(self) -> int:
        """Receive the waiting mail; return how many mails were handled."""
        done = 0

        def receive(data: bytes) -> None:
            self._gateway.receive(data, Envelope(), "maildir")

        for is_done in self.spool.work(receive, self._is_store_well, self.log.failed):
            self._pulse.beat(LOOP)
            done += is_done
            self.has_failed = self.has_failed or not is_done
            if self.stop.is_set():
                break
        return done

    def _is_store_well(self) -> bool:
        with suppress(Fault), self.desk.store.writing():
            return True
        return False


def listen(shell: Shell, places: list[ListenAddress], pulse: Pulse | None = None) -> None:
    """Take in what is brought to these places, with tasks beside it, until stopped."""
    log = Log(shell, to_stderr)
    pulse = pulse or Pulse(2)
    with PeriodicTasks(shell.new_desk(), log, pulse).in_background() as send_soon:
        listener = open_listener(shell, log, send_soon)
        listener.beat = partial(pulse.beat, LOOP)

        def ready() -> None:
            stop_signal(listener.stop)
            log.say(f"Listening at {', '.join(map(str, places))}.")

        listener.run(places, ready)


def open_listener(shell: Shell, log: Log, done: Callable[[], object]) -> Listener:
    """Return what takes in the mails that are brought to it, as the settings describe.

    Where the database lets several write at once, several processes do. ``done`` is called after
    each mail. Raises :class:`Fault`.
    """
    from pbmserv.daemon.mail_workers import MAX_WORKERS, Workers
    from pbmserv.mail.listener import Listener

    gateway = open_gateway(shell, log)
    workers = Workers(shell.options) if parse_location(shell.options.url).path is None else None

    def receive(content: bytes, envelope: Envelope) -> None:
        if workers is None:
            gateway.receive(content, envelope, "listener")
        else:
            workers.receive(content, envelope)
        done()

    if workers is None:
        return Listener(gateway.own, receive, log.failed, end=gateway.desk.close)
    return Listener(gateway.own, receive, log.failed, end=workers.close, threads=MAX_WORKERS)


def run_periodic_tasks(
    shell: Shell, pulse: Pulse | None = None, *, only_robots: bool = False
) -> None:
    """Do tasks until stopped."""
    stop = stop_signal()
    log = Log(shell, to_stderr)
    tasks = PeriodicTasks(shell.new_desk(), log, pulse, only_robots=only_robots)
    with tasks.in_background():
        stop.wait()


def stop_signal(then: Callable[[], object] = bool) -> threading.Event:
    """Return what is set when the program is asked to stop, which ``then`` ends in time."""
    stop = threading.Event()

    def end(*_: object) -> None:
        stop.set()
        then()
        end_in_time()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    return stop
