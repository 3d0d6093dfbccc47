"""Moves by mail through an installation of its own, whose runner is killed at random moments.

All mails carry the reply token of their move, so that one that got lost stops its board, and one
that was played twice is refused.
"""

import os
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from email import message_from_bytes
from itertools import count
from pathlib import Path
from random import Random
from time import sleep

from pbmserv.club.letter import TokenScope
from pbmserv.desk.door import Desk
from pbmserv.desk.request import Request
from pbmserv.engine.games.star import Star
from pbmserv.mail.keyring import Keyring
from pbmserv.mail.spool import Spool
from pbmserv.mail.tokens import Keys, address_with, make_token
from pbmserv.store.mail.outbox import LetterState
from pbmserv.store.operator_lists import Filter
from pbmserv.store.store import Store
from tests.daemon.mail_receive_process import Installation
from tests.faults.two_players import PROGRAM
from tests.local_server import NOW, CheapPasswords

US = "pbmserv@example.org"
FIRST = 101
MOST_COPIES = 5


@dataclass
class Club:
    """An installation with boards between players ``x1`` and ``o1``, ``x2`` and ``o2``, ..."""

    here: Installation
    boards: int
    size: int = 6
    keys: Keys = ()
    claims: list[tuple[TokenScope, TokenScope]] = field(default_factory=list)
    """What the first move of X, and of O, on each board would be a claim to at the start."""

    def __post_init__(self) -> None:
        desk = Desk(
            lambda: Store.open(self.here.database),
            passwords=CheapPasswords(),
            writes_letters=lambda: True,
        )
        for number in range(1, self.boards + 1):
            for side in "xo":
                words = ("signup", f"{side}{number}", "secret-word", f"{side}{number}@example.net")
                desk.handle(Request(words))
            desk.handle(
                Request(("star", "challenge", f"x{number}", f"o{number}", f"-size={self.size}"))
            )
        with desk.store.reading() as records:
            for number in range(FIRST, FIRST + self.boards):
                match = records.matches.find("star", number)
                assert match is not None
                seats = (match.first.player_id, match.second.player_id)
                x, o = (TokenScope(match.id, player, match.revision) for player in seats)
                self.claims.append((x, o))
        desk.close()
        self.keys = Keyring(self.here.folder / "mail.keys").signing_keys(NOW)

    @property
    def cells(self) -> tuple[str, ...]:
        """What is played, one after the other, on every board."""
        return Star(self.size).board.names

    def move(self, board: int, ply: int) -> bytes:
        """Return the mail with this move on the board with this index, both from 0."""
        claim = self.claims[board][ply % 2]
        token = make_token(self.keys, replace(claim, revision=claim.revision + ply))
        lines = (
            f"From: {'xo'[ply % 2]}{board + 1}@example.net",
            f"To: {address_with(US, token)}",
            f"Subject: {self.cells[ply]}",
            f"Message-ID: <{board}.{ply}@example.net>",
            "",
            "",
        )
        return "\n".join(lines).encode()

    def held(self) -> list[tuple[str, ...]]:
        """Return the moves of every board."""
        store = Store.open(self.here.database)
        with store.reading() as records:
            numbers = range(FIRST, FIRST + self.boards)
            found = [records.matches.find("star", number) for number in numbers]
        store.close()
        return [tuple(turn.text for turn in match.turns) for match in found if match is not None]

    def letters(self) -> dict[LetterState, int]:
        store = Store.open(self.here.database)
        with store.reading() as records:
            counts = records.outbox.counts()
        store.close()
        return counts


@dataclass
class Storm:
    """Mails brought in portions, one for each life of the runner, most of them ended by force."""

    club: Club
    random: Random
    out: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often a letter left, by its recipient and Message-ID."""
    _names: Iterator[str] = field(default_factory=lambda: map("{:08}".format, count(1)))

    def __post_init__(self) -> None:
        folder = self.club.here.folder
        self.spool, self.sent = Spool(folder / "in"), folder / "out" / "new"
        self.spool.prepare()
        self.sent.mkdir(parents=True)

    def run(self, moves: int, kills: int) -> None:
        """Play so many moves on every board, the runner being killed so often on the way."""
        club = self.club
        mails = [club.move(board, ply) for ply in range(moves) for board in range(club.boards)]
        size = -(-len(mails) // kills)
        for start in range(0, len(mails), size):
            portion = mails[start : start + size]
            self.bring(portion)
            self.live(self.random.randint(1, len(self.spool.waiting()) + self.release()))
        self.finish()

    def bring(self, mails: Sequence[bytes]) -> None:
        """Put the mails into the Maildir, one in ten of them several times."""
        repeated = self.random.sample(mails, len(mails) // 10)
        again = [m for m in repeated for _ in range(self.random.randint(1, MOST_COPIES - 1))]
        for mail in (*mails, *again):
            name = next(self._names)
            written = self.spool.folder / "tmp" / name
            written.write_bytes(mail)
            written.rename(self.spool.folder / "new" / name)

    def live(self, steps: int) -> None:
        """Let the runner take in or send so many mails, and kill it a little later.

        Fewer leave where one letter goes in the place of others.
        """
        here = self.club.here
        quiet = subprocess.DEVNULL
        words = [str(PROGRAM), "mail", "run"]
        with subprocess.Popen(words, env=here.environ, stdout=quiet, stderr=quiet) as runner:
            while len(_files(self.spool.folder / "cur")) + len(_files(self.sent)) < steps:
                assert runner.poll() is None
                if not self.spool.waiting() and not self.club.letters()[LetterState.WAITING]:
                    break
                sleep(0.05)
            sleep(self.random.uniform(0, 0.03))
            runner.kill()
        self._collect()

    def release(self) -> int:
        """Have the letters that a dead runner had claimed sent at once; return how many wait."""
        store = Store.open(self.club.here.database)
        with store.writing() as records:
            waiting = records.lists.letters(Filter(status="waiting")).rows
            for letter in waiting:
                records.outbox.retry(letter.id, letter.created_at)
        store.close()
        return len(waiting)

    def finish(self) -> None:
        """Let the runner do the rest undisturbed."""
        while self.spool.waiting() or self.release():
            assert self.club.here.run("mail", "run", "--once").returncode == 0
        self._collect()

    def _collect(self) -> None:
        """Take what left and what was taken in out of the way."""
        for path in _files(self.spool.folder / "cur"):
            path.unlink()
        for path in _files(self.sent):
            message = message_from_bytes(path.read_bytes())
            self.out[message["Delivered-To"], message["Message-ID"]] += 1
            path.unlink()


def _files(folder: Path) -> list[Path]:
    return [Path(entry.path) for entry in os.scandir(folder)]
