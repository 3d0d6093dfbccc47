"""Players who know a board by the server's mails only, and answer them in every way there is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from itertools import pairwise
from random import Random
from smtplib import LMTP, SMTP
from threading import Event, Thread
from urllib.parse import parse_qs, unquote, urlsplit

from pbmserv.listen_address import parse_listen_address
from pbmserv.mail.inbound import Envelope
from pbmserv.mail.listener import Listener
from pbmserv.mail.loop_guard import ServerAddress
from tests.mail.server_by_mail import US, ClubByMail, Letter

Answer = Callable[[ClubByMail, Letter, str, int], str]


class Links(HTMLParser):
    """The links and areas of a page that open a mail, as Subject by Subject."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.mails: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = dict(attrs).get("href") or ""
        if tag in {"a", "area"} and href.startswith("mailto:"):
            parts = urlsplit(href)
            self.mails[parse_qs(parts.query)["body"][0]] = unquote(parts.path)


def page_of(letter: Letter) -> str:
    part = letter.message.get_body(("html",))
    assert part is not None
    return str(part.get_content())


def by_first_line(office: ClubByMail, letter: Letter, move: str, times: int) -> str:
    return office.reply(letter, f"{move}\n\nYour turn!", times=times)


def by_subject(office: ClubByMail, letter: Letter, move: str, times: int) -> str:
    return office.reply(letter, subject=f"Re: {letter.subject} {move}", times=times)


def by_click(office: ClubByMail, letter: Letter, move: str, times: int) -> str:
    """Click the first cell, complete the move if it has two, and press send."""
    links = Links(page_of(letter)).mails
    first, joint, second = move.partition("+")
    return office.mail(
        letter.to,
        f"Re: {letter.subject}",
        f"{first}{joint}{second}",
        to=links[f"{first}{joint}"],
        times=times,
    )


def by_password(office: ClubByMail, letter: Letter, move: str, times: int) -> str:
    """The classic trick: our own Subject, with password and move behind it, sent to our address."""
    userid = letter.to.partition("@")[0]
    return office.mail(
        letter.to, f"Re: {letter.subject} secret-{userid} {move}", "> old", times=times
    )


EVERY_WAY: tuple[Answer, ...] = (by_first_line, by_subject, by_click, by_password)


@contextmanager
def listening(office: ClubByMail, *, is_lmtp: bool) -> Iterator[None]:
    """Put a real listener on loopback before the gateway, and a real mail client before that."""
    gateway = office.new_gateway(office.new_desk())
    errors: list[Exception] = []
    listener = Listener(
        ServerAddress(US), lambda d, e: gateway.receive(d, e, "listener"), errors.append
    )
    ready = Event()
    place = parse_listen_address("127.0.0.1:0", "lmtp" if is_lmtp else "smtp")
    thread = Thread(target=listener.run, args=([place], ready.set))
    thread.start()
    assert ready.wait(60)

    def receive(data: bytes, envelope: Envelope) -> str:
        client = LMTP if is_lmtp else SMTP
        with client("127.0.0.1", listener.ports[0]) as connection:
            before = len(office.log)
            connection.sendmail(envelope.sender or "", [envelope.recipient or US], data)
            return office.log[before].outcome

    office.receive = receive
    try:
        yield
    finally:
        listener.stop()
        thread.join()
        gateway.desk.close()
        office.receive = office.receive_directly
    assert [] == errors


def whose_turn(letters: list[Letter]) -> Letter | None:
    """Return the letter to the player who is to move, if the game goes on."""
    return next((letter for letter in letters if "It is your turn." in letter.text), None)


def play(
    office: ClubByMail, letters: list[Letter], rng: Random, ways: tuple[Answer, ...]
) -> list[str]:
    """Play the game that these letters opened to its end; return the moves that were answered.

    Every mail is delivered one to five times.
    """
    moves: list[str] = []
    while (letter := whose_turn(letters)) is not None:
        move = rng.choice(cells_to_click(letter))
        way = ways[len(moves) % len(ways)]

        assert way(office, letter, move, rng.randint(1, 5)) == "done"
        letters = office.collect()
        assert sorted(letter.to for letter in letters) == ["alice@example.net", "bob@example.net"]
        moves.append(move)
    return moves


def cells_to_click(letter: Letter) -> list[str]:
    """Return moves that the letter offers, completed by a second cell where a turn has two."""
    offered = list(Links(page_of(letter)).mails)
    if not any(move.endswith("+") for move in offered):
        return [move for move in offered if move[-1:].isdigit()]
    cells = [move.rstrip("+") for move in offered if move.endswith("+")]
    return [f"{first}+{second}" for first, second in pairwise(cells)] or cells
