"""Games by mail as a page of the manual: what the players send and what they get.

``python -m tests.mail.transcript`` writes the page anew.
"""

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests import databases
from tests.mail.mail_players import whose_turn
from tests.mail.server_by_mail import US, ClubByMail, Letter

PAGE = Path(__file__).parents[2] / "help" / "mailgames.txt"
TOKEN = re.compile(r"\+[a-z2-7]{45}@")
STAR = "C2 B2 D2 B3 C3 A3 D1 C1 D3 B4 A4 C4"
DOUBLE = (
    "A10 A20+A21 T10+S10 A30+A31 R10+R20 T20+T21 S20+S21 R21+R30 *10+*20 R31+R32 T30+T31 *21+*30 "
    "T32+A32 *31+*32 S30+S31 S32+A40 A41+A42 R40+R41 A43+T40 R42+R43 T41+T42 *40+*41 T43+S40 "
    "*42+*43 S41+S42 S43"
)

HEAD = """\
# MAILGAMES

Two whole games by mail (play by mail, PBEM), as their players see them. Lines
with > are sent to the server, lines with < come from it; this page is generated
by playing them. The address with a token, different in each mail, is shortened.
Only some of the server's mails are shown, and never the copy for the player who
has just moved.
"""


def page() -> str:
    """Return the page."""
    with tempfile.TemporaryDirectory() as name:
        url = str(Path(name) / "games.sqlite")
        databases.create(url)
        office = ClubByMail(url)
        try:
            lines = [HEAD, *_star(office), *_double(office)]
        finally:
            office.close()
    return "\n".join(line.rstrip(" ") for line in lines) + "\n"


def _star(office: ClubByMail) -> Iterator[str]:
    yield "\n# STAR\n"
    yield from _sent("alice", US, "signup alice secret-alice")
    office.mail("alice@example.net", "signup alice secret-alice")
    (welcome,) = office.collect()
    yield from _got(welcome)
    yield from _sent("alice", welcome.reply_to, f"Re: {welcome.subject}", "Yes, that is me.")
    office.reply(welcome, "Yes, that is me.")
    office.collect()
    office.join("bob")
    yield "Bob does the same. Then alice begins, and both play by answers:\n"
    yield from _game(office, "star challenge alice secret-alice bob -size=3", STAR, shown=(0, 1))


def _double(office: ClubByMail) -> Iterator[str]:
    yield "\n# DOUBLE *STAR\n"
    line = "*star challenge bob secret-bob alice -size=4 -double"
    yield from _game(office, line, DOUBLE, shown=(1,))


def _game(office: ClubByMail, line: str, moves: str, shown: tuple[int, ...]) -> Iterator[str]:
    starter = line.split()[2]
    yield from _sent(starter, US, line)
    office.mail(f"{starter}@example.net", line)
    letters = office.collect()
    for number, move in enumerate(moves.split()):
        letter = whose_turn(letters)
        assert letter is not None
        if number in shown:
            yield from _got(letter)
        userid = letter.to.partition("@")[0]
        if number == 4:
            subject = f"Re: {letter.subject} secret-{userid} {move}"
            yield "With a password and the Subject alone, to the plain address, from anywhere:\n"
            yield from _sent(userid, US, subject)
            office.mail(letter.to, subject)
        else:
            yield from _sent(userid, letter.reply_to, f"Re: {letter.subject}", move)
            office.reply(letter, move)
        letters = office.collect()
    assert whose_turn(letters) is None
    yield from _got(letters[-1])


def _sent(userid: str, to: str, subject: str, text: str = "") -> Iterator[str]:
    yield f"> From: {userid}@example.net"
    yield f"> To: {_short(to)}"
    yield f"> Subject: {subject}"
    if text:
        yield ">"
        yield f"> {text}"
    yield ""


def _got(letter: Letter) -> Iterator[str]:
    yield f"< To: {letter.to}"
    yield f"< Subject: {letter.subject}"
    if letter.message["Reply-To"]:
        yield f"< Reply-To: {_short(letter.reply_to)}"
    yield "<"
    for line in letter.text.replace("\r", "").rstrip().split("\n"):
        yield f"< {line}"
    yield ""


def _short(address: str) -> str:
    return TOKEN.sub("+TOKEN@", address)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="ascii")
