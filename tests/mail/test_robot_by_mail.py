"""A game with the computer by mail: one letter for each move tells of the answer too."""

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import root
from pbmserv.desk.door import Desk
from pbmserv.desk.request import Request
from pbmserv.store.store import Store
from tests.mail.server_by_mail import ClubByMail


def add_robot(office: ClubByMail) -> None:
    desk = Desk(lambda: Store.open(office.url), tree=root(SHELL, shell_families()))
    desk.handle(Request(("admin", "robot", "add", "robot1", "-level=1")))
    desk.close()


def test_an_answer_tells_of_the_move_and_of_the_robots(office: ClubByMail) -> None:
    add_robot(office)
    office.join("alice")
    office.mail("alice@example.net", "star challenge alice secret-alice robot1 -size=3")
    (board,) = office.collect()
    assert office.reply(board, "C2") == "done"
    (letter,) = office.collect()

    assert letter.subject == "Star Board 101 alice"
    assert "alice plays C2." in letter.text
    assert letter.text.startswith("It is your turn.")
    assert letter.message["In-Reply-To"] is not None
    assert letter.message["Auto-Submitted"] == "auto-replied"
    position = office.desk.handle(Request(("star", "show", "101"))).document
    assert position["ply"] == 2
    assert office.reply(letter, "resign") == "done"
    assert "robot1 (computer)" in office.collect()[0].text
