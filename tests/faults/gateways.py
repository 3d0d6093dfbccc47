"""Four gateways and four shells before one PostgreSQL, of which any may be killed at any moment.

Two gateways listen for LMTP, two work a Maildir off; each is a process of the program, with those
that it starts. A mail is given to any of them, some to two at the same moment, and brought again
until one has taken care of it, as mail servers do. The moves of the shells are those of
``killed_servers.Client``. Meanwhile gateways die, and the database is stopped and started.
"""

import os
import signal
import smtplib
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from email import message_from_bytes
from itertools import count
from pathlib import Path
from random import Random
from threading import Event, Lock

from pbmserv.errors import EXIT_DONE, EXIT_FAULT
from tests.daemon.mail_receive_process import Installation
from tests.installed_program import children
from tests.mail.killed_mail_runner import FIRST, Club
from tests.own_postgresql import OwnServer, free_port

from .killed_servers import REST, Client

TWICE = 0.25
"""So many of the mails are given to two gateways at once."""

PAUSE = 0.1
"""Seconds before a mail that was not taken is brought again."""


class Gateway(ABC):
    """One process that takes mails in; it is started anew whenever it was killed."""

    def __init__(self, here: Installation) -> None:
        self._here = here
        self._alive = Lock()
        self.start()

    @abstractmethod
    def words(self) -> Sequence[str]:
        """Return the command that runs it."""

    @abstractmethod
    def takes(self, mail: bytes) -> bool:
        """Bring a mail; tell whether it is taken care of, False where that is not known."""

    def start(self) -> None:
        words = [str(self._here.program), *self.words()]
        quiet = subprocess.DEVNULL
        environ = self._here.environ
        self.process = subprocess.Popen(words, env=environ, stdout=quiet, stderr=quiet)

    def kill(self, random: Random) -> None:
        """Kill it, or one of the processes that it started, at once."""
        with self._alive:
            victim = random.choice([self.process.pid, *children(self.process.pid)])
            os.kill(victim, signal.SIGKILL)
            if victim == self.process.pid:
                self.process.wait()
                self.start()

    def revive(self) -> None:
        """Start it anew where it has ended by itself, as one does that begins without a database.

        The service manager does so in a club.
        """
        with self._alive:
            if self.process.poll() is not None:
                assert self.process.returncode == EXIT_FAULT
                time.sleep(REST)
                self.start()

    def stop(self) -> int:
        """Have it end in good order; return its exit code."""
        if self.process.poll() == EXIT_FAULT:
            return EXIT_DONE
        self.process.terminate()
        return self.process.wait(120)


class Listening(Gateway):
    """A gateway that listens for LMTP."""

    def __init__(self, here: Installation) -> None:
        self.port = free_port()
        super().__init__(here)

    def words(self) -> Sequence[str]:
        return ("mail", "serve", f"--lmtp=127.0.0.1:{self.port}")

    def takes(self, mail: bytes) -> bool:
        heads = (mail.partition(name)[2].partition(b"\n")[0] for name in (b"From: ", b"To: "))
        sender, to = (head.decode() for head in heads)
        try:
            with smtplib.LMTP("127.0.0.1", self.port, timeout=60) as client:
                client.sendmail(sender, [to], mail)
        except (smtplib.SMTPException, OSError):
            return False
        return True


class Working(Gateway):
    """A gateway that works a Maildir off."""

    def __init__(self, here: Installation, folder: Path) -> None:
        self.folder = folder
        self._names = map("{:08}".format, count(1))
        for part in ("tmp", "new", "cur", "shunt"):
            (folder / part).mkdir(parents=True)
        super().__init__(here)

    def words(self) -> Sequence[str]:
        return ("mail", "run", f"-maildir={self.folder}")

    def takes(self, mail: bytes) -> bool:
        name = next(self._names)
        draft = self.folder / "tmp" / name
        draft.write_bytes(mail)
        draft.rename(self.folder / "new" / name)
        while not (self.folder / "cur" / f"{name}:2,S").exists():
            self.revive()
            assert not (self.folder / "shunt" / name).exists()
            time.sleep(0.01)
        return True


@dataclass
class Scene:
    """The club, its gateways and shells, and what becomes of them."""

    server: OwnServer
    club: Club
    random: Random
    shells: Sequence[Client]
    gateways: Sequence[Gateway]
    taken: int = 0
    given_twice: int = 0
    brought_again: int = 0
    _counting: Lock = field(default_factory=Lock)

    def run(self, moves: int, shell_moves: int, kills: int, stops: int) -> None:
        """Play so many moves on every board, with so many kills and stops on the way."""
        over = Event()
        with ThreadPoolExecutor(len(self.shells) + 3 * self.club.boards + 1) as pool:
            harm = pool.submit(self._harm, kills, stops, moves * self.club.boards, over)
            playing = [pool.submit(shell.run, shell_moves) for shell in self.shells]
            playing += [
                pool.submit(self._play, pool, board, moves) for board in range(self.club.boards)
            ]
            try:
                for each in playing:
                    each.result()
            finally:
                over.set()
            harm.result()

    def _play(self, pool: ThreadPoolExecutor, board: int, moves: int) -> None:
        random = Random(board)
        for ply in range(moves):
            mail = self.club.move(board, ply)
            chosen = random.sample(self.gateways, 2 if random.random() < TWICE else 1)
            for done in [pool.submit(self._bring, gateway, mail, random) for gateway in chosen]:
                done.result()
            with self._counting:
                self.taken += 1
                self.given_twice += len(chosen) - 1

    def _bring(self, gateway: Gateway, mail: bytes, random: Random) -> None:
        while not gateway.takes(mail):
            gateway.revive()
            with self._counting:
                self.brought_again += 1
            time.sleep(PAUSE)
            gateway = random.choice(self.gateways)

    def _harm(self, kills: int, stops: int, mails: int, over: Event) -> None:
        """Spread the kills and the stops over the time in which the mails come in."""
        todo = ["kill"] * kills + ["fast", "immediate"] * stops
        todo = todo[: kills + stops]
        self.random.shuffle(todo)
        for number, what in enumerate(todo):
            while self.taken < mails * number // len(todo):
                if over.wait(0.01):
                    break
            if what == "kill":
                self.random.choice(self.gateways).kill(self.random)
                continue
            self.server.stop(what)
            time.sleep(self.random.uniform(0, 1))
            self.server.start()


def letters_out(folder: Path) -> list[tuple[str, str]]:
    """Return recipient and Message-ID of every letter that left."""
    found = []
    for path in (folder / "new").iterdir():
        message = message_from_bytes(path.read_bytes())
        found.append((str(message["Delivered-To"]), str(message["Message-ID"])))
    return found


def scene(here: Installation, server: OwnServer, *, boards: int, kills: int) -> Scene:
    """Return a scene with boards by mail, and behind them four of shells, ``kills`` each."""
    club = Club(here, boards)
    shells = [
        Client(here.database, FIRST + boards + n, frozenset(range(2, 2 + 2 * kills, 2)), Random(n))
        for n in range(4)
    ]
    gateways: list[Gateway] = [Listening(here), Listening(here)]
    gateways += [Working(here, here.folder / f"in{n}") for n in range(2)]
    return Scene(server, club, Random(boards), shells, gateways)
