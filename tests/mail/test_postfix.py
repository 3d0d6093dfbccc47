"""A real Postfix in front of us and behind us: through the pipe and through a Maildir."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mail import postfix
from tests.mail.posting import MailServer, mail_server, read
from tests.mail.postoffice import US, written

pytestmark = pytest.mark.slow

ALICE = "alice@example.net"


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that other users may enter, unlike those of the tests."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def letter(sink: MailServer, number: int) -> tuple[str, str]:
    """Return Subject and Reply-To of a letter to alice, waiting until it has come."""
    for _ in range(600):
        mine = [content for _, to, content in sink.mails if to == [ALICE]]
        if len(mine) > number:
            message = read(mine[number])
            return str(message["Subject"]), str(message["Reply-To"])
        time.sleep(0.1)
    raise AssertionError([mail[1] for mail in sink.mails])


@pytest.mark.parametrize("kind", ["pipe", "maildir"])
def test_a_game_begins_through_postfix(folder: Path, kind: str) -> None:
    postfix.require()
    with mail_server() as sink, postfix.running(folder, sink.port, kind) as server:
        server.ours("signup", "bob", "secret-bob")
        numbers = iter(range(1, 99))

        def mail(subject: str, text: str = "", to: str = US) -> None:
            number = next(numbers)
            server.send(ALICE, to, written(ALICE, subject, text, number=number, to=to))
            server.wait_for("status=sent (delivered", number)
            if kind == "maildir":
                server.ours("mail", "run", "--once")
            else:
                server.ours("mail", "send")

        mail("signup alice secret-alice")
        welcome = letter(sink, 0)
        mail(f"Re: {welcome[0]}", "Yes.", welcome[1])
        letter(sink, 1)
        mail("star challenge alice secret-alice bob -size=3")
        board = letter(sink, 2)
        mail(f"Re: {board[0]}", "C2\n", board[1])
        moved = letter(sink, 3)
        shown = server.ours("star", "show", "101")

    assert welcome[0] == "Welcome alice"
    assert board[0] == "Star Board 101 alice"
    assert moved[0] == "Star Board 101 alice"
    assert "1. X C2" in shown


def test_postfix_keeps_a_mail_while_the_database_is_away(folder: Path) -> None:
    postfix.require()
    with mail_server() as sink, postfix.running(folder, sink.port, "pipe") as server:
        server.ours("signup", "bob", "secret-bob")
        games = folder / "ours" / "games.sqlite"
        games.rename(folder / "ours" / "away")
        server.send(ALICE, US, written(ALICE, "signup alice secret-alice", "", number=1))
        server.wait_for("status=deferred")
        (folder / "ours" / "away").rename(games)
        server.control("flush")
        server.wait_for("status=sent (delivered")
        server.ours("mail", "send")
        welcome = letter(sink, 0)

    assert welcome[0] == "Welcome alice"
    assert "status=bounced" not in server.log
    assert "secret-alice" not in server.log
