"""A day of a club in fast motion: the log follows each mail to its letters, and each letter out."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from pbmserv.cli.main import run
from pbmserv.cli.options import ShellOptions
from pbmserv.cli.shell import Shell
from pbmserv.daemon.mail_log import Log
from pbmserv.desk.tick import tick
from pbmserv.engine.moments import format_moment
from pbmserv.mail.outbox_sender import OutboxSender
from pbmserv.mail.transports import open_transport
from pbmserv.operators import health
from tests import databases
from tests.mail.alarm_rules import Figures, alarms, read_figures
from tests.mail.loopback_mail_server import MailServer, mail_server, queue_id, read
from tests.mail.mail_players import by_first_line, cells_to_click
from tests.mail.server_by_mail import OPERATOR, US, ClubByMail, Letter
from tests.mail.test_robot_by_mail import add_robot
from tests.planted_secrets import has_canary

MOVES, ALL_MOVES = 24, 2000
DAY = 24 * 3600
PLAYERS = [f"player{number}" for number in range(1, 13)]
NUMBER = re.compile(r"(\d+)\.\d+@")
TOKEN = re.compile(r"pbmserv\+\w")


class FastClub(ClubByMail):
    """A club whose letters go to a mail server on loopback, with the log of a server that stays."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.lines: list[str] = []
        shell = Shell(ShellOptions())
        shell.desk.world = self.desk.world
        self.daemon_log = Log(shell, self.lines.append)
        self.gateway.log = self.daemon_log.handled
        self.server = MailServer()
        self.seen = 0

    @property
    def entries(self) -> list[dict[str, Any]]:
        """What the log says."""
        return [json.loads(line) for line in self.lines]

    def collect(self) -> list[Letter]:
        """Have what is due sent to the mail server, and return it."""
        way = open_transport(f"smtp://127.0.0.1:{self.server.port}")
        sender = OutboxSender(
            *(self.desk.store, US, self.keyring, way, self.clock.now, OPERATOR),
            log=self.daemon_log.left,
        )
        sender.send_due()
        new, self.seen = self.server.mails[self.seen :], len(self.server.mails)
        return [Letter(SimpleNamespace(recipient=to), read(mail)) for _, (to,), mail in new]  # type: ignore[arg-type]

    def settle(self) -> None:
        """Check the clocks."""
        tick(self.desk)
        self.daemon_log.done("clock", self.desk.take_trail())


@pytest.fixture
def club(
    sqlite_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[FastClub]:
    monkeypatch.setenv("PBMSERV_LOG_FORMAT", "json")
    club = FastClub(databases.copy_template(sqlite_template, tmp_path / "club"))
    monkeypatch.setattr(health, "time", SimpleNamespace(time=club.clock.now))
    with closing(club), mail_server() as club.server:
        yield club


def play_a_day(club: FastClub, moves: int) -> None:
    """Have players answer letters, chat, and challenge each other and a robot, for a day."""
    rng, ticks, made = Random(41), 0, 0
    began = club.clock.seconds
    letters: list[Letter] = []
    while made < moves:
        alice, bob = rng.sample(PLAYERS, 2)
        if made % 5 == 0:
            opponent = "robot1" if made % 10 == 0 else bob
            words = f"star challenge {alice} secret-{alice} {opponent} -size=3"
            club.mail(f"{alice}@example.net", words, times=1 + made % 2)
            club.mail(f"{bob}@example.net", "help report")
        letters += [each for each in club.collect() if "your turn" in each.text]
        for letter in letters[:5]:
            if not (cells := cells_to_click(letter)):
                continue
            outcome = by_first_line(club, letter, rng.choice(cells), 1)
            made += outcome == "done"
            sender = letter.to.partition("@")[0]
            if made % 7 == 0:  # a letter that goes in the place of the one before it
                board = re.search(r"Board (\d+)", letter.subject)
                assert board
                club.mail(letter.to, f"star chat {board[1]} {sender} secret-{sender} Hello!")
            club.clock.seconds = began + DAY * made // moves
        letters = letters[5:]
        if club.clock.seconds - began > 600 * ticks:
            ticks += 1
            club.settle()
    club.clock.seconds += 10
    club.settle()
    club.collect()


def test_each_letter_is_followed_from_the_mail_that_caused_it_to_the_mail_server(
    club: FastClub, capsys: pytest.CaptureFixture[str], *, full: bool
) -> None:
    add_robot(club)
    for some in (PLAYERS[:6], PLAYERS[6:]):  # no more newcomers of a domain in a day
        club.join(*some)
        club.clock.seconds += DAY
    play_a_day(club, ALL_MOVES if full else MOVES)
    with club.desk.store.reading() as records:
        stored = {letter.id: letter.state for letter in records.lists.letters().rows}
        taken = {each.key.partition(" ")[0] for each in records.lists.arrivals().rows}
    ways = {door: [e for e in club.entries if e["door"] == door] for door in ("test", "out")}
    out = {entry["letter"]: entry for entry in ways["out"]}
    names = [read(content)["Message-ID"] for _, _, content in club.server.mails]

    # Each letter has one cause and one end, and that is the one in the outbox.
    assert Counter({*stored}) == Counter(n for e in club.entries for n in e.get("letters", []))
    assert stored == {number: entry["code"] for number, entry in out.items()}
    assert len(out) == len(ways["out"])
    assert {"sent", "dropped"} == {*stored.values()}
    # The mail server knows each under the number of the log.
    sent = {entry["queue_id"]: number for number, entry in out.items() if entry["code"] == "sent"}
    assert [sent[queue_id(at)] for at in range(1, len(names) + 1)] == [
        int(NUMBER.findall(name)[0]) for name in names
    ]
    # Each mail has a line with its Message-ID, and those that answer a letter their board.
    assert club.mailed == sum(entry["code"] != "duplicate" for entry in ways["test"])
    assert taken <= {entry["message_id"] for entry in ways["test"]}
    moves = [entry for entry in ways["test"] if entry.get("command") == "star move"]
    assert len(moves) >= (ALL_MOVES if full else MOVES)
    assert all(re.fullmatch(r"star/\d+", entry["board"]) for entry in moves)
    assert any(len(entry["letters"]) == 1 for entry in moves), "a robot has answered at once"
    # Nothing is told that is nobody else's to know.
    assert not has_canary(*club.lines)
    assert not any(TOKEN.search(line) or "Hello" in line for line in club.lines)
    assert not any("@" in json.dumps({**e, "message_id": ""}) for e in ways["out"])

    text = figures_of(club, capsys)
    figures = read_figures(text)
    assert by(figures, "letters", "state") == Counter(stored.values())
    today = format_moment(club.clock.seconds - DAY)
    done = sum(entry["code"] == "done" and entry["at"] > today for entry in ways["test"])
    assert done == by(figures, "mails_last_day", "code")["done"]
    assert not has_canary(text)
    assert "@" not in text
    assert alarms(text) == []


def by(figures: Figures, name: str, label: str) -> dict[str, float]:
    """Return the values of a figure by one of its labels."""
    return {dict(k[1])[label]: n for k, n in figures.items() if k[0] == f"pbmserv_{name}"}


def figures_of(club: FastClub, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the figures as the command prints them."""
    capsys.readouterr()
    run(["--database", club.url, "doctor", "-metrics"])
    return capsys.readouterr().out
